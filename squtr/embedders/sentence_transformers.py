"""Any sentence-transformers model that takes sound and text, and Omni-Embed-Nemotron-3B as one of them."""

from __future__ import annotations

import functools
import importlib.metadata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from squtr.audio import RESAMPLER, resample
from squtr.digest import digest, digest_file
from squtr.errors import ItemFailure, NotHere, UserError
from squtr.hub import Pinned, hub_needs, pinned_model
from squtr.needs import Need, device, packages
from squtr.options import number_option, switch_option, text_option
from squtr.records import Document, Waveform
from squtr.retrievers.vectors import Vectors

HOW = "pip install 'sentence-transformers>=5.4' torch"
OMNI_EMBED = "nvidia/omni-embed-nemotron-3b"
OMNI_EMBED_REVISION = "e0e93aaaa65d2422a8a0c1284116e71f7a0fe966"
_BIDIRECTIONAL = "BidirectQwen2_5OmniThinkerTextModel"
_LONGEST = 2_048_000


class SentenceTransformersAudio:
    """A model by the folder or hub name that SentenceTransformer takes, with sound among its modalities.

    Queries are embedded by `encode_query`, documents by `encode_document`, with the prompts that the model's
    own configuration declares, unless `query_prompt` and `document_prompt` say otherwise. `sample_rate` is
    what the model's processor expects. `batch` is how many documents go into one call. `trust_code` lets a
    repository bring code of its own, which runs on this machine. Needs sentence-transformers 5.4 or newer.
    """

    _processing: dict[str, Any] = {}  # noqa: RUF012

    def __init__(
        self,
        model: str,
        revision: str | None = None,
        device: str = "cpu",
        dtype: str = "float32",
        query_prompt: str | None = None,
        document_prompt: str | None = None,
        sample_rate: int = 16000,
        batch: int = 8,
        trust_code: bool = False,
    ) -> None:
        self.model, self.device, self.dtype = text_option("model", model), str(device), str(dtype)
        self.revision = None if revision is None else text_option("revision", revision)
        self.query_prompt, self.document_prompt = query_prompt, document_prompt
        self.sample_rate = int(number_option("sample_rate", sample_rate, 8000, 96000))
        self.batch = int(number_option("batch", batch, 1, 4096))
        self.trust_code = switch_option("trust_code", trust_code)
        self._pin = None if self.revision is None else _pin(self.model, self.revision)

    @property
    def fingerprint(self) -> str:
        identity = _identity(self.model) if self._pin is None else str(self._pin)
        how = (self.dtype, self.query_prompt, self.document_prompt, self.sample_rate, self._processing)
        return digest("sentence-transformers-audio", identity, *how, _versions())

    def needs(self) -> list[Need]:
        """Return the packages, the device and the model."""
        found = [*packages(HOW, "sentence_transformers", "torch"), *device(self.device)]
        if self._pin is not None:
            return [*found, *hub_needs(self._pin, "model", self._pin.snapshot.is_dir())]
        there = Path(self.model).is_dir()
        return [*found, Need("model", self.model, there, "name a folder, or pin a repository with revision=")]

    def check(self) -> None:
        """Load the model and see that it takes sound and text. Raises UserError."""
        model = self._loaded
        lacking = [kind for kind in ("audio", "text") if not _takes(model, kind)]
        if lacking:
            raise UserError(
                f"{self.model}: takes no {' and no '.join(lacking)}. Name a model that takes both."
            )

    def embed_audio(self, audio: Waveform, language: str) -> Vectors:
        """Return one unit vector, shape (d,)."""
        vector: Vectors = self.embed_audio_many([audio], language)[0]
        return vector

    def embed_audio_many(self, audios: Sequence[Waveform], language: str) -> Vectors:
        """Return one unit vector a sound, shape (n, d); each is embedded by a call of its own.

        Padding to the longest of a batch moves the vectors of many such models, and a vector must not depend
        on its neighbours.
        """
        return np.concatenate([self._encoded("query", [self._input(audio)]) for audio in audios])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a written query, shape (n, d)."""
        return self._encoded("query", list(texts))

    def embed_documents(self, documents: Sequence[Document]) -> Vectors:
        """Return one unit vector a document, shape (n, d)."""
        return self._encoded("document", [document.full_text for document in documents])

    def _input(self, audio: Waveform) -> dict[str, Any]:
        if not len(audio.samples):
            raise ItemFailure("no sound to embed")
        samples = resample(audio, self.sample_rate).samples
        return {"audio": {"array": samples, "sampling_rate": self.sample_rate}}

    def _encoded(self, side: str, inputs: list[Any]) -> Vectors:
        model = self._loaded
        prompt = self.query_prompt if side == "query" else self.document_prompt
        found = getattr(model, f"encode_{side}")(
            inputs,
            batch_size=self.batch,
            convert_to_numpy=True,
            normalize_embeddings=True,
            show_progress_bar=False,
            **({} if prompt is None else {"prompt": prompt}),
        )
        return np.asarray(found, dtype=np.float32)

    @property
    def _loaded(self) -> Any:
        model = _load(self.model, self.revision, self.device, self.dtype, self.trust_code)
        self._prepare(model)
        return model

    def _prepare(self, model: Any) -> None:
        """Set what a model needs beyond its own configuration."""


class OmniEmbed(SentenceTransformersAudio):
    """Omni-Embed-Nemotron-3B (4.7 billion parameters), SQuTR's end-to-end system, at a pinned revision.

    Documents begin with `passage: `, states are averaged, vectors have length 1 and 2,048 dimensions; up to
    128 s of sound (model card; arXiv 2510.03458). The repository brings code of its own, and its licence
    allows research only. On a GPU give device=cuda; the CPU takes about 20 GB in float32.
    """

    _processing = {"audio": {"max_length": _LONGEST}}  # noqa: RUF012

    def __init__(
        self,
        model: str = OMNI_EMBED,
        revision: str | None = OMNI_EMBED_REVISION,
        device: str = "cpu",
        dtype: str = "bfloat16",
        query_prompt: str | None = None,
        document_prompt: str | None = "passage: ",
        batch: int = 8,
    ) -> None:
        pinned = None if Path(str(model)).is_dir() else revision
        super().__init__(
            model, pinned, device, dtype, query_prompt, document_prompt, batch=batch, trust_code=True
        )

    def _prepare(self, model: Any) -> None:
        """Allow long sound, and make the decoder read in both directions whatever transformers does.

        The model's own override of the causal mask is not called by transformers 5.
        """
        settings = getattr(model[0], "processing_kwargs", None)
        if isinstance(settings, dict):
            settings.update(self._processing)
        for module in model.modules():
            if type(module).__name__ == _BIDIRECTIONAL:
                module.config.is_causal = False


def _pin(model: str, revision: str) -> Pinned:
    if Path(model).is_dir():
        raise UserError(f"{model}: is a folder, so revision says nothing. Leave it out.")
    return pinned_model(model, revision)


@functools.cache
def _identity(model: str) -> Any:
    """Return the digests of a model folder's files, or the hub name as it stands."""
    folder = Path(model)
    if not folder.is_dir():
        return model
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): digest_file(file) for file in files}


