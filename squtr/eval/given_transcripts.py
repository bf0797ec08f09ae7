"""Transcripts made elsewhere, joined to a data set's recordings by query id or by audio name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from squtr.dataset import Recording, Subset
from squtr.errors import UserError
from squtr.eval.recognition import Meter
from squtr.eval.transcript_files import HYPOTHESIS_NAMES, read_transcripts
from squtr.eval.transcripts import Heard, Transcripts, heard_of, transcribe_dataset
from squtr.store import Store
from squtr.transcribe import Transcribe, recogniser

Texts = Mapping[str, str | None]
JOINED: dict[str, Callable[[Recording], str]] = {
    "query id": lambda recording: recording.query_id,
    "audio file": lambda recording: recording.path.name,
    "audio file without its ending": lambda recording: recording.path.stem,
}


def hear(
    subsets: Sequence[Subset], spec: str, store: Store, meter: Meter
) -> tuple[Transcripts, dict[str, Any]]:
    """Return what a recogniser hears, and of transcripts made elsewhere how they were joined.

    Raises UserError for files that are missing or faulty.
    """
    places = getattr(recogniser(spec), "places", None)
    if places is None:
        return transcribe_dataset(subsets, spec, store, meter.run, meter.expect), {}
    heard: Transcripts = {}
    joined: dict[str, Any] = {}
    for subset in subsets:
        texts = {query.id: query.text for query in subset.collection.queries}
        for condition, recordings in subset.conditions.items():
            meter.run(Transcribe(spec), [])
            path = places.find(subset.language, subset.name, condition)
            if path is None:
                looked_for = places.told(subset.language, subset.name, condition)
                raise UserError(f"No transcripts of {subset.key} {condition}: there is no {looked_for}.")
            found, how = _join(path, recordings, texts, subset.language)
            heard.setdefault(subset.key, {})[condition] = found
            joined.setdefault(subset.key, {})[condition] = how
    return heard, joined


def _join(
    path: Path, recordings: Sequence[Recording], texts: Mapping[str, str], language: str
) -> tuple[list[Heard], dict[str, Any]]:
    """Join by the kind of id that fits most recordings, the query's own first."""
    given = read_transcripts(path, HYPOTHESIS_NAMES)
    by = max(JOINED, key=lambda kind: sum(JOINED[kind](one) in given for one in recordings))
    ids = [JOINED[by](one) for one in recordings]
    missing = sum(name not in given for name in ids)
    if missing == len(ids):
        raise UserError(
            f"{path}: none of its ids is that of a query or an audio file, such as {list(given)[:3]} against"
            f" {[one.query_id for one in recordings[:3]]} and {[one.path.name for one in recordings[:3]]}."
        )
    heard = [
        heard_of(one, _record(path, given, name), one.text or texts[one.query_id], language)
        for one, name in zip(recordings, ids, strict=True)
    ]
    unknown = len(set(given) - set(ids))
    return heard, {"file": str(path), "joined_by": by, "missing": missing, "unknown_ids": unknown}


def _record(path: Path, given: Texts, name: str) -> dict[str, Any]:
    text = given.get(name)
    if text is not None:
        return {"status": "ok", "text": text, "confidence": None}
    failed = "failed where it was made" if name in given else f"no transcript of {name!r} in {path.name}"
    return {"status": "failed", "reason": failed}
