"""A recording of an agent, alone or with the user in the other channel."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import soundfile

from squtr.archive import read_file
from squtr.audio import level_dbfs, read_audio
from squtr.dialogue.activity import AgentTurn, Span, agent_turns
from squtr.dialogue.voice_activity import speech_spans
from squtr.errors import ItemFailure, UserError
from squtr.records import Waveform

LOWEST_RATE = 8000
SIDES = ("left", "right")


@dataclass(frozen=True, slots=True)
class Recording:
    """Both sides, of equal length; `user` is None in a recording of the agent alone. `name`: its scenario."""

    name: str
    agent: Waveform
    user: Waveform | None
    turns: tuple[AgentTurn, ...]
    user_speech: tuple[Span, ...]


def read_recording(path: Path, agent_side: str | None = None) -> Recording:
    """Read a WAV, or any format libsndfile knows: one channel is the agent, of two the left unless named.

    Raises UserError for a file that cannot be read, one channel where a side is named, more than two
    channels, a rate below 8 kHz, and where no speech is found in the agent's channel.
    """
    if agent_side not in (None, *SIDES):
        raise UserError(f"--agent {agent_side!r}: say left or right.")
    channels = _channels(path)
    if channels == 1 and agent_side:
        raise UserError(
            f"{path}: is mono, and --agent {agent_side} needs two channels, one of them the user's. Leave"
            " --agent out where the agent alone was recorded."
        )
    if channels > 2:
        raise UserError(f"{path}: has {channels} channels. Give the agent alone, or agent and user in two.")
    agent_channel = SIDES.index(agent_side or "left")
    agent = _read(path, agent_channel)
    if agent.sample_rate < LOWEST_RATE:
        raise UserError(f"{path}: has a rate of {agent.sample_rate} Hz; speech is told from 8000 Hz on.")
    user = _read(path, 1 - agent_channel) if channels == 2 else None
    turns = agent_turns(speech_spans(agent))
    if not turns:
        raise UserError(_no_speech(path, agent, agent_channel, channels))
    return Recording(path.stem, agent, user, turns, tuple(speech_spans(user)) if user else ())


def _channels(path: Path) -> int:
    if path.is_dir():
        raise UserError(f"{path}: is a folder. Name one recording in it.")
    _read(path, 0)
    with soundfile.SoundFile(io.BytesIO(read_file(path))) as file:
        return int(file.channels)


def _read(path: Path, channel: int) -> Waveform:
    try:
        return read_audio(path, channel)
    except ItemFailure as failure:
        raise UserError(f"{path.parent / str(failure)}. Repair or replace it.") from None


def _no_speech(path: Path, agent: Waveform, channel: int, channels: int) -> str:
    where = f"the agent's channel ({SIDES[channel]})" if channels == 2 else "it"
    hint = f" If the agent is in the other, say --agent {SIDES[1 - channel]}." if channels == 2 else ""
    return f"{path}: no speech is found in {where}; its level is {level_dbfs(agent.samples):.1f} dBFS.{hint}"
