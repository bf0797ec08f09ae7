"""Speech and noise at a stated signal-to-noise ratio, and the ratio that came out.

y = x + a * d with a = RMS(x) / RMS(d) * 10^(-SNR/20), RMS over the whole utterance (arXiv 2602.12783). The
mean is taken out of speech and noise before levels are measured and stays out of the mix: a constant is
inaudible, and would count as speech or noise. When the mix passes the ceiling, one common gain scales both.
"""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass

import numpy as np

from squtr.audio import CEILING, FULL_SCALE
from squtr.errors import ItemFailure, UserError
from squtr.levels import (
    BLOCK,
    SILENCE_FLOOR_DBFS,
    Measured,
    Moments,
    Signal,
    blocks,
    dbfs,
    measure,
    moments,
    peak,
)
from squtr.records import Pcm, Samples

SNR_LIMIT_DB = 60.0
SNR_TOLERANCE_DB = 0.5


@dataclass(frozen=True, slots=True)
class Mix:
    """A noisy utterance, pcm of shape (n,), and what was done and measured on the way.

    Levels of speech and noise are those of the inputs, mean removed, before any gain. `peak` is that of the
    result before rounding. `active_snr_db` puts the speech's active level in place of its RMS.
    """

    pcm: Pcm
    noise_gain: float
    common_gain: float
    peak: float
    requested_snr_db: float
    realised_snr_db: float
    realised_snr_db_before_quantisation: float
    active_snr_db: float
    speech_rms_dbfs: float
    noise_rms_dbfs: float
    speech_mean: float


def mix(
    speech: Samples | Measured,
    noise: Samples | Measured,
    snr_db: float,
    *,
    sample_rate: int,
    ceiling: float = CEILING,
) -> Mix:
    """Mix `speech` and `noise`, both of shape (n,), at `snr_db`; `sample_rate` only sets the active frames.

    `speech` is what the clean WAV holds, from_pcm of its int16 samples. What is mixed at several ratios is
    measured once, by squtr.levels.measure, and handed over like that. Rounding to 16 bit adds an error of
    about -101 dBFS: with the scaled noise above -60 dBFS it moves the ratio by less than 0.05 dB.
    Raises UserError for a ratio that is no number within +-60 dB and for silent noise; ItemFailure for
    silent speech and when rounding moves the ratio by more than 0.5 dB; ValueError for unequal lengths.
    """
    x = speech if isinstance(speech, Measured) else measure(speech, sample_rate)
    d = noise if isinstance(noise, Measured) else measure(noise, sample_rate)
    _check(x.samples, d.samples, snr_db, ceiling)
    snr_db = float(snr_db)
    voice, rest = x.moments, d.moments
    _refuse_silence(voice.deviation, rest.deviation)
    noise_gain = voice.deviation / rest.deviation * 10 ** (-snr_db / 20)
    mean = voice.mean + noise_gain * rest.mean
    highest, written = _to_steps(x.samples, d.samples, noise_gain, mean, 1.0, ceiling)
    common_gain = 1.0 if written else ceiling / highest
    if not written:
        _, written = _to_steps(x.samples, d.samples, noise_gain, mean, common_gain, math.inf)
    pcm, rounded = written
    speech_level = dbfs(common_gain * voice.deviation)
    realised = speech_level - dbfs(rounded.deviation / FULL_SCALE)
    if not abs(realised - snr_db) <= SNR_TOLERANCE_DB:
        raise ItemFailure(
            f"rounding to 16 bit turns {snr_db:g} dB SNR into {realised:.2f} dB:"
            f" speech of {dbfs(voice.deviation):.1f} dBFS is too quiet for it"
        )
    noise_level = dbfs(noise_gain * rest.deviation)
    return Mix(
        pcm=pcm,
        noise_gain=noise_gain,
        common_gain=common_gain,
        peak=common_gain * highest,
        requested_snr_db=snr_db,
        realised_snr_db=realised,
        realised_snr_db_before_quantisation=dbfs(voice.deviation) - noise_level,
        active_snr_db=x.active_level_dbfs - noise_level,
        speech_rms_dbfs=dbfs(voice.deviation),
        noise_rms_dbfs=dbfs(rest.deviation),
        speech_mean=voice.mean,
    )


