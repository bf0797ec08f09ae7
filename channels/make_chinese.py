"""Write syllables/zh.txt and homophones/zh.txt: which Chinese characters and words sound alike.

Characters, words and how often they occur come from jieba's dictionary, their sound from pypinyin (both MIT).
A character stands under the sound it has in 19 of 20 of its occurrences in words, or nowhere. Number words,
names and what is rude are left out.

pip install pypinyin
python channels/make_chinese.py
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import jieba
from opencc import OpenCC
from pypinyin import Style, lazy_pinyin

HERE = Path(__file__).resolve().parent
NUMERALS = set("零〇一二三四五六七八九十百千万亿两幺")
CHARACTERS, CLEAR = 3500, 0.95
LEAST_WORD, MOST_ALIKE = 100, 6
LEFT_OUT = NUMERALS | set("淫奸娼妓嫖屎尿屁尸粪肛")
NAMES = ("nr", "ns", "nt", "nz")
SOURCE = "# Made by make_chinese.py from jieba's dictionary and pypinyin (both MIT).\n"


def sound(word: str) -> list[str]:
    """Return a word's syllables with their tones, 5 for none; ü is v."""
    return lazy_pinyin(word, style=Style.TONE3, neutral_tone_with_five=True)


def dictionary() -> list[tuple[str, int, str]]:
    """Return jieba's words with frequency and part of speech."""
    path = Path(jieba.__path__[0]) / "dict.txt"
    rows = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return [(word, int(count), tag) for word, count, tag in rows]


def characters(rows: list[tuple[str, int, str]]) -> dict[str, list[tuple[str, str]]]:
    """Return the commonest simplified characters by syllable, each with its tone, the commonest first."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for word, count, _ in rows:
        if all("\u4e00" <= char <= "\u9fff" for char in word):
            for char, syllable in zip(word, sound(word), strict=True):
                counts[char][syllable] += count
    simplify = OpenCC("t2s").convert
    common = sorted(counts, key=lambda char: -counts[char].total())
    common = [char for char in common if simplify(char) == char][:CHARACTERS]
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for char in common:
        syllable, count = counts[char].most_common(1)[0]
        if char not in LEFT_OUT and count >= CLEAR * counts[char].total():
            found[syllable[:-1]].append((char, syllable[-1]))
    return found


def homophones(rows: list[tuple[str, int, str]], common: set[str]) -> list[list[str]]:
    """Return sets of words of two characters that sound alike."""
    alike: dict[tuple[str, ...], list[tuple[int, str]]] = defaultdict(list)
    for word, count, tag in rows:
        if len(word) == 2 and count >= LEAST_WORD and set(word) <= common and not tag.startswith(NAMES):
            alike[tuple(sound(word))].append((-count, word))
    return [
        [word for _, word in sorted(words)[:MOST_ALIKE]] for _, words in sorted(alike.items()) if words[1:]
    ]


def main() -> None:
    """Write both files."""
    rows = dictionary()
    by_sound = characters(rows)
    lines = [f"{syllable} {''.join(map(''.join, chars))}\n" for syllable, chars in sorted(by_sound.items())]
    (HERE / "syllables" / "zh.txt").write_text(SOURCE + "".join(lines), encoding="utf-8")
    sets = homophones(rows, {char for chars in by_sound.values() for char, _ in chars})
    alike = [" ".join(words) + "\n" for words in sets]
    (HERE / "homophones" / "zh.txt").write_text(SOURCE + "".join(alike), encoding="utf-8")


if __name__ == "__main__":
    main()
