"""Two builds compared: what differs, where it begins, and which change explains it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from squtr.commands.diff import run_diff, show_diff
from squtr.diff import Comparison
from squtr.errors import UserError
from tests.building import (
    ENGLISH,
    HUM,
    JUDGE,
    RECOGNISER,
    VOICE,
    build,
    command,
    rows,
    write_both,
    write_collection,
    write_lines,
    write_trial,
)

STRICT = {"recogniser": RECOGNISER, "judges": [{"judge": JUDGE, "min_score": 3.0}]}


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first")
    build(write_both(folder), folder / "data")
    return folder / "data"


def against(first: Path, tmp_path: Path, queries: dict[str, str] = ENGLISH, **changes: object) -> Comparison:
    """Build with changes of the recipe and compare."""
    recipe = write_both(tmp_path, **changes)
    if queries is not ENGLISH:
        shutil.rmtree(tmp_path / "en-trial")
        write_collection(tmp_path / "en-trial", queries)
    build(recipe, tmp_path / "data")
    return run_diff(first, tmp_path / "data")


def copied(first: Path, tmp_path: Path) -> Path:
    shutil.copytree(first, tmp_path / "copy", ignore=shutil.ignore_patterns(".squtr"))
    return tmp_path / "copy"


def test_the_same_build_is_the_same(first, tmp_path, capsys):
    found = against(first, tmp_path)
    assert found.same
    assert (found.queries, found.recordings, found.same_recordings) == (6, 18, 18)
    assert found.settings.recipe == found.settings.inputs == found.settings.files == []
    assert (found.fields, found.stages, found.causes) == ({}, {}, {})
    assert show_diff(found, first, tmp_path / "data", False) == 0
    place = tmp_path / "data"
    assert capsys.readouterr().out == (
        f"{first} and {place}: the same data; 6 queries in all. Both have 18 recordings: 18 with the same"
        " samples, 18 with the same manifest row.\n"
    )


def test_another_noise_begins_at_the_mix(first, tmp_path):
    found = against(first, tmp_path, mix={"noise": f"{HUM},version=2"})
    assert not found.same
    assert found.stages == {"mix": 6}
    assert found.causes["mix"] == f"recipe mix.noise {HUM} -> {HUM},version=2"
    assert found.same_recordings == 6
    assert {name: one.stage for name, one in found.fields.items()}["pcm_sha256"] == "mix"
    assert found.fields["pcm_sha256"].count == 12
    place, a, b = found.fields["pcm_sha256"].examples[0]
    assert place == "en trial q1 snr_0"
    assert a != b


def test_another_voice_begins_at_speech(first, tmp_path):
    found = against(first, tmp_path, speak={"voice": f"{VOICE},version=2"})
    assert found.stages == {"speak": 6}
    assert found.causes["speak"] == f"recipe speak.voice {VOICE} -> {VOICE},version=2"
    assert [one.key for one in found.settings.fingerprints] == ["speak"]
    assert found.fields["pcm_sha256"].count == 18


def test_another_seed_begins_at_the_speaker(first, tmp_path):
    found = against(first, tmp_path, seed=8)
    assert next(iter(found.stages)) == "speaker"
    assert sum(found.stages.values()) == 6
    assert all(cause == "recipe seed 7 -> 8" for cause in found.causes.values())


def test_other_speakers_are_an_input(first, tmp_path):
    recipe = write_both(tmp_path)
    table = rows(tmp_path / "speakers.jsonl")
    for row in table:
        row["voices"][VOICE]["level"] += 0.01
    write_lines(tmp_path / "speakers.jsonl", table)
    build(recipe, tmp_path / "data")
    found = run_diff(first, tmp_path / "data")
    assert found.stages == {"speaker": 6}
    assert found.causes["speaker"] == "input speakers is another one"


def test_a_missing_condition(first, tmp_path):
    found = against(first, tmp_path, mix={"snrs_db": [10]})
    assert found.stages == {"mix": 6}
    assert found.causes["mix"] == "recipe mix.snrs_db [10.0, 0.0] -> [10.0]"
    assert found.fields["condition"].count == 6
    assert found.fields["condition"].examples[0] == ("en trial q1 snr_0", "there", None)
    assert (found.same_recordings, found.same_samples, found.both_recordings) == (12, 12, 12)


def test_a_query_more_and_one_changed(first, tmp_path):
    changed = {**ENGLISH, "q2": "where is the oldest tree", "q5": "why is the sky blue"}
    found = against(first, tmp_path, changed)
    assert (found.only_a.count, found.only_b.count) == (0, 1)
    assert found.only_b.other == {"not among its queries": 1}
    assert found.only_b.examples == ["en trial q5: not among its queries"]
    assert found.stages == {"select": 2}
    assert found.causes["select"] == "input collections.en/trial is another one"
    assert found.fields["text"].examples == [
        ("en trial q2 clean", "where is the tallest tree", "where is the oldest tree"),
        ("en trial q2 snr_0", "where is the tallest tree", "where is the oldest tree"),
        ("en trial q2 snr_10", "where is the tallest tree", "where is the oldest tree"),
    ]


def test_a_stricter_judge_rejects(first, tmp_path):
    found = against(
        first,
        tmp_path,
        screen={**STRICT, "judges": [{"judge": "tests.doubles:WordJudge,word=sea", "min_score": 3.0}]},
    )
    assert (found.only_a.count, found.only_a.other) == (1, {"rejected at judge": 1})
    assert found.only_a.examples == ["en trial q3: rejected at judge"]
    assert found.stages["judge"] == 6
    assert "screen.judges" in found.causes["judge"]


def test_a_rejection_that_begins_with_speech(tmp_path):
    queries = {**ENGLISH, "q3": "how deep is the sea today my friend"}
    a, b = tmp_path / "a", tmp_path / "b"
    for folder, voice in ((a, VOICE), (b, f"{VOICE},slips=true")):
        folder.mkdir()
        build(
            write_trial(
                folder, queries, speak={"voice": voice, "takes": 1}, screen={**STRICT, "max_error_rate": 0.13}
            ),
            folder / "data",
        )
    found = run_diff(a / "data", b / "data")
    assert found.only_a.count > 0
    assert found.only_a.other == {"rejected at screen": found.only_a.count}
    assert set(found.stages) <= {"speak", "number"}
    assert found.stages["speak"] >= found.only_a.count
    assert "speak.voice" in found.causes["speak"]


def test_the_order_of_collections_and_queries_is_no_matter(first, tmp_path):
    again = copied(first, tmp_path)
    for name in ("manifest.jsonl", "rejected.jsonl"):
        lines = (again / name).read_text().splitlines(keepends=True)
        (again / name).write_text("".join(reversed(lines)))
    found = run_diff(first, again)
    assert found.same_recordings == 18
    assert found.fields == {}


def test_changed_after_the_build(first, tmp_path):
    again = copied(first, tmp_path)
    table = rows(again / "manifest.jsonl")
    table[4]["pcm_sha256"] = "0" * 64
    write_lines(again / "manifest.jsonl", table)
    found = run_diff(first, again)
    assert found.stages == {"mix": 1}
    assert "nothing the builds say of themselves accounts for it" in found.causes["mix"]
    assert not found.same


def test_other_versions_that_change_nothing_are_told_and_no_difference(first, tmp_path, capsys):
    again = copied(first, tmp_path)
    facts = json.loads((again / "build.json").read_text())
    facts["environment"]["packages"]["numpy"] = "9.9"
    facts["stages"]["mix"] = "f" * 64
    (again / "build.json").write_text(json.dumps(facts))
    found = run_diff(first, again)
    assert found.same
    assert show_diff(found, first, again, False) == 0
    said = capsys.readouterr().out
    assert "version packages.numpy: " in said
    assert "engine mix: " in said


def test_other_versions_explain_what_no_setting_does(first, tmp_path):
    again = copied(first, tmp_path)
    facts = json.loads((again / "build.json").read_text())
    facts["environment"]["packages"]["numpy"] = "9.9"
    (again / "build.json").write_text(json.dumps(facts))
    table = rows(again / "manifest.jsonl")
    for row in table:
        row["pcm_sha256"] = row["pcm_sha256"][::-1]
    write_lines(again / "manifest.jsonl", table)
    found = run_diff(first, again)
    assert found.stages == {"speak": 6}
    assert found.causes["speak"].startswith("versions: packages.numpy ")
    facts["stages"]["speak"] = "f" * 64
    (again / "build.json").write_text(json.dumps(facts))
    assert run_diff(first, again).causes["speak"].startswith("engine speak has another fingerprint (packages")


def test_where_a_collection_lay_is_no_difference(first, tmp_path):
    found = against(first, tmp_path)
    facts = json.loads((tmp_path / "data/build.json").read_text())
    facts["recipe"]["collections"][0]["path"] = "/elsewhere"
    (tmp_path / "data/build.json").write_text(json.dumps(facts))
    assert run_diff(first, tmp_path / "data").same == found.same is True


def test_the_command_s_exit_codes(first, tmp_path):
    again = copied(first, tmp_path)
    same = command("diff", first, again, "--json")
    assert same.returncode == 0, same.stderr
    assert json.loads(same.stdout)["same"] is True
    table = rows(again / "manifest.jsonl")
    write_lines(again / "manifest.jsonl", table[:-3])
    other = command("diff", first, again)
    assert other.returncode == 1
    assert (
        f"1 query only in {first}; in {again}: 1 not among its queries; such as zh trial z2" in other.stdout
    )
    missing = command("diff", first, tmp_path / "nowhere")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "no build.json" in missing.stderr


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda place: (place / "manifest.jsonl").unlink(), "no manifest"),
        (lambda place: (place / "build.json").write_text("{"), "no JSON"),
        (lambda place: (place / "build.json").write_text("[]"), "no settings"),
        (lambda place: write_lines(place / "manifest.jsonl", [{"query_id": "q"}]), "lacks language"),
        (
            lambda place: write_lines(place / "manifest.jsonl", 2 * rows(place / "manifest.jsonl")),
            "two rows for clean",
        ),
    ],
)
def test_what_cannot_be_compared(first, tmp_path, damage, message):
    again = copied(first, tmp_path)
    damage(again)
    with pytest.raises(UserError, match=message):
        run_diff(first, again)


def test_columns_that_are_cut_short_are_not_the_same(first, tmp_path):
    copy = copied(first, tmp_path)
    (copy / "manifest.parquet").write_bytes((copy / "manifest.parquet").read_bytes()[:100])
    with pytest.raises(UserError, match=r"copy/manifest\.parquet: cannot be read .* Run squtr verify"):
        run_diff(first, copy)
