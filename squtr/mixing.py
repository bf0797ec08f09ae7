"""Speech and noise at a stated signal-to-noise ratio, and the ratio that came out.

y = x + a * d with a = RMS(x) / RMS(d) * 10^(-SNR/20), RMS over the whole utterance (arXiv 2602.12783). The
mean is taken out of speech and noise before levels are measured and stays out of the mix: a constant is
inaudible, and would count as speech or noise. When the mix passes the ceiling, one common gain scales both.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from squtr.audio import (
    CEILING,
    FULL_SCALE,
    SILENCE_FLOOR_DBFS,
    Moments,
    Signal,
    Wide,
    active_level_dbfs,
    blocks,
    dbfs,
    moments,
    peak,
)
from squtr.errors import ItemFailure, UserError
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


def mix(speech: Samples, noise: Samples, snr_db: float, *, sample_rate: int, ceiling: float = CEILING) -> Mix:
    """Mix `speech` and `noise`, both of shape (n,), at `snr_db`; `sample_rate` only sets the active frames.

    `speech` is what the clean WAV holds, from_pcm of its int16 samples. Rounding to 16 bit adds an error of
    about -101 dBFS: with the scaled noise above -60 dBFS it moves the ratio by less than 0.05 dB.
    Raises UserError for a ratio that is no number within +-60 dB and for silent noise; ItemFailure for
    silent speech and when rounding moves the ratio by more than 0.5 dB; ValueError for unequal lengths.
    """
    _check(speech, noise, snr_db, ceiling)
    snr_db = float(snr_db)
    voice, rest = moments(speech), moments(noise)
    _refuse_silence(voice.deviation, rest.deviation)
    noise_gain = voice.deviation / rest.deviation * 10 ** (-snr_db / 20)
    means = (voice.mean, noise_gain * rest.mean)
    highest = max(peak(mixture) for _, mixture in _mixed(speech, noise, noise_gain, *means))
    common_gain = ceiling / highest if highest > ceiling else 1.0
    pcm, exact, rounded = _to_steps(_mixed(speech, noise, noise_gain, *means), common_gain)
    speech_level = dbfs(common_gain * voice.deviation)
    realised = speech_level - dbfs(rounded.deviation / FULL_SCALE)
    if not abs(realised - snr_db) <= SNR_TOLERANCE_DB:
        raise ItemFailure(
            f"rounding to 16 bit turns {snr_db:g} dB SNR into {realised:.2f} dB:"
            f" speech of {dbfs(voice.deviation):.1f} dBFS is too quiet for it"
        )
    return Mix(
        pcm=pcm,
        noise_gain=noise_gain,
        common_gain=common_gain,
        peak=common_gain * highest,
        requested_snr_db=snr_db,
        realised_snr_db=realised,
        realised_snr_db_before_quantisation=speech_level - dbfs(exact.deviation / FULL_SCALE),
        active_snr_db=active_level_dbfs(speech, sample_rate) - dbfs(noise_gain * rest.deviation),
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


def _mixed(
    speech: Samples, noise: Samples, noise_gain: float, speech_mean: float, scaled_noise_mean: float
) -> Iterator[tuple[Wide, Wide]]:
    """Yield speech and mixture block by block: to mix twice costs less than memory for the whole."""
    for clean, mixture in zip(blocks(speech), blocks(noise), strict=True):
        clean -= speech_mean
        mixture *= noise_gain
        mixture -= scaled_noise_mean
        mixture += clean
        yield clean, mixture


def _to_steps(mixed: Iterator[tuple[Wide, Wide]], common_gain: float) -> tuple[Pcm, Moments, Moments]:
    """Scale and round to int16; also return what is not speech, in steps, before and after rounding."""
    steps = common_gain * FULL_SCALE
    parts: list[Pcm] = []
    exact, rounded = Moments(), Moments()
    for clean, mixture in mixed:
        clean *= steps
        mixture *= steps
        exact.add(mixture - clean)
        parts.append(np.rint(mixture, out=mixture).astype(np.int16))
        mixture -= clean
        rounded.add(mixture)
    return np.concatenate(parts), exact, rounded


def _check(speech: Samples, noise: Samples, snr_db: float, ceiling: float) -> None:
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
