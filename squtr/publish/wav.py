"""WAV files by their headers, so that what is whole is seen without reading its samples."""

from __future__ import annotations

import re
import struct

from squtr.audio import read_audio
from squtr.errors import ItemFailure

_PLAIN = re.compile(r"[1-9]\d* Hz, [1-9]\d* bit, [1-9]\d* channel")


def audio_seconds(data: bytes) -> float:
    """Return the length of a whole audio file. Raises ItemFailure for one that cannot be read."""
    if is_whole_wav(data, len(data)):
        return wav_format(data)[1]
    try:
        waveform = read_audio(data)
    except ItemFailure as failure:
        raise ItemFailure(str(failure).removeprefix("audio bytes: ")) from failure
    return len(waveform.samples) / waveform.sample_rate


def is_whole_wav(start: bytes, size: int) -> bool:
    """True for the start of a WAV file of `size` bytes whose samples reach to its end, and no further."""
    kind, seconds = wav_format(start)
    if not seconds or not _PLAIN.match(kind):
        return False
    at = 12
    while start[at : at + 4] != b"data":
        length = int.from_bytes(start[at + 4 : at + 8], "little")
        at += 8 + length + length % 2
    samples = int.from_bytes(start[at + 4 : at + 8], "little")
    return size - (at + 8 + samples) in (0, samples % 2)


def wav_format(start: bytes) -> tuple[str, float]:
    """Return a WAV file's format by its start, such as `24000 Hz, 16 bit, 1 channel`, and its seconds."""
    if start[:4] != b"RIFF" or start[8:12] != b"WAVE":
        return "no WAV", 0.0
    at, kind, bytes_a_second = 12, "no format stated", 0
    while at + 8 <= len(start):
        name, size = struct.unpack_from("<4sI", start, at)
        if name == b"fmt " and at + 24 <= len(start):
            _, channels, rate, bytes_a_second, _, bits = struct.unpack_from("<HHIIHH", start, at + 8)
            kind = f"{rate} Hz, {bits} bit, {channels} channel{'' if channels == 1 else 's'}"
        if name == b"data":
            return kind, size / bytes_a_second if bytes_a_second else 0.0
        at += 8 + size + size % 2
    return kind, 0.0
