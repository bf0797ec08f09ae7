"""The words of a Chinese text, by jieba."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from typing import Any


@functools.cache
def _tokenizer() -> Any:
    """Read jieba's dictionary straight in: its own way leaves a cache file in the shared /tmp and logs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer


def chinese_words(text: str) -> Iterator[str]:
    """Yield the words of a text, in order; joined they are the text."""
    words: Iterator[str] = _tokenizer().cut(text)
    return words
