"""Blocks that an earlier run finished are taken over as they are; whatever no longer holds is made again."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from squtr.data_build import assemble, build, journal
from squtr.data_build.journal import Finished, Journal
from tests.building import CHINESE, ENGLISH, RECOGNISER, VOICE, files, manifest, rows, write_both, write_trial
from tests.building import build as run_build

QUERIES = {**ENGLISH, "q5": "fog fog in the fog", "q6": "why is the sky blue"}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(assemble, "BLOCK", 2)


@pytest.fixture
def made(monkeypatch) -> list[int]:
    """The numbers of queries of the blocks that are made, not taken over."""
    sizes: list[int] = []
    make = assemble.make_utterances

    def counted(block: Any, *rest: Any) -> Any:
        sizes.append(len(block))
        return make(block, *rest)

    monkeypatch.setattr(assemble, "make_utterances", counted)
    return sizes


def entries(out: Path) -> list[str]:
    return sorted(path.name for path in (out / ".squtr" / "blocks").iterdir())


def test_a_second_run_makes_no_block_and_the_same_bytes(tmp_path, made):
    recipe, out = write_both(tmp_path), tmp_path / "out"
    first = run_build(recipe, out)
    expected = files(out)
    assert made == [2, 2, 2]
    assert entries(out) == ["en-trial-0.json.gz", "en-trial-2.json.gz", "zh-trial-0.json.gz"]
    second = run_build(recipe, out)
    assert made == [2, 2, 2]
    assert files(out) == expected
    assert set(second.computed) == set(first.computed) and not any(second.computed.values())
    assert second.reused == {
        name: first.computed[name] + first.reused[name] for name in ("speak", "transcribe", "judge", "mix")
    }
    assert vars(second)["accepted"] == len(ENGLISH) + len(CHINESE)


def damage_bytes(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)


@pytest.mark.parametrize(
    "damage",
    [
        damage_bytes,
        lambda file: os.truncate(file, 1000),
        lambda file: os.truncate(file, 0),
        lambda file: file.unlink(),
        lambda file: os.utime(file, ns=(0, 0)),
    ],
    ids=["other bytes", "cut short", "emptied", "removed", "touched"],
)
@pytest.mark.parametrize("name", ["audio_noise_snr_10/noise_snr10_3.wav", "audio_rejected/1.wav"])
def test_a_changed_file_is_noticed_and_only_its_block_is_made_again(tmp_path, made, damage, name):
    recipe, out = write_trial(tmp_path, QUERIES), tmp_path / "out"
    run_build(recipe, out)
    expected, before = files(out), len(made)
    damage(out / "en" / "trial" / name)
    again = run_build(recipe, out)
    assert files(out) == expected
    assert made[before:] == [2]
    assert again.computed["mix"] <= 1 and not any(again.computed[name] for name in ("speak", "transcribe"))
    run_build(recipe, out)
    assert len(made) == before + 1


def test_a_touched_file_is_read_but_not_written_again(tmp_path):
    recipe, out = write_trial(tmp_path), tmp_path / "out"
    run_build(recipe, out)
    file = out / "en" / "trial" / "audio_clean" / "1.wav"
    os.utime(file, ns=(5, 5))
    assert not any(run_build(recipe, out).computed.values())
    assert file.stat().st_mtime_ns == 5


def test_a_file_that_no_row_names_goes(tmp_path):
    recipe, out = write_trial(tmp_path, QUERIES), tmp_path / "out"
    run_build(recipe, out)
    expected = files(out)
    for name in (
        "audio_clean/7.wav",
        "audio_clean/01.wav",
        "audio_rejected/2.wav",
        "audio_clean/noise_1.wav",
    ):
        (out / "en" / "trial" / name).write_bytes(b"old")
    run_build(recipe, out)
    assert files(out) == expected


@pytest.mark.parametrize(
    "content",
    [b"", b"\x1f\x8b", gzip.compress(b"{}", mtime=0), gzip.compress(b"[1]", mtime=0), b"torn"],
    ids=["empty", "two bytes", "no fields", "a list", "no archive"],
)
def test_a_broken_entry_is_no_entry(tmp_path, made, content):
    recipe, out = write_trial(tmp_path), tmp_path / "out"
    run_build(recipe, out)
    expected = files(out)
    (out / ".squtr" / "blocks" / "en-trial-2.json.gz").write_bytes(content)
    run_build(recipe, out)
    assert made == [2, 2, 2]
    assert files(out) == expected


def test_an_entry_cut_short_is_no_entry(tmp_path, made):
    recipe, out = write_trial(tmp_path), tmp_path / "out"
    run_build(recipe, out)
    entry = out / ".squtr" / "blocks" / "en-trial-0.json.gz"
    os.truncate(entry, entry.stat().st_size // 2)
    run_build(recipe, out)
    assert made == [2, 2, 2]


def test_other_code_or_packages_take_nothing_over(tmp_path, made, monkeypatch):
    recipe, out = write_trial(tmp_path), tmp_path / "out"
    run_build(recipe, out)
    monkeypatch.setattr(journal, "code_digest", lambda: "other code")
    run_build(recipe, out)
    assert made == [2] * 4
    monkeypatch.setattr(build, "environment", lambda: {"packages": {"numpy": "9"}})
    run_build(recipe, out)
    assert made == [2] * 6


def test_an_engine_that_changed_takes_nothing_over(tmp_path, made, monkeypatch):
    recipe, out = write_trial(tmp_path), tmp_path / "out"
    run_build(recipe, out)
    monkeypatch.setattr("tests.doubles.ToneRecogniser.fingerprint", "another")
    assert run_build(recipe, out).computed["transcribe"] > 0
    assert made == [2] * 4


def test_a_block_with_a_crash_is_made_again(tmp_path, made):
    broken, out = tmp_path / "broken", tmp_path / "out"
    broken.touch()
    queries = {**ENGLISH, "q3": "do not crash please"}
    spec = f"{RECOGNISER},broken={broken}"
    recipe = write_trial(tmp_path, queries, choose={"recogniser": spec}, screen={"recogniser": spec})
    assert run_build(recipe, out).accepted == 3
    assert entries(out) == ["en-trial-0.json.gz"]
    broken.unlink()
    assert run_build(recipe, out).accepted == 4
    assert made == [2, 2, 2]
    assert entries(out) == ["en-trial-0.json.gz", "en-trial-2.json.gz"]
    run_build(write_trial(tmp_path, queries), tmp_path / "whole")
    names = [(row["query_id"], row["file"], row["pcm_sha256"]) for row in manifest(out)]
    assert names == [
        (row["query_id"], row["file"], row["pcm_sha256"]) for row in manifest(tmp_path / "whole")
    ]


def test_when_an_earlier_block_comes_out_otherwise_the_later_ones_are_made_again(tmp_path, made):
    broken, out = tmp_path / "broken", tmp_path / "out"
    broken.touch()
    queries = {**ENGLISH, "q1": "do not crash please"}
    spec = f"{RECOGNISER},broken={broken}"
    recipe = write_trial(tmp_path, queries, choose={"recogniser": spec}, screen={"recogniser": spec})
    run_build(recipe, out)
    broken.unlink()
    run_build(recipe, out)
    assert made == [2] * 4
    assert [row["file"].rpartition("/")[2] for row in manifest(out) if row["condition"] == "clean"] == [
        f"{number}.wav" for number in (1, 2, 3, 4)
    ]
    assert rows(out / "rejected.jsonl") == []


def test_folder_moved_elsewhere_is_taken_over(tmp_path, made):
    recipe, out = write_trial(tmp_path, speak={"voice": VOICE, "takes": 1}), tmp_path / "out"
    run_build(recipe, out)
    out.rename(tmp_path / "moved")
    run_build(recipe, tmp_path / "moved")
    assert made == [2, 2]


def test_what_is_kept_is_found_under_the_same_state_alone(tmp_path):
    kept = Finished({"numbers": {"accepted": 2}}, {"mix": 4}, [], {"a.jsonl": "{}\n"})
    one = Journal(tmp_path, tmp_path, {"seed": 1})
    one.keep("en/a", 0, {"seconds": 0.1}, kept)
    assert one.find("en/a", 0, {"seconds": 0.1}) == kept
    assert one.find("en/a", 0, {"seconds": 0.2}) is None
    assert one.find("en/a", 2, {"seconds": 0.1}) is None
    assert Journal(tmp_path, tmp_path, {"seed": 2}).find("en/a", 0, {"seconds": 0.1}) is None
    text = gzip.decompress((tmp_path / "blocks" / "en-a-0.json.gz").read_bytes())
    assert json.loads(text)["lines"] == {"a.jsonl": "{}\n"}
