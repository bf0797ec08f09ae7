"""Queries that are spoken behind channels too: what is spoken and told of it, and that nothing else moves."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.commands.plan import run_plan
from squtr.data_build.layout import (
    CLEAN,
    audio_folder,
    behind,
    channel_of,
    file_form,
    queries_file,
    table_condition,
    without_channel,
)
from squtr.data_build.verify import verify
from squtr.diff.compare import compare
from squtr.errors import UserError
from tests.building import (
    JUDGE,
    VOICE,
    build,
    files,
    manifest,
    rows,
    write_both,
    write_lines,
    write_trial,
)

ASK = {
    "q1": "where can I find out who wrote the old play about the prince of Denmark",
    "q2": "how deep is the cold sea near the islands and how long does a dive to the ground take",
    "q3": "tell me when paper was invented and who sold the first book that was ever printed on it",
}
NOISY = ("clean", "snr_10", "snr_0")
DISFLUENT, FILLED = "disfluent@0.5", "spoken:clean+fillers@0.3"
EASY = {"max_error_rate": 0.9}


def by_condition(out: Path, query: str) -> dict[str, dict]:
    return {row["condition"]: row for row in manifest(out) if row["query_id"] == query}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("channels")
    recipe = write_trial(folder, ASK, channels=[DISFLUENT, FILLED], screen=EASY)
    build(recipe, folder / "out")
    return folder / "out"


def test_every_query_is_spoken_as_written_and_behind_each_channel(built: Path):
    expected = [behind(channel, name) for channel in (None, DISFLUENT, FILLED) for name in NOISY]
    for query, text in ASK.items():
        found = by_condition(built, query)
        assert list(found) == expected
        assert {row["text"] for row in found.values() if row["channel"] is None} == {text}
        assert all(row["source_text"] == text for row in found.values() if row["channel"])
    assert verify(built).faults == []


def test_what_is_spoken_is_the_changed_text_and_its_words_are_what_is_compared(built: Path):
    for row in manifest(built):
        if row["channel"] == FILLED:
            assert row["text"] != row["source_text"] and json.loads(row["edits"])
            assert row["transcript"].split()[0] == row["text"].split()[0]
            assert row["error_rate"] == 0


def test_a_row_without_a_channel_has_none_of_its_columns(built: Path):
    for row in manifest(built):
        if row["channel"] is None:
            assert [row[name] for name in ("source_text", "edits", "error_rate_fluent")] == [None] * 3


def test_only_the_words_differ(built: Path):
    for query in ASK:
        found = by_condition(built, query)
        assert len({row["speaker"] for row in found.values()}) == 1
        for name in NOISY[1:]:
            drawn = {
                (row["noise_id"], row["requested_snr_db"])
                for condition, row in found.items()
                if without_channel(condition) == name
            }
            assert len(drawn) == 1


def test_the_tables_point_to_the_audio_and_name_the_channel(built: Path):
    condition = f"{DISFLUENT}/snr_10"
    table = rows(built / "en/trial" / queries_file(condition))
    assert [row["_id"] for row in table] == list(ASK)
    for row in table:
        assert row["channel"] == DISFLUENT and row["source_text"] == ASK[row["_id"]] and row["snr_db"] == 10
        assert (built / "en/trial" / audio_folder(condition) / row["audio"]).is_file()
    assert rows(built / "en/trial/queries.jsonl") == [
        {"_id": name, "text": text} for name, text in ASK.items()
    ]


def test_the_card_and_the_facts_tell_of_the_channels(built: Path):
    facts = json.loads((built / "build.json").read_text(encoding="utf-8"))
    assert facts["recipe"]["channels"] == [DISFLUENT, FILLED]
    assert facts["counts"]["accepted"] == 9 and facts["counts"]["recordings"] == 27
    assert f"channel {DISFLUENT}" in facts["stages"]
    assert f"| `{FILLED}` | en | 3 | 0 | 0.0 % | 0.0 % |" in (built / "README.md").read_text(encoding="utf-8")


def test_channels_change_nothing_of_the_queries_as_written(built: Path, tmp_path: Path):
    build(write_trial(tmp_path, ASK, screen=EASY), tmp_path / "out")
    assert manifest(tmp_path / "out") == [row for row in manifest(built) if row["channel"] is None]
    assert "channels" not in json.loads((tmp_path / "out/build.json").read_text(encoding="utf-8"))["recipe"]


def test_one_and_two_workers_write_the_same_bytes(tmp_path: Path):
    recipe = write_both(tmp_path, channels=[DISFLUENT, "typos@0.04"], screen=EASY)
    build(recipe, tmp_path / "one", workers=1)
    build(recipe, tmp_path / "two", workers=2)
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_a_build_that_broke_off_goes_on_to_the_same_bytes(built: Path, tmp_path: Path, monkeypatch):
    from squtr.data_build import assemble, utterances

    recipe = write_trial(tmp_path, ASK, channels=[DISFLUENT, FILLED], screen=EASY)
    monkeypatch.setattr(assemble, "BLOCK", 1)
    whole, calls = utterances._stage_two, []

    def breaks(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return whole(*arguments)

    monkeypatch.setattr(utterances, "_stage_two", breaks)
    with pytest.raises(KeyboardInterrupt):
        build(recipe, tmp_path / "out")
    assert not (tmp_path / "out/manifest.jsonl").exists()
    summary = build(recipe, tmp_path / "out")
    assert len(calls) == 4 and summary.utterances == 9 and summary.queries == 3
    assert files(tmp_path / "out") == files(built)


def test_a_text_that_no_channel_changed_is_the_same_speech(tmp_path: Path):
    recipe = write_trial(tmp_path, channels=["spoken:clean-case/punct"])
    build(recipe, tmp_path / "out")
    found = by_condition(tmp_path / "out", "q1")
    assert found["spoken:clean-case/punct/clean"]["edits"] == "[]"
    for name in NOISY:
        assert found[f"spoken:clean-case/punct/{name}"]["pcm_sha256"] == found[name]["pcm_sha256"]


def test_a_rejection_behind_a_channel_is_one_of_that_channel_alone(tmp_path: Path):
    texts = {"q1": "how odd is the sea", "q2": "how clumsy is the sea", "q3": "where is the tree"}
    awkward, graceful = "tests.doubles:Put,word=odd,by=clumsy", "tests.doubles:Put,word=clumsy,by=odd"
    recipe = write_trial(tmp_path, texts, channels=[awkward, graceful])
    out = tmp_path / "out"
    build(recipe, out)
    rejected = [(row["query_id"], row["channel"], row["text"]) for row in rows(out / "rejected.jsonl")]
    assert rejected == [
        ("q1", awkward, "how clumsy is the sea"),
        ("q2", None, "how clumsy is the sea"),
        ("q2", awkward, "how clumsy is the sea"),
    ]
    clean = {(row["query_id"], row["channel"]): row["file"] for row in manifest(out) if row["seconds"]}
    assert [query for query, channel in clean if channel is None] == ["q1", "q3"]
    assert [query for query, channel in clean if channel == graceful] == ["q1", "q2", "q3"]
    assert [row["_id"] for row in rows(out / "en/trial/queries.jsonl")] == ["q1", "q2", "q3"]
    assert len(list((out / "en/trial/audio_rejected").iterdir())) == 3
    assert verify(out).faults == []


def test_a_channel_that_leaves_no_text_rejects_the_query_behind_it(tmp_path: Path):
    texts = {"q1": "hamlet", "q2": "how deep is the sea"}
    channel = "tests.doubles:Put,word=hamlet"
    summary = build(write_trial(tmp_path, texts, channels=[channel]), tmp_path / "out")
    (row,) = rows(tmp_path / "out/rejected.jsonl")
    assert (row["query_id"], row["stage"], summary.accepted) == ("q1", "channel", 3)
    assert row["reason"] == f"{channel} leaves no text" and row["source_text"] == "hamlet"
    assert list(by_condition(tmp_path / "out", "q1")) == list(NOISY)
    assert [row["_id"] for row in rows(tmp_path / "out/en/trial/queries.jsonl")] == ["q1", "q2"]
    assert verify(tmp_path / "out").faults == []


def test_two_builds_compare_behind_channels(built: Path, tmp_path: Path):
    recipe = write_trial(tmp_path, ASK, channels=[DISFLUENT, FILLED], screen=EASY, seed=8)
    build(recipe, tmp_path / "out")
    found = compare(built, tmp_path / "out")
    assert (
        found.queries == 9
        and found.fields["edits"].stage == "change"
        and found.fields["text"].stage == "change"
    )


@pytest.mark.parametrize(
    ("channels", "place", "said"),
    [
        (["disfluent@0.5", "disfluant@0.5"], 1, "Unknown channel 'disfluant'. Did you mean 'disfluent'?"),
        (["typos@0.1", " typos@0.1"], 1, "the same channel is listed twice (typos@0.1)."),
        (["key-swap", "typed:key-swap"], 1, "'typed:key-swap' does the same as 'key-swap'. Leave one."),
        (["typos", "typed:connected-key"], 1, "does not know the language 'zh'."),
        (["typos@1.5"], 0, "The rate of 'typos@1.5' is 1.5"),
        (["control:context-swap"], 0, "'control:context-swap' changes more of a record than its text."),
    ],
)
def test_a_faulty_channel_is_told_before_any_work(tmp_path: Path, channels: list[str], place: int, said: str):
    recipe = write_both(tmp_path, channels=channels)
    line = recipe.read_text(encoding="utf-8").splitlines().index("channels:") + 2 + place
    for work in (build, lambda *paths: run_plan(str(paths[0]), None, None, None, None, paths[1])):
        with pytest.raises(UserError) as caught:
            work(recipe, tmp_path / "out")
        assert str(caught.value).startswith(f"{recipe}:{line}: channels.{place}: ")
        assert said in str(caught.value) and not (tmp_path / "out").exists()


def test_a_plan_counts_what_is_spoken_behind_channels(tmp_path: Path):
    plain = run_plan(str(write_trial(tmp_path)), None, None, None, None, tmp_path)
    found = run_plan(str(write_trial(tmp_path, channels=[DISFLUENT])), None, None, None, None, tmp_path)
    assert (plain.takes, plain.recordings, found.takes, found.recordings) == (8, 12, 16, 24)
    assert found.bytes["audio"] == 2 * plain.bytes["audio"]
    calls = {(one.stage, one.engine): one.calls for one in found.calls}
    assert calls["change", DISFLUENT] == 4 and calls["judge", JUDGE] == 8 and calls["speak", VOICE] == 16


def test_a_path_in_a_channel_starts_from_the_recipe(tmp_path: Path):
    from squtr.content import content

    keyboard = content("channels", "keyboards", "qwertz.yaml").read_text(encoding="utf-8")
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "keys.yaml").write_text(keyboard, encoding="utf-8")
        channel = "typed:keyboard-neighbor@0.3,keyboard=keys.yaml"
        build(write_trial(tmp_path / place, ASK, channels=[channel], screen=EASY), tmp_path / place / "out")
    assert files(tmp_path / "one/out") == files(tmp_path / "two/out")
    assert str(tmp_path) not in (tmp_path / "one/out/manifest.jsonl").read_text(encoding="utf-8")


def test_verify_sees_edits_that_do_not_fit(built: Path, tmp_path: Path):
    recipe = write_trial(tmp_path, ASK, channels=[FILLED], screen=EASY)
    out = tmp_path / "out"
    build(recipe, out)
    changed = [row | {"edits": "[]"} if row["channel"] else row for row in manifest(out)]
    changed[0]["channel"] = FILLED
    write_lines(out / "manifest.jsonl", changed)
    faults = verify(out).faults
    assert (
        "en/trial/audio_spoken%3Aclean+fillers@0.3__clean/1.wav",
        "its edits do not turn source_text into text",
    ) in faults
    assert ("en/trial/audio_clean/1.wav", f"channel is {FILLED!r}, its condition clean") in faults


def test_names_of_files():
    assert file_form("snr_10") == "snr_10"
    assert queries_file(f"{DISFLUENT}/snr_10") == "queries_with_audio_disfluent@0.5__snr_10.jsonl"
    assert audio_folder(f"{DISFLUENT}/clean") == "audio_disfluent@0.5__clean"
    assert audio_folder("disfluent@0.5__clean") == "audio_disfluent@0.5__clean"
    assert file_form("clean+fillers@0.1|typos@0.04/clean") == "clean+fillers@0.1%7Ctypos@0.04__clean"
    assert file_form("a_b/clean") == "a%5Fb__clean"
    assert len(file_form("x" * 300 + "/clean")) < 60


@given(st.text(min_size=1, max_size=60), st.sampled_from(["clean", "snr_10", "snr_-2.5", "phone"]))
def test_a_table_tells_its_condition(channel: str, name: str):
    condition = behind(channel, name)
    assert (channel_of(condition), without_channel(condition)) == (channel, name)
    table = queries_file(condition)
    assert "/" not in table and len(table) < 255
    assert table_condition(table, None if name == CLEAN else 1.0, channel) == condition
