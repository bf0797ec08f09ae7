"""Mixing and encoding of a 5 s clip, files apart, against audiomentations' AddBackgroundNoise.

Speech at 24 kHz, a minute of noise at 24 or 48 kHz, three SNRs from one crop (a build draws one crop for all
SNRs of an utterance) or one SNR; ms of CPU time for one noisy clip. Our side is always the same: crop, silent
crops refused, levels of speech and noise, active speech, gain, mix, peak guard, realised SNR, WAV in memory.
Their side is measured four times:

shipped  noise read from its file (in the page cache) at each call, mix, soundfile to WAV in memory
memory   the same with the noise in memory, cut from an array instead of read
duties   `memory` with a peak guard and the realised SNR measured in numpy, the int16 samples to soundfile
bare     `memory` without soundfile: rounded and encoded by our own functions

A build resamples a recording of another rate than the speech once, and maps it from then on; so it is here,
before the calls, and the time for that minute is told. Their side resamples each crop, as it does when used.

The two sides take turns, a round at a time; the ratio is that of the medians.

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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from squtr.audio import limit_peak, to_pcm, wav_bytes
from squtr.levels import measure
from squtr.mixing import mix
from squtr.noise_sources.at_rate import recording_at_rate
from squtr.noise_sources.segment import cut_segment
from squtr.records import NoiseRecording, Pcm, Samples, Waveform

RATE, SECONDS, CALLS = 24_000, 5, 20
SNRS_DB = (20.0, 10.0, 0.0)
TARGET = 3.0
MANNERS = ("shipped", "memory", "duties", "bare")

Call = Callable[[], object]


@dataclass
class OneRecording:
    """A noise source of one recording."""

    recording: Waveform
    cache: Path
    fingerprint: str = "one recording"

    def recordings(self) -> list[NoiseRecording]:
        return [NoiseRecording("one", "noise", True)]

    def read(self, recording_id: str) -> Waveform:
        return self.recording


def ours(speech: Pcm, noise: Waveform, snrs_db: tuple[float, ...]) -> Call:
    rng = np.random.default_rng(1)

    def call() -> None:
        segment = cut_segment(noise, len(speech), RATE, rng)
        measured = measure(speech, RATE)
        for snr_db in snrs_db:
            wav_bytes(mix(measured, segment.measured, snr_db, sample_rate=RATE).pcm, RATE)

    return call


def stages(speech: Pcm, noise: Waveform) -> dict[str, Call]:
    rng = np.random.default_rng(1)
    segment, measured = cut_segment(noise, len(speech), RATE, rng), measure(speech, RATE)
    pcm = mix(measured, segment.measured, 10.0, sample_rate=RATE).pcm
    return {
        "crop and its levels": lambda: cut_segment(noise, len(speech), RATE, rng),
        "levels of the speech": lambda: measure(speech, RATE),
        "mix, guard, realised SNR": lambda: mix(measured, segment.measured, 10.0, sample_rate=RATE),
        "WAV": lambda: wav_bytes(pcm, RATE),
    }


def theirs(speech: Samples, noise: Waveform, folder: str, snrs_db: tuple[float, ...], manner: str) -> Call:
    import librosa
    from audiomentations import AddBackgroundNoise
    from audiomentations.augmentations import add_background_noise as module

    mixers = [AddBackgroundNoise(folder, min_snr_db=snr, max_snr_db=snr, p=1.0) for snr in snrs_db]
    finish = {"duties": _guarded, "bare": _rounded}.get(manner, _encoded)
    from_file, rate, samples = module.load_sound_file, noise.sample_rate, noise.samples / np.float32(32768)

    def from_memory(_: str, to_rate: int, offset: float, duration: float) -> tuple[Samples, int]:
        cut = samples[int(offset * rate) : int(offset * rate) + int(duration * rate)]
        if rate != to_rate:
            cut = librosa.resample(cut, orig_sr=rate, target_sr=to_rate, res_type="soxr_hq")
        return cut, to_rate

    def call() -> None:
        module.load_sound_file = from_file if manner == "shipped" else from_memory
        for mixer in mixers:
            finish(mixer(speech, RATE), speech)
        module.load_sound_file = from_file

    return call


def _encoded(mixed: Samples, speech: Samples) -> None:
    soundfile.write(io.BytesIO(), mixed, RATE, format="WAV", subtype="PCM_16")


def _guarded(mixed: Samples, speech: Samples) -> None:
    highest = float(np.abs(mixed).max())
    gain = min(1.0, 0.99 / highest)
    pcm = np.rint(mixed * np.float32(gain * 32768)).astype(np.int16)
    rest = pcm.astype(np.float64) / 32768 - gain * speech.astype(np.float64)
    10 * np.log10(np.var(gain * speech.astype(np.float64)) / np.var(rest))
    soundfile.write(io.BytesIO(), pcm, RATE, format="WAV", subtype="PCM_16")


def _rounded(mixed: Samples, speech: Samples) -> None:
    wav_bytes(to_pcm(limit_peak(mixed)[0]), RATE)


def cpu_ms(calls: dict[str, Call], rounds: int) -> dict[str, float]:
    """Return the median CPU time of each, in ms; they take turns, so a busy machine troubles all alike."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds + 1):
        for name, call in calls.items():
            started = time.process_time()
            for _ in range(CALLS):
                call()
            times[name].append((time.process_time() - started) / CALLS * 1e3)
    return {name: statistics.median(found[1:]) for name, found in times.items()}


