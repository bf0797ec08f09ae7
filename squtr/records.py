"""The frozen records that flow from stage to stage."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float32]
Pcm = npt.NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a corpus."""

    id: str
    title: str
    text: str

    @property
    def full_text(self) -> str:
        """Title and text joined by a blank, as the published scripts index them."""
        return f"{self.title} {self.text}".strip()


@dataclass(frozen=True, slots=True)
class Query:
    """One query; `extra` holds every other field of its input line."""

    id: str
    text: str
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Speaker:
    """One speaker, with the settings that make it distinct for the voice engine in use."""

    id: str
    language: str
    settings: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Waveform:
    """Mono samples in [-1, 1] nominal full scale, shape (n,), float32."""

    samples: Samples
    sample_rate: int

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.sample_rate


@dataclass(frozen=True, slots=True)
class AudioRef:
    """16-bit PCM in the store, named by the SHA-256 of its little-endian bytes."""

    sha256: str
    samples: int
    sample_rate: int

    @property
    def seconds(self) -> float:
        return self.samples / self.sample_rate


@dataclass(frozen=True, slots=True)
class Transcription:
    """What a recogniser heard. `confidence` is its mean token log-probability, if it gives one."""

    text: str
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judge's score on its own scale (named in `scale`) and the reasons for it."""

    score: float
    scale: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoiseRecording:
    """One recording a noise source offers; `synthetic` says it was generated, not recorded."""

    id: str
    category: str
    synthetic: bool
