"""Mixing and encoding of a 5 s clip, files apart, against audiomentations' AddBackgroundNoise.

Both mix the same speech at 24 kHz with the same minute of noise and encode 16-bit WAV in memory. Ours also
measures what it realised, redraws silent crops and never clips; theirs reads the noise from its file at each
call, as that is the only way it has. In a build one crop of noise serves all SNRs of an utterance, so a unit
is an utterance under 20, 10 and 0 dB; one SNR alone is shown beside it. CPU time, medians of several rounds.

Run: python benchmarks/mixing.py [--rounds 15] [--json]
"""

from __future__ import annotations

import argparse
import io
import json
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from squtr.audio import from_pcm, to_pcm, wav_bytes
from squtr.levels import measure
from squtr.mixing import mix
from squtr.noise_sources.segment import cut_segment
from squtr.records import Waveform

RATE, SECONDS, CALLS = 24_000, 5, 20
SNRS_DB = (20.0, 10.0, 0.0)
TARGET = 3.0


def ours(
    speech: np.ndarray, noise: np.ndarray, noise_rate: int, snrs_db: tuple[float, ...]
) -> Callable[[], Any]:
    rng, pcm = np.random.default_rng(1), to_pcm(speech)
    recording = Waveform(to_pcm(noise), noise_rate)  # int16, as memory-mapped recordings are

    def call() -> None:
        segment = cut_segment(recording, len(pcm), RATE, rng)
        measured = measure(pcm, RATE)
        for snr_db in snrs_db:
            mixed = mix(measured, segment.measured, snr_db, sample_rate=RATE)
            wav_bytes(mixed.pcm, RATE)

    return call


def theirs(speech: np.ndarray, folder: str, snrs_db: tuple[float, ...]) -> Callable[[], Any]:
    from audiomentations import AddBackgroundNoise

    mixers = [AddBackgroundNoise(folder, min_snr_db=snr, max_snr_db=snr, p=1.0) for snr in snrs_db]

    def call() -> None:
        for mixer in mixers:
            soundfile.write(io.BytesIO(), mixer(speech, RATE), RATE, format="WAV", subtype="PCM_16")

    return call


def cpu_ms(calls: list[Callable[[], Any]], rounds: int) -> list[float]:
    """Return the median CPU time of each, in ms; they take turns, so a busy machine troubles all alike."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds + 1):
        for call, found in zip(calls, times, strict=True):
            started = time.process_time()
            for _ in range(CALLS):
                call()
            found.append((time.process_time() - started) / CALLS * 1e3)
    return [statistics.median(found[1:]) for found in times]


def compare(noise_rate: int, snrs_db: tuple[float, ...], rounds: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    speech = from_pcm(to_pcm((0.05 * rng.standard_normal(RATE * SECONDS)).astype(np.float32)))
    noise = (0.05 * rng.standard_normal(noise_rate * 60)).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        soundfile.write(Path(folder) / "noise.wav", noise, noise_rate, subtype="PCM_16")
        pair = [ours(speech, noise, noise_rate, snrs_db), theirs(speech, folder, snrs_db)]
        mine, other = (found / len(snrs_db) for found in cpu_ms(pair, rounds))
    return {
        "noise_rate": noise_rate,
        "snrs": len(snrs_db),
        "squtr_ms": round(mine, 3),
        "audiomentations_ms": round(other, 3),
        "ratio": round(other / mine, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        import audiomentations
    except ImportError:
        print("Skipped: audiomentations is not installed (pip install audiomentations).")
        sys.exit(0)
    warnings.simplefilter("ignore")
    rows = [
        compare(rate, snrs, options.rounds) for rate in (48_000, RATE) for snrs in (SNRS_DB, SNRS_DB[1:2])
    ]
    if options.json:
        print(json.dumps({"audiomentations": audiomentations.__version__, "rows": rows}))
        return
    print(f"One 5 s clip at one SNR, ms of CPU time; audiomentations {audiomentations.__version__}")
    for row in rows:
        unit = f"{row['snrs']} SNRs a crop" if row["snrs"] > 1 else "1 SNR a crop"
        print(
            f"noise at {row['noise_rate']} Hz, {unit:13}: squtr {row['squtr_ms']:.3f},"
            f" audiomentations {row['audiomentations_ms']:.3f}, ratio {row['ratio']:.2f} (target {TARGET:g})"
        )


if __name__ == "__main__":
    main()
