"""The way of one block of queries: speak, choose, screen. What comes out is accepted or rejected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from squtr.data_build.choose import Take, choose, read_take
from squtr.data_build.screen import JudgeItem, Judging, error_rate_reason, judges_reason
from squtr.data_build.select import Planned
from squtr.data_build.speak import Speak, SpeakItem
from squtr.draw import draw
from squtr.errors import ItemFailure
from squtr.languages import language_row
from squtr.recipe import Recipe, spec_for
from squtr.records import AudioRef, Speaker
from squtr.text import count_errors
from squtr.text.reading import read_aloud
from squtr.transcribe import Transcribe, TranscribeItem
from squtr.voices.speakers import draw_speaker

RunStage = Callable[[Any, Sequence[Any]], list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Utterance:
    """One query spoken and screened; `rejected` is the reason it may not be used, if there is one."""

    planned: Planned
    spoken_text: str
    reading_spans: tuple[tuple[int, int, int, int], ...]
    speaker: Speaker | None
    takes: tuple[Take, ...]
    failed_takes: tuple[str, ...]
    chosen: Take | None = None
    screen_transcript: str = ""
    error_rate: float | None = None
    error_rate_raw: float | None = None
    error_rate_fluent: float | None = None
    judgements: dict[str, dict[str, Any]] = field(default_factory=dict)
    rejected: str | None = None
    rejected_at: str | None = None


def make_utterances(
    block: Sequence[Planned], speakers: dict[str, list[Speaker]], recipe: Recipe, run: RunStage
) -> list[Utterance]:
    """Return one utterance for each planned query, in order."""
    drafts = [_draft(planned, speakers[planned.language], recipe) for planned in block]
    spoken = [_choose(draft, takes) for draft, takes in zip(drafts, _takes(drafts, recipe, run), strict=True)]
    measured = _stage_one(spoken, recipe, run)
    return _stage_two(measured, recipe, run)


def _draft(planned: Planned, speakers: list[Speaker], recipe: Recipe) -> Utterance:
    speaker = draw_speaker(speakers, recipe.seed, planned.key)
    if planned.failure is not None:
        return Utterance(planned, "", (), speaker, (), (), rejected=planned.failure, rejected_at="channel")
    try:
        reading = read_aloud(planned.text, planned.language)
    except ItemFailure as failure:
        return Utterance(planned, "", (), speaker, (), (), rejected=str(failure), rejected_at="read")
    return Utterance(planned, reading.spoken, reading.spans, speaker, (), ())


def _takes(drafts: list[Utterance], recipe: Recipe, run: RunStage) -> list[tuple[list[Take], list[str]]]:
    items = [
        SpeakItem(draft.spoken_text, draft.speaker, _take_seed(recipe.seed, draft.planned.take_key, number))
        for draft in drafts
        for number in range(1, recipe.speak.takes + 1)
        if draft.rejected is None and draft.speaker is not None
    ]
    speaking = [spec_for(recipe.speak.voice, item.speaker.language) for item in items]
    said = _run_each(run, lambda spec: Speak(spec, recipe.mix.sample_rate), speaking, items)
    going = [draft for draft in drafts if draft.rejected is None]
    languages = [draft.planned.language for draft in going for _ in range(recipe.speak.takes)]
    heard = _transcribe(recipe.choose.recogniser, said, languages, run)
    records = iter(zip(said, heard, strict=True))
    return [
        _read_takes(draft, [next(records) for _ in range(recipe.speak.takes)])
        if draft.rejected is None
        else ([], [])
        for draft in drafts
    ]


def _take_seed(seed: int, key: str, number: int) -> int:
    return int(draw(seed, "speak", f"{key}/take{number}").integers(2**31))


def _transcribe(
    recogniser: str | dict[str, str], said: Sequence[dict[str, Any]], languages: Sequence[str], run: RunStage
) -> list[dict[str, Any]]:
    """Transcribe the takes that were spoken; a failed take keeps its own failure."""
    items = [
        TranscribeItem(AudioRef(**record["audio"]), language)
        for record, language in zip(said, languages, strict=True)
        if record["status"] == "ok"
    ]
    heard = iter(_run_transcribe(run, recogniser, items))
    return [next(heard) if record["status"] == "ok" else record for record in said]


def _run_transcribe(
    run: RunStage, recogniser: str | dict[str, str], items: Sequence[TranscribeItem]
) -> list[dict[str, Any]]:
    specs = [spec_for(recogniser, item.language) for item in items]
    return _run_each(run, Transcribe, specs, items)


def _run_each(
    run: RunStage, stage: Callable[[str], Any], specs: Sequence[str], items: Sequence[Any]
) -> list[dict[str, Any]]:
    """Run each item through the stage of its own engine; return the records in the order of the items."""
    records: dict[int, dict[str, Any]] = {}
    for spec in dict.fromkeys(specs):
        mine = [place for place, other in enumerate(specs) if other == spec]
        records.update(zip(mine, run(stage(spec), [items[place] for place in mine]), strict=True))
    return [records[place] for place in range(len(items))]


def _read_takes(
    draft: Utterance, records: list[tuple[dict[str, Any], dict[str, Any]]]
) -> tuple[list[Take], list[str]]:
    takes, failed = [], []
    for number, (said, heard) in enumerate(records, 1):
        if said["status"] != "ok" or heard["status"] != "ok":
            failed.append(f"take {number}: {said.get('reason') or heard['reason']}")
            continue
        text, language = draft.planned.text, draft.planned.language
        takes.append(read_take(number, said, heard, text, draft.spoken_text, language, _prompt(draft)))
    return takes, failed


def _prompt(draft: Utterance) -> str:
    """Return the transcript of the prompt recording a zero-shot voice speaks after."""
    transcript = draft.speaker.settings.get("transcript") if draft.speaker else None
    return transcript if isinstance(transcript, str) else ""


def _choose(draft: Utterance, made: tuple[list[Take], list[str]]) -> Utterance:
    takes, failed = made
    if draft.rejected is not None:
        return draft
    if not takes:
        return replace(draft, failed_takes=tuple(failed), rejected="; ".join(failed), rejected_at="speak")
    return replace(draft, takes=tuple(takes), failed_takes=tuple(failed), chosen=choose(takes))


def _stage_one(utterances: list[Utterance], recipe: Recipe, run: RunStage) -> list[Utterance]:
    going = [utterance for utterance in utterances if utterance.chosen is not None]
    items = [TranscribeItem(u.chosen.audio, u.planned.language) for u in going if u.chosen is not None]
    heard = iter(_run_transcribe(run, recipe.screen.recogniser, items))
    measured = []
    for utterance in utterances:
        if utterance.chosen is None:
            measured.append(utterance)
            continue
        record = next(heard)
        if record["status"] != "ok":
            measured.append(replace(utterance, rejected=record["reason"], rejected_at="screen"))
            continue
        measured.append(_measured(utterance, record["text"], recipe))
    return measured


def _measured(utterance: Utterance, transcript: str, recipe: Recipe) -> Utterance:
    text, language = utterance.planned.text, utterance.planned.language
    clean = count_errors(text, transcript, language, "clean")
    raw = count_errors(text, transcript, language, "raw")
    fluent = count_errors(text, transcript, language, "fluent") if utterance.planned.channel else None
    rate = clean.own_rate
    reason = error_rate_reason(rate, recipe.screen, language_row(language).error_rate)
    return replace(
        utterance,
        screen_transcript=transcript,
        error_rate=rate,
        error_rate_raw=raw.rate,
        error_rate_fluent=fluent.rate if fluent else None,
        rejected=reason,
        rejected_at="screen" if reason else None,
    )


def _stage_two(utterances: list[Utterance], recipe: Recipe, run: RunStage) -> list[Utterance]:
    going = [utterance for utterance in utterances if utterance.rejected is None]
    items = [
        JudgeItem(u.chosen.audio, u.planned.text, u.screen_transcript, u.planned.language)
        for u in going
        if u.chosen is not None
    ]
    said = {rule.label: iter(run(Judging(rule.judge), items)) for rule in recipe.screen.judges}
    judged = []
    for utterance in utterances:
        if utterance.rejected is not None:
            judged.append(utterance)
            continue
        judgements = {judge: next(records) for judge, records in said.items()}
        reason = judges_reason(judgements, recipe.screen)
        judged.append(
            replace(
                utterance, judgements=judgements, rejected=reason, rejected_at="judge" if reason else None
            )
        )
    return judged
