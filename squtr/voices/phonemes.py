"""Text to the phonemes Kokoro was taught: espeak-ng's IPA for Latin script, misaki's for Chinese."""

from __future__ import annotations

import functools
import logging
import re
from typing import Any

from squtr.errors import UserError

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
_ESPEAK_ACCENTS = {"en": ("en-us", "en-gb"), "zh": ("en-us", "en-gb"), "ja": ("ja",)}


def phonemes(text: str, language: str, accent: str) -> str:
    """Return the phonemes of `text`; in Chinese, runs of Latin script are read as English."""
    if language not in _ESPEAK_ACCENTS:
        raise UserError(
            f"Kokoro has no phonemes for language {language!r}. Known: {', '.join(_ESPEAK_ACCENTS)}."
        )
    if language != "zh":
        return _latin(text, accent)
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


@functools.cache
def _espeak(accent: str) -> Any:
    import espeakng_loader
    from phonemizer.backend import EspeakBackend
    from phonemizer.backend.espeak.wrapper import EspeakWrapper

    EspeakWrapper.set_library(espeakng_loader.get_library_path())
    EspeakWrapper.set_data_path(espeakng_loader.get_data_path())
    return EspeakBackend(accent, preserve_punctuation=True, with_stress=True, logger=_silent())


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
