"""The embed-audio stage: PCM and a language give a vector in the space of an embedder's documents."""

from __future__ import annotations

import base64
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from squtr import plugins
from squtr.embedders import Embedder
from squtr.errors import ItemFailure
from squtr.languages import also_decides
from squtr.records import AudioRef
from squtr.retrievers.vectors import Vectors
from squtr.store import Audio, PackWriter


@dataclass(frozen=True, slots=True)
class EmbedItem:
    """What decides a vector besides the embedder."""

    audio: AudioRef
    language: str


@dataclass(frozen=True)
class EmbedAudio:
    """Stage: embed one piece of audio. Record: vector, float32 little-endian in base64."""

    embedder: str
    name: str = "embed_audio"

    @property
    def fingerprint(self) -> str:
        return embedder(self.embedder).fingerprint

    def audio_of(self, item: EmbedItem) -> Sequence[AudioRef]:
        return (item.audio,)

    def also_decides(self, item: EmbedItem) -> tuple[str, ...]:
        return also_decides(embedder(self.embedder), item.language)

    def run(self, item: EmbedItem, audio: Audio, pack: PackWriter) -> dict[str, Any]:
        vector = embedder(self.embedder).embed_audio(audio.waveform(item.audio), item.language)
        return {"vector": packed(vector)}

    def run_many(
        self, items: Sequence[EmbedItem], audio: Audio, pack: PackWriter
    ) -> list[dict[str, Any]] | None:
        together = getattr(embedder(self.embedder), "embed_audio_many", None)
        if together is None or len({item.language for item in items}) > 1:
            return None
        found = together([audio.waveform(item.audio) for item in items], items[0].language)
        return [{"vector": packed(vector)} for vector in found] if len(found) == len(items) else None


def packed(vector: Any) -> str:
    """Return a vector, shape (d,), as text for JSON. Raises ItemFailure for one that cannot be searched."""
    values = np.asarray(vector, dtype="<f4")
    if values.ndim != 1 or not len(values):
        raise ItemFailure(f"the embedder gave a vector of shape {values.shape}, not (d,)")
    if not np.isfinite(values).all():
        raise ItemFailure("the embedder gave a vector with NaN or infinity")
    if not values.any():
        raise ItemFailure("the embedder gave a vector of zeros")
    return base64.b64encode(values.tobytes()).decode("ascii")


def unpacked(text: str) -> Vectors:
    """Return the vector, shape (d,), that `packed` made into text."""
    return np.frombuffer(base64.b64decode(text), "<f4").astype(np.float32)


@functools.cache
def embedder(spec: str) -> Embedder:
    """Return this process's one embedder of that spec."""
    loaded: Embedder = plugins.load("embedder", spec)
    return loaded
