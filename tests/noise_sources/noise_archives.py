"""Small archives of the true layout of DEMAND and NOISEX-92, of noise made here."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from scipy.io import savemat

from squtr.draw import draw
from squtr.noise_sources import NoiseSource

ENVIRONMENTS = (
    "DKITCHEN DLIVING DWASHING NFIELD NPARK NRIVER OHALLWAY OMEETING OOFFICE PCAFETER PRESTO PSTATION"
    " SCAFE SPSQUARE STRAFFIC TBUS TCAR TMETRO"
).split()
NOISES = (
    "white pink babble factory1 factory2 buccaneer1 buccaneer2 f16 destroyerengine destroyerops leopard m109"
    " machinegun volvo hfchannel"
).split()
NOISEX_RATE = 19980


def noise(name: str, seconds: float, rate: int, level: float = 0.1) -> np.ndarray:
    """Return noise that depends on its name, shape (n,), int16."""
    samples = draw(1, "archive", name).normal(0, level, round(seconds * rate))
    return np.clip(samples * 32768, -32768, 32767).astype(np.int16)


def wav(samples: np.ndarray, rate: int, **options: Any) -> bytes:
    buffer = io.BytesIO()
    soundfile.write(buffer, samples, rate, format="WAV", **options)
    return buffer.getvalue()


def write_zip(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def write_environment(
    folder: Path, code: str, channels: Iterable[int] = (1, 7), seconds: float = 2.5, rate: int = 48000
) -> Path:
    """Write CODE_48k.zip with CODE/ch01.wav and so on."""
    members = {
        f"{code}/ch{channel:02d}.wav": wav(noise(f"{code} {channel}", seconds, rate), rate)
        for channel in channels
    }
    return write_zip(folder / f"{code}_{rate // 1000}k.zip", members)


def write_demand(folder: Path, channels: Iterable[int] = (1, 7), **options: Any) -> Path:
    """Write all 18 environments."""
    for code in ENVIRONMENTS:
        write_environment(folder, code, channels, **options)
    return folder


def write_noisex(
    folder: Path, seconds: float = 2.5, rate: int = NOISEX_RATE, names: Iterable[str] = NOISES
) -> Path:
    """Write .wav files for the even ones of the noises and .mat files for the odd ones."""
    folder.mkdir(parents=True, exist_ok=True)
    for place, name in enumerate(names):
        samples = noise(name, seconds, NOISEX_RATE)
        if place % 2:
            savemat(folder / f"{name}.mat", {name: samples.astype(float)[:, None]})
        else:
            (folder / f"{name}.wav").write_bytes(wav(samples, rate))
    return folder


def ids(source: NoiseSource) -> list[str]:
    return [recording.id for recording in source.recordings()]


def categories(source: NoiseSource) -> set[str]:
    return {recording.category for recording in source.recordings()}


def put(path: Path, name: str = "", seconds: float = 1.0, rate: int = 16000) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(wav(noise(name or path.name, seconds, rate), rate))
    return path
