"""Paths in a recipe's noise start from the recipe's folder, whatever the folder the command runs in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from noise_archives import put

from squtr.errors import UserError
from squtr.noise_sources.placing import place_noise
from squtr.plugins import split_spec
from tests.building import build, files, manifest, write_trial

NAMES = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Cn"], exclude_characters="~\ufeff\u2028\u2029")
)


@pytest.mark.parametrize("spec", ["procedural", "squtr17", "procedural,seed=3", "folder,path=/there"])
def test_a_spec_without_relative_paths_stays_as_it_is(tmp_path, spec):
    assert place_noise(spec, tmp_path) == spec


@pytest.mark.parametrize(
    ("spec", "placed"),
    [
        ("folder,path=hum", {"path": "hum"}),
        ("demand,path=../d,cache=c,only=cafe bus", {"path": "../d", "cache": "c"}),
        ("squtr17,demand=d,reverberation=none", {"demand": "d"}),
        ("recordings,source=mine.yaml,channels=1 2", {"source": "mine.yaml"}),
        ("recordings,source=demand,mine=there", {"mine": "there"}),
        ("folder,path=~/hum", {}),
        ("folder,path=", {}),
        ("folder,path=2024", {}),
    ],
)
def test_which_options_are_paths(tmp_path, spec, placed):
    (tmp_path / "mine.yaml").touch()
    (tmp_path / "there").mkdir()
    name, options = split_spec(spec)
    expected = options | {key: str(tmp_path / value) for key, value in placed.items()}
    assert split_spec(place_noise(spec, tmp_path)) == (name, expected)


@given(NAMES.filter(lambda name: name.strip() and "/" not in name and "\\" not in name))
def test_any_name_of_a_folder_survives(name):
    base = Path("/base") / name
    _, options = split_spec(place_noise("folder,path=x", base))
    assert options == {"path": str(base / "x")}


def test_a_recipe_and_its_noise_move_together(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    put(tmp_path / "a/hum, of cars/car/one.wav")
    put(tmp_path / "a/hum, of cars/car/two.wav")
    (tmp_path / "a/hum").symlink_to("hum, of cars")
    recipe = write_trial(tmp_path / "a", mix={"noise": "folder,path=hum"})
    monkeypatch.chdir(tmp_path)
    build(recipe, tmp_path / "first")
    (tmp_path / "a").rename(tmp_path / "b")
    build(tmp_path / "b" / "recipe.yaml", tmp_path / "second")
    assert files(tmp_path / "first") == files(tmp_path / "second")
    assert {row["noise_category"] for row in manifest(tmp_path / "first")} == {None, "car"}
    told = json.loads((tmp_path / "first/build.json").read_text())
    assert told["recipe"]["mix"]["noise"] == "folder,path=hum"


def test_noise_beside_the_command_is_not_taken(tmp_path, monkeypatch):
    recipe = write_trial(tmp_path / "a", mix={"noise": "folder,path=hum"})
    put(tmp_path / "hum/car/one.wav")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"a/hum: no such folder"):
        build(recipe, tmp_path / "out")
    assert not (tmp_path / "out").exists()
