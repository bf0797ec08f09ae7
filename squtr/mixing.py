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
    SILENCE_FLOOR_DBFS,
    Measured,
    Moments,
    Signal,
    Steps,
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
    result. `active_snr_db` puts the speech's active level in place of its RMS.
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
    speech: Samples | Pcm | Measured,
    noise: Samples | Measured,
    snr_db: float,
    *,
    sample_rate: int,
    ceiling: float = CEILING,
) -> Mix:
    """Mix `speech` and `noise`, both of shape (n,), at `snr_db`; `sample_rate` only sets the active frames.

    `speech` is what the clean WAV holds, as int16 or from_pcm of it. What is mixed at several ratios is
    measured once, by squtr.levels.measure, and handed over like that. Rounding to 16 bit adds an error of
    about -101 dBFS: with the scaled noise above -60 dBFS it moves the ratio by less than 0.05 dB.
    Raises UserError for a ratio that is no number within +-60 dB and for silent noise; ItemFailure for
    silent speech and when rounding moves the ratio by more than 0.5 dB; ValueError for unequal lengths.
    """
    _check(snr_db, ceiling)
    voice, rest = _measured(speech, sample_rate), _measured(noise, sample_rate)
    _check_lengths(voice, rest)
    snr_db, speech_rms, noise_rms = float(snr_db), voice.deviation, rest.deviation
    _refuse_silence(speech_rms, noise_rms)
    noise_gain = speech_rms / noise_rms * 10 ** (-snr_db / 20)
    pcm, highest, rounded = _to_steps(voice, rest, noise_gain, 1.0, ceiling)
    common_gain = ceiling / highest if highest > ceiling else 1.0
    if common_gain < 1.0:
        pcm, _, rounded = _to_steps(voice, rest, noise_gain, common_gain, math.inf)
    realised = dbfs(common_gain * speech_rms) - dbfs(rounded.deviation / FULL_SCALE)
    if not abs(realised - snr_db) <= SNR_TOLERANCE_DB:
        raise ItemFailure(
            f"rounding to 16 bit turns {snr_db:g} dB SNR into {realised:.2f} dB:"
            f" speech of {dbfs(speech_rms):.1f} dBFS is too quiet for it"
        )
    added_level = dbfs(noise_gain * noise_rms)
    return Mix(
        pcm=pcm,
        noise_gain=noise_gain,
        common_gain=common_gain,
        peak=common_gain * highest,
        requested_snr_db=snr_db,
        realised_snr_db=realised,
        realised_snr_db_before_quantisation=dbfs(speech_rms) - added_level,
        active_snr_db=voice.frames.active_level_dbfs - added_level,
        speech_rms_dbfs=dbfs(speech_rms),
        noise_rms_dbfs=dbfs(noise_rms),
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


def _measured(sound: Samples | Pcm | Measured, sample_rate: int) -> Measured:
    if isinstance(sound, Measured):
        return sound
    if sound.ndim != 1:
        raise ValueError(f"A sound has shape (n,), not {sound.shape}: cut the noise to the speech.")
    return measure(sound, sample_rate)


def _to_steps(
    speech: Measured, noise: Measured, noise_gain: float, common_gain: float, limit: float
) -> tuple[Pcm, float, Moments]:
    """Return int16 samples, their peak before the common gain, and the sums, in steps, of what is no speech.

    Where the peak passes `limit` only the peak counts. It is looked for before rounding only where it could
    pass.
    """
    steps = common_gain * FULL_SCALE
    speech_factor, noise_factor = steps / speech.full_scale, steps / noise.full_scale * noise_gain
    mixed = noise.samples * np.float32(noise_factor)
    mixed += speech.samples if speech_factor == 1 else speech.samples * np.float32(speech_factor)
    harmless = speech.bound + noise_gain * noise.bound <= min(limit, CEILING / common_gain)
    highest = 0.0 if harmless else peak(mixed) / steps
    if highest > limit:
        return np.empty(0, dtype=np.int16), highest, Moments()
    pcm = np.rint(mixed, out=mixed).astype(np.int16)
    return pcm, peak(pcm) / steps if harmless else highest, _rest(mixed, speech, speech_factor)


def _rest(mixed: Samples, speech: Measured, speech_factor: float) -> Moments:
    """Return the sums over whole steps less the speech in them."""
    if speech.pcm:
        return Steps.of(mixed).difference(speech.pcm, speech_factor)
    rest = Moments()
    rest.add(mixed.astype(np.float64) - speech_factor * speech.samples.astype(np.float64))
    return rest


def _check(snr_db: float, ceiling: float) -> None:
    number = isinstance(snr_db, numbers.Real) and not isinstance(snr_db, bool)
    if not number or not abs(snr_db) <= SNR_LIMIT_DB:
        raise UserError(
            f"snr_db is {snr_db!r}. Give a number of decibels from -60 to 60, which 16 bit can hold."
        )
    if not 0 < ceiling <= (FULL_SCALE - 1) / FULL_SCALE:
        raise ValueError(f"The ceiling is {ceiling}: it lies above 0 and at most at 32767/32768.")


def _check_lengths(speech: Measured, noise: Measured) -> None:
    count, other = len(speech.samples), len(noise.samples)
    if count != other:
        raise ValueError(f"Speech has {count} samples, noise {other}: cut the noise to the speech.")
    if not count:
        raise ItemFailure("the speech has no samples")


def _refuse_silence(speech_rms: float, noise_rms: float) -> None:
    if not dbfs(speech_rms) >= SILENCE_FLOOR_DBFS:
        raise ItemFailure(f"the speech is silent or not finite ({dbfs(speech_rms):.1f} dBFS): no SNR")
    if not dbfs(noise_rms) >= SILENCE_FLOOR_DBFS:
        raise UserError(
            f"The noise is silent or not finite ({dbfs(noise_rms):.1f} dBFS, the floor is"
            f" {SILENCE_FLOOR_DBFS:g}). Take another segment or another recording."
        )
