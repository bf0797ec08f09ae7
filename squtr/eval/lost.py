"""Recognisers and embedders that failed on every recording: no row of zeros may stand for them unsaid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from squtr.counted import counted
from squtr.errors import UserError
from squtr.eval.end_to_end import Conditions
from squtr.eval.transcripts import Transcripts

Reasons = list[str | None]


def refuse_lost(
    heard: Mapping[str, Transcripts], embedded: Mapping[str, Mapping[str, Conditions]], others: bool
) -> None:
    """Raise UserError where every recogniser and every embedder failed on all recordings.

    `others`: there are systems that need neither, so that something is left to evaluate.
    """
    lost: dict[str, Reasons] = {
        f"recogniser {spec}": [
            one.reason if one.status == "failed" else None
            for conditions in found.values()
            for recordings in conditions.values()
            for one in recordings
        ]
        for spec, found in heard.items()
    }
    for spec, vectors in embedded.items():
        flat = [one for conditions in vectors.values() for found in conditions.values() for one in found]
        lost[f"embedder {spec}"] = [one.reason if one.vector is None else None for one in flat]
    if others or any(None in reasons for reasons in lost.values()):
        return
    raise UserError(" ".join(f"{part} failed on {_told(reasons)}" for part, reasons in lost.items()))


def _told(reasons: Reasons) -> str:
    reason, times = Counter(map(str, reasons)).most_common(1)[0]
    share = "each time" if times == len(reasons) else f"{times} times"
    return f"all {counted(len(reasons), 'recording')}, {share}: {reason.rstrip('.')}. Mend it and run again."