def _versions() -> dict[str, str]:
    found = {"resampler": RESAMPLER}
    for name in ("sentence-transformers", "transformers", "torch"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            raise _missing(name) from None
    return found


def _takes(model: Any, kind: str) -> bool:
    supports = getattr(model, "supports", None)
    return supports is not None and bool(supports(kind))


@functools.cache
def _load(model: str, revision: str | None, device: str, dtype: str, trust_code: bool) -> Any:
    try:
        import torch  # type: ignore[import-not-found,unused-ignore]
        from sentence_transformers import (  # type: ignore[import-not-found,unused-ignore]
            SentenceTransformer,
        )
    except ImportError as error:
        raise _missing(error.name or "sentence-transformers") from error
    if not hasattr(SentenceTransformer, "supports"):
        raise NotHere(f"This sentence-transformers takes no sound, 5.4 or newer does: {HOW}")
    if not isinstance(getattr(torch, dtype, None), torch.dtype):
        raise UserError(f"dtype is {dtype!r}; it is float32, float16 or bfloat16.")
    try:
        return SentenceTransformer(
            model,
            revision=revision,
            device=device,
            trust_remote_code=trust_code,
            model_kwargs={"torch_dtype": getattr(torch, dtype)},
        ).eval()
    except Exception as error:
        raise UserError(
            f"sentence-transformers cannot load {model!r}: {' '.join(str(error).split())}. Give the folder of"
            " a saved model, or a hub name on a machine that reaches the hub."
        ) from error


def _missing(name: str) -> NotHere:
    return NotHere(f"End-to-end models of sentence-transformers need {name}: {HOW}")