def realised_snr_db(clean: Signal, noisy: Signal, common_gain: float) -> float:
    """Measure the ratio from the two finished signals, both of shape (n,): what is not speech is noise.

    noise = noisy - common_gain * clean, means removed from both. inf when nothing but speech is there.
    Raises ItemFailure when the lengths differ and when the speech is silent or not finite.
    """
    if clean.shape != noisy.shape:
        raise ItemFailure(f"clean has {len(clean)} samples, noisy has {len(noisy)}")
    voice, rest = moments(clean), Moments()
    if not dbfs(voice.deviation) >= SILENCE_FLOOR_DBFS:
        raise ItemFailure(f"the speech is silent or not finite ({dbfs(voice.deviation):.1f} dBFS): no SNR")
    for speech, mixture in zip(blocks(clean), blocks(noisy), strict=True):
        speech -= voice.mean
        speech *= common_gain
        mixture -= speech
        rest.add(mixture)
    return dbfs(common_gain * voice.deviation) - dbfs(rest.deviation)


def _to_steps(
    speech: Signal, noise: Signal, noise_gain: float, mean: float, common_gain: float, limit: float
) -> tuple[float, tuple[Pcm, Moments] | None]:
    """Return the peak before the common gain, and the int16 samples with what is not speech in them, in steps.

    No samples when the peak passes `limit`. One pass over blocks that fit the cache, without new memory.
    """
    steps = common_gain * FULL_SCALE
    pcm, rest, highest = np.empty(len(speech), dtype=np.int16), Moments(), 0.0
    voice, mixture = np.empty((2, min(len(speech), BLOCK)))
    for start in range(0, len(speech), BLOCK):
        place = slice(start, start + BLOCK)
        clean, mixed = voice[: len(speech) - start], mixture[: len(speech) - start]
        np.multiply(speech[place], steps, out=clean, dtype=np.float64)
        np.multiply(noise[place], noise_gain * steps, out=mixed, dtype=np.float64)
        mixed += clean
        mixed -= mean * steps
        highest = max(highest, peak(mixed) / steps)
        if highest > limit:
            continue
        pcm[place] = np.rint(mixed, out=mixed)
        mixed -= clean
        rest.add(mixed)
    return highest, None if highest > limit else (pcm, rest)


def _check(speech: Signal, noise: Signal, snr_db: float, ceiling: float) -> None:
    number = isinstance(snr_db, numbers.Real) and not isinstance(snr_db, bool)
    if not number or not abs(snr_db) <= SNR_LIMIT_DB:
        raise UserError(
            f"snr_db is {snr_db!r}. Give a number of decibels from -60 to 60, which 16 bit can hold."
        )
    if speech.ndim != 1 or speech.shape != noise.shape:
        raise ValueError(
            f"Speech has shape {speech.shape}, noise {noise.shape}: cut the noise to the speech."
        )
    if not len(speech):
        raise ItemFailure("the speech has no samples")
    if not 0 < ceiling <= (FULL_SCALE - 1) / FULL_SCALE:
        raise ValueError(f"The ceiling is {ceiling}: it lies above 0 and at most at 32767/32768.")


def _refuse_silence(speech_rms: float, noise_rms: float) -> None:
    if not dbfs(speech_rms) >= SILENCE_FLOOR_DBFS:
        raise ItemFailure(f"the speech is silent or not finite ({dbfs(speech_rms):.1f} dBFS): no SNR")
    if not dbfs(noise_rms) >= SILENCE_FLOOR_DBFS:
        raise UserError(
            f"The noise is silent or not finite ({dbfs(noise_rms):.1f} dBFS, the floor is"
            f" {SILENCE_FLOOR_DBFS:g}). Take another segment or another recording."
        )
