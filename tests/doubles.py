"""Small doubles that do the whole job: the voice codes its text in tones, the recogniser reads the tones.

A byte is two tones of 20 ms out of 16, so length follows the text and a transcript follows from the samples
alone. Single words in the text make things go wrong; the tables below say which.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from squtr.channels.changed import Changed, Edit, changed
from squtr.digest import digest, to_plain
from squtr.draw import draw
from squtr.errors import ItemFailure, UserError
from squtr.records import Judgement, NoiseRecording, Speaker, Transcription, Waveform

RATE = 24000
FRAME = 480
BINS = 10 + 4 * np.arange(16)  # of 50 Hz: 500 to 3500 Hz
LEVEL = 0.3


def tones(text: str, seed: int = 0, level: float = LEVEL) -> np.ndarray:
    """Return a text in tones, shape (960 * bytes,), float32; `seed` sets the phase of each tone."""
    nibbles = [half for byte in text.encode("utf-8") for half in (byte >> 4, byte & 15)]
    phases = draw(seed, "tones", text).uniform(0, 2 * np.pi, len(nibbles))
    angles = 2 * np.pi * BINS[nibbles, None] * np.arange(FRAME) / FRAME + phases[:, None]
    return (level * np.sin(angles)).astype(np.float32).ravel()


def read_tones(samples: np.ndarray) -> str:
    """Return the text in tones; frames with no clear tone are passed over."""
    frames = samples[: len(samples) // FRAME * FRAME].reshape(-1, FRAME)
    power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    clear = power[:, BINS].max(axis=1, initial=0) > 0.5 * power.sum(axis=1)
    nibbles = power[:, BINS].argmax(axis=1)[clear & (power.sum(axis=1) > 1e-3)]
    data = bytes(16 * high + low for high, low in zip(nibbles[::2], nibbles[1::2], strict=False))
    return data.decode("utf-8", "replace")


def hiss(seconds: float, hertz: float = 6000, level: float = LEVEL) -> np.ndarray:
    """Return a tone outside the alphabet: sound that says nothing."""
    return (level * np.sin(2 * np.pi * hertz * np.arange(round(seconds * RATE)) / RATE)).astype(np.float32)


def _note_call() -> None:
    """Sleep, and append this process's id to a log, as the environment says."""
    if log := os.environ.get("TONE_LOG"):
        with Path(log).open("a") as file:
            file.write(f"{os.getpid()}\n")
    time.sleep(float(os.environ.get("TONE_SLEEP", 0)))


class ToneVoice:
    """A voice. `_TROUBLES` lists words that make trouble; with `slips` odd seeds lose the last word."""

    sample_rate = RATE

    def __init__(self, slips: bool = False, version: int = 1) -> None:
        self.slips, self.version = slips, version

    @property
    def fingerprint(self) -> str:
        return digest("tones", self.version, self.slips)

    def speak(self, text: str, speaker: Speaker, seed: int) -> Any:
        _note_call()
        words = text.split()
        if self.slips and seed % 2:
            text = " ".join(words[:-1])
        samples = tones(text, seed + self.version - 1, speaker.settings["level"])
        trouble = next((word for word in words if word in _TROUBLES), None)
        return _TROUBLES[trouble](samples) if trouble else Waveform(samples, RATE)


def _wave(samples: np.ndarray) -> Waveform:
    return Waveform(samples.astype(np.float32), RATE)


def _refuse(samples: np.ndarray) -> Waveform:
    raise ItemFailure("this cannot be said")


def _break_down(samples: np.ndarray) -> Waveform:
    raise RuntimeError("the voice broke down")


