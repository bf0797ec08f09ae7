"""The eSpeak NG shared library, made a pure function: the same arguments give the same samples."""

from __future__ import annotations

import _ctypes
import ctypes
import os
import re
import shutil
import sys
import tempfile
import threading
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import espeakng_loader
import numpy as np

from squtr.errors import ItemFailure, UserError, did_you_mean
from squtr.records import Pcm

_SYNCHRONOUS = 2
_DONT_EXIT = 0x8000
_UTF8 = 1
_RATE, _VOLUME, _PITCH, _RANGE, _WORD_GAP = 1, 2, 3, 4, 7
_VOICE_NAME = re.compile(r"[A-Za-z0-9-]{1,40}(\+[A-Za-z0-9_ -]{1,40})?")
_LIMITS = {
    "rate": (80, 450),
    "pitch": (0, 99),
    "pitch_range": (0, 99),
    "volume": (0, 200),
    "word_gap": (0, 100),
    "seed": (0, 2**31 - 1),
}
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)

_lock = threading.Lock()


class EspeakLibrary:
    """Formant speech for any text.

    eSpeak carries hidden state from one utterance to the next (flutter, phase, its random numbers), and no
    call of its interface resets all of it. So each utterance gets the library freshly loaded, in about 3 ms,
    from a copy that belongs to this process alone: nor can another package's use of eSpeak disturb it.
    """

    @property
    def version(self) -> str:
        """The library's own version, such as 1.52.0."""
        return _version()

    def speak(
        self,
        text: str,
        voice: str,
        *,
        rate: int = 175,
        pitch: int = 50,
        pitch_range: int = 50,
        volume: int = 100,
        word_gap: int = 0,
        seed: int = 1,
    ) -> tuple[Pcm, int]:
        """Speak `text` and return int16 samples, shape (n,), with their rate in Hz.

        `voice` is a language of eSpeak and, after a plus sign, one of its variants: en-us+f3, cmn+m1.
        `rate` is in words a minute (80-450), `pitch` and `pitch_range` are 0-99, `volume` is in per cent
        (0-200), `word_gap` in units of 10 ms. `seed` feeds the breath noise; voices without breath ignore it.
        Raises UserError for an unknown voice or a setting out of range, ItemFailure when nothing was said.
        """
        settings = {
            "rate": rate,
            "pitch": pitch,
            "pitch_range": pitch_range,
            "volume": volume,
            "word_gap": word_gap,
            "seed": seed,
        }
        _check_settings(settings)
        _check_voice(voice)
        if "\0" in text or not text.strip():
            raise ItemFailure("eSpeak: the text is empty or holds a NUL character")
        with _lock:
            samples, sample_rate = _speak_afresh(text, voice, settings)
        if not samples.any():
            raise ItemFailure(f"eSpeak said nothing for {text[:40]!r}")
        return samples, sample_rate


def _speak_afresh(text: str, voice: str, settings: dict[str, int]) -> tuple[Pcm, int]:
    library = _open()
    try:
        sample_rate = _initialise(library)
        chunks: list[Pcm] = []
        collect = _CALLBACK(lambda data, count, _: _collect(chunks, data, count))
        library.espeak_SetSynthCallback(collect)
        if library.espeak_SetVoiceByName(voice.encode()) != 0:
            raise UserError(f"eSpeak has no voice {voice!r}.{did_you_mean(voice, _languages())}")
        for parameter, name in (
            (_RATE, "rate"),
            (_VOLUME, "volume"),
            (_PITCH, "pitch"),
            (_RANGE, "pitch_range"),
            (_WORD_GAP, "word_gap"),
        ):
            library.espeak_SetParameter(parameter, settings[name], 0)
        library.espeak_ng_SetRandSeed(ctypes.c_long(settings["seed"]))
        data = text.encode("utf-8", "replace") + b"\0"
        status = library.espeak_Synth(data, ctypes.c_size_t(len(data)), 0, 1, 0, _UTF8, None, None)
        if status != 0:
            raise ItemFailure(f"eSpeak failed with status {status} on {text[:40]!r}")
        return np.concatenate([np.zeros(0, np.int16), *chunks]), sample_rate
    finally:
        library.espeak_Terminate()
        _close(library)


def _collect(chunks: list[Pcm], data: Any, count: int) -> int:
    if data and count > 0:
        chunks.append(np.ctypeslib.as_array(data, (count,)).copy())
    return 0


def _initialise(library: ctypes.CDLL) -> int:
    data = espeakng_loader.get_data_path()
    sample_rate = int(library.espeak_Initialize(_SYNCHRONOUS, 0, data.encode(), _DONT_EXIT))
    if sample_rate <= 0:
        raise UserError(f"eSpeak cannot read its data in {data}. Reinstall the package espeakng-loader.")
    return sample_rate


def _open() -> ctypes.CDLL:
    name = Path(espeakng_loader.get_library_path()).name
    if not Path(_folder_of(os.getpid()).name, name).is_file():
        _folder_of.cache_clear()
    path = Path(_folder_of(os.getpid()).name, name)
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise UserError(
            f"{path}: the eSpeak library cannot be loaded ({error})."
            " If the temporary folder forbids programs, set TMPDIR to one that allows them."
        ) from error


def _close(library: ctypes.CDLL) -> None:
    if sys.platform == "win32":
        _ctypes.FreeLibrary(library._handle)
    else:
        _ctypes.dlclose(library._handle)


@cache
def _folder_of(process_id: int) -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix=f"squtr-espeak-{process_id}-", ignore_cleanup_errors=True)
    shutil.copy(espeakng_loader.get_library_path(), folder.name)
    return folder


@lru_cache(maxsize=1)
def _version() -> str:
    with _lock:
        library = _open()
        try:
            library.espeak_Info.restype = ctypes.c_char_p
            return str(library.espeak_Info(None).decode())
        finally:
            _close(library)


@lru_cache(maxsize=1)
def _languages() -> tuple[str, ...]:
    folder = Path(espeakng_loader.get_data_path(), "lang")
    return tuple(sorted(path.name.lower() for path in folder.rglob("*") if path.is_file()))


@lru_cache(maxsize=1)
def _variants() -> tuple[str, ...]:
    folder = Path(espeakng_loader.get_data_path(), "voices", "!v")
    return tuple(sorted(path.name for path in folder.iterdir()))


def _check_voice(voice: str) -> None:
    if not _VOICE_NAME.fullmatch(voice):
        raise UserError(f"eSpeak voice {voice!r} is not a name such as en-us or en-us+f3.")
    _, plus, variant = voice.partition("+")
    if plus and variant not in _variants():
        hint = did_you_mean(variant, _variants())
        raise UserError(f"eSpeak has no variant {variant!r} (in {voice!r}).{hint}")


def _check_settings(settings: dict[str, int]) -> None:
    for name, value in settings.items():
        low, high = _LIMITS[name]
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise UserError(f"eSpeak {name} is {value!r}; it must be a whole number from {low} to {high}.")
