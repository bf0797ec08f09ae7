"""Dense retrieval with any service that has OpenAI's `/v1/embeddings`."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from squtr.digest import digest
from squtr.errors import ItemFailure, UserError
from squtr.needs import Need, key
from squtr.options import number_option
from squtr.records import Document
from squtr.remote import BrokenAnswer, Reply, Service, ServiceUnavailable
from squtr.retrievers.embedding import VectorSearch, embed_filled
from squtr.retrievers.prompts import chosen_prompts
from squtr.retrievers.sentence_transformers import readable
from squtr.retrievers.vectors import Vectors

_FORMATS = ("float", "base64")
_MOST_BYTES = 256 << 20
_LEAST_NORM = 1e-12


class OpenAIEmbeddings(VectorSearch):
    """Embeds title and text as one, searched exactly by cosine; what was paid for is kept by text.

    model, base_url: as the service names them. key: the NAME of the environment variable with the key; empty
    for none. dimensions: asked for where the service can shorten vectors. format: how numbers are asked for,
    float or base64; either is read. batch: texts a request. max_characters: cut longer texts, which are
    counted; without it the service refuses what it cannot read. Prompts: see squtr.retrievers.prompts.
    usd_per_1000_characters: the price. Further options: squtr.remote.Service.
    """

    def __init__(
        self,
        model: str,
        base_url: str = "https://api.openai.com/v1",
        key: str | None = "OPENAI_API_KEY",
        dimensions: int | None = None,
        format: str = "float",
        batch: int = 64,
        max_characters: int | None = None,
        prompt: str | None = None,
        query_prompt: str | None = None,
        document_prompt: str | None = None,
        usd_per_1000_characters: float = 0.0,
        engine: str = "auto",
        stored: str = "float32",
        **limits: Any,
    ) -> None:
        super().__init__(engine, stored)
        if format not in _FORMATS:
            raise UserError(f"format is {format!r}; it is one of {', '.join(_FORMATS)}.")
        self._service = Service(model, base_url, key, **limits)
        self._format = format
        self._dimensions = _whole("dimensions", dimensions, 65536)
        self._batch = int(number_option("batch", batch, 1, 4096))
        self._longest = _whole("max_characters", max_characters, 10_000_000)
        self._usd = number_option("usd_per_1000_characters", usd_per_1000_characters, 0, 1e6)
        self.prompts = chosen_prompts(self._service.model, None, prompt, query_prompt, document_prompt)
        self._width = self._dimensions
        self.truncation = {"documents": 0, "cut": 0}

    @property
    def fingerprint(self) -> str:
        """The service's address, the model by its name there, and the prompts; no digest can be had."""
        prompts = f"query={self.prompts.query!r} document={self.prompts.document!r}"
        how = f"dimensions={self._dimensions} max_characters={self._longest}"
        return f"openai-embeddings {self._source} {how} {prompts} cosine{self.stored_fingerprint}"

    def needs(self) -> list[Need]:
        """Return the key."""
        endpoint = self._service.endpoint
        return key(endpoint.key_variable, endpoint.host)

    def check(self) -> None:
        """Raise UserError for a missing key, a cap without prices, or a state folder that cannot be used."""
        self._service.check(has_price=self._usd > 0)

    def embed_documents(self, documents: Sequence[Document]) -> Vectors:
        """Return a vector a document, shape (n, d), float32. Raises UserError when the service gives none."""
        texts = [document.full_text for document in documents]
        self.truncation["documents"] += len(texts)
        self.truncation["cut"] += sum(len(text) > (self._longest or len(text)) for text in texts)
        return self._embedded(texts, self.prompts.document)

    def embed_queries(self, queries: Sequence[str]) -> Vectors:
        """Return a vector a query, shape (n, d), float32. Raises UserError when the service gives none."""
        return self._embedded(queries, self.prompts.query)

    @property
    def _source(self) -> str:
        return f"{self._service.endpoint.base_url.rstrip('/')} {self._service.model}"

    def _embedded(self, texts: Sequence[str], prompt: str) -> Vectors:
        return embed_filled(
            [readable(text)[: self._longest] for text in texts],
            lambda filled: self._kept_or_asked([prompt + text for text in filled]),
            self._width,
        )

    def _kept_or_asked(self, texts: list[str]) -> Vectors:
        kept = {text: self._kept(text) for text in dict.fromkeys(texts)}
        missing = [text for text, vector in kept.items() if vector is None]
        found = {text: vector for text, vector in kept.items() if vector is not None}
        for start in range(0, len(missing), self._batch):
            part = missing[start : start + self._batch]
            for text, vector in zip(part, self._asked(part), strict=True):
                found[text] = vector
                self._service.state.keep(self._key(text), base64.b64encode(vector.tobytes()).decode())
        widths = {len(vector) for vector in found.values()}
        if len(widths) > 1:
            raise UserError(
                f"{self._source}: gave vectors of {sorted(widths)} numbers. Did the model change?"
            )
        return np.stack([found[text] for text in texts])

    def _key(self, text: str) -> str:
        return digest("openai-embeddings", self._source, self._dimensions, text)

    def _kept(self, text: str) -> Vectors | None:
        body = self._service.state.answer(self._key(text))
        if body is None:
            return None
        vector = np.frombuffer(base64.b64decode(body), dtype="<f4").astype(np.float32)
        self._width = self._width or len(vector)
        return vector

    def _asked(self, texts: list[str]) -> list[Vectors]:
        request: dict[str, Any] = {
            "model": self._service.model,
            "input": texts,
            "encoding_format": self._format,
        }
        if self._dimensions is not None:
            request["dimensions"] = self._dimensions
        usd = self._usd * sum(map(len, texts)) / 1000
        try:
            return self._service.ask(
                "embeddings", request, usd, _MOST_BYTES, lambda reply: self._read(reply, len(texts))
            )
        except (ItemFailure, ServiceUnavailable) as failure:
            raise UserError(
                f"{failure}. The longest of these {len(texts)} texts has {max(map(len, texts))} characters:"
                " max_characters= cuts texts, batch= asks for fewer at once. What came is kept: run the same"
                " command again."
            ) from failure

    def _read(self, reply: Reply, count: int) -> list[Vectors]:
        vectors = read_embeddings(reply.text(), count)
        widths = {len(vector) for vector in vectors}
        if len(widths) > 1 or (self._width is not None and widths != {self._width}):
            raise BrokenAnswer(
                f"vectors of {sorted(widths)} numbers instead of {self._width or 'one length'}"
            )
        self._width = len(vectors[0])
        return vectors


def read_embeddings(body: str, count: int) -> list[Vectors]:
    """Return the vectors of an answer in the order of the texts, by `index`. Raises BrokenAnswer."""
    try:
        rows = json.loads(body)["data"]
        by_index = {row["index"]: _vector(row["embedding"]) for row in rows}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BrokenAnswer(f"an answer that is no list of embeddings ({error})") from None
    if len(rows) != count or set(by_index) != set(range(count)):
        raise BrokenAnswer(f"embeddings {sorted(map(str, by_index))[:5]} for {count} texts")
    for vector in by_index.values():
        norm = float(np.linalg.norm(vector.astype(np.float64)))
        if vector.ndim != 1 or not np.isfinite(norm) or norm < _LEAST_NORM:
            raise BrokenAnswer("an embedding with NaN or infinity, or of zeros alone")
    return [by_index[place] for place in range(count)]


def _vector(value: object) -> Vectors:
    if not isinstance(value, str):
        return np.asarray(value, dtype=np.float32)
    try:
        return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4").astype(np.float32)
    except binascii.Error as error:
        raise ValueError(f"base64: {error}") from None


def _whole(name: str, value: object, most: float) -> int | None:
    return None if value is None else int(number_option(name, value, 1, most))
