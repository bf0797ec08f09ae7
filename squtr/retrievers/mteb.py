"""Text models by the name that the package mteb knows them by, run as mteb runs them, prompts and all."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from squtr.errors import NotHere, UserError
from squtr.needs import Need, device, packages
from squtr.options import number_option, text_option
from squtr.records import Document
from squtr.retrievers import Ranking
from squtr.retrievers.embedding import VectorSearch, embed_filled
from squtr.retrievers.models import versions
from squtr.retrievers.sentence_transformers import readable
from squtr.retrievers.vectors import Vectors

HOW = "pip install 'squtr[mteb,torch]'"
_TASK_FOR_ITS_FORM = "NFCorpus"
_SPLIT = {"hf_split": "test", "hf_subset": "default"}


class MtebModel:
    """One model of mteb's registry, at the revision and with the prompts that mteb declares for it.

    task: a task of mteb whose own prompts are used where the model has some for it; without it the model's
    prompts for retrieval in general. instruction: what an instruction model is told in place of mteb's
    "Retrieve text based on user query.". Raises UserError.
    """

    def __init__(
        self,
        name: str,
        revision: str | None,
        task: str | None,
        instruction: str | None,
        run_on: str,
        batch_size: int,
    ) -> None:
        if task is not None and instruction is not None:
            raise UserError("mteb: task and instruction both say what the model is told. Leave one.")
        self.name, self.device = text_option("model", name), text_option("device", run_on)
        self.batch_size = int(number_option("batch_size", batch_size, 1, 65536))
        self.task = None if task is None else text_option("task", task)
        self.instruction = instruction
        self.meta = _meta(self.name, None if revision is None else text_option("revision", revision))

    @property
    def fingerprint(self) -> str:
        prompts = self.meta.loader_kwargs.get("model_prompts")
        told = f"prompts={prompts} task={self.task} instruction={self.instruction!r}"
        how = f"batch_size={self.batch_size} on {self.device}"
        return f"mteb {self.meta.name}@{self.meta.revision} {told} {how} {versions('mteb')}"

    @functools.cached_property
    def width(self) -> int:
        """The numbers in a vector."""
        return int(self.rows(["a"], "query").shape[1])

    @functools.cached_property
    def metadata(self) -> Any:
        """What the model is told of the task."""
        mteb = importlib.import_module("mteb")
        try:
            found = mteb.get_task(self.task or _TASK_FOR_ITS_FORM).metadata
        except Exception as error:
            raise UserError(
                f"mteb: task is {self.task!r}, which mteb does not know ({_said(error)})."
            ) from error
        if self.task is not None:
            return found
        retrieval = importlib.import_module("mteb.abstasks.retrieval").AbsTaskRetrieval
        told = self.instruction if self.instruction is not None else retrieval.abstask_prompt
        return found.model_copy(update={"name": "SQuTR", "prompt": {"query": told}})

    @functools.cached_property
    def loaded(self) -> Any:
        """The model, by `mteb.get_model`. Raises UserError."""
        try:
            mteb = importlib.import_module("mteb")
            return mteb.get_model(self.name, revision=self.meta.revision, device=self.device)
        except Exception as error:  # whatever a model's own package raises
            raise UserError(
                f"mteb: {self.name} cannot be loaded ({_said(error)}). A model comes from the hub's cache or"
                " the network; some want a package or a key of their own."
            ) from error

    def rows(self, texts: list[str], kind: str) -> Any:
        """Return the model's vectors of texts, which are queries or documents."""
        rows = _dataset([{"id": str(place), "title": "", "text": text} for place, text in enumerate(texts)])
        loader = importlib.import_module("torch.utils.data").DataLoader(rows, batch_size=self.batch_size)
        prompt_type = importlib.import_module("mteb.types").PromptType(kind)
        found = self.loaded.encode(
            loader, task_metadata=self.metadata, prompt_type=prompt_type, **_SPLIT, **self.encoding
        )
        return np.asarray(found.cpu() if hasattr(found, "cpu") else found, dtype=np.float32)

    @property
    def encoding(self) -> dict[str, Any]:
        return {"batch_size": self.batch_size, "show_progress_bar": False}


