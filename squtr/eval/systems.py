"""Systems: retrievers loaded once, each query text searched once, whatever the condition."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from squtr import plugins
from squtr.collection import Collection
from squtr.digest import digest
from squtr.errors import UserError
from squtr.eval.runs import cut
from squtr.progress import Reporter
from squtr.records import Document
from squtr.retrievers import Ranking, Retriever
from squtr.store import Store, temporary_name

_HYBRID = "hybrid"
_EMBEDDED_AT_ONCE = 64


@dataclass(frozen=True)
class System:
    """One retriever under the name results give it."""

    name: str
    spec: str
    retriever: Retriever

    @property
    def fingerprint(self) -> str:
        own = getattr(self.retriever, "fingerprint", None)
        return own if isinstance(own, str) else f"{self.spec} (no fingerprint of its own)"


def load_systems(specs: Sequence[str]) -> list[System]:
    """Load each retriever once; a hybrid takes members that are loaded already as they are.

    Raises UserError for an unknown spec or the same one twice.
    """
    if len(set(specs)) != len(specs):
        raise UserError(f"The same --retriever stands twice: {', '.join(specs)}.")
    loaded: dict[str, Retriever] = {}
    for spec in sorted(specs, key=lambda spec: plugins.split_spec(spec)[0] == _HYBRID):
        retriever = _load(spec, loaded)
        loaded[spec] = retriever
    return [System(spec, spec, loaded[spec]) for spec in specs]


def _load(spec: str, loaded: dict[str, Retriever]) -> Retriever:
    name, options = plugins.split_spec(spec)
    if name != _HYBRID:
        return _Remembering(plugins.load("retriever", spec))
    members = str(options.get("members", "bm25+dense")).split("+")
    taken = [loaded[member] if member in loaded else _load(member, loaded) for member in members]
    found: Retriever = plugins.resolve("retriever", name)(**{**options, "members": taken})
    return found


@contextmanager
def _told(retriever: Retriever, method: str) -> Iterator[None]:
    """Turn what goes wrong inside a retriever into one message that says where."""
    try:
        yield
    except (UserError, MemoryError):
        raise
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise UserError(
            f"{type(retriever).__module__}:{type(retriever).__qualname__}.{method} failed at"
            f" {Path(place.filename).name}:{place.lineno}: {type(error).__name__}: {error}."
        ) from error


class _Remembering:
    """A retriever that indexes a corpus once and searches each text once at a depth."""

    def __init__(self, retriever: Retriever) -> None:
        self.retriever = retriever
        self._corpus: object = None
        self._known: dict[tuple[str, int], Ranking] = {}

    @property
    def fingerprint(self) -> Any:
        return getattr(self.retriever, "fingerprint", None)

    def index(self, documents: Sequence[Document], language: str) -> None:
        if self._corpus is documents:
            return
        self._corpus, self._known = documents, {}
        if isinstance(documents, StoredCorpus) and hasattr(self.retriever, "embed_documents"):
            vectors = documents.vectors(self.retriever)
            self.retriever.index_vectors([document.id for document in documents], vectors)  # type: ignore[attr-defined]
        else:
            with _told(self.retriever, "index"):
                self.retriever.index(documents, language)

    def search(self, queries: Sequence[str], k: int) -> list[Ranking]:
        missing = list(dict.fromkeys(text for text in queries if (text, k) not in self._known))
        if missing:
            with _told(self.retriever, "search"):
                found = [dict(ranking) for ranking in self.retriever.search(missing, k)]
            if len(found) != len(missing):
                raise UserError(
                    f"{type(self.retriever).__qualname__}.search gave {len(found)} rankings"
                    f" for {len(missing)} queries."
                )
            self._known.update(((text, k), ranking) for text, ranking in zip(missing, found, strict=True))
        return [self._known[text, k] for text in queries]


class StoredCorpus(Sequence[Document]):
    """The documents of a collection, with their embeddings kept in the store."""

    def __init__(self, collection: Collection, store: Store, progress: Reporter) -> None:
        self._documents = list(collection.documents())
        self._key = collection.corpus_fingerprint
        self._label = f"embed {collection.language}/{collection.name}"
        self._store, self._progress = store, progress

    def __len__(self) -> int:
        return len(self._documents)

    def __getitem__(self, index: Any) -> Any:
        return self._documents[index]

    def vectors(self, embedder: Any) -> Any:
        """Return the documents' vectors, shape (n, d) float32, memory-mapped; embedded only once."""
        path = self._store.array_path(digest("embed", embedder.fingerprint, self._key))
        if not path.exists():
            self._embed(embedder, path)
        return np.load(path, mmap_mode="r", allow_pickle=False)

    def _embed(self, embedder: Any, path: Path) -> None:
        self._progress.total(self._label, len(self))
        temporary = temporary_name(path)
        vectors = None
        for start in range(0, len(self), _EMBEDDED_AT_ONCE):
            part = embedder.embed_documents(self._documents[start : start + _EMBEDDED_AT_ONCE])
            if vectors is None:
                shape = (len(self), part.shape[1])
                npy: Any = np.lib.format
                vectors = npy.open_memmap(temporary, mode="w+", dtype=np.float32, shape=shape)
            vectors[start : start + len(part)] = part
            self._progress.advance(self._label, len(part))
        if vectors is None:
            raise UserError(f"{self._label}: the corpus is empty.")
        vectors.flush()
        temporary.replace(path)


def search(system: System, texts: Iterable[str | None], depth: int) -> list[Ranking | None]:
    """Return a ranking for each text under the one order, cut at `depth`; None (no query) gives None."""
    wanted = list(texts)
    asked = [text for text in wanted if text is not None]
    found = iter(system.retriever.search(asked, depth) if asked else [])
    return [None if text is None else dict(cut(next(found), depth, text)) for text in wanted]
