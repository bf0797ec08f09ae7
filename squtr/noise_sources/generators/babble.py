"""Speech in the scenes: babble, conversation, and the diffuse tail of speech in a hall."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import soxr
from pydantic import Field

from squtr.noise_sources.generators.events import place, random_times
from squtr.noise_sources.generators.layer import Count, Layer, PerMinute, Share
from squtr.noise_sources.generators.rooms import Room
from squtr.noise_sources.generators.spectra import SAMPLE_RATE, Signal, band, edges, unit_active
from squtr.noise_sources.generators.voices import SPEECH_RATE, Talker, draw_talker, draw_text

Topic = Literal["chat", "meeting", "news", "platform", "station", "children"]
Pitch = Annotated[int, Field(ge=0, le=99)]
_LOOP_S = 8.0
_SENTENCE_S = 2.2


class Speech(Layer):
    """What all speech layers share. `speed` above 1 raises pitch and formants, as of small throats."""

    topic: Topic = "chat"
    lowest_pitch: Pitch = 30
    highest_pitch: Pitch = 70
    slowest: Annotated[int, Field(ge=80, le=450)] = 150
    fastest: Annotated[int, Field(ge=80, le=450)] = 200
    speed: Annotated[float, Field(ge=0.5, le=2)] = 1.0

    def person(self, rng: np.random.Generator) -> Talker:
        """Draw a person within the layer's limits."""
        return draw_talker(rng, (self.lowest_pitch, self.highest_pitch), (self.slowest, self.fastest))

    def talk(self, rng: np.random.Generator, talker: Talker, seconds: float) -> Signal:
        """Return a person's speech on the topic, active level 1, of about `seconds`."""
        said = talker.say(draw_text(rng, self.topic, max(1, round(seconds / _SENTENCE_S))))
        loud = np.flatnonzero(np.abs(said) > 30)
        cut = said[loud[0] : loud[-1] + 1].astype(np.float64)
        return unit_active(
            edges(soxr.resample(cut, SPEECH_RATE * self.speed, SAMPLE_RATE, quality="HQ"), 0.005, 0.02)
        )


class Babble(Speech):
    """Many people at once. `near` is the share that stands out; the others are 6 to 16 dB down and dull.

    `talkers` people are synthesised for 8 s each; further `voices` are the same people at another point of
    their loops, which have different lengths, so the sum does not repeat.
    """

    voices: Count = 12
    talkers: Count = 8
    near: Share = 0.3

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return babble, shape (count,)."""
        close, far = np.zeros(count), np.zeros(count)
        loops = [self._loop(rng) for _ in range(min(self.talkers, self.voices))]
        for voice in range(self.voices):
            loop = np.roll(loops[voice % len(loops)], int(rng.integers(len(loops[voice % len(loops)]))))
            stream = np.resize(loop, count)
            if voice < round(self.near * self.voices):
                close += stream * 10 ** (-rng.uniform(0, 4) / 20)
            else:
                far += stream * 10 ** (-rng.uniform(6, 16) / 20)
        return close + band(far, 120, 2500, order=1)

    def _loop(self, rng: np.random.Generator) -> Signal:
        speech = self.talk(rng, self.person(rng), _LOOP_S * rng.uniform(0.8, 1.1))
        return np.concatenate([speech, np.zeros(int(rng.uniform(0.1, 0.6) * SAMPLE_RATE))])


class Conversation(Speech):
    """A few people who take turns, with short pauses and some overlap (negative pauses)."""

    people: Count = 3
    turn_s: Annotated[float, Field(ge=1, le=30)] = 4.0
    pause_s: Annotated[float, Field(ge=0, le=10)] = 0.4

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return turns that fill shape (count,)."""
        track = np.zeros(count)
        talkers = [self.person(rng) for _ in range(self.people)]
        gains = 10 ** (-rng.uniform(0, 8, self.people) / 20)
        lows = rng.uniform(2500, 7000, self.people)
        at, person = 0, 0
        while at < count:
            person = int((person + rng.integers(1, max(2, self.people))) % self.people)
            turn = self.talk(rng, talkers[person], self.turn_s * rng.uniform(0.5, 1.5)) * gains[person]
            stop = min(count, at + len(turn))
            track[at:stop] += band(turn, None, float(lows[person]), order=1)[: stop - at]
            at = max(at + 1, stop + int((rng.exponential(self.pause_s) - 0.3 * self.pause_s) * SAMPLE_RATE))
        return track


class Calls(Speech):
    """Single shouts and phrases now and then, from anywhere."""

    per_minute: PerMinute = 20.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return calls, shape (count,)."""
        calls = [self.talk(rng, self.person(rng), 1.0) for _ in range(5)]
        starts = random_times(rng, count / SAMPLE_RATE, self.per_minute)
        return place(rng, count, starts, calls, 12.0)


class DiffuseSpeech(Speech):
    """Only the late tail of several people's speech in a hall: no direct sound, no early reflections."""

    voices: Count = 4
    hall: Room = Room(seconds=2.8, pre_delay_s=0.08, high_hz=3500.0)

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return the tail, shape (count,)."""
        dry = np.zeros(count)
        for _ in range(self.voices):
            speech = self.talk(rng, self.person(rng), count / SAMPLE_RATE * 0.5)
            loop = np.concatenate([speech, np.zeros(int(rng.uniform(0.5, 2.0) * SAMPLE_RATE))])
            dry += np.resize(np.roll(loop, int(rng.integers(len(loop)))), count)
        return self.hall.tail_of(rng, dry)
