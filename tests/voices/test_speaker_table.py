"""The speaker table: 100 distinct English and Chinese speakers, 20 in other languages, drawn uniformly."""

from __future__ import annotations

import json
from collections import Counter

import pytest
import scipy.stats

from squtr.content import content
from squtr.digest import digest, digest_bytes
from squtr.errors import UserError
from squtr.languages import FIRST, languages
from squtr.voices.cosyvoice import CosyVoice
from squtr.voices.espeak import Espeak
from squtr.voices.kokoro import Kokoro
from squtr.voices.openai_speech import OpenAISpeech
from squtr.voices.piper import Piper
from squtr.voices.speakers import draw_speaker, read_speakers, refuse_unknown_settings, speakers_digest
from tests.building import write_lines

TABLE = content("data_build", "speakers.jsonl")
ROWS = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("voice", "known", "written", "meant"),
    [
        (Espeak(), {"voice": "en-us", "rate": 1, "pitch": 1, "range": 1}, "pich", "pitch"),
        (Kokoro(), {"blend": {}, "speed": 1, "size": 1, "accent": "en-us"}, "sped", "speed"),
        (Piper("a.onnx"), {"speaker": 0, "speed": 1}, "speeker", "speaker"),
        (CosyVoice("m"), {"prompt": "a.wav", "transcript": "a"}, "promt", "prompt"),
        (
            OpenAISpeech("m", key=None),
            {"voice": "a", "speed": 1, "instructions": ""},
            "instruction",
            "instructions",
        ),
    ],
)
def test_an_unknown_setting_points_to_its_line(tmp_path, voice, known, written, meant):
    rows = [
        {"id": name, "language": "en", "voices": {"v": settings}}
        for name, settings in (("b", known), ("a", {**known, written: 1}))
    ]
    table = write_lines(tmp_path / "speakers.jsonl", rows)
    speakers = read_speakers(table, "v", "en")
    message = (
        rf"speakers\.jsonl:2: speaker 'a': the voice has no setting '{written}'\. Did you mean '{meant}'\?"
    )
    with pytest.raises(UserError, match=message):
        refuse_unknown_settings(speakers, voice, table)
    refuse_unknown_settings([speaker for speaker in speakers if speaker.id == "b"], voice, table)
    refuse_unknown_settings(speakers, object(), table)


def test_every_row_has_known_settings_only():
    for name, voice in (("espeak", Espeak()), ("kokoro", Kokoro())):
        for language in FIRST:
            refuse_unknown_settings(read_speakers(TABLE, name, language), voice, TABLE)


def test_two_hundred_distinct_speakers_and_twenty_in_each_other_language():
    counts = Counter(row["language"] for row in ROWS)
    assert counts == {code: 100 if code in FIRST else 20 for code in languages()}
    assert len({row["id"] for row in ROWS}) == len(ROWS)
    for language, row in languages().items():
        for voice, has_part in (("kokoro", row.kokoro), ("espeak", row.espeak)):
            rows = [row for row in ROWS if row["language"] == language and voice in row["voices"]]
            settings = {digest(row["voices"][voice]) for row in rows}
            assert len(settings) == (counts[language] if has_part else 0), (language, voice)


def test_english_and_chinese_rows_come_first_and_are_as_published():
    """Data sets are known by these bytes: rows of later languages must not touch them."""
    first = b"".join(TABLE.read_bytes().splitlines(keepends=True)[:200])
    assert digest_bytes(first) == "69d55464ebf05104a7b743e5379ccd53ec4484fce3ad967a51dec9871df1fb51"


def test_the_digest_counts_what_a_build_can_speak(tmp_path):
    published = "69d55464ebf05104a7b743e5379ccd53ec4484fce3ad967a51dec9871df1fb51"
    assert speakers_digest(TABLE, ["en"]) == speakers_digest(TABLE, ["zh", "en"]) == published
    japanese = speakers_digest(TABLE, ["ja"])
    assert japanese not in (published, speakers_digest(TABLE, ["de"]))
    table = write_lines(tmp_path / "s.jsonl", [row for row in ROWS if row["language"] != "de"])
    assert speakers_digest(table, ["ja"]) != speakers_digest(table, ["en"]) == digest_of(ROWS[:200], tmp_path)


def digest_of(rows, folder):
    return digest_bytes(write_lines(folder / "rows.jsonl", rows).read_bytes())


def test_the_blends_are_convex_and_the_clearest_pack_leads():
    for row in ROWS:
        weights = row["voices"]["kokoro"]["blend"]
        assert sum(weights.values()) == pytest.approx(1, abs=0.011)
        assert all(weight > 0 for weight in weights.values())
        assert max(weights, key=weights.__getitem__) == "jm_kumo"


@pytest.mark.parametrize("language", [code for code, row in languages().items() if row.espeak])
def test_espeak_takes_every_speaker(language):
    for speaker in read_speakers(TABLE, "espeak", language):
        Espeak().check_speaker(speaker)


@pytest.mark.parametrize("language", [code for code, row in languages().items() if row.kokoro])
def test_kokoro_takes_every_speaker(language):
    for speaker in read_speakers(TABLE, "kokoro", language):
        Kokoro().check_speaker(speaker)


def test_speakers_are_drawn_uniformly():
    """Chi-square over 20,000 draws; the seed is fixed, so this passes or fails for good."""
    speakers = read_speakers(TABLE, "kokoro", "en")
    counts = Counter(draw_speaker(speakers, 2602, f"en/x/{number}").id for number in range(20_000))
    assert len(counts) == 100
    assert 0.01 < scipy.stats.chisquare(list(counts.values())).pvalue < 0.99


def test_a_draw_depends_on_seed_and_utterance_only():
    speakers = read_speakers(TABLE, "kokoro", "en")
    drawn = [draw_speaker(speakers, 7, f"en/x/{number}").id for number in range(50)]
    assert drawn == [draw_speaker(speakers, 7, f"en/x/{number}").id for number in range(50)]
    assert drawn != [draw_speaker(speakers, 8, f"en/x/{number}").id for number in range(50)]


def test_the_order_of_the_table_does_not_matter(tmp_path):
    turned = write_lines(tmp_path / "speakers.jsonl", ROWS[::-1])
    assert read_speakers(turned, "kokoro", "zh") == read_speakers(TABLE, "kokoro", "zh")


def test_only_speakers_with_settings_for_the_voice(tmp_path):
    rows = [
        {"id": "a", "language": "en", "voices": {"x": {"pitch": 1}, "y": {}}},
        {"id": "b", "language": "en", "voices": {"y": {"pitch": 2}}},
        {"id": "c", "language": "zh", "voices": {"x": {}}},
    ]
    table = write_lines(tmp_path / "speakers.jsonl", rows)
    assert [speaker.id for speaker in read_speakers(table, "x", "en")] == ["a"]
    assert [speaker.id for speaker in read_speakers(table, "y", "en")] == ["a", "b"]
    with pytest.raises(UserError, match=r"no 'zh' speaker has settings for voice 'y'"):
        read_speakers(table, "y", "zh")


def test_nan_in_a_table_is_refused(tmp_path):
    (tmp_path / "s.jsonl").write_text('{"id": "a", "language": "en", "voices": {"x": {"pitch": NaN}}}\n')
    with pytest.raises(UserError, match=r"s\.jsonl:1: not JSON: the bare word NaN"):
        read_speakers(tmp_path / "s.jsonl", "x", "en")
