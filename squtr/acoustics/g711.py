"""ITU-T G.711: 16-bit samples to 8-bit mu-law or A-law codes and back, by libsndfile."""

from __future__ import annotations

import io
from typing import Literal

import numpy as np
import numpy.typing as npt
import soundfile

from squtr.records import Pcm

Law = Literal["mu", "a"]
Codes = npt.NDArray[np.uint8]
LARGEST = {"mu": 32124, "a": 32256}

_SUBTYPES = {"mu": "ULAW", "a": "ALAW"}
_RATE = 8000


def encode(pcm: Pcm, law: Law) -> Codes:
    """Return the code of each sample, shape (n,)."""
    raw = io.BytesIO()
    soundfile.write(raw, pcm, _RATE, format="RAW", subtype=_SUBTYPES[law])
    return np.frombuffer(raw.getvalue(), dtype=np.uint8)


def decode(codes: Codes, law: Law) -> Pcm:
    """Return the sample of each code, shape (n,), on the scale of 16 bits."""
    raw = io.BytesIO(codes.tobytes())
    subtype = _SUBTYPES[law]
    pcm: Pcm
    pcm, _ = soundfile.read(raw, samplerate=_RATE, channels=1, format="RAW", subtype=subtype, dtype="int16")
    return pcm


def companded(pcm: Pcm, law: Law) -> Pcm:
    """Return what 8-bit codes leave of 16-bit samples, shape (n,)."""
    return decode(encode(pcm, law), law)
