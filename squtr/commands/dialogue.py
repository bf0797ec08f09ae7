"""squtr dialogue and squtr dialogue-audit."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from squtr import plugins
from squtr.counted import counted
from squtr.dialogue.audit import Comparison, DialogueAudit, Realised, audit
from squtr.dialogue.clips import Clips, user_speaker
from squtr.dialogue.event_log import Row, counts, log_rows, read_counts, write_log
from squtr.dialogue.recording import Recording, read_recording
from squtr.dialogue.rules import BACKCHANNEL, INTERRUPT, Setting
from squtr.dialogue.runner import converse, write_stereo
from squtr.dialogue.simulate import Words
from squtr.dialogue.stock import stock
from squtr.dialogue.voice_activity import fingerprint
from squtr.dialogue.wording import Counted, Script, read_transcript, recognised
from squtr.errors import UserError


def run_dialogue(
    wav: Path,
    out: Path,
    b: float,
    g: float,
    log: Path | None = None,
    transcript: Path | None = None,
    recogniser: str | None = None,
    agent: str | None = None,
    language: str = "en",
    voice: str = "kokoro",
    speaker: str | None = None,
    reaction: float = 0.5,
    seed: int = 2602,
    cache: Path | None = None,
) -> list[Row]:
    """Write the stereo WAV and its event log; return the log's lines.

    The same files, names and seed give the same bytes. Raises UserError for whatever is wrong with them.
    """
    setting, offered = Setting(b, g), stock(language)
    log = log or out.with_suffix(".jsonl")
    _check_outputs(out, log, [wav, *([transcript] if transcript else [])])
    if transcript and recogniser:
        raise UserError("--transcript and --recogniser: give one of them.")
    recording = read_recording(wav, agent)
    words = _words(recording, transcript, recogniser, language)
    said_by = user_speaker(voice, language, seed, speaker)
    clips = Clips(voice, said_by, recording.agent.sample_rate, cache)
    found = converse(recording, words, setting, offered, clips, seed, reaction)
    facts = {
        "language": language,
        "seed": seed,
        "words_from": "transcript" if transcript else recogniser or "seconds",
        "voice": voice,
        "speaker": said_by.id,
        "reaction_seconds": reaction,
        "voice_activity": fingerprint(),
    }
    rows = log_rows(found, recording.turns, facts)
    write_stereo(out, found.pcm, found.sample_rate)
    write_log(log, rows)
    return rows


def show_dialogue(rows: list[Row], out: Path, as_json: bool) -> None:
    """Print what was realised, and what the user said when."""
    head, found = rows[0], counts(rows)
    if as_json:
        realised = {name: value for name, value in dataclasses.asdict(found).items() if name != "setting"}
        facts = {name: value for name, value in head.items() if name != "kind"}
        print(json.dumps({"out": str(out)} | facts | realised, ensure_ascii=False, allow_nan=False))
        return
    print(f"{out}: {head['seconds']:.2f} s, {head['sample_rate']} Hz, 16 bit, agent left, user right.")
    print(
        f"{counted(found.turns, 'agent turn')}, {counted(found.opportunities, 'opportunity')}:"
        f" {counted(found.interruptions, 'interruption')}, {counted(found.backchannels, 'backchannel')}."
    )
    for row in rows:
        if row["kind"] in (INTERRUPT, BACKCHANNEL):
            print(
                f"{row['time']:8.2f} s  turn {row['turn'] + 1}, after {row['seconds']:.1f} s and"
                f' {counted(row["words"], "word")}: {row["kind"]}, "{row["placed"]["text"]}"'
            )


def run_audit(logs: list[Path], seed: int) -> DialogueAudit:
    """Read event logs and audit them. Raises UserError with file and line for what is none."""
    return audit([read_counts(log) for log in logs], seed)


def show_audit(found: DialogueAudit, as_json: bool) -> None:
    """Print a line for each setting, and each setting against the first."""
    if as_json:
        print(json.dumps(dataclasses.asdict(found), ensure_ascii=False, allow_nan=False))
        return
    console = Console()
    console.print(_settings_table(found.settings))
    print(f"{counted(found.settings[0].dialogues, 'scenario')} at each setting.")
    if not found.comparisons:
        return
    first = found.settings[0]
    console.print(_comparisons_table(found.comparisons))
    print(
        f"Against b = {first.b:g}, g = {first.g:g}, by scenario: mean difference of counts with its 95 %"
        " paired bootstrap, Wilcoxon's signed-rank p, and p by Holm,"
        " opportunities apart."
    )


def _words(recording: Recording, transcript: Path | None, recogniser: str | None, language: str) -> Words:
    if transcript:
        said = read_transcript(transcript)
        if said[0].start >= (seconds := len(recording.agent.samples) / recording.agent.sample_rate):
            raise UserError(
                f"{transcript}: begins at {said[0].start:g} s, and the WAV is {seconds:.2f} s long."
                " Its times are seconds of the WAV."
            )
        return Script(said, recording.turns, language)
    if recogniser is None:
        return Counted()
    engine: Any = plugins.load("recogniser", recogniser)
    return Script(recognised(recording.agent, recording.turns, engine, language), recording.turns, language)


def _check_outputs(out: Path, log: Path, inputs: list[Path]) -> None:
    if out.suffix.lower() != ".wav":
        raise UserError(f"{out}: --out is written as WAV, so its name has to end in .wav.")
    for path in (out, log):
        if path.is_dir():
            raise UserError(f"{path}: is a folder. Give the name of a file.")
        if path.exists() and any(one.exists() and one.samefile(path) for one in inputs):
            raise UserError(f"{path}: is one of the inputs. Choose another name.")
    if out.absolute() == log.absolute():
        raise UserError(f"{log}: --log and --out are the same file.")


def _settings_table(settings: tuple[Realised, ...]) -> Table:
    table = Table(box=SIMPLE, padding=0)
    for title in ("b", "g", "turns", "oppor-\ntunities"):
        table.add_column(title, justify="right")
    for title in ("inter-\nruptions", "back-\nchannels"):
        for column in (title, "a turn", "an oppor-\ntunity"):
            table.add_column(column, justify="right")
    for one in settings:
        table.add_row(
            f"{one.b:g}",
            f"{one.g:g}",
            f"{one.turns:,}",
            f"{one.opportunities:,}",
            f"{one.interruptions:,}",
            _told(one.interruptions_per_turn, ".3f"),
            _told(one.interruptions_per_opportunity, ".1%"),
            f"{one.backchannels:,}",
            _told(one.backchannels_per_turn, ".3f"),
            _told(one.backchannels_per_opportunity, ".1%"),
        )
    return table


def _comparisons_table(comparisons: tuple[Comparison, ...]) -> Table:
    table = Table(box=SIMPLE, padding=0)
    for title in ("", "b", "g", "difference", "95 %", "pairs that\ndiffer", "W", "p", "p (Holm)"):
        table.add_column(title, justify="right" if title else "left")
    for one in comparisons:
        table.add_row(
            one.measure,
            f"{one.b:g}",
            f"{one.g:g}",
            f"{one.difference:+.2f}",
            f"[{one.low:+.2f}, {one.high:+.2f}]",
            f"{one.non_zero}",
            _told(one.w, "g"),
            _told(one.p, ".3g"),
            _told(one.p_holm, ".3g"),
        )
    return table


def _told(value: float | None, shape: str) -> str:
    return "-" if value is None else format(value, shape)
