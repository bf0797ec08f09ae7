"""The best take: lowest error rate, then fewest flags, then lowest number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.data_build.choose import Take, choose, read_take
from squtr.records import AudioRef
from squtr.text import ErrorCounts
from tests.building import VOICE, build, manifest, write_trial

TEXT = "what is the capital of peru"


def take(number: int, errors: int, flags: int = 0, hits: int = 10) -> Take:
    counts = ErrorCounts(hits=hits - errors, substitutions=errors)
    return Take(number, AudioRef("0", 1, 1), "", counts, counts, ("flag",) * flags, 0.0, 1.0)


@pytest.mark.parametrize(
    ("takes", "best"),
    [
        ([take(1, 2), take(2, 1, flags=3), take(3, 3)], 2),
        ([take(1, 1, flags=2), take(2, 1, flags=1), take(3, 1, flags=1)], 2),
        ([take(3, 1), take(2, 1), take(1, 1)], 1),
        ([take(1, 4)], 1),
    ],
)
def test_order_of_the_rules(takes, best):
    assert choose(takes).number == best


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=6), st.randoms())
def test_order_of_the_takes_does_not_matter(figures, random):
    takes = [take(number, errors, flags) for number, (errors, flags) in enumerate(figures, 1)]
    best = choose(takes)
    assert (best.error_rate, len(best.flags)) == min((one.error_rate, len(one.flags)) for one in takes)
    random.shuffle(takes)
    assert choose(takes) == best


def heard(
    transcript: str, seconds: float, text: str = TEXT, language: str = "en", trimmed: float = 0.0
) -> Take:
    said = {
        "audio": {"sha256": "0", "samples": round(seconds * 24000), "sample_rate": 24000},
        "trimmed_seconds": trimmed,
        "gain": 1.0,
    }
    return read_take(1, said, {"text": transcript}, text, text, language)


def test_c41_twelve_seconds_for_two_characters():
    assert heard("好的", 12, "好的", "zh").flags == ("too long for its text",)
    assert heard("好的", 0.9, "好的", "zh").flags == ()


def test_c41_cut_short():
    assert heard(TEXT, 0.5).flags == ("too short for its text",)
    assert heard(TEXT, 1.8).flags == ()


def test_c36_repetition_is_flagged_but_a_real_repeat_is_not():
    again = f"{TEXT} the capital of peru"
    assert "repeats itself" in heard(again, 2.5).flags
    assert "repeats itself" not in heard("new york new york", 1.2, "new york new york").flags
    song = "row row row your boat row row row your boat"
    assert "repeats itself" not in heard(song, 3, song).flags


def test_c36_invented_words_count_without_a_cap():
    assert heard("capital of peru" + 20 * " peru", 4, "capital of peru").error_rate == pytest.approx(20 / 3)


def test_c34_empty_reference_counts_each_invented_unit():
    assert heard("thank you", 1, "?!").error_rate == 2.0
    assert heard("", 1, "?!").error_rate == 0.0


def test_long_silence_at_the_ends():
    assert heard(TEXT, 1.8, trimmed=2.5).flags == ("long silence at the ends",)


def test_a_build_takes_the_best_and_writes_down_all_rates(tmp_path):
    queries = {f"q{number}": f"which number is the {number}" for number in range(8)}
    recipe = write_trial(tmp_path, queries, speak={"voice": f"{VOICE},slips=true", "takes": 3})
    build(recipe, tmp_path / "out")
    clean = [row for row in manifest(tmp_path / "out") if row["condition"] == "clean"]
    assert any(len(set(row["take_error_rates"])) > 1 for row in clean)
    for row in clean:
        rates = row["take_error_rates"]
        assert row["take"] == rates.index(min(rates)) + 1
        assert row["error_rate"] == min(rates)
