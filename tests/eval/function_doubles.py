"""Plain functions of a user: one of each kind, factories, and every kind of fault."""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np

from squtr.records import Transcription
from tests.doubles import read_tones
from tests.eval.embedder_doubles import letters


def shared_words(corpus: Any, queries: Any, least: int = 1) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for name, query in queries.items():
        words = set(query.split())
        counts = {id: float(len(words & set(one["text"].split()))) for id, one in corpus.items()}
        found[name] = {id: count for id, count in counts.items() if count >= least}
    return found


def told(corpus: Any, queries: Any, k: int, language: str) -> dict[str, dict[str, float]]:
    return {name: {f"{language} {k}": 1.0} for name in queries}


def silent(corpus: Any, queries: Any) -> dict[str, dict[str, float]]:
    return {}


def make_search(least: int) -> Any:
    return functools.wraps(shared_words)(lambda corpus, queries: shared_words(corpus, queries, least))


def listing(corpus: Any, queries: Any) -> Any:
    return [{"d-0": 1.0}]


def flat(corpus: Any, queries: Any) -> Any:
    return {"0": ["d-0"]}


def stranger(corpus: Any, queries: Any) -> Any:
    return {"q1": {"d-0": 1.0}}


def one_parameter(query: str) -> Any:
    return {}


def hear(audio: Any, language: str) -> str:
    return read_tones(audio.samples)


def hear_surely(audio: Any, language: str) -> Transcription:
    return Transcription(read_tones(audio.samples), -0.5)


def hear_nothing(audio: Any, language: str) -> None:
    return None


def pinned(audio: Any, language: str) -> str:
    return "always this"


pinned.fingerprint = "weights 7"  # type: ignore[attr-defined]


def embed(inputs: Any, kind: str) -> Any:
    return np.stack([letters(read_tones(one.samples) if kind == "audio" else one) for one in inputs])


def embed_flat(inputs: Any, kind: str) -> Any:
    return np.ones(len(inputs))


def embed_words(inputs: Any, kind: str) -> Any:
    return ["no number"] * len(inputs)


def search_and_leave(corpus: Any, queries: Any) -> Any:
    sys.exit(0)


def search_and_say_nothing(corpus: Any, queries: Any) -> Any:
    raise RuntimeError


def hear_and_leave(audio: Any, language: str) -> Any:
    sys.exit(0)


def embed_and_leave(inputs: Any, kind: str) -> Any:
    sys.exit(0)


def hear_half_a_character(audio: Any, language: str) -> str:
    heard = read_tones(audio.samples)
    return f"{heard} \ud800" if "deep" in heard else heard
