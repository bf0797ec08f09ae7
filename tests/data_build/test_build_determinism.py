"""The same recipe and collection give the same bytes, however they are computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.building import (
    CHINESE,
    ENGLISH,
    build,
    command,
    files,
    manifest,
    write_both,
    write_collection,
    write_recipe,
    write_trial,
)


def digests(out: Path) -> dict[tuple[str, str], str]:
    return {(row["query_id"], row["condition"]): row["pcm_sha256"] for row in manifest(out)}


def built(folder: Path, queries: dict[str, str], **changes: Any) -> dict[tuple[str, str], str]:
    folder.mkdir()
    build(write_trial(folder, queries, **changes), folder / "out")
    return digests(folder / "out")


def test_c33_workers_and_a_fresh_store_change_no_byte(tmp_path):
    recipe = write_both(tmp_path)
    build(recipe, tmp_path / "one")
    build(recipe, tmp_path / "again")
    build(recipe, tmp_path / "two", workers=2)
    expected = files(tmp_path / "one")
    assert len(expected) > 30
    assert files(tmp_path / "again") == expected
    assert files(tmp_path / "two") == expected


def test_c33_hash_seeds_change_no_byte(tmp_path):
    recipe = write_both(tmp_path, select={"limit": 2})
    build(recipe, tmp_path / "here")
    for seed in ("1", "77"):
        done = command("build", recipe, "--out", tmp_path / seed, "--workers", 1, PYTHONHASHSEED=seed)
        assert done.returncode == 0, done.stderr
        assert files(tmp_path / seed) == files(tmp_path / "here")


@pytest.mark.parametrize("draw_per", ["utterance", "condition"])
def test_c33_order_of_the_collection_changes_no_recording(tmp_path, draw_per):
    turned = dict(reversed(ENGLISH.items()))
    mix = {"draw_per": draw_per}
    assert built(tmp_path / "a", ENGLISH, mix=mix) == built(tmp_path / "b", turned, mix=mix)


def test_c33_one_more_query_changes_no_other(tmp_path):
    before = built(tmp_path / "a", ENGLISH)
    after = built(tmp_path / "b", {"q0": "what is new", **ENGLISH})
    assert {key: after[key] for key in before} == before
    assert {query for query, _ in set(after) - set(before)} == {"q0"}


def test_c33_one_more_query_under_a_limit_replaces_at_most_one(tmp_path):
    many = {f"q{number}": f"{text} {number}" for number in range(8) for text in ["which number is"]}
    before = built(tmp_path / "a", many, select={"limit": 4})
    after = built(tmp_path / "b", {"extra": "what is new", **many}, select={"limit": 4})
    assert len(before) == len(after) == 12
    assert all(after[key] == before[key] for key in before.keys() & after.keys())
    assert len({query for query, _ in before.keys() - after.keys()}) <= 1


def test_c33_another_collection_beside_it_changes_nothing(tmp_path):
    alone = built(tmp_path / "a", ENGLISH)
    (tmp_path / "b").mkdir()
    write_collection(tmp_path / "b" / "en-second", {f"x-{name}": text for name, text in ENGLISH.items()})
    write_collection(tmp_path / "b" / "zh-third", CHINESE)
    write_collection(tmp_path / "b" / "en-trial", ENGLISH)
    build(write_recipe(tmp_path / "b"), tmp_path / "b" / "out")
    together = digests(tmp_path / "b" / "out")
    assert {key: together[key] for key in alone} == alone


def test_different_queries_get_different_noise_and_each_snr_the_same(tmp_path):
    many = {f"q{number}": f"which number is {number}" for number in range(12)}
    build(write_trial(tmp_path, many), tmp_path / "out")
    noise: dict[str, set[tuple[str, float]]] = {}
    for row in manifest(tmp_path / "out"):
        if row["condition"] != "clean":
            noise.setdefault(row["query_id"], set()).add((row["noise_id"], row["crop_start_seconds"]))
    assert all(len(drawn) == 1 for drawn in noise.values())
    assert len(set.union(*noise.values())) == 12
    assert len({name for drawn in noise.values() for name, _ in drawn}) > 2


def test_draw_per_condition_draws_anew_for_each_snr(tmp_path):
    build(write_trial(tmp_path, mix={"draw_per": "condition"}), tmp_path / "out")
    starts = [row["crop_start_seconds"] for row in manifest(tmp_path / "out") if row["condition"] != "clean"]
    assert len(set(starts)) == len(starts) == 8


def test_seed_changes_every_recording(tmp_path):
    one, other = built(tmp_path / "a", ENGLISH), built(tmp_path / "b", ENGLISH, seed=8)
    assert one.keys() == other.keys()
    assert not set(one.values()) & set(other.values())
