"""Transcripts made elsewhere in the place of a recogniser: joined by id, no audio is heard."""

from __future__ import annotations

import functools

from squtr.errors import UserError
from squtr.eval.made_elsewhere import Places
from squtr.options import text_option
from squtr.records import Transcription, Waveform

ENDINGS = (".jsonl", ".jsonl.gz", ".csv", ".tsv", ".trn", ".txt", "")


class Transcripts:
    """`--asr transcripts,path=...`: a folder with {language}/{subset}/{condition}.jsonl, or a pattern."""

    def __init__(self, path: str) -> None:
        self.places = Places(text_option("path", path), ENDINGS, "transcripts")

    @functools.cached_property
    def fingerprint(self) -> str:
        """The digest of the files."""
        return f"transcripts sha256={self.places.fingerprint}"

    def check(self) -> None:
        """Raise UserError where there is no file."""
        self.places.check()

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        """Raise UserError: audio has no id to look up."""
        raise UserError("transcripts hears nothing: it is for squtr eval --asr, which joins by id.")
