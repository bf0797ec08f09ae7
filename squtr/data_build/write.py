"""Write: one subset in SQuTR's own layout, streamed; its files appear when it is complete."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from squtr.collection import Collection, write_jsonl
from squtr.data_build.layout import queries_file, subset_folder
from squtr.data_build.select import Planned
from squtr.data_build.utterances import Utterance
from squtr.digest import to_plain
from squtr.line_file import LineFile, canonical_json_ordered


class SubsetWriter:
    """queries.jsonl, qrels and one query file a condition of one subset."""

    def __init__(self, out: Path, collection: Collection, conditions: Sequence[str]) -> None:
        self.folder = subset_folder(out, collection.language, collection.name)
        (self.folder / "qrels").mkdir(parents=True, exist_ok=True)
        self._collection = collection
        self._queries = LineFile(self.folder / "queries.jsonl")
        self._qrels = LineFile(self.folder / "qrels" / "test.jsonl")
        self._audio = {name: LineFile(self.folder / queries_file(name)) for name in conditions}
        self._last: str | None = None
        self.files = (self._queries, self._qrels, *self._audio.values())

    def add(self, utterance: Utterance, rows: dict[str, dict[str, Any]]) -> None:
        """Add an accepted utterance; `rows` holds its manifest row by condition.

        A query stands once, whichever of its utterances were accepted; they follow one another.
        """
        planned, query = utterance.planned, utterance.planned.query
        if query.id != self._last:
            self._queries.add({"_id": query.id, "text": query.text})
            for document, grade in self._collection.qrels[query.id].items():
                self._qrels.add({"query-id": query.id, "corpus-id": document, "score": grade})
        self._last = query.id
        start = {"_id": query.id, "text": planned.text}
        channel = {"channel": planned.channel, "source_text": query.text} if planned.channel else {}
        for name, row in rows.items():
            noise = {}
            if "requested_snr_db" in row:
                noise = {"snr_db": _number(row["requested_snr_db"]), "noise_id": row["noise_id"]}
            self._audio[name].add(start | {"audio": Path(row["file"]).name} | noise | channel)

    def close(self) -> None:
        """Write the corpus and let every file appear."""
        write_jsonl(
            self.folder / "corpus.jsonl",
            ({"_id": d.id, "title": d.title, "text": d.text} for d in self._collection.documents()),
        )
        for file in self.files:
            file.close()

    def discard(self) -> None:
        """Drop what was not finished."""
        for file in self.files:
            file.discard()


def rejected_row(utterance: Utterance, qrels: dict[str, int], audio: str | None) -> dict[str, Any]:
    """Return the rejected.jsonl row of an utterance: why, with its figures, audio and judgements."""
    chosen = utterance.chosen
    return {
        "query_id": utterance.planned.query.id,
        "language": utterance.planned.language,
        "subset": utterance.planned.subset,
        "stage": utterance.rejected_at,
        "reason": utterance.rejected,
        "text": utterance.planned.text,
        **_channel_row(utterance.planned),
        "spoken_text": utterance.spoken_text,
        "speaker": utterance.speaker.id if utterance.speaker else None,
        "take": chosen.number if chosen else None,
        "take_error_rates": [take.error_rate for take in utterance.takes],
        "take_flags": list(chosen.flags) if chosen else [],
        "failed_takes": list(utterance.failed_takes),
        "transcript": utterance.screen_transcript,
        "error_rate": utterance.error_rate,
        "error_rate_raw": utterance.error_rate_raw,
        "error_rate_fluent": utterance.error_rate_fluent,
        "judges": to_plain(utterance.judgements),
        "audio": audio,
        "pcm_sha256": chosen.audio.sha256 if chosen and audio else None,
        "qrels": qrels,
    }


def utterance_row(utterance: Utterance) -> dict[str, Any]:
    """Return the manifest fields that all conditions of an utterance share."""
    chosen, speaker = utterance.chosen, utterance.speaker
    if chosen is None or speaker is None:
        raise ValueError(f"{utterance.planned.key} has no chosen take")
    return {
        "query_id": utterance.planned.query.id,
        "language": utterance.planned.language,
        "subset": utterance.planned.subset,
        "text": utterance.planned.text,
        **_channel_row(utterance.planned),
        "spoken_text": utterance.spoken_text,
        "reading_spans": [list(span) for span in utterance.reading_spans],
        "speaker": speaker.id,
        "speaker_settings": canonical_json_ordered(speaker.settings),
        "take": chosen.number,
        "takes": len(utterance.takes) + len(utterance.failed_takes),
        "take_error_rates": [take.error_rate for take in utterance.takes],
        "take_flags": list(chosen.flags),
        "failed_takes": list(utterance.failed_takes),
        "take_gain": chosen.gain,
        "trimmed_seconds": chosen.trimmed_seconds,
        "seconds": round(chosen.audio.seconds, 6),
        "samples": chosen.audio.samples,
        "sample_rate": chosen.audio.sample_rate,
        "transcript": utterance.screen_transcript,
        "error_rate": utterance.error_rate,
        "error_rate_raw": utterance.error_rate_raw,
        "error_rate_fluent": utterance.error_rate_fluent,
        "judges": [_judged(judge, said) for judge, said in utterance.judgements.items()],
    }


def _channel_row(planned: Planned) -> dict[str, Any]:
    """Return the channel a text came through, what came in and what was done; null where there is none."""
    source = planned.query.text if planned.channel else None
    return {"channel": planned.channel, "source_text": source, "edits": planned.edits}


def _judged(judge: str, said: dict[str, Any]) -> dict[str, Any]:
    """Return a judge's entry; one that failed, where another was enough, has no score but its reason."""
    reasons = said["reasons"] if said["status"] == "ok" else [said["reason"]]
    return {"judge": judge, "score": said.get("score"), "reasons": reasons}


def _number(snr_db: float) -> int | float:
    return int(snr_db) if float(snr_db).is_integer() else snr_db
