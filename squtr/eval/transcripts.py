"""Transcripts of a data set: one pass over every recording, shared by all retrievers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from squtr.dataset import Recording, Subset, audio_place, pack_audio
from squtr.errors import ItemFailure, UserError
from squtr.languages import language_row
from squtr.records import AudioRef
from squtr.store import AudioPlace, PackWriter, Store
from squtr.text import ErrorCounts, count_errors
from squtr.text.chinese import simplified
from squtr.transcribe import Transcribe, TranscribeItem

RunStage = Callable[[Any, Sequence[Any]], list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Heard:
    """What a recogniser made of one recording. `status` is ok, empty or failed; `reason` says why.

    `search_text` is what a retriever gets: the transcript, in Chinese in simplified characters. A failure
    has no error counts: nothing was heard, rightly or wrongly. `fluent` counts without fillers and
    repetitions, of a recording behind a channel.
    """

    recording: Recording
    status: str
    text: str
    search_text: str | None
    confidence: float | None
    raw: ErrorCounts
    clean: ErrorCounts
    reason: str | None = None
    fluent: ErrorCounts | None = None


Transcripts = dict[str, dict[str, list[Heard]]]


def transcribe_dataset(
    subsets: Sequence[Subset],
    recogniser: str,
    store: Store,
    run: RunStage,
    expect: Callable[[int], None] = lambda count: None,
) -> Transcripts:
    """Return the transcripts by subset key and condition, in the order of the recordings.

    `run` is called once a subset and condition, in order; audio that was heard before is not asked for again.
    `expect` is told before how many recordings that will be.
    """
    flat = [
        (subset, condition, recording)
        for subset in subsets
        for condition, recordings in subset.conditions.items()
        for recording in recordings
    ]
    refs, failures = register_audio([recording for _, _, recording in flat], store)
    asked: dict[tuple[str, str], dict[TranscribeItem, None]] = {
        (subset.key, condition): {} for subset in subsets for condition in subset.conditions
    }
    for index, ref in refs.items():
        subset, condition, _ = flat[index]
        asked[subset.key, condition][TranscribeItem(ref, subset.language)] = None
    expect(len({item for items in asked.values() for item in items}))
    records: dict[TranscribeItem, dict[str, Any]] = {}
    for items in asked.values():
        fresh = [item for item in items if item not in records]
        records.update(zip(fresh, run(Transcribe(recogniser), fresh), strict=True))
    found: Transcripts = {subset.key: {name: [] for name in subset.conditions} for subset in subsets}
    texts = {subset.key: {query.id: query.text for query in subset.collection.queries} for subset in subsets}
    for index, (subset, condition, recording) in enumerate(flat):
        record = (
            records[TranscribeItem(refs[index], subset.language)]
            if index in refs
            else {"status": "failed", "reason": failures[index]}
        )
        text = recording.text or texts[subset.key][recording.query_id]
        found[subset.key][condition].append(heard_of(recording, record, text, subset.language))
    return found


def register_audio(
    recordings: Sequence[Recording], store: Store
) -> tuple[dict[int, AudioRef], dict[int, str]]:
    """Tell the store where the audio lies; return references and the reasons of unreadable files.

    Raises UserError for a file whose samples or rate are not the manifest's: it would not be that recording,
    or play at another speed.
    """
    refs: dict[int, AudioRef] = {}
    failures: dict[int, str] = {}
    places: list[AudioPlace] = []
    for index, recording in enumerate(recordings):
        try:
            ref, place = audio_place(recording.path)
            if place is None:
                pack = PackWriter()
                pack_audio(recording.path, pack)
                places += pack.write(store.packs)
            else:
                places.append(place)
        except ItemFailure as failure:
            failures[index] = str(failure)
            continue
        told = recording.facts.get("pcm_sha256")
        if place is not None and told not in (None, ref.sha256):
            raise UserError(
                f"{recording.path}: its samples are not those of manifest.jsonl. Restore the file; squtr"
                " verify names all that are off."
            )
        told = recording.facts.get("sample_rate")
        if told not in (None, ref.sample_rate):
            raise UserError(
                f"{recording.path}: its header says {ref.sample_rate} Hz, manifest.jsonl {told} Hz. Restore"
                " the file; squtr verify names all that are off."
            )
        refs[index] = ref
    store.lend(places)
    return refs, failures


def heard_of(recording: Recording, record: dict[str, Any], text: str, language: str) -> Heard:
    """Return a recording with what was heard of its spoken `text`, by a record of the transcribe stage."""
    if record["status"] != "ok":
        nothing = ErrorCounts()
        return Heard(recording, "failed", "", None, None, nothing, nothing, record["reason"])
    transcript = record["text"]
    return Heard(
        recording,
        "ok" if transcript.strip() else "empty",
        transcript,
        searched(transcript, language),
        record["confidence"],
        count_errors(text, transcript, language, "raw"),
        count_errors(text, transcript, language, "clean"),
        None,
        count_errors(text, transcript, language, "fluent") if recording.channel else None,
    )


def searched(transcript: str, code: str) -> str:
    """Return what a retriever gets of a transcript: in Chinese its simplified characters."""
    return simplified(transcript) if language_row(code).search_form == "simplified" else transcript