class _OfMteb:
    """What both kinds share."""

    model: MtebModel

    @property
    def fingerprint(self) -> str:
        """mteb's version, the model and its revision, the task, and versions."""
        return self.model.fingerprint

    def needs(self) -> list[Need]:
        """Return the packages and the device."""
        return [*packages(HOW, "mteb", "torch"), *device(self.model.device)]

    def check(self) -> None:
        """Find the task and load the model. Raises UserError."""
        _ = self.model.metadata, self.model.loaded


class MtebVectors(_OfMteb, VectorSearch):
    """A model whose vectors are compared by cosine: searched exactly, the corpus's vectors kept."""

    documents_at_once = 1024

    def __init__(self, model: MtebModel) -> None:
        super().__init__()
        self.model = model

    def embed_documents(self, documents: Sequence[Document]) -> Vectors:
        """Return a vector a document, shape (n, d), float32."""
        return self._embedded([document.full_text for document in documents], "document")

    def embed_queries(self, queries: Sequence[str]) -> Vectors:
        """Return a vector a query, shape (n, d), float32."""
        return self._embedded(queries, "query")

    def _embedded(self, texts: Sequence[str], kind: str) -> Vectors:
        return embed_filled(
            list(map(readable, texts)), functools.partial(self.model.rows, kind=kind), self.model.width
        )


class MtebSearch(_OfMteb):
    """A model with another relevance than the cosine: searched by mteb, and nothing is kept."""

    def __init__(self, model: MtebModel) -> None:
        self.model = model

    @functools.cached_property
    def _search(self) -> Any:
        if hasattr(self.model.loaded, "search"):
            return self.model.loaded
        return importlib.import_module("mteb.models.search_wrappers").SearchEncoderWrapper(self.model.loaded)

    def index(self, documents: Sequence[Document], language: str) -> None:
        """Take in the corpus; mteb gets it at each search, for it lets go of it afterwards."""
        self._corpus = _dataset([{"id": one.id, "title": one.title, "text": one.text} for one in documents])

    def search(self, queries: Sequence[str], k: int) -> list[Ranking]:
        """Return up to k documents a query, with the model's own scores."""
        rows = _dataset([{"id": str(place), "text": text} for place, text in enumerate(queries)])
        self._search.index(self._corpus, num_proc=None, **self._told)
        found = self._search.search(rows, top_k=k, num_proc=None, **self._told)
        return [dict(found.get(str(place), {})) for place in range(len(queries))]

    @property
    def _told(self) -> dict[str, Any]:
        return {"task_metadata": self.model.metadata, "encode_kwargs": self.model.encoding, **_SPLIT}


def mteb_model(
    model: str,
    revision: str | None = None,
    task: str | None = None,
    instruction: str | None = None,
    device: str = "cpu",
    batch_size: int = 32,
) -> MtebVectors | MtebSearch:
    """Return the retriever on a model of mteb. Raises UserError, NotHere without the package."""
    chosen = MtebModel(model, revision, task, instruction, device, batch_size)
    if "cross-encoder" in chosen.meta.model_type:
        raise UserError(f"mteb: {model} is a cross-encoder. Use rerank,first=bm25,model={model},revision=...")
    by_cosine = "dense" in chosen.meta.model_type and chosen.meta.similarity_fn_name in (None, "cosine")
    return MtebVectors(chosen) if by_cosine else MtebSearch(chosen)


@functools.cache
def _meta(name: str, revision: str | None) -> Any:
    try:
        mteb = importlib.import_module("mteb")
    except ImportError as error:
        raise NotHere(f"The retriever mteb needs the package mteb ({error}). {HOW} brings it.") from error
    try:
        meta = mteb.get_model_meta(name, revision)
    except Exception as error:  # KeyError for a name that is not there, ValueError for another revision
        raise UserError(f"mteb: {_said(error)}") from error
    if meta.loader is None or meta.revision is None:
        raise UserError(
            f"mteb: {name} has no {'way to be run' if meta.loader is None else 'pinned revision'} in mteb."
        )
    return meta


def _dataset(rows: list[dict[str, str]]) -> Any:
    return importlib.import_module("datasets").Dataset.from_list(rows)


def _said(error: Exception) -> str:
    said = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    return f"{type(error).__name__}: {' '.join(said.split())[:300]}"
