"""The rules on a recording: pauses found, decisions made, the user's sound placed, the agent cut off."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from squtr.audio import active_level_dbfs, limit_peak, to_pcm
from squtr.dialogue.activity import END_SECONDS, Span
from squtr.dialogue.clips import Clips
from squtr.dialogue.recording import Recording
from squtr.dialogue.rules import Setting
from squtr.dialogue.simulate import Event, Words, cuts, simulate
from squtr.dialogue.stock import Stock
from squtr.errors import UserError
from squtr.records import Pcm, Samples, Waveform
from squtr.store import write_atomic

REACTION_SECONDS = 0.5
FADE_SECONDS = 0.02
_TAIL_SECONDS = END_SECONDS / 2  # a word dies away behind where its speech is found to end


@dataclass(frozen=True, slots=True)
class Dialogue:
    """What came out: agent and user as int16, shape (n, 2), left and right; the events; where it was cut."""

    name: str
    setting: Setting
    pcm: Pcm
    sample_rate: int
    events: tuple[Event, ...]
    cuts: dict[int, Span]


def converse(
    recording: Recording,
    words: Words,
    setting: Setting,
    stock: Stock,
    clips: Clips,
    seed: int = 0,
    reaction_seconds: float = REACTION_SECONDS,
) -> Dialogue:
    """Let a user listen to a recorded agent.

    What the user says starts at the moment of the decision and has the level of the user's side, or, where
    that does not speak, of the agent's. An interrupted agent fades out `reaction_seconds` later and stays
    silent up to the end of its turn; what it says after that is as recorded.
    """
    if not 0 <= reaction_seconds <= 10:
        raise UserError(f"A reaction of {reaction_seconds:g} s: give 0 to 10.")

    def choose(kind: str, at: str) -> tuple[str, float]:
        text = stock.drawn(kind, seed, f"{recording.name}/{at}")
        return text, clips.clip(text).seconds

    events = simulate(recording.turns, words, stock.is_asking, setting, choose, recording.user_speech)
    silent = cuts(events, recording.turns, reaction_seconds)
    agent = _silenced(recording.agent, list(silent.values()))
    user = _with_clips(recording, events, clips)
    pcm = np.zeros((len(user), 2), dtype=np.int16)
    pcm[: len(agent), 0], pcm[:, 1] = to_pcm(limit_peak(agent, 1.0)[0]), to_pcm(limit_peak(user)[0])
    return Dialogue(recording.name, setting, pcm, recording.agent.sample_rate, tuple(events), silent)


def write_stereo(path: Path, pcm: Pcm, sample_rate: int) -> None:
    """Write int16 samples, shape (n, 2), as 16-bit WAV, whole or not at all; the same bytes every time."""
    held = io.BytesIO()
    soundfile.write(held, pcm, sample_rate, subtype="PCM_16", format="WAV")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, held.getvalue())


def _silenced(agent: Waveform, spans: Sequence[Span]) -> Samples:
    samples: Samples = agent.samples.copy()
    fade = round(FADE_SECONDS * agent.sample_rate)
    for span in spans:
        first, end = (round(time * agent.sample_rate) for time in (span.start, span.end + _TAIL_SECONDS))
        gains = np.zeros(max(0, min(end, len(samples)) - first), dtype=np.float32)
        falling = np.linspace(1, 0, fade, endpoint=False, dtype=np.float32)[: len(gains)]
        gains[: len(falling)] = falling
        samples[first : first + len(gains)] *= gains
    return samples


def _with_clips(recording: Recording, events: Sequence[Event], clips: Clips) -> Samples:
    """Return the user's side with what was placed added; it is as long as what sounds last."""
    rate = recording.agent.sample_rate
    placed = [
        (round(event.placed.span.start * rate), clips.clip(event.placed.text))
        for event in events
        if event.placed
    ]
    length = max([len(recording.agent.samples), *(first + len(clip.samples) for first, clip in placed)])
    user = np.zeros(length, dtype=np.float32)
    if recording.user:
        user[: len(recording.user.samples)] = recording.user.samples
    level = _level(recording)
    for first, clip in placed:
        gain = 10 ** ((level - active_level_dbfs(clip.samples, rate)) / 20)
        user[first : first + len(clip.samples)] += clip.samples * np.float32(gain)
    return user


def _level(recording: Recording) -> float:
    side = recording.user if recording.user and recording.user_speech else recording.agent
    return active_level_dbfs(side.samples, side.sample_rate)
