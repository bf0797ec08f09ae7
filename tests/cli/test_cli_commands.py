"""What the commands print, and their exit codes, when all is well."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time

import pytest

import squtr
from tests.building import (
    ENGLISH,
    VOICE,
    build,
    command,
    files,
    manifest,
    start,
    wait_for,
    write_trial,
)

NUMBERS = "accepted crashed largest_snr_error_db model_share out queries recordings rejected reused".split()


def test_version_and_help():
    assert command("--version").stdout == f"squtr {squtr.__version__}\n"
    shown = command("build", "--help", COLUMNS="200").stdout
    for option in (
        "--collection",
        "--language",
        "--limit",
        "--voice",
        "--workers",
        "--cache",
        "--out",
        "--json",
    ):
        assert option in shown
    assert "squtr build demo --out data" in shown
    assert "squtr verify data" in command("verify", "--help").stdout


def test_build_then_verify(run, folder):
    code, shown, said = run("build", "recipe.yaml", "--out", "out", "--workers", 1)
    assert code == 0
    assert shown.startswith(
        "out: 4 of 4 queries accepted, 0 rejected.\n12 recordings, 0.2 min; realised SNR within 0.00"
    )
    assert re.search(r"on 1 worker, \d+% of it in models; 32 stage results computed, 4 reused\.\n$", shown)
    assert said == ""
    code, shown, _ = run("verify", "out")
    assert code == 0
    assert shown.startswith("out: 12 recordings as the manifest says; realised SNR within 0.00")
    (folder / "out" / "en" / "trial" / "audio_clean" / "1.wav").unlink()
    code, shown, _ = run("verify", "out")
    assert code == 1
    assert "en/trial/audio_clean/1.wav: missing" in shown
    assert shown.endswith("3 faults; 12 recordings looked at.\n")


def test_build_as_json(run, folder):
    code, shown, _ = run("build", "recipe.yaml", "--out", "out", "--workers", 1, "--json")
    facts = json.loads(shown)
    assert code == 0
    assert set(NUMBERS) <= set(facts)
    assert (facts["queries"], facts["accepted"], facts["recordings"], facts["out"]) == (4, 4, 12, "out")
    assert facts["computed"] == {"speak": 8, "transcribe": 8, "judge": 4, "mix": 12}
    last = json.loads((folder / "out" / ".squtr" / "last-run.json").read_text())
    assert last["computed"] == facts["computed"]


def test_verify_as_json(run, folder):
    run("build", "recipe.yaml", "--out", "out", "--workers", 1)
    code, shown, _ = run("verify", "out", "--json")
    assert code == 0
    assert json.loads(shown)["faults"] == []


def test_limit_and_voice_change_the_recipe(run, folder):
    code, _, _ = run(
        "build",
        "recipe.yaml",
        "--out",
        "out",
        "--limit",
        2,
        "--voice",
        VOICE + ",slips=false",
        "--workers",
        1,
    )
    assert code == 0
    facts = json.loads((folder / "out" / "build.json").read_text())
    assert facts["recipe"]["select"] == {"limit": 2}
    assert facts["recipe"]["speak"]["voice"] == VOICE + ",slips=false"
    assert len({row["query_id"] for row in manifest(folder / "out")}) == 2


def test_a_collection_without_a_recipe_takes_the_defaults(monkeypatch, run, folder):
    asked = {}

    def build_nothing(recipe, base, out, **rest):
        asked.update(recipe=recipe, base=base, **rest)
        raise squtr.errors.UserError("enough")

    monkeypatch.setattr("squtr.commands.build.build", build_nothing)
    (folder / "en-trial").rename(folder / "my collection_2")
    code, _, said = run(
        "build", "--collection", "my collection_2", "--language", "en", "--out", "out", "--cache", "c"
    )
    assert (code, said) == (2, "squtr: enough\n")
    source = asked["recipe"].collections[0]
    assert (source.name, source.language, source.path) == ("my-collection-2", "en", "my collection_2")
    assert asked["base"] == folder
    assert asked["recipe"].name == "my-collection-2"
    assert asked["recipe"].speak.takes == 3
    assert asked["cache"].name == "c"


@pytest.mark.parametrize(
    ("folder_name", "name"), [("数据", "collection"), ("_x_", "x"), ("a" * 80, "a" * 64)]
)
def test_any_folder_name_gives_a_subset_name(monkeypatch, run, folder, folder_name, name):
    seen = []
    monkeypatch.setattr(
        "squtr.commands.build.build", lambda recipe, *_, **__: seen.append(recipe.name) or sys.exit(0)
    )
    (folder / "en-trial").rename(folder / folder_name)
    run("build", "--collection", folder_name, "--language", "en", "--out", "out")
    assert seen == [name]


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_stops_at_once_and_the_next_run_goes_on(tmp_path):
    log, out = tmp_path / "calls", tmp_path / "out"
    recipe = write_trial(tmp_path, {**ENGLISH, "q5": "why is the sky blue"})
    process = start(recipe, out, 3, TONE_LOG=log, TONE_SLEEP=0.5, HUM_SLEEP=0.5)
    wait_for(lambda: log.exists() and len(log.read_text().split()) == 10)
    time.sleep(0.4)  # two of the three are idle now, and one speaks
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode not in (0, 2)
    assert "Traceback" not in said
    assert not (out / "build.json").exists()
    build(recipe, out)
    build(recipe, tmp_path / "whole")
    assert files(out) == files(tmp_path / "whole")
