"""A room: speech as a microphone at some distance hears it, y = x * h + a * d of arXiv 2602.12783.

Rooms are shoeboxes simulated by the image source method (pyroomacoustics, `pip install 'squtr[rooms]'`). The
noise is not sent through the room: a recording of noise has its own.

Example, in a recipe: `room: {rt60_seconds: [0.3, 0.8], distance_metres: [0.5, 2]}`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import Field, field_validator, model_validator

from squtr.acoustics.response import SOUND_SPEED, Response, response
from squtr.acoustics.span import Span, uniform, within
from squtr.digest import digest
from squtr.draw import draw as draw_generator
from squtr.errors import ItemFailure
from squtr.levels import SILENCE_FLOOR_DBFS, dbfs, moments
from squtr.records import Samples
from squtr.section import Section

WALL_METRES = 0.5
STEEPEST = 0.3
MOST_REFLECTIONS = 4e6

Point = tuple[float, float, float]


class Room(Section):
    """Ranges to draw rooms from. `rooms` is how many there are; each utterance is put into one of them."""

    rt60_seconds: Span = (0.2, 0.8)
    distance_metres: Span = (0.5, 2.0)
    length_metres: Span = (4.0, 8.0)
    width_metres: Span = (3.0, 6.0)
    height_metres: Span = (2.4, 3.5)
    rooms: int = Field(default=100, ge=1, le=100_000)

    @field_validator("length_metres", "width_metres", "height_metres")
    @classmethod
    def _sides_of_rooms(cls, span: tuple[float, float]) -> tuple[float, float]:
        return within(span, 1.5, 50.0, "a side of a room, in metres,")

    @field_validator("rt60_seconds")
    @classmethod
    def _times_of_rooms(cls, span: tuple[float, float]) -> tuple[float, float]:
        return within(span, 0.05, 5.0, "a reverberation time, in seconds,")

    @model_validator(mode="after")
    def _all_draws_are_possible(self) -> Room:
        """Refuse ranges in which some draw would be no room, so that no draw ever fails."""
        sides = (self.length_metres, self.width_metres, self.height_metres)
        smallest, largest = ([side[end] for side in sides] for end in (0, 1))
        near, far = self.distance_metres
        if near < 0.1 or far > min(smallest[:2]) - 2 * WALL_METRES or STEEPEST * far > smallest[2] - 1:
            raise ValueError(
                f"a distance is at least 0.1 m and leaves {WALL_METRES} m to the walls of the smallest room"
            )
        surface = 2 * sum(one * two for one, two in zip(largest, largest[1:] + largest[:1], strict=True))
        shortest = 24 * math.log(10) * math.prod(largest) / (SOUND_SPEED * surface)
        if self.rt60_seconds[0] < shortest:
            raise ValueError(f"the largest room reverberates for {shortest:.2f} s at least; ask for no less")
        reflections = 4 / 3 * math.pi * (SOUND_SPEED * self.rt60_seconds[1]) ** 3 / math.prod(smallest)
        if reflections > MOST_REFLECTIONS:
            raise ValueError(
                f"{self.rt60_seconds[1]:g} s in the smallest room are {reflections / 1e6:.1f} million"
                f" reflections, more than {MOST_REFLECTIONS / 1e6:.0f}: take a shorter time or larger rooms"
            )
        return self

    def draw(self, rng: np.random.Generator) -> Place:
        """Draw one of the rooms; its shape and places depend on its number and these settings alone."""
        number = int(rng.integers(self.rooms))
        chance = draw_generator(number, "room", digest(self.model_dump()))
        sides = tuple(
            uniform(chance, side, 3) for side in (self.length_metres, self.width_metres, self.height_metres)
        )
        distance = uniform(chance, self.distance_metres, 3)
        rise = float(chance.uniform(-STEEPEST, STEEPEST)) * distance
        angle = float(chance.uniform(0, 2 * math.pi))
        flat = math.sqrt(distance**2 - rise**2)
        half = np.array([flat * math.cos(angle), flat * math.sin(angle), rise]) / 2
        margin = WALL_METRES + np.abs(half)
        middle = chance.uniform(margin, np.array(sides) - margin)
        return Place(
            room=number,
            rt60_seconds=uniform(chance, self.rt60_seconds, 3),
            dimensions_metres=_point(sides),
            talker_metres=_point(middle - half),
            microphone_metres=_point(middle + half),
        )


@dataclass(frozen=True, slots=True)
class Place:
    """A talker and a microphone in a room; `rt60_seconds` is what the walls were made for, by Sabine."""

    room: int
    rt60_seconds: float
    dimensions_metres: Point
    talker_metres: Point
    microphone_metres: Point

    @classmethod
    def of(cls, record: dict[str, Any]) -> Place:
        """Return the place that a manifest's record tells of."""
        return cls(
            room=record["room"],
            rt60_seconds=record["rt60_seconds"],
            dimensions_metres=_point(record["dimensions_metres"]),
            talker_metres=_point(record["talker_metres"]),
            microphone_metres=_point(record["microphone_metres"]),
        )

    @property
    def distance_metres(self) -> float:
        return math.dist(self.talker_metres, self.microphone_metres)

    def response(self, sample_rate: int) -> Response:
        """Return the impulse response. Raises UserError when pyroomacoustics is missing."""
        return response(
            self.dimensions_metres, self.talker_metres, self.microphone_metres, self.rt60_seconds, sample_rate
        )

    def apply(self, speech: Samples, sample_rate: int) -> tuple[Samples, dict[str, Any]]:
        """Return `speech`, shape (n,), in this room, at the level it had: same length, direct sound on time.

        Sound that rings on behind the end is cut. Level is the RMS about the mean. Realised:
        `realised_rt60_seconds`, `drr_db` (direct-to-reverberant ratio), `distance_metres`.
        Raises ItemFailure for silent speech.
        """
        from scipy.signal import fftconvolve  # slow to import, and a recipe imports this file

        heard = self.response(sample_rate)
        dry = moments(speech).deviation
        if not dbfs(dry) >= SILENCE_FLOOR_DBFS:
            raise ItemFailure(f"the speech is silent or not finite ({dbfs(dry):.1f} dBFS): no SNR")
        wet = fftconvolve(speech.astype(np.float64), heard.samples)[heard.delay : heard.delay + len(speech)]
        wet -= moments(wet).mean
        wet *= dry / moments(wet).deviation
        return wet.astype(np.float32), {
            "realised_rt60_seconds": round(heard.rt60_seconds, 4),
            "drr_db": round(heard.drr_db, 4),
            "distance_metres": round(self.distance_metres, 4),
        }


def _point(values: Any) -> Point:
    x, y, z = (round(float(value), 3) for value in values)
    return x, y, z