def compare(noise_rate: int, snrs_db: tuple[float, ...], rounds: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    pcm = to_pcm((0.05 * rng.standard_normal(RATE * SECONDS)).astype(np.float32))
    speech = pcm / np.float32(32768)
    noise = Waveform(to_pcm((0.05 * rng.standard_normal(noise_rate * 60)).astype(np.float32)), noise_rate)
    with tempfile.TemporaryDirectory() as folder:
        soundfile.write(Path(folder) / "noise.wav", noise.samples, noise_rate, subtype="PCM_16")
        source, started = OneRecording(noise, Path(folder) / "cache"), time.process_time()
        at_rate = recording_at_rate(source, "one", RATE)
        once_ms = (time.process_time() - started) * 1e3
        calls = {"squtr": ours(pcm, at_rate, snrs_db)}
        calls |= {manner: theirs(speech, noise, folder, snrs_db, manner) for manner in MANNERS}
        found = {name: ms / len(snrs_db) for name, ms in cpu_ms(calls, rounds).items()}
    return {
        "noise_rate": noise_rate,
        "snrs": len(snrs_db),
        "ms": {name: round(ms, 3) for name, ms in found.items()},
        "ratios": {name: round(found[name] / found["squtr"], 2) for name in MANNERS},
        "squtr_stages_ms": {name: round(ms, 3) for name, ms in cpu_ms(stages(pcm, at_rate), rounds).items()},
        "once_ms": round(once_ms, 1),
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
        compare(rate, snrs, options.rounds) for rate in (RATE, 48_000) for snrs in (SNRS_DB, SNRS_DB[1:2])
    ]
    if options.json:
        print(json.dumps({"audiomentations": audiomentations.__version__, "rows": rows}))
        return
    print(f"One noisy 5 s clip, ms of CPU time; audiomentations {audiomentations.__version__}")
    for row in rows:
        crop = f"{row['snrs']} SNRs a crop" if row["snrs"] > 1 else "1 SNR a crop"
        print(f"noise at {row['noise_rate']} Hz, {crop}: squtr {row['ms']['squtr']:.3f}")
        for manner in MANNERS:
            ratio = f"{row['ratios'][manner]:.2f}"
            print(f"  audiomentations {manner:8}{row['ms'][manner]:.3f}, ratio {ratio} (target {TARGET:g})")
    for row in (rows[0], rows[2]):
        parts = ", ".join(f"{name} {ms:.3f}" for name, ms in row["squtr_stages_ms"].items())
        print(
            f"squtr with noise at {row['noise_rate']} Hz: {parts}; once, to keep a minute: {row['once_ms']}"
        )


if __name__ == "__main__":
    main()
