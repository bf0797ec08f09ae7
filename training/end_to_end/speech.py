"""Speech of the texts, clean and in noise, as the states of the embedded Whisper's encoder."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from squtr import plugins
from squtr.audio import from_pcm, limit_peak, resample, to_pcm
from squtr.content import content
from squtr.draw import draw
from squtr.embedders.whisper_states import WIDTH, whisper_states
from squtr.errors import ItemFailure
from squtr.mixing import mix
from squtr.noise_sources.procedural import Procedural
from squtr.records import Samples, Speaker, Waveform
from squtr.store import temporary_name
from squtr.text.reading import read_aloud
from squtr.voices import Voice
from squtr.voices.speakers import read_speakers
from training.end_to_end.texts import LISTS_FROM, SEED, Text

SAMPLE_RATE = 24000
NOISE_SEED = 5150
SNRS_DB = (20.0, 10.0, 0.0)
NOISY = {"espeak": 1, "kokoro": 2}
NEW_SPEAKERS = 0.2
_SIZES = (0.94, 1.06)
_CLIPS_A_FILE = 20
_RECORDINGS = 3


@dataclass(frozen=True, slots=True)
class Clip:
    """One recording as frames, shape (n, 512), float16. `condition` is clean or an SNR such as 10 dB."""

    text: Text
    voice: str
    speaker: str
    condition: str
    frames: npt.NDArray[np.float16]


def make_clips(texts: Sequence[Text], voice: str, folder: Path, workers: int) -> list[Clip]:
    """Return the clips of all texts, clean and noisy; finished files of `folder` are read, not made again."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = [texts[start : start + _CLIPS_A_FILE] for start in range(0, len(texts), _CLIPS_A_FILE)]
    paths = [folder / f"{voice}-{part[0].language}-{part[0].number}-{len(part)}.npz" for part in parts]
    missing = [(part, path) for part, path in zip(parts, paths, strict=True) if not path.exists()]
    _make(missing, voice, workers)
    return [clip for part, path in zip(parts, paths, strict=True) for clip in _read(part, voice, path)]


def _make(missing: Sequence[tuple[Sequence[Text], Path]], voice: str, workers: int) -> None:
    if workers <= 1:
        for part, path in missing:
            _write(part, path, voice)
    elif missing:
        with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
            list(pool.map(_write, *zip(*missing, strict=True), [voice] * len(missing)))


def speakers_of(language: str, voice: str, group: str) -> list[Speaker]:
    """Return the speakers who speak a group of texts: the held-out fifth never speaks what is taught."""
    everyone = read_speakers(content("data_build", "speakers.jsonl"), voice, language)
    new = [one for one in everyone if draw(SEED, "new-speaker", one.id).random() < NEW_SPEAKERS]
    return [one for one in everyone if one not in new] if group == "train" else new


def _write(texts: Sequence[Text], path: Path, voice: str) -> None:
    rows: list[str] = []
    frames: list[npt.NDArray[np.float16]] = []
    for text in texts:
        for speaker, condition, waveform in _spoken(text, voice):
            rows.append(f"{text.number}\t{speaker}\t{condition}")
            frames.append(whisper_states(waveform).astype(np.float16))
    temporary = temporary_name(path)
    with temporary.open("wb") as file:
        lengths = np.array([len(part) for part in frames], dtype=np.int64)
        np.savez(file, rows=np.array(rows), lengths=lengths, frames=np.concatenate(frames or [_nothing()]))
    temporary.replace(path)


def _nothing() -> npt.NDArray[np.float16]:
    return np.zeros((0, WIDTH), dtype=np.float16)


def _read(texts: Sequence[Text], voice: str, path: Path) -> list[Clip]:
    by_number = {text.number: text for text in texts}
    with np.load(path, allow_pickle=False) as archive:
        parts = np.split(archive["frames"], np.cumsum(archive["lengths"])[:-1])
        rows = [str(row).split("\t") for row in archive["rows"]]
    return [
        Clip(by_number[int(number)], voice, speaker, condition, part)
        for (number, speaker, condition), part in zip(rows, parts, strict=True)
    ]


def _spoken(text: Text, voice: str) -> list[tuple[str, str, Waveform]]:
    """Return speaker, condition and sound: clean, then in noise; taught speech also at other sizes.

    A list spoken by espeak is either clean or in noise, so that there can be more of them.
    """
    name = f"{text.language}-{text.number}-{voice}"
    chance = draw(SEED, "speech", name)
    speakers = speakers_of(text.language, voice, text.group)
    speaker = speakers[int(chance.integers(len(speakers)))]
    try:
        said = read_aloud(text.text, text.language).spoken
        clean = _level(resample(_voice(voice).speak(said, speaker, SEED), SAMPLE_RATE).samples)
    except ItemFailure:
        return []
    found = [(speaker.id, "clean", Waveform(from_pcm(to_pcm(clean)), SAMPLE_RATE))]
    is_one = voice == "espeak" and text.number >= LISTS_FROM
    if is_one and chance.random() < 0.5:
        return found
    for take in range(NOISY[voice]):
        snr = SNRS_DB[int(chance.integers(len(SNRS_DB)))]
        size = float(chance.uniform(*_SIZES)) if take and text.group == "train" else 1.0
        speech = resample(Waveform(clean, round(SAMPLE_RATE * size)), SAMPLE_RATE).samples
        speech = from_pcm(to_pcm(limit_peak(speech)[0]))
        mixed = mix(speech, _noise(chance, len(speech)), snr, sample_rate=SAMPLE_RATE)
        found.append((speaker.id, f"{snr:g} dB", Waveform(from_pcm(mixed.pcm), SAMPLE_RATE)))
    return found[1:] if is_one else found


def _level(samples: Samples) -> Samples:
    return limit_peak(samples)[0]


def _noise(chance: np.random.Generator, count: int) -> Samples:
    """Return a stretch of one recording; a long one goes round."""
    recordings = _source().recordings()
    name = recordings[int(chance.integers(len(recordings)))].id
    recording = _recording(name)
    start = int(chance.integers(len(recording)))
    stretch: Samples = np.take(recording, np.arange(start, start + count), mode="wrap")
    return stretch


@cache
def _source() -> Procedural:
    return Procedural(seed=NOISE_SEED, recordings_per_category=_RECORDINGS)


@cache
def _recording(name: str) -> Samples:
    return _source().read(name).samples


@cache
def _voice(name: str) -> Voice:
    loaded: Voice = plugins.load("voice", name)
    return loaded
