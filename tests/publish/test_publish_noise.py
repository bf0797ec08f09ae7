"""Noise that must not be passed on is not published unseen, and the card names the noise's terms."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from squtr.commands.export import run_export, run_import, show_export
from squtr.commands.publish import run_publish
from squtr.data_build.mix import noise_terms
from squtr.data_build.seal import is_sealed
from squtr.digest import digest
from squtr.errors import UserError
from squtr.noise_sources.catalogue import built_in, read_catalogue
from squtr.noise_sources.protected import protected_by_id
from squtr.progress import Silent
from squtr.slicing import Cut, cut_slice, slice_of
from tests.building import build, command, write_trial
from tests.doubles import Hum
from tests.publish.published_zip import members, write_zip

TO = "hf://org/name"


class Kept(Hum):
    """Noise whose terms forbid to pass it on."""

    licence = "none is stated: never redistribute it"
    redistribute = False


class Free(Hum):
    """Noise that anyone may pass on."""

    licence = "CC0-1.0"
    redistribute = True


def built(folder: Path, noise: str, **mix: Any) -> Path:
    build(write_trial(folder, mix={"noise": f"{__name__}:{noise}", **mix}), folder / "data")
    return folder / "data"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("kept"), "Kept")


def card(published: Any) -> str:
    return " ".join((published.staged.root / "README.md").read_text(encoding="utf-8").split())


def test_a_build_says_what_its_noise_allows(kept, tmp_path):
    facts = json.loads((kept / "build.json").read_text())
    assert facts["noise"] == {"licence": Kept.licence, "redistribute": False}
    assert set(facts["identity"]) == {"name", "recipe", "inputs"}
    assert facts["identity"]["inputs"] == digest(facts["inputs"])
    assert "It must not be passed on." in (kept / "README.md").read_text()
    silent = json.loads((built(tmp_path, "Kept", snrs_db=[]) / "build.json").read_text())
    assert "noise" not in silent


def test_protected_noise_is_refused_before_anything_is_staged(kept):
    with pytest.raises(UserError, match=r"must not be passed on \(none is stated.*--accept-licence"):
        run_publish(kept, TO, True, False, None, None)
    assert not (kept / ".squtr" / "publish").exists()


def test_who_has_the_right_publishes_and_the_card_says_so(kept, tmp_path):
    text = card(run_publish(kept, TO, True, False, tmp_path / "staged", None, accept_licence=True))
    assert f"Noise: {Kept.licence}. These terms alone do not allow it to be passed on" in text
    assert "states to have the right" in text


def test_free_noise_needs_no_word(tmp_path):
    text = card(run_publish(built(tmp_path, "Free"), TO, True, False, tmp_path / "staged", None))
    assert "Noise: CC0-1.0. Queries and documents keep" in text


def test_noise_that_says_nothing_is_published_and_the_card_says_so(dataset, tmp_path):
    text = card(run_publish(dataset, TO, True, False, tmp_path / "staged", None))
    assert "Noise: no licence is stated." in text


def test_the_command_line_takes_the_word(kept, tmp_path):
    asked = ("publish", kept, "--to", TO, "--dry-run", "--staging", tmp_path / "staged")
    refused = command(*asked)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert command(*asked, "--accept-licence").returncode == 0


def test_what_the_built_in_sources_allow():
    assert noise_terms("procedural")["licence"]
    allowed = {name: read_catalogue(path).redistribute for name, path in built_in().items()}
    assert (allowed["noisex92"], allowed["demand"]) == (False, True)


@pytest.mark.parametrize("exported", [True, False])
def test_the_terms_go_through_export_and_import(kept, tmp_path, exported, capsys):
    if exported:
        show_export(run_export("squtr", kept, tmp_path / "plain"), tmp_path / "plain", False)
        assert "its noise must not be passed on (none is stated" in capsys.readouterr().out
    run_import("squtr", tmp_path / "plain" if exported else kept, tmp_path / "data", False)
    assert "its noise must not be passed on (none is stated" in capsys.readouterr().err
    terms = json.loads((tmp_path / "data" / "noise.json").read_text())
    assert terms == {"licence": Kept.licence, "redistribute": False}
    with pytest.raises(UserError, match=r"must not be passed on \(none is stated.*--accept-licence"):
        run_publish(tmp_path / "data", TO, True, False, None, None)
    published = run_publish(
        tmp_path / "data", TO, True, False, tmp_path / "staged", None, accept_licence=True
    )
    assert json.loads((published.staged.root / "noise.json").read_text()) == terms
    text = card(published)
    assert f"Noise: {Kept.licence}. These terms alone do not allow it to be passed on" in text


@pytest.mark.parametrize("layout", ["beir", "mteb", "webdataset"])
def test_other_layouts_carry_the_terms_too(kept, tmp_path, layout):
    run_export(layout, kept, tmp_path / "out")
    assert json.loads((tmp_path / "out" / "noise.json").read_text())["redistribute"] is False
    if layout == "mteb":
        assert (
            f"Noise: {Kept.licence}. It must not be passed on."
            in (tmp_path / "out" / "README.md").read_text()
        )


def test_noisex_is_known_by_its_ids_where_no_terms_are_left(tmp_path):
    files = {name: data.replace(b"demand_SCAFE_ch07", b"noisex_volvo") for name, data in members().items()}
    archive = write_zip(tmp_path / "a.zip", files)
    run_import("squtr", archive, tmp_path / "data", False)
    with pytest.raises(UserError, match=r"must not be passed on \(NOISEX-92: none is stated anywhere"):
        run_publish(tmp_path / "data", TO, True, False, None, None)
    with_terms = files | {"source_data/noise.json": b'{"licence": "CC0-1.0", "redistribute": true}'}
    run_import("squtr", write_zip(tmp_path / "b.zip", with_terms), tmp_path / "free", False)
    with pytest.raises(UserError, match="NOISEX-92"):
        run_publish(tmp_path / "free", TO, True, False, None, None)


@pytest.mark.parametrize(
    ("noise_id", "known"),
    [
        ("noisex_white", True),
        ("NOISEX_Babble", True),
        ("noisex_whiteboard", False),
        ("demand_SCAFE_ch07", False),
    ],
)
def test_ids_of_noise_that_must_not_be_passed_on(noise_id, known):
    assert (protected_by_id(["x", noise_id]) is not None) == known


@pytest.mark.parametrize("data", [b"{", b"[]"])
def test_terms_that_cannot_be_read_are_no_licence(tmp_path, data):
    archive = write_zip(tmp_path / "a.zip", members() | {"source_data/noise.json": data})
    with pytest.raises(UserError, match=r"a\.zip: source_data/noise\.json: no .*Restore it"):
        run_import("squtr", archive, tmp_path / "data", False)
    assert not (tmp_path / "data").exists()


def test_the_mark_of_a_slice_goes_the_same_way(dataset, tmp_path):
    cut_slice(dataset, tmp_path / "slice", Cut(2, 1, 1), Silent())
    run_export("squtr", tmp_path / "slice", tmp_path / "plain")
    run_import("squtr", tmp_path / "plain", tmp_path / "data", False)
    assert slice_of(tmp_path / "data") == slice_of(tmp_path / "slice") is not None


def test_terms_that_were_edited_are_not_believed(kept, tmp_path):
    data = shutil.copytree(kept, tmp_path / "data", ignore=shutil.ignore_patterns(".squtr"))
    facts = json.loads((data / "build.json").read_text())
    facts["noise"]["redistribute"] = True
    (data / "build.json").write_text(json.dumps(facts))
    with pytest.raises(UserError, match=r"build\.json: was edited after the build"):
        run_publish(data, TO, True, False, None, None)
    for act in (
        lambda: run_export("squtr", data, tmp_path / "a"),
        lambda: run_import("squtr", data, tmp_path / "b", False),
    ):
        with pytest.raises(UserError, match="was edited after the build"):
            act()


def test_published_facts_are_sealed_anew(kept, tmp_path):
    published = run_publish(kept, TO, True, False, tmp_path / "staged", None, accept_licence=True)
    assert is_sealed(json.loads((published.staged.root / "build.json").read_text()))
