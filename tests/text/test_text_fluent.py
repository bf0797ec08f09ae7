"""The form without hesitations: what goes, and what only looks like one and stays."""

from __future__ import annotations

import pytest

from squtr.text import normaliser


@pytest.mark.parametrize(
    ("said", "fluent"),
    [
        ("can't- can't do it", "can not do it"),
        ("the well-known- well-known singer", "the well known singer"),
        ("Yes- “Yes,” he said", "yes he said"),
        ("U.S- U.S. troops", "us troops"),
        ("Are — you uh, sure", "are you sure"),
        ("twenty — five people", "25 people"),
        ("uhm, ummm, what", "what"),
        ("I, uh, I need it", "i need it"),
        ("uh-huh, that is right", "uh huh that is right"),
        ("rock uh, & roll", "rock and roll"),
        ("5 - 5 rows", "5 5 rows"),
        ("rows 5, 5 and 6", "rows 5 5 and 6"),
    ],
)
def test_english(said: str, fluent: str) -> None:
    assert normaliser("en").fluent(said) == fluent


@pytest.mark.parametrize(
    ("said", "fluent"),
    [
        ("我想，那个，问一下", "我想问1下"),
        ("我想呃问一下嗯", "我想问1下"),
        ("嗯哼，打呃和呃逆", "嗯哼打呃和呃逆"),
        ("额度是，额，多少钱", "额度是多少钱"),
        ("中华人民共和国-中华人民共和国成立", "中华人民共和国成立"),
        ("iPhone-iPhone怎么样", "iphone怎么样"),
        ("是-是JM26", "是jm26"),
        ("三——百", "300"),
        ("那個，我要那个城市", "我要那个城市"),
    ],
)
def test_chinese(said: str, fluent: str) -> None:
    assert normaliser("zh").fluent(said) == fluent


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("piece", ["a!!", "a-", "a-b-", "um, ", "我-", "嗯，", " — "])
def test_long_stutters_end(language: str, piece: str) -> None:
    once = normaliser(language).fluent(piece * 3000)
    assert normaliser(language).clean(once) == once
