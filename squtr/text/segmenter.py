"""The words of a Chinese text, by jieba."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from typing import Any

_WIDE = [chr(code) for code in range(0xFF10, 0xFF5B) if chr(code).isalnum()]
_NARROW = str.maketrans({char: chr(ord(char) - 0xFEE0) for char in _WIDE})


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
    """Yield the words of a text, in order; joined they are it. Full-width letters make words as others do."""
    at = 0
    for word in _tokenizer().cut(text.translate(_NARROW)):
        yield text[at : at + len(word)]
        at += len(word)
