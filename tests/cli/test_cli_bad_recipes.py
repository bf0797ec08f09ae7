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
        r"mix\.snrs_db\.0: a plain number must stand here \(found true\)",
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
        r"recipe\.yaml:\d+: collections\.0\.language: a text .*; put it in quotes \(found false\)",
    ),
    "no collections": (
        settings(collections=[]),
        r"recipe\.yaml:\d+: collections: must have at least 1 in its list \(found \[\]\)",
    ),
    "engine for no language": (
        settings(speak={"voice": {"en": "espeak", "xx": "espeak"}}),
        r"recipe\.yaml:\d+: speak\.voice\.xx: no collection of the recipe is in 'xx'\. Take it out",
    ),
    "no engine for a language": (
        settings(screen={"recogniser": {"zh": "whisper-base"}}),
        r"recipe\.yaml:\d+: screen\.recogniser: no engine for 'en', which a collection is in\.",
    ),
    "two collections of one name": (
        settings(collections=[{"name": name, "language": "en", "path": "en-trial"} for name in ("a", "A")]),
        r"recipe\.yaml:\d+: collections\.1\.name: an earlier .* is called 'A' too, capitals aside",
    ),
    "a judge twice": (
        settings(screen={"judges": [{"judge": "dnsmos", "min_score": score} for score in (2, 3)]}),
        r"recipe\.yaml:\d+: screen\.judges\.1: the same judge is listed twice \(dnsmos\)\.$",
    ),
    "empty path": (
        settings(collections=[{"name": "x", "language": "en", "path": ""}]),
        r"recipe\.yaml:\d+: collections\.0\.path: an empty path names nothing; write a folder",
    ),
    "name as a path": (
        settings(collections=[{"name": "../x", "language": "en", "path": "en-trial"}]),
        r"collections\.0\.name: may hold letters a to z.*\(found '\.\./x'\)",
    ),
    "takes 0": (
        settings(speak={"takes": 0}),
        r"recipe\.yaml:\d+: speak\.takes: must be at least 1 \(found 0\)",
    ),
    "section empty": (
        more("select:\n"),
        r"recipe\.yaml:LAST: select: settings, key: value, must stand here \(found nothing\)",
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
        r"recipe\.yaml: byte 7 is no UTF-8\. Save it as plain YAML in UTF-8",
    ),
    "NUL": (more("x: \x00\n"), r"recipe\.yaml: character \d+ is U\+0000, which no YAML has\. Save it"),
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
