"""Noise that must not be passed on is not published unseen, and the card names the noise's terms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from squtr.commands.publish import run_publish
from squtr.data_build.mix import noise_terms
from squtr.digest import digest
from squtr.errors import UserError
from squtr.noise_sources.catalogue import built_in, read_catalogue
from tests.building import build, command, write_trial
from tests.doubles import Hum

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
