"""Counts, rates and the corpus rate; alignments for a judge."""

from __future__ import annotations

import json
import time

import pytest

from squtr.errors import UserError
from squtr.text import (
    ErrorCounts,
    align,
    corpus_rate,
    count_errors,
    count_errors_units,
    normaliser,
    units,
)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "insertions"),
    [("", "", 0), ("", "thanks", 1), ("", "thank you", 2), ("?!", "what", 1)],
)
def test_c34_an_empty_reference_counts_inserted_words(
    reference: str, hypothesis: str, insertions: int
) -> None:
    counts = count_errors(reference, hypothesis, "en")
    assert (counts.errors, counts.insertions, counts.reference_length) == (insertions, insertions, 0)
    assert counts.rate is None


def test_c34_insertions_on_an_empty_reference_count_in_the_corpus() -> None:
    pairs = [("", "thank you"), ("what is gold", "what is gold")]
    result = corpus_rate(count_errors(ref, hyp, "en") for ref, hyp in pairs)
    assert result["rate"] == pytest.approx(2 / 3)
    assert (result["utterances"], result["empty_references"], result["median_rate"]) == (2, 1, 0.0)


def test_c12_an_undefined_rate_is_null_with_a_reason() -> None:
    result = corpus_rate([count_errors("", "thank you", "en")])
    assert (result["rate"], result["reason"]) == (None, "no reference units")
    assert (result["share_above_one"], result["median_rate"]) == (None, None)
    json.dumps(result, allow_nan=False)
    assert corpus_rate([])["rate"] is None


@pytest.mark.parametrize("hypothesis", ["", None, "   "])
@pytest.mark.parametrize("form", ["clean", "raw", "written"])
@pytest.mark.parametrize("unit", ["word", "character", "mixed"])
def test_c35_an_empty_hypothesis_is_all_deletions(hypothesis: str | None, form: str, unit: str) -> None:
    counts = count_errors("who wrote hamlet", hypothesis, "en", form, unit)
    assert counts.rate == 1.0
    assert counts.deletions == counts.reference_length > 0


def test_c36_repetition_loops_are_not_capped() -> None:
    loop = count_errors("capital of peru", "capital of peru" + " peru" * 20, "en")
    assert (loop.insertions, round(loop.rate or 0, 3)) == (20, 6.667)
    polite = count_errors(
        "what is the capital of peru", "what is the capital of peru thank you for watching", "en"
    )
    assert round(polite.rate or 0, 3) == 0.667
    result = corpus_rate([loop, polite, ErrorCounts(hits=91)])
    assert (result["rate"], result["share_above_one"], result["median_rate"]) == (0.24, 1 / 3, 4 / 6)


def test_c36_real_repeats_survive() -> None:
    assert count_errors("new york new york", "new york", "en").deletions == 2
    assert normaliser("en").fluent("they had had new york new york") == "they had had new york new york"


def test_a_sum_of_counts_is_no_mean_of_rates() -> None:
    short, long = ErrorCounts(substitutions=1), ErrorCounts(hits=98, deletions=1)
    total = sum([short, long])
    assert isinstance(total, ErrorCounts)
    assert total == short + long == ErrorCounts(1, 1, 0, 98)
    assert total.rate == 0.02
    with pytest.raises(TypeError):
        sum([short], start=1)


def test_mixed_units_are_characters_in_chinese_and_words_in_english() -> None:
    assert units("wow eye taiwan全民2024年", "zh", "mixed") == [
        "wow",
        "eye",
        "taiwan",
        "全",
        "民",
        "2024",
        "年",
    ]
    assert units("what is gold", "en", "mixed") == units("what is gold", "en")
    assert units("今天天气", "zh", "mixed") == units("今 天天气", "zh")


def test_batches_count_as_single_pairs_do() -> None:
    pairs = [("who wrote hamlet", "who wrote"), ("a b c", "a x c d"), ("", "x")]
    batch = count_errors_units([ref.split() for ref, _ in pairs], [hyp.split() for _, hyp in pairs])
    assert batch == [count_errors(ref, hyp, "en") for ref, hyp in pairs]
    with pytest.raises(ValueError, match="shorter"):
        count_errors_units([["a"], ["b"]], [["a"]])


def test_a_corpus_of_37317_pairs_is_counted_quickly() -> None:
    references = [[f"w{n % 97}", "is", "the", f"x{n % 31}", "of", "gold"] for n in range(37317)]
    hypotheses = [[*words[:-1], "told", "you"] for words in references]
    start = time.perf_counter()
    result = corpus_rate(count_errors_units(references, hypotheses))
    assert time.perf_counter() - start < 5
    assert result["rate"] == pytest.approx(2 / 6)


def test_alignment_shows_cut_ends_and_invented_runs() -> None:
    cut = align("where is the river nile", "where is the", "en")
    assert [(edit.kind, edit.reference) for edit in cut] == [
        ("hit", ("where", "is", "the")),
        ("deletion", ("river", "nile")),
    ]
    invented = align("who is robert gray", "who is robert gray thank you", "en")[-1]
    assert (invented.kind, invented.hypothesis) == ("insertion", ("thank", "you"))
    assert (invented.reference_start, invented.hypothesis_start) == (4, 4)
    assert align("a b", None, "en")[0].kind == "deletion"


def test_positions_point_into_the_units() -> None:
    edits = align("how many moons has mars", "how many loons and mars", "en")
    wrong = next(edit for edit in edits if edit.kind == "substitution")
    assert (wrong.reference_start, wrong.hypothesis_start) == (2, 2)
    assert (wrong.reference, wrong.hypothesis) == (("moons", "has"), ("loons", "and"))


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(UserError, match=r"en, .*zh"):
        normaliser("tlh")
    with pytest.raises(UserError, match="clean"):
        count_errors("a", "a", "en", form="claen")
    with pytest.raises(UserError, match="word"):
        units("a", "en", "words")
