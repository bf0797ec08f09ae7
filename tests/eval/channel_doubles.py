"""Channel operators of a user: by chance or not, English alone, failing, blanking, and not set up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from squtr.channels.changed import Changed, Edit, changed
from squtr.errors import ItemFailure, UserError


class Losing:
    """Loses a word that chance points at."""

    fingerprint = "losing"
    languages: ClassVar[tuple[str, ...]] = ()

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        word = rng.choice(text.split()) if text.split() else ""
        start = text.find(word)
        return changed(text, [Edit("loss", start, start + len(word), "")])


class Last(Losing):
    """Loses the last word, whatever the seed; English alone."""

    fingerprint = "last"
    languages = ("en",)

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        return changed(text, [Edit("loss", len(text.rpartition(" ")[0]), len(text), "")])


class Failing(Losing):
    """Fails where the text asks for paper, blanks where it asks for the sea."""

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        if "paper" in text:
            raise ItemFailure("no paper here")
        return changed(text, [Edit("blank", 0, len(text), " ")] if "sea" in text else [])


class Unready(Losing):
    def check(self) -> None:
        raise UserError("the model is missing: fetch it")


class Fields(Losing):
    def change_record(self, record: Mapping[str, Any], language: str, rng: np.random.Generator) -> Any:
        return record, ()


class NoGerman(Losing):
    """Knows German, and lacks a package for it here."""

    languages = ("de", "en")

    def check_language(self, language: str) -> None:
        if language == "de":
            raise UserError("German needs a package")

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        raise AssertionError("no text is to come so far")
