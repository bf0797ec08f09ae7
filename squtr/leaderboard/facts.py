"""What a reader asks of a system: what family, how large, has it seen the test data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

FAMILIES = {
    "cascade-bm25": "cascade, BM25",
    "cascade-dense": "cascade, dense",
    "cascade-sparse": "cascade, sparse",
    "late-interaction": "cascade, late interaction",
    "hybrid": "cascade, hybrid",
    "rerank": "cascade, reranked",
    "adaptive": "cascade, adaptive",
    "end-to-end": "end-to-end",
    "oracle-text": "oracle on text",
    "other": "other",
}
_SHORTEST, _DIGITS = 5, "0123456789"
_ROUNDS_UP = 0.9995
# Other names of the same data; a subset is known by the first.
_ALSO = {"nq": "naturalquestions", "duretrieval": "dureader", "t2retrieval": "t2ranking"}


def seen_subsets(training_sets: Iterable[str], keys: Sequence[str]) -> list[str]:
    """Return the subsets whose name a declared training set bears: `NQ` and `MTEB/NQ-train` are en/nq.

    Compared are letters and digits, with or without a number at the end. A system without any is zero-shot,
    as far as its authors say.
    """
    named = list(training_sets)
    return [key for key in keys if any(_is_of(one, key.rpartition("/")[2]) for one in named)]


def _is_of(training_set: str, subset: str) -> bool:
    name, said = _letters(subset), _letters(training_set)
    words = [_letters(word) for word in re.split(r"[\s/,;:()_-]+", training_set)]
    if name in (said, *words, *(word.rstrip(_DIGITS) for word in words)):
        return True
    if name in _ALSO and _ALSO[name] in said:
        return True
    shorter, longer = sorted((name.rstrip(_DIGITS), said), key=len)
    return len(shorter) >= _SHORTEST and longer.startswith(shorter)


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def size_words(parameters: int) -> str:
    """Return a number of parameters as people say it: 72.6 M, 1.5 B, 0."""
    for unit, size in (("T", 10**12), ("B", 10**9), ("M", 10**6), ("K", 10**3)):
        if parameters >= _ROUNDS_UP * size:
            return f"{parameters / size:.3g} {unit}"
    return str(parameters)
