"""Paths in an engine's options start from the recipe, wherever the command runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from squtr.commands.build import changed_recipe, run_build
from squtr.errors import UserError
from squtr.plugins import split_spec
from squtr.recipe_engines import moved_spec, place_recipe, place_spec, uses
from squtr.recipe_file import read_recipe
from tests.building import RECOGNISER, VOICE, build, files, write_both, write_trial
from tests.doubles import ToneVoice


class Chorded(ToneVoice):
    """A voice with a file; what is in the file is its fingerprint."""

    paths = ("model",)

    def __init__(self, model: str) -> None:
        super().__init__()
        self._model = Path(model)

    @property
    def fingerprint(self) -> str:
        return self._model.read_text()

    def check(self) -> None:
        if not self._model.is_file():
            raise UserError(f"{self._model}: no such file.")


CHORDED = f"{__name__}:Chorded"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a recipe whose voice has a model beside it."""
    recipe = write_trial(tmp_path / "mine", speak={"voice": f"{CHORDED},model=models/a.bin"})
    table = recipe.parent / "speakers.jsonl"
    table.write_text(table.read_text().replace(VOICE, CHORDED))
    (recipe.parent / "models").mkdir()
    (recipe.parent / "models" / "a.bin").write_text("chord")
    return recipe.parent


def test_no_byte_and_no_identity_depends_on_where_the_command_runs(folder, tmp_path, monkeypatch):
    (tmp_path / "away" / "models").mkdir(parents=True)
    (tmp_path / "away" / "models" / "a.bin").write_text("another")
    built = {}
    for place in (folder, tmp_path / "away"):
        monkeypatch.chdir(place)
        build(folder / "recipe.yaml", tmp_path / f"out-{place.name}")
        built[place.name] = files(tmp_path / f"out-{place.name}")
    assert built["mine"] == built["away"]
    facts = json.loads(built["mine"]["build.json"])
    assert facts["recipe"]["speak"]["voice"] == f"{CHORDED},model=models/a.bin"
    assert all(str(tmp_path).encode() not in data for data in built["mine"].values())


def test_a_missing_path_is_told_where_it_was_looked_for(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (folder / "models" / "a.bin").unlink()
    with pytest.raises(
        UserError, match=r"recipe\.yaml:\d+: speak\.voice: .*/mine/models/a\.bin: no such file"
    ):
        build(folder / "recipe.yaml", tmp_path / "out")


def test_the_command_line_s_paths_start_where_it_runs_and_are_kept_from_the_recipe(
    folder, tmp_path, monkeypatch
):
    (tmp_path / "b.bin").write_text("chord")
    found = []
    for place, path in ((tmp_path, "b.bin"), (folder, "../b.bin")):
        monkeypatch.chdir(place)
        recipe, base = read_recipe(str(folder / "recipe.yaml"))
        found.append(changed_recipe(recipe, base, None, f"{CHORDED},model={path}"))
    assert [split_spec(one.speak.voice)[1] for one in found] == [{"model": "../b.bin"}] * 2
    assert found[0].digest == found[1].digest
    placed = split_spec(place_recipe(found[0], folder).speak.voice)[1]["model"]
    assert Path(placed).resolve() == tmp_path / "b.bin"
    with pytest.raises(UserError, match=r"^--voice: Unknown voice 'esspeak'"):
        changed_recipe(recipe, base, None, "esspeak")


def test_a_name_stays_a_name_and_a_folder_beside_the_recipe_is_taken(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine" / "base").mkdir(parents=True)
    for kind, spec in (
        ("recogniser", "faster-whisper,model=tiny"),
        ("recogniser", "whisper-base"),
        ("judge", "audio-llm,model=base"),
        ("voice", "piper,model=/voices/a.onnx"),
    ):
        assert place_spec(kind, spec, tmp_path / "mine") == spec
    placed = place_spec("recogniser", "faster-whisper,model=base,device=cpu", tmp_path / "mine")
    assert split_spec(placed) == (
        "faster-whisper",
        {"model": str(tmp_path / "mine" / "base"), "device": "cpu"},
    )
    assert moved_spec("recogniser", "faster-whisper,model=tiny", tmp_path, tmp_path / "mine").endswith(
        "=tiny"
    )


def test_a_folder_only_where_the_command_runs_is_not_taken(tmp_path, monkeypatch):
    recipe = write_trial(tmp_path / "mine", choose={"recogniser": "faster-whisper,model=models/base"})
    (tmp_path / "models" / "base").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    message = (
        r"recipe\.yaml:\d+: choose\.recogniser: model=models/base: lies where the command runs, and not in"
    )
    with pytest.raises(UserError, match=message):
        build(recipe, tmp_path / "out")


def test_every_engine_has_its_key_and_keeps_its_label(tmp_path):
    voices = {"en": f"{CHORDED},model=a", "zh": VOICE}
    judges = [{"judge": "audio-llm,model=m,state=kept", "min_score": 4.0}]
    recipe, base = read_recipe(str(write_both(tmp_path, speak={"voice": voices}, screen={"judges": judges})))
    assert {use.location: (use.spec, use.language) for use in uses(recipe)} == {
        ("speak", "voice", "en"): (voices["en"], "en"),
        ("speak", "voice", "zh"): (VOICE, "zh"),
        ("choose", "recogniser"): (RECOGNISER, "zh"),
        ("screen", "recogniser"): (RECOGNISER, "zh"),
        ("screen", "judges", 0, "judge"): (judges[0]["judge"], None),
        ("mix", "noise"): (recipe.mix.noise, None),
    }
    placed = place_recipe(recipe, base)
    assert placed.speak.voice == {"en": f'{CHORDED},model="{tmp_path / "a"}"', "zh": VOICE}
    (rule,) = placed.screen.judges
    assert (rule.label, rule.judge) == (
        judges[0]["judge"],
        f'audio-llm,model="m",state="{tmp_path / "kept"}"',
    )


def test_a_row_s_paths_start_from_its_file(tmp_path, monkeypatch):
    """A language of one's own names its engines beside its row."""
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "en.bin").write_text("chord")
    moved = moved_spec("voice", f"{CHORDED},model=en.bin", tmp_path / "rows", tmp_path / "collections")
    assert split_spec(moved)[1] == {"model": "../rows/en.bin"}


def test_the_voice_of_the_command_line_builds(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(folder / "models")
    out = tmp_path / "out"
    summary = run_build(str(folder / "recipe.yaml"), out, None, None, 1, f"{CHORDED},model=a.bin", 1, None)
    assert summary.queries == 1
