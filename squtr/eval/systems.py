"""Systems: retrievers loaded once, each query text searched once, whatever the condition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from squtr import plugins
from squtr.counted import counted
from squtr.errors import UserError, raised_at
from squtr.eval.runs import cut
from squtr.eval.stored_corpus import StoredCorpus, index_corpus
from squtr.functions import part_name
from squtr.records import Document
from squtr.retrievers import QueryContext, Ranking, Retriever
from squtr.retrievers.members import member_specs

__all__ = ["StoredCorpus", "System", "cascades", "load_systems", "search", "truncations"]


@dataclass(frozen=True)
class System:
    """One retriever under the name results give it, and the recogniser whose transcripts it searches with."""

    name: str
    spec: str
    retriever: Retriever
    recogniser: str = ""

    @property
    def fingerprint(self) -> str:
        own = getattr(self.retriever, "fingerprint", None)
        return own if isinstance(own, str) else f"{self.spec} (no fingerprint of its own)"

    @property
    def chooses(self) -> bool:
        """Whether it chooses between members query by query, so that an oracle can be told."""
        return hasattr(self.retriever, "search_with") and hasattr(self.retriever, "members")

    @property
    def members(self) -> list[System]:
        """What it is made of; nothing for most."""
        found = getattr(self.retriever, "members", ())
        return [
            replace(self, name=f"{self.name} member {at}", retriever=one)
            for at, one in enumerate(found, start=1)
        ]


def load_systems(specs: Sequence[str]) -> list[System]:
    """Load each retriever once and let it check itself; members of several are loaded once for all.

    Raises UserError for an unknown spec or the same one twice.
    """
    if len(set(specs)) != len(specs):
        raise UserError(f"The same --retriever stands twice: {', '.join(specs)}.")
    loaded: dict[str, Retriever] = {}
    systems = [System(spec, spec, _load(spec, loaded)) for spec in specs]
    for system in systems:
        plugins.check("retriever", system.spec, system.retriever)
    return systems


def cascades(systems: Sequence[System], recognisers: Sequence[str]) -> list[System]:
    """Return one system a retriever and recogniser: `retriever | recogniser` where there are several."""
    several = len(recognisers) > 1
    return [
        replace(system, name=f"{system.name} | {spec}" if several else system.name, recogniser=spec)
        for system in systems
        for spec in recognisers
    ]


def _load(spec: str, loaded: dict[str, Retriever]) -> Retriever:
    """Load a retriever, and first, under the option that its class names, those that it is made of."""
    if spec in loaded:
        return loaded[spec]
    name, options = plugins.split_spec(spec)
    cls = plugins.resolve("retriever", name)
    option = getattr(cls, "composed_of", None)
    if option is None:
        loaded[spec] = _remembering(plugins.load("retriever", spec))
        return loaded[spec]
    named = options.get(option, getattr(cls, "default_members", ()))
    chosen: Any = (
        [_load(member, loaded) for member in member_specs(named)]
        if option == "members"
        else _load(str(named), loaded)
    )
    built = plugins.build("retriever", spec, {**options, option: chosen})
    loaded[spec] = built if option == "members" else _remembering(built)
    return loaded[spec]


def _remembering(retriever: Retriever) -> _Remembering:
    kind = _RememberingInContext if hasattr(retriever, "search_with") else _Remembering
    return kind(retriever)


@contextmanager
def _told(retriever: Retriever, method: str) -> Iterator[None]:
    """Turn what goes wrong inside a retriever into one message that says where."""
    try:
        yield
    except (UserError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        raise UserError(f"{part_name(retriever)}.{method} failed at {raised_at(error)}.") from error


class _Remembering:
    """A retriever that indexes a corpus once and searches each text once at a depth."""

    def __init__(self, retriever: Retriever) -> None:
        self.retriever = retriever
        self._corpus: object = None
        self._known: dict[tuple[str, int], Ranking] = {}

    @property
    def fingerprint(self) -> Any:
        return getattr(self.retriever, "fingerprint", None)

    def check(self) -> None:
        check_itself = getattr(self.retriever, "check", None)
        if check_itself is not None:
            check_itself()

    def index(self, documents: Sequence[Document], language: str) -> None:
        if self._corpus is documents:
            return
        self._corpus, self._known = documents, {}
        with _told(self.retriever, "index"):
            index_corpus(self.retriever, documents, language)

    def search(self, queries: Sequence[str], k: int) -> list[Ranking]:
        missing = list(dict.fromkeys(text for text in queries if (text, k) not in self._known))
        if missing:
            with _told(self.retriever, "search"):
                found = [dict(ranking) for ranking in self.retriever.search(missing, k)]
            if len(found) != len(missing):
                raise _too_few(f"{type(self.retriever).__qualname__}.search", len(found), len(missing))
            self._known.update(((text, k), ranking) for text, ranking in zip(missing, found, strict=True))
        return [self._known[text, k] for text in queries]


class _RememberingInContext(_Remembering):
    """One that also asks how a query was heard: the same text may then have several rankings."""

    @property
    def context(self) -> Any:
        return getattr(self.retriever, "context", None)

    def search_with(
        self, queries: Sequence[str], contexts: Sequence[QueryContext | None], k: int
    ) -> list[Ranking]:
        with _told(self.retriever, "search_with"):
            found = self.retriever.search_with(queries, contexts, k)  # type: ignore[attr-defined]
            return [dict(ranking) for ranking in found]


def search(
    system: System,
    texts: Sequence[str | None],
    depth: int,
    contexts: Sequence[QueryContext | None] | None = None,
) -> list[Ranking | None]:
    """Return a ranking for each text under the one order, cut at `depth`; None (no query) gives None.

    A retriever that offers `search_with` is told each text's context, None for a written query.
    """
    told = [None] * len(texts) if contexts is None else contexts
    asked = [(text, context) for text, context in zip(texts, told, strict=True) if text is not None]
    found = iter(_found(system, [text for text, _ in asked], [context for _, context in asked], depth))
    return [None if text is None else dict(cut(next(found), depth, text)) for text in texts]


def truncations(systems: Sequence[System], corpus: StoredCorpus) -> dict[str, dict[str, int]]:
    """Return by system what its model counted of this corpus: texts read, and those cut at their end."""
    found = {}
    for system in systems:
        retriever = getattr(system.retriever, "retriever", system.retriever)
        counted = corpus.truncation(retriever) if hasattr(retriever, "truncation") else None
        if counted is not None:
            found[system.name] = counted
    return found


def _found(
    system: System, texts: list[str], contexts: list[QueryContext | None], depth: int
) -> Sequence[Ranking]:
    if not texts:
        return []
    in_context = getattr(system.retriever, "search_with", None)
    if in_context is None:
        return system.retriever.search(texts, depth)
    found: Sequence[Ranking] = in_context(texts, contexts, depth)
    if len(found) != len(texts):
        raise _too_few(f"{system.name}.search_with", len(found), len(texts))
    return found


def _too_few(method: str, found: int, asked: int) -> UserError:
    return UserError(
        f"{method} gave {counted(found, 'ranking')} for {counted(asked, 'query')}. One a query is needed."
    )