def _pieces(samples: np.ndarray) -> Iterator[Waveform]:
    for piece in np.split(samples, [len(samples) // 2, 3 * len(samples) // 4]):
        yield _wave(piece)


_TROUBLES: dict[str, Any] = {
    "refused": _refuse,
    "broken": _break_down,
    "silent": lambda samples: _wave(0 * samples),
    "nothing": lambda samples: None,
    "empty": lambda samples: _wave(samples[:0]),
    "undefined": lambda samples: _wave(np.nan * samples),
    "stereo": lambda samples: Waveform(np.stack([samples, samples]), RATE),
    "endless": lambda samples: _wave(np.concatenate([samples, hiss(30)])),
    "padded": lambda samples: _wave(np.concatenate([np.zeros(3 * RATE), samples])),
    "pieces": _pieces,
    "loud": lambda samples: _wave(samples * 10),
}


class ToneRecogniser:
    """A recogniser. It hears `fog` as `dog`, and breaks down on `crash` while the file `broken` exists."""

    def __init__(self, broken: str = "", version: int = 1) -> None:
        self.broken, self.version = broken, version

    @property
    def fingerprint(self) -> str:
        return digest("tone recogniser", self.version)

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        heard = read_tones(audio.samples)
        if "crash" in heard.split() and self.broken and Path(self.broken).exists():
            raise RuntimeError("the recogniser broke down")
        return Transcription(heard.replace("fog", "dog").replace("雾", "物"), -0.25)


class WordJudge:
    """A judge that gives `low` to a text with `word` in it and 5 to all others; NaN for `undefinable`."""

    def __init__(self, word: str, low: float = 1.0) -> None:
        self.word, self.low = word, low

    @property
    def fingerprint(self) -> str:
        return digest("word judge", self.word, self.low)

    def judge(self, audio: Waveform, text: str, transcript: str, language: str) -> Judgement:
        if "undefinable" in text:
            return Judgement(float("nan"), "1 to 5")
        bad = self.word in text
        return Judgement(self.low if bad else 5.0, "1 to 5", (f"says {self.word}",) if bad else ())


class Put:
    """A channel's operator that puts `by` in the place of the first `word`."""

    languages = ()

    def __init__(self, word: str, by: str = "") -> None:
        self.word, self.by = word, by

    @property
    def fingerprint(self) -> str:
        return digest("put", self.word, self.by)

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        start = text.find(self.word)
        edit = Edit("put", start, start + len(self.word), self.by)
        return changed(text, [edit] if start >= 0 else [])


class Hum:
    """A noise source: two recordings of four seconds in each of three categories."""

    def __init__(self, version: int = 1) -> None:
        self.version = version

    @property
    def fingerprint(self) -> str:
        return digest("hum", self.version)

    def recordings(self) -> list[NoiseRecording]:
        return [NoiseRecording(f"{kind}_{n}", kind, True) for kind in ("car", "rain", "fan") for n in (1, 2)]

    def read(self, recording_id: str) -> Waveform:
        time.sleep(float(os.environ.get("HUM_SLEEP", 0)))
        samples = draw(self.version, "hum", recording_id).normal(0, 0.1, 4 * RATE)
        return Waveform(samples.astype(np.float32), RATE)


@dataclass(frozen=True)
class Doubling:
    """A stage that doubles numbers, and writes as many samples. Those in `troubles` go wrong as it says."""

    troubles: tuple[tuple[int, str], ...] = ()
    version: int = 1
    sleep: float = 0.0
    name: str = "double"

    @property
    def fingerprint(self) -> str:
        return digest("doubling", self.version)

    def audio_of(self, item: int) -> tuple[()]:
        return ()

    def run(self, item: int, audio: Any, pack: Any) -> dict[str, Any]:
        time.sleep(self.sleep)
        trouble = dict(self.troubles).get(item)
        if trouble == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if trouble is not None and trouble.startswith("die while "):
            once = Path(trouble.removeprefix("die while "))
            if once.exists():
                once.unlink()
                os.kill(os.getpid(), signal.SIGKILL)
            trouble = None
        if trouble == "nan":
            return {"value": float("nan")}
        if trouble is not None:
            raise _ERRORS[trouble]
        ref = pack.add(np.full(item + 1, item, np.int16), RATE)
        seen = {"process": os.getpid(), "gpus": os.environ.get("CUDA_VISIBLE_DEVICES", "")}
        return {"value": 2 * item, "audio": to_plain(ref), **seen}


_ERRORS = {
    "item": ItemFailure("no"),
    "crash": ZeroDivisionError("oh"),
    "user": UserError("mend this"),
    "disk": OSError("disk full"),
    "surrogate": ItemFailure("caf\ud800"),
}
