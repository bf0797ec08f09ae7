"""The signal-to-noise ratio of a recording, estimated from its samples alone.

Waveform amplitude distribution analysis (Kim and Stern, Interspeech 2008): the amplitudes of speech are
taken as gamma distributed with shape 0.4 and random sign, noise as Gaussian. Then ln E|z| - E ln|z| of their
sum z depends on the ratio alone and rises with it. The table was computed for this model anew: E|z| and
E ln|z| given the speech sample in closed form, averaged over 20,000 quantiles of the gamma distribution.
"""

from __future__ import annotations

import math

import numpy as np

from squtr.levels import PCM_FULL_SCALE, SILENCE_FLOOR_DBFS, dbfs, moments
from squtr.records import Waveform

CODE_VERSION = 1
LOWEST_DB, HIGHEST_DB = -10.0, 60.0
_STEP_DB = 2.0
_AMPLITUDE_SPREAD = (
    *(0.4121, 0.4150, 0.4201, 0.4286, 0.4421, 0.4618, 0.4888, 0.5234, 0.5654, 0.6139, 0.6673, 0.7242),
    *(0.7827, 0.8416, 0.8996, 0.9558, 1.0095, 1.0603, 1.1081, 1.1527, 1.1940, 1.2323, 1.2676, 1.3001),
    *(1.3299, 1.3572, 1.3823, 1.4052, 1.4262, 1.4453, 1.4628, 1.4788, 1.4934, 1.5067, 1.5188, 1.5299),
)
_HALF_A_STEP = 0.5 / PCM_FULL_SCALE


def estimate_snr_db(audio: Waveform) -> float | None:
    """Return the estimated ratio in dB over the whole recording, from -10 to 60; None for silence.

    Samples below half a step of 16-bit PCM count as that, or digital silence would decide alone. Music and
    babble are not Gaussian: they are taken for speech in part, so their ratio comes out too high.
    """
    wide = audio.samples.astype(np.float64)
    sums = moments(wide)
    if not len(wide) or dbfs(sums.deviation) < SILENCE_FLOOR_DBFS:
        return None
    amplitudes = np.maximum(np.abs(wide - sums.mean), _HALF_A_STEP)
    spread = math.log(float(amplitudes.mean())) - float(np.log(amplitudes).mean())
    ratios = LOWEST_DB + _STEP_DB * np.arange(len(_AMPLITUDE_SPREAD))
    return float(np.interp(spread, _AMPLITUDE_SPREAD, ratios))
