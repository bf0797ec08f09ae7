"""Embedders of a user: one that reads the tones of the doubles, and ones with every kind of fault."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from squtr.digest import digest
from squtr.errors import ItemFailure, UserError
from squtr.records import Document, Waveform
from tests.doubles import read_tones

WIDTH = 64


def letters(text: str) -> np.ndarray:
    """Return a text as counts of its pairs of characters in 64 bins, shape (64,), float32."""
    row = np.zeros(WIDTH, np.float32)
    for pair in pairwise(text):
        row[int(digest(*pair)[:8], 16) % WIDTH] += 1
    return row


class Tones:
    """Hears the tones and embeds the letters; notes every sound in the file that EMBED_LOG names."""

    fingerprint = "tones 1"

    def embed_audio(self, audio: Waveform, language: str) -> np.ndarray:
        if log := os.environ.get("EMBED_LOG"):
            with Path(log).open("a") as file:
                file.write(f"{language}\n")
        heard = read_tones(audio.samples)
        if "deep" in heard:
            raise ItemFailure("too deep for me")
        return letters(heard)

    def embed_documents(self, documents: Sequence[Document]) -> np.ndarray:
        return np.stack([letters(document.full_text) for document in documents])


class Reader(Tones):
    """Embeds written queries too, and sounds in batches."""

    fingerprint = "tones that read 1"

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([letters(text) for text in texts])

    def embed_audio_many(self, audios: Sequence[Waveform], language: str) -> np.ndarray:
        return np.stack([self.embed_audio(audio, language) for audio in audios])


class Narrow(Tones):
    fingerprint = "narrow"

    def embed_audio(self, audio: Waveform, language: str) -> np.ndarray:
        return np.ones(3, np.float32)


class Zeros(Tones):
    fingerprint = "zeros"

    def embed_audio(self, audio: Waveform, language: str) -> np.ndarray:
        return np.zeros(WIDTH, np.float32)


class Undefined(Tones):
    fingerprint = "undefined"

    def embed_audio(self, audio: Waveform, language: str) -> np.ndarray:
        return np.full(WIDTH, np.nan, np.float32)


class Crashing(Tones):
    fingerprint = "crashing"

    def embed_documents(self, documents: Sequence[Document]) -> np.ndarray:
        return np.ones(1 // 0)


class Unready(Tones):
    fingerprint = "unready"

    def check(self) -> None:
        raise UserError("the model is missing: fetch it")


class NoAudio:
    fingerprint = "no audio"

    def embed_documents(self, documents: Sequence[Document]) -> np.ndarray:
        return np.ones((len(documents), WIDTH), np.float32)
