"""Room impulse responses: simulated, and measured as one would measure a real room."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from squtr.errors import UserError
from squtr.levels import Wide

SOUND_SPEED = 343.0
DIRECT_SECONDS = 0.0025
DECAY_DB = (-5.0, -35.0)


@dataclass(frozen=True, slots=True)
class Response:
    """An impulse response, float64, shape (n,), and what it measures.

    The direct sound arrives at sample `delay`. `drr_db`: energy within 2.5 ms of it to all other energy.
    """

    samples: Wide
    delay: int
    rt60_seconds: float
    drr_db: float


def measured(samples: Wide, delay: int, sample_rate: int) -> Response:
    """Measure an impulse response, shape (n,), whose direct sound arrives at sample `delay`."""
    reach = round(DIRECT_SECONDS * sample_rate)
    energy = samples**2
    direct = float(energy[max(0, delay - reach) : delay + reach + 1].sum())
    drr_db = 10 * math.log10(direct / (float(energy.sum()) - direct))
    return Response(samples, delay, decay_seconds(samples, sample_rate), drr_db)


def decay_seconds(samples: Wide, sample_rate: int) -> float:
    """Return the reverberation time of an impulse response, shape (n,).

    The slope, by least squares, of the backward-integrated energy (Schroeder, J. Acoust. Soc. Am. 37 (1965)
    409) from -5 to -35 dB, drawn out to 60 dB: T30 of ISO 3382-1.
    """
    left = np.cumsum((samples**2)[::-1])[::-1]
    level = 10 * np.log10(np.maximum(left / left[0], 1e-30))
    fitted = np.flatnonzero((level <= DECAY_DB[0]) & (level >= DECAY_DB[1]))
    slope = float(np.polyfit(fitted / sample_rate, level[fitted], 1)[0])
    return -60 / slope


@functools.lru_cache(maxsize=128)
def response(
    dimensions_metres: tuple[float, float, float],
    talker_metres: tuple[float, float, float],
    microphone_metres: tuple[float, float, float],
    rt60_seconds: float,
    sample_rate: int,
) -> Response:
    """Simulate a shoebox whose walls absorb what Sabine's formula asks for that reverberation time.

    Image source method on one thread: how pyroomacoustics adds its reflections up depends on how many it
    has. Kept, as the rooms of a build come again. Raises UserError when pyroomacoustics is missing.
    """
    library = rooms_library()
    absorption, order = library.inverse_sabine(rt60_seconds, dimensions_metres, c=SOUND_SPEED)
    room = library.ShoeBox(
        dimensions_metres, fs=sample_rate, materials=library.Material(absorption), max_order=order
    )
    room.set_sound_speed(SOUND_SPEED)
    room.add_source(talker_metres)
    room.add_microphone(microphone_metres)
    threads = library.constants.get("num_threads")
    try:
        library.constants.set("num_threads", 1)
        room.compute_rir()
    finally:
        library.constants.set("num_threads", threads)
    filter_delay = library.constants.get("frac_delay_length") // 2
    distance = math.dist(talker_metres, microphone_metres)
    samples = np.array(room.rir[0][0], dtype=np.float64)
    samples.flags.writeable = False
    return measured(samples, round(distance / SOUND_SPEED * sample_rate) + filter_delay, sample_rate)


def rooms_library() -> Any:
    """Return pyroomacoustics. Raises UserError when it is not installed."""
    try:
        import pyroomacoustics
    except ImportError as error:
        raise UserError(f"Rooms need pyroomacoustics ({error}): pip install 'squtr[rooms]'.") from None
    return pyroomacoustics
