"""What each recording tells of itself, for retrievers that adapt to how a query was heard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from squtr.dataset import Subset
from squtr.estimate_snr import EstimateSnr
from squtr.eval.systems import System
from squtr.eval.transcripts import RunStage, Transcripts, register_audio
from squtr.retrievers import QueryContext
from squtr.store import Store

Contexts = Mapping[tuple[str, str], QueryContext]


def query_contexts(
    subsets: Sequence[Subset], heard: Transcripts, systems: Sequence[System], store: Store, run: RunStage
) -> dict[str, Contexts]:
    """Return by subset key the context of each recording, by condition and query id.

    Nothing is looked at, and nothing returned, unless a retriever has `search_with`; ratios are estimated
    only for one whose `context` does not name another field. Equal audio is estimated once.
    """
    asking = [one.retriever for one in systems if hasattr(one.retriever, "search_with")]
    if not asking:
        return {subset.key: {} for subset in subsets}
    ratios: dict[tuple[str, str, str], float | None] = {}
    if any(getattr(one, "context", None) in (None, "estimated_snr_db") for one in asking):
        ratios = _estimated(heard, store, run)
    return {
        key: {
            (condition, one.recording.query_id): QueryContext(
                one.confidence, ratios.get((key, condition, one.recording.query_id))
            )
            for condition, transcripts in conditions.items()
            for one in transcripts
        }
        for key, conditions in heard.items()
    }


def _estimated(heard: Transcripts, store: Store, run: RunStage) -> dict[tuple[str, str, str], float | None]:
    flat = [
        ((key, condition, one.recording.query_id), one.recording)
        for key, conditions in heard.items()
        for condition, transcripts in conditions.items()
        for one in transcripts
    ]
    refs, _ = register_audio([recording for _, recording in flat], store)
    items = list(dict.fromkeys(refs.values()))
    records = dict(zip(items, run(EstimateSnr(), items), strict=True))
    return {flat[index][0]: records[ref].get("snr_db") for index, ref in refs.items()}
