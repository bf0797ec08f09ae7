"""C54: recipes that YAML or the schema refuses, each with the line at fault."""

from __future__ import annotations

import pytest

from tests.changes import Change, check, more, put, settings

RECIPES: dict[str, tuple[Change, str]] = {
    "unknown key": (more("mixx: 1\n"), r"recipe\.yaml:\d+: unknown key 'mixx'\. Did you mean 'mix'\?"),
    "unknown key inside": (
        more("select:\n  limitt: 3\n"),
        r"recipe\.yaml:LAST: unknown key 'select\.limitt'\. Did you mean 'limit'",
    ),
    "key twice": (more("seed: 3\n"), r"recipe\.yaml:LAST: seed stands already on line \d+"),
    "SNR that is text": (
        settings(mix={"snrs_db": [10, "loud"]}),
        r"recipe\.yaml:\d+: mix\.snrs_db\.1: a plain number .*'loud'",
    ),
    "SNR that YAML reads as text": (
        more("select:\n  limit: 1e3\n"),
        r"recipe\.yaml:LAST: select\.limit: a whole number .*'1e3'",
    ),
    "SNR that is NaN": (settings(mix={"snrs_db": [float("nan")]}), r"mix\.snrs_db\.0: .*finite number"),
    "SNR that is a bool": (
        settings(mix={"snrs_db": [True]}),
        r"mix\.snrs_db\.0: a plain number must stand here \(found True\)",
    ),
    "SNR too large": (
        settings(mix={"snrs_db": [61]}),
        r"mix\.snrs_db: an SNR is a number of dB within ±60, not 61",
    ),
    "SNR twice": (settings(mix={"snrs_db": [10, 10.0]}), r"mix\.snrs_db: the same SNR is listed twice"),
    "SNRs of one name": (settings(mix={"snrs_db": [10, 10.0000001]}), r"the same SNR is listed twice"),
    "SNR no list": (settings(mix={"snrs_db": 10}), r"mix\.snrs_db: a list must stand here \(found 10\)"),
    "threshold NaN": (
        settings(screen={"judges": [{"judge": "dnsmos", "min_score": float("nan")}]}),
        r"judges\.0\.min_score: .*finite",
    ),
    "judge without a threshold": (
        settings(screen={"judges": [{"judge": "dnsmos"}]}),
        r"recipe\.yaml:\d+: screen\.judges\.0\.min_score is missing",
    ),
    "language no": (
        settings(collections=[{"name": "x", "language": False, "path": "en-trial"}]),
        r"recipe\.yaml:\d+: collections\.0\.language: a text .*; put it in quotes \(found False\)",
    ),
    "no collections": (settings(collections=[]), r"recipe\.yaml:\d+: collections: .*at least 1 item"),
    "name as a path": (
        settings(collections=[{"name": "../x", "language": "en", "path": "en-trial"}]),
        r"collections\.0\.name: .*pattern",
    ),
    "takes 0": (
        settings(speak={"takes": 0}),
        r"recipe\.yaml:\d+: speak\.takes: .*greater than or equal to 1",
    ),
    "section empty": (
        more("select:\n"),
        r"recipe\.yaml:LAST: select: settings, key: value, must stand here \(found None\)",
    ),
    "a tag": (
        more("x: !!python/object/apply:os.system [touch pwned]\n"),
        r"recipe\.yaml:LAST: not plain YAML: .*python/object/apply",
    ),
    "a list": (
        put("recipe.yaml", "- 1\n"),
        r"recipe\.yaml: a recipe is a mapping with at least name and collections",
    ),
    "empty": (put("recipe.yaml", ""), r"recipe\.yaml: a recipe is a mapping"),
    "torn": (more("x: [1,\n"), r"recipe\.yaml:\d+: not plain YAML"),
    "two documents": (more("---\nname: b\n"), r"recipe\.yaml:\d+: not plain YAML: .*another document"),
    "not UTF-8": (
        lambda folder: (folder / "recipe.yaml").write_bytes(b"name: \xff\xfe"),
        r"recipe\.yaml: not plain YAML in UTF-8",
    ),
    "NUL": (more("x: \x00\n"), r"recipe\.yaml: not plain YAML in UTF-8: .*character"),
    "date": (more("x: 2020-99-99\n"), r"recipe\.yaml: not plain YAML"),
    "an alias of itself": (more("select: &a [*a]\n"), r"recipe\.yaml: an alias contains itself"),
}


@pytest.mark.parametrize("case", RECIPES)
def test_c54_bad_recipes(folder, run, case):
    act, pattern = RECIPES[case]
    act(folder)
    last = len((folder / "recipe.yaml").read_bytes().split(b"\n")) - 1
    check(run("build", "recipe.yaml", "--out", "out"), pattern.replace("LAST", str(last)), folder)
    assert not (folder / "out").exists()
