"""End-to-end systems: each recording embedded once, searched exactly among the corpus's vectors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from squtr import plugins
from squtr.dataset import Recording, Subset
from squtr.embed_audio import EmbedAudio, EmbedItem, embedder, unpacked
from squtr.embedders import Embedder
from squtr.errors import UserError, raised_at
from squtr.eval.runs import Run, cut
from squtr.eval.systems import StoredCorpus
from squtr.eval.transcripts import RunStage, register_audio
from squtr.records import Query
from squtr.retrievers.vectors import VectorIndex, Vectors
from squtr.store import Store

TEXT = "text"


@dataclass(frozen=True)
class EndToEnd:
    """One embedder under the name results give it; its spec."""

    name: str

    @property
    def embedder(self) -> Embedder:
        return embedder(self.name)

    @property
    def fingerprint(self) -> str:
        return self.embedder.fingerprint


@dataclass(frozen=True, slots=True)
class Embedded:
    """One recording's vector, shape (d,), or None and the reason why there is none."""

    recording: Recording
    vector: Vectors | None
    reason: str | None = None


Conditions = dict[str, list[Embedded]]


def load_end_to_end(specs: Sequence[str], taken: Sequence[str] = ()) -> list[EndToEnd]:
    """Load each embedder and let it check itself.

    Raises UserError for an unknown spec, the same one twice, or a name that a retriever has `taken`.
    """
    if len(set(specs)) != len(specs):
        raise UserError(f"The same --end-to-end stands twice: {', '.join(specs)}.")
    for spec in specs:
        if spec in taken:
            raise UserError(f"{spec!r} names a retriever and an end-to-end system. Systems need names apart.")
        plugins.check("embedder", spec, embedder(spec))
    return [EndToEnd(spec) for spec in specs]


def embed_dataset(
    subsets: Sequence[Subset], systems: Sequence[EndToEnd], store: Store, run: RunStage
) -> dict[str, dict[str, Conditions]]:
    """Return all recordings' vectors by system, subset key and condition; equal audio is embedded once."""
    if not systems:
        return {}
    flat = [
        (subset, condition, recording)
        for subset in subsets
        for condition, recordings in subset.conditions.items()
        for recording in recordings
    ]
    refs, failures = register_audio([recording for _, _, recording in flat], store)
    items = {index: EmbedItem(ref, flat[index][0].language) for index, ref in refs.items()}
    found: dict[str, dict[str, Conditions]] = {}
    for system in systems:
        asked = list(dict.fromkeys(items.values()))
        records = dict(zip(asked, run(EmbedAudio(system.name), asked), strict=True))
        by_subset: dict[str, Conditions] = {
            subset.key: {condition: [] for condition in subset.conditions} for subset in subsets
        }
        for index, (subset, condition, recording) in enumerate(flat):
            record = records[items[index]] if index in items else {"reason": failures[index]}
            by_subset[subset.key][condition].append(_embedded(recording, record))
        found[system.name] = by_subset
    return found


def search_embedded(
    system: EndToEnd,
    conditions: Conditions,
    queries: Sequence[Query],
    corpus: StoredCorpus,
    depth: int,
    advance: Callable[[int], None],
) -> dict[str, Run]:
    """Return a run for each condition; a recording without a vector has no ranking and so scores 0.

    An embedder that embeds written queries has a run on the text as well, first. Raises UserError when
    query and document vectors do not fit, or when the embedder fails on the corpus.
    """
    told = functools.partial(_told, system)
    vectors = {
        condition: {one.recording.query_id: one.vector for one in found if one.vector is not None}
        for condition, found in conditions.items()
    }
    embed_queries = getattr(system.embedder, "embed_queries", None)
    if embed_queries is not None:
        written = told("embed_queries", embed_queries, [query.text for query in queries])
        vectors = {TEXT: dict(zip((query.id for query in queries), written, strict=True)), **vectors}
    documents = told("embed_documents", corpus.vectors, system.embedder)
    index = VectorIndex([document.id for document in corpus], documents)
    runs = {}
    for condition, by_query in vectors.items():
        runs[condition] = _run(index, by_query, depth)
        advance(1)
    return runs


def failures(conditions: Mapping[str, Sequence[Embedded]]) -> dict[str, dict[str, Any]]:
    """Return by condition how many recordings have no vector, and the reasons with their counts."""
    told: dict[str, dict[str, Any]] = {}
    for condition, found in conditions.items():
        reasons = [str(one.reason) for one in found if one.vector is None]
        told[condition] = {
            "recordings": len(found),
            "failed": len(reasons),
            "reasons": {reason: reasons.count(reason) for reason in sorted(set(reasons))},
        }
    return told


def _embedded(recording: Recording, record: Mapping[str, Any]) -> Embedded:
    if "vector" not in record:
        return Embedded(recording, None, record["reason"])
    return Embedded(recording, unpacked(record["vector"]))


def _run(index: VectorIndex, by_query: Mapping[str, Vectors], depth: int) -> Run:
    if not by_query:
        return {}
    rankings = index.search(np.stack(list(by_query.values())), depth)
    return {query: dict(cut(found, depth)) for query, found in zip(by_query, rankings, strict=True)}


def _told(system: EndToEnd, method: str, call: Any, *arguments: Any) -> Any:
    """Turn what goes wrong inside an embedder into one message that says where."""
    try:
        return call(*arguments)
    except (UserError, MemoryError, OSError):
        raise
    except (Exception, SystemExit) as error:
        raise UserError(f"{system.name}: {method} failed at {raised_at(error)}.") from error
