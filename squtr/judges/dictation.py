"""Dictation judge: what was cut off, invented or left out, from the alignment of text and transcript."""

from __future__ import annotations

from squtr.digest import digest
from squtr.languages import FIRST, language_row
from squtr.needs import Need
from squtr.records import Judgement, Waveform
from squtr.text import Edit, align, normaliser

_CODE_VERSION = 1
_USUAL_RUN = 2
_PENALTY = 8.0


class Dictation:
    """The Judge protocol on text alone.

    A run of at least two words (three characters in Chinese; `fault_run` in a language's row) that is
    missing or added is a fault; a shorter one is taken for a slip of the recogniser. With f units in faults
    and n units in the text, the score is 5 - 8 f / n, not below 1: faults in an eighth of the text cost the
    pass mark of 4.
    """

    scale = "dictation, 1 to 5"
    bounds = (1.0, 5.0)

    @property
    def fingerprint(self) -> str:
        runs = {code: language_row(code).fault_run for code in FIRST}
        unusual = {code: run for code, run in runs.items() if run != _USUAL_RUN}
        return digest("dictation", _CODE_VERSION, unusual, *(normaliser(code).version for code in FIRST))

    def fingerprint_in(self, language: str) -> str:
        """What else decides a judgement in one language: its normaliser and what it takes for a fault."""
        row = language_row(language)
        return f"{normaliser(language).version} in {row.unit}s, faults from {row.fault_run}"

    def needs(self) -> list[Need]:
        """Return nothing: it compares texts."""
        return []

    def judge(self, audio: Waveform, text: str, transcript: str, language: str) -> Judgement:
        """Judge the transcript against the text; the audio is not looked at."""
        edits = align(text, transcript, language)
        row = language_row(language)
        faults = _faults(edits, row.fault_run)
        length = sum(len(edit.reference) for edit in edits)
        share = sum(len(run) for _, run in faults) / max(length, 1)
        reasons = tuple(f"{name}: {row.joiner.join(run)}" for name, run in faults)
        return Judgement(round(max(1.0, 5.0 - _PENALTY * share), 4), self.scale, reasons)


def _faults(edits: list[Edit], shortest: int) -> list[tuple[str, tuple[str, ...]]]:
    faults = []
    for place, edit in enumerate(edits):
        run = edit.hypothesis if edit.kind == "insertion" else edit.reference
        if edit.kind in ("deletion", "insertion") and len(run) >= shortest:
            at_an_end = place in (0, len(edits) - 1)
            faults.append((_fault_name(edit.kind, at_an_end), run))
    return faults


def _fault_name(kind: str, at_an_end: bool) -> str:
    if kind == "insertion":
        return "invented"
    return "cut off" if at_an_end else "left out"
