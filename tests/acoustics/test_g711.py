"""The codes are those of the ITU-T G.711 tables, computed here from their definition."""

from __future__ import annotations

import numpy as np
import pytest

from squtr.acoustics.g711 import LARGEST, Law, companded, decode, encode

CODES = np.arange(256, dtype=np.uint8)


def mu_value(code: int) -> int:
    turned = code ^ 0xFF
    size = (((turned & 15) << 3) + 132 << (turned >> 4 & 7)) - 132
    return -size if turned & 128 else size


def a_value(code: int) -> int:
    turned = code ^ 0x55
    segment, step = turned >> 4 & 7, (turned & 15) << 4
    size = step + 8 if segment == 0 else step + 264 << segment - 1
    return size if turned & 128 else -size


VALUES = {"mu": [mu_value(code) for code in range(256)], "a": [a_value(code) for code in range(256)]}


@pytest.mark.parametrize(
    ("law", "sample", "code"),
    [
        ("mu", 0, 0xFF),
        ("mu", 32767, 0x80),
        ("mu", -32768, 0x00),
        ("mu", 8 * 4, 0xFB),
        ("mu", -8 * 4, 0x7B),
        ("mu", 1000 * 4, 0xAF),
        ("a", 0, 0xD5),
        ("a", 32767, 0xAA),
        ("a", -32768, 0x2A),
        ("a", 16, 0xD4),
        ("a", 1000, 0xFA),
    ],
)
def test_known_codes(law: Law, sample: int, code: int) -> None:
    assert encode(np.array([sample], dtype=np.int16), law)[0] == code


@pytest.mark.parametrize("law", ["mu", "a"])
def test_all_256_values_are_the_tables(law: Law) -> None:
    assert decode(CODES, law).tolist() == VALUES[law]
    assert max(VALUES[law]) == LARGEST[law]


@pytest.mark.parametrize("law", ["mu", "a"])
def test_every_value_keeps_its_code(law: Law) -> None:
    codes = CODES[CODES != 0x7F] if law == "mu" else CODES  # mu-law has two codes for 0
    assert (encode(decode(codes, law), law) == codes).all()


@pytest.mark.parametrize(("law", "slack"), [("mu", 4), ("a", 16)])
def test_no_sample_moves_by_more_than_half_its_step(law: Law, slack: int) -> None:
    """Up to what is lost first: mu-law takes 14 bits of the 16, A-law 13."""
    samples = np.arange(-LARGEST[law], LARGEST[law] + 1).astype(np.int16)
    codes = encode(samples, law)
    segments = ((codes ^ (0xFF if law == "mu" else 0x55)) >> 4 & 7).astype(int)
    halves = 4 << segments if law == "mu" else 8 << np.maximum(segments - 1, 0)
    found = decode(codes, law).astype(int)
    assert (np.abs(found - samples) <= halves + slack).all()
    assert (np.diff(found) >= 0).all()
    assert (companded(samples, law) == found).all()
