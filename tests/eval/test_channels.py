"""Queries behind channels: chance by seed and id, counts that add up, and what is refused before any work."""

from __future__ import annotations

import pytest

from squtr.channels import read_channel
from squtr.errors import UserError
from squtr.eval.channel_files import channel_file_name
from squtr.eval.channels import (
    ChannelTexts,
    condition_of,
    kind_of,
    load_channels,
    realised,
    seeds_from,
    send,
    text_rows,
)
from squtr.progress import Silent
from squtr.records import Query
from tests.building import CHINESE, ENGLISH

DOUBLES = "tests.eval.channel_doubles"
SEEDS = (2602, 2603, 2604)
TYPOS = "typos@0.16"


class Notes(Silent):
    def __init__(self) -> None:
        self.said: list[str] = []

    def note(self, text: str) -> None:
        self.said.append(text)


def sent(
    *specs: str, queries: dict[str, str] = ENGLISH, language: str = "en", notes: Silent | None = None
) -> ChannelTexts:
    asked = [Query(name, text) for name, text in queries.items()]
    channels = [read_channel(spec) for spec in specs]
    return send(asked, language, channels, SEEDS, notes or Silent(), "trial")


def test_texts_are_those_of_the_channel_by_seed_and_id() -> None:
    texts = sent(TYPOS, "typed:key-swap@0.2")
    for seed in SEEDS:
        for query, text in ENGLISH.items():
            passed = read_channel(TYPOS).apply(text, "en", seed, query)
            one = texts.sent[TYPOS][seed][query]
            assert (one.text, one.source, one.edits) == (passed.text, text, passed.edits)
    assert texts.seeds_differ(TYPOS)
    assert not sent(f"{DOUBLES}:Last").seeds_differ(f"{DOUBLES}:Last")


def test_more_queries_and_seeds_change_no_text() -> None:
    few = send([Query("q1", ENGLISH["q1"])], "en", [read_channel(TYPOS)], (2604,), Silent(), "")
    assert few.sent[TYPOS][2604]["q1"] == sent(TYPOS).sent[TYPOS][2604]["q1"]


def test_realised_counts_add_up_and_rates_are_pooled() -> None:
    queries = {"a": "one two three four", "b": "42", "c": "five six"}
    found = realised(sent(f"{DOUBLES}:Last", queries=queries), f"{DOUBLES}:Last")
    assert found["token_survival"] == pytest.approx(4 / 6)
    assert found["edits_per_word"] == pytest.approx(2 / 6)
    assert found["typo_rate"] == pytest.approx((5 + 4) / (15 + 7))
    assert (found["texts"], found["changed"], found["unchanged"]) == (9, 9, 0)
    assert (found["without_letters"], found["failed"], found["empty"]) == (3, 0, 3)


def test_a_failed_query_keeps_its_text_and_a_blank_one_is_no_query() -> None:
    name = f"{DOUBLES}:Failing"
    texts = sent(name)
    found = realised(texts, name)
    assert (found["failed"], found["empty"], found["unchanged"], found["changed"]) == (3, 3, 6, 3)
    asked = texts.asked[condition_of(name, 2602)]
    assert asked["q4"] == ENGLISH["q4"] and asked["q3"] is None
    failed = [row for row in text_rows(texts) if row["status"] == "failed"]
    assert {(row["_id"], row["reason"]) for row in failed} == {("q4", "no paper here")}
    assert len(failed) == len(SEEDS)


def test_nothing_that_went_through_has_no_rates() -> None:
    found = realised(sent(TYPOS, queries={"a": "42"}), TYPOS)
    assert found["token_survival"] is found["typo_rate"] is found["edits_per_word"] is None
    assert found["without_letters"] == 3


def test_a_language_that_a_channel_lacks_is_skipped_with_a_note() -> None:
    notes = Notes()
    texts = sent(TYPOS, f"{DOUBLES}:Last", queries=CHINESE, language="zh", notes=notes)
    assert list(texts.sent) == [TYPOS]
    assert list(texts.skipped) == [f"{DOUBLES}:Last"]
    assert len(notes.said) == 1 and "does not know the language 'zh'. It knows en. Left out." in notes.said[0]


@pytest.mark.parametrize(
    ("specs", "languages", "message"),
    [
        (["typoss@0.1"], ["en"], "Did you mean 'typos'"),
        (["typos@1.5"], ["en"], "rate"),
        ([TYPOS, TYPOS], ["en"], "twice"),
        ([f"{DOUBLES}:Last"], ["zh"], "does not know the language 'zh'"),
        (["option-permutation"], ["en"], "queries have a text"),
        ([f"{DOUBLES}:Fields"], ["en"], "queries have a text"),
        ([f"{DOUBLES}:Unready"], ["en"], "fetch it"),
    ],
)
def test_what_cannot_work_is_refused(specs: list[str], languages: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        load_channels(specs, languages)


def test_one_language_of_several_is_enough() -> None:
    assert [channel.name for channel in load_channels([f"{DOUBLES}:Last"], ["zh", "en"])] == [
        f"{DOUBLES}:Last"
    ]


def test_seeds_follow_one_another() -> None:
    assert seeds_from(2602, 3) == SEEDS
    with pytest.raises(UserError, match="0 seeds"):
        seeds_from(2602, 0)


@pytest.mark.parametrize(
    ("channel", "kind"),
    [
        ("typos@0.04", "typed"),
        ("typed:key-swap@0.2|typos@0.04", "typed"),
        ("spoken:clean-case/punct", "spoken"),
        ("disfluent@0.5|spoken-filler-stripped", "spoken"),
        ("disfluent@0.5|typos@0.04", "other"),
        (f"{DOUBLES}:Last", "other"),
    ],
)
def test_kinds(channel: str, kind: str) -> None:
    assert kind_of(channel) == kind


def test_file_names_are_plain_and_never_the_same() -> None:
    specs = [
        "typos@0.04",
        "clean-case/punct",
        "clean-case_punct",
        "clean-case:punct",
        "../up",
        "a" * 99,
        "..",
    ]
    names = [channel_file_name(spec) for spec in specs]
    assert names[0] == "typos@0.04"
    assert len(set(names)) == len(names)
    assert all("/" not in name and not name.startswith(".") and len(name) < 80 for name in names)


def test_what_a_language_needs_is_looked_for_before_any_work() -> None:
    spec = f"{DOUBLES}:NoGerman"
    with pytest.raises(UserError, match="German needs a package"):
        load_channels([spec], ["en", "de"])
    assert load_channels([spec], ["en", "zh"])
    with pytest.raises(UserError, match="does not know the language 'zh'"):
        load_channels([spec], ["zh"])
