"""A build on a collection of the hub: fetched before any work, and the data set of a local copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.building import ENGLISH, build, files, write_collection, write_recipe
from tests.hub_server import serving_hub

REVISION = "e" * 40


def test_the_hub_and_a_local_copy_give_the_same_data_set(tmp_path: Path, monkeypatch) -> None:
    pytest.importorskip("huggingface_hub", reason="needs the hub's client")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    local = write_collection(tmp_path / "en-trial", ENGLISH)
    recipe = write_recipe(tmp_path)
    names = ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")
    with serving_hub({f"datasets/org/trial@{REVISION}": {n: (local / n).read_bytes() for n in names}}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        build(recipe, tmp_path / "local")
        recipe.write_text(
            recipe.read_text().replace("path: en-trial", f"path: hf://datasets/org/trial@{REVISION}")
        )
        build(recipe, tmp_path / "hub")
    here, there = files(tmp_path / "local"), files(tmp_path / "hub")
    differing = {name for name in here if here[name] != there[name]}
    assert here.keys() == there.keys() and differing <= {"build.json", "README.md"}
    build(recipe, tmp_path / "local")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    build(recipe, tmp_path / "again")
    assert files(tmp_path / "again") == there
