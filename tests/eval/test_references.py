"""Stored references: read with their faults told, replayed, and the paper's figures as they were printed."""

from __future__ import annotations

import json
import math
import re
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from squtr.commands.check import list_references, run_check, show_check
from squtr.content import content
from squtr.errors import UserError
from squtr.eval.references import (
    PUBLISHED,
    REPLAYS,
    cells,
    leaves,
    read_published,
    read_reference,
    reference_names,
)
from squtr.eval.replay import verdict_of

SPEC = Path(__file__).resolve().parents[2].parent / "shared" / "spec"
QUICK = ["edge-cases", "wer-en"]
MISSING = pytest.mark.skipif(not SPEC.is_dir(), reason="the source of the figures lies in shared/spec")


def write(folder: Path, text: str) -> str:
    path = folder / "mine.yaml"
    path.write_text(text)
    return str(path)


def reference(folder: Path, expected: str = "{version: 1}", more: str = "", command: str = "squtr x") -> str:
    commands = f"commands: [{json.dumps(command)}]"
    return write(folder, f"what: mine\n{commands}\ntolerance: 0.01\nnear: 0.1\nexpected: {expected}\n{more}")


def test_all_stored_references_can_be_read() -> None:
    replays, published = reference_names(REPLAYS), reference_names(PUBLISHED)
    assert {"edge-cases", "pocket-demo", "pocket-text-en", "pocket-text-zh", "wer-en", "wer-zh"} < set(
        replays
    )
    assert published == ["paper", "public"]
    files = {path.stem for path in content("eval", "references").glob("*.yaml")}
    assert files == {*replays, *published}
    for name in replays:
        found, here = read_reference(name)
        assert len(list(leaves(found.expected))) > 0 and here == content("eval", "references")
    for name in published:
        read_published(name)


def test_quick_references_are_all_ok(capsys: pytest.CaptureFixture[str]) -> None:
    found = run_check(QUICK, None)
    assert show_check(found, True) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "OK"
    assert [one["name"] for one in told["references"]] == QUICK
    assert {figure["verdict"] for one in told["references"] for figure in one["figures"]} == {"OK"}


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (0.5, "OK"),
        (0.51, "OK"),
        (0.49, "OK"),
        (0.511, "near"),
        (0.6, "near"),
        (0.601, "FAIL"),
        (None, "FAIL"),
    ],
)
def test_verdicts_at_their_bounds(found: float | None, verdict: str) -> None:
    assert verdict_of(0.5, found, 0.01, 0.1) == verdict


def test_a_changed_figure_fails_with_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = f"squtr wer {content('eval', 'references')}/wer/en-texts.jsonl"
    command += f" {content('eval', 'references')}/wer/en-heard.jsonl --language en --json"
    mine = reference(tmp_path, "{clean: {rate: 0.9, nothing: 1, deletions: 5}}", command=command)
    assert show_check(run_check([mine, "edge-cases"], None), False) == 1
    out = capsys.readouterr().out
    assert "FAIL: clean / rate: 0.333333, expected 0.9" in out
    assert "FAIL: clean / nothing: not in the output" in out
    assert "deletions" not in out
    near = reference(tmp_path, "{clean: {rate: 0.35}}", command=command)
    assert show_check(run_check([near], None), False) == 0
    assert "near" in capsys.readouterr().out


def test_a_command_that_fails_is_a_fail_with_its_message(tmp_path: Path) -> None:
    [found] = run_check([reference(tmp_path, command="squtr verify {work}/none")], None)
    assert found.verdict == "FAIL"
    assert found.reason is not None and "squtr verify ended with 2" in found.reason


def test_a_command_without_json_is_a_fail(tmp_path: Path) -> None:
    [found] = run_check([reference(tmp_path, command="squtr --version")], None)
    assert (found.verdict, found.reason) == ("FAIL", "the last command printed no JSON")


def test_what_is_lacking_is_named_and_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = "needs: {modules: [no_such_module], how: pip install it, data: [fiqa], files: [gone.txt]}"
    found = run_check([reference(tmp_path, more=more), "edge-cases"], tmp_path)
    assert show_check(found, False) == 0
    out = capsys.readouterr().out
    assert "skipped mine: no package no_such_module (pip install it); no collection fiqa" in out
    assert "no file gone.txt" in out
    (tmp_path / "fiqa").mkdir()
    assert "fiqa" not in str(run_check([reference(tmp_path, more=more), "edge-cases"], tmp_path)[0].reason)


def test_nothing_to_replay_is_no_success(tmp_path: Path) -> None:
    mine = reference(tmp_path, more="needs: {data: [fiqa]}")
    with pytest.raises(UserError, match=r"nothing could be replayed(.|\n)*mine: no collection fiqa"):
        run_check([mine], None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("what: x\ncommands: []\ntolerance: 0\nnear: 0\nexpected: {}\n", "mine.yaml:2: commands"),
        (
            "what: x\ncommands: [a]\ntolerance: 0\nnear: 0\nexpected: {}\nwhy: y\n",
            "mine.yaml:6: unknown key 'why'",
        ),
        ("what: x\ncommands: [a]\ntolerance: 1\nnear: 0\nexpected: {a: 1}\n", "near is below tolerance"),
        ("what: x\ncommands: [a]\ntolerance: 0\nnear: 0\nexpected: {a: {b: x}}\n", "expected a / b is 'x'"),
        ("[]\n", "a reference is a mapping"),
    ],
)
def test_faulty_references(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        read_reference(write(tmp_path, text))


def test_only_commands_of_squtr_are_run(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no command of squtr"):
        run_check([reference(tmp_path, command="rm -r x")], None)


def test_an_unknown_name_is_exit_code_2() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "squtr.cli", "check", "edge-case"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "Did you mean 'edge-cases'?" in done.stderr


def test_the_list_says_what_is_lacking(capsys: pytest.CaptureFixture[str]) -> None:
    list_references(None, False)
    out = capsys.readouterr().out
    assert "bm25-fiqa" in out and "(lacking here: fiqa)" in out


def _printed(head: str) -> dict[str, str]:
    lines = (SPEC / "squtr-protocol.md").read_text("utf-8").split(head)[1].strip().splitlines()
    rows: dict[str, str] = {}
    for line in lines[2:]:
        if not line.startswith("|"):
            break
        name, *figures = (cell.strip() for cell in line.strip().strip("|").split("|"))
        rows[re.sub(r" (dense|\(end to end\))$", "", name)] = " ".join(one or "-" for one in figures)
    return rows


@MISSING
@pytest.mark.parametrize(
    ("language", "head", "rows"),
    [
        ("zh", "Chinese (mean of the three subsets), ASR Paraformer-large:", 11),
        ("en", "English, ASR Whisper-large-v3:", 13),
    ],
)
def test_the_paper_s_scores_are_its_source_s(language: str, head: str, rows: int) -> None:
    found = read_published("paper").languages[language]
    assert {name: row.printed for name, row in found.systems.items()} == _printed(head)
    assert len(found.systems) == rows


@MISSING
@pytest.mark.parametrize(("language", "head"), [("zh", "CER %, Chinese: "), ("en", "WER %, English: ")])
def test_the_paper_s_error_rates_are_its_source_s(language: str, head: str) -> None:
    line = (SPEC / "squtr-protocol.md").read_text("utf-8").split(head)[1].splitlines()[0]
    told = {}
    for part in line.rstrip(".").replace(" (clean, 20, 10, 0 dB)", "").split("; "):
        name, *rates = part.replace(",", "").split()
        told[name] = " ".join(rates)
    assert read_published("paper").languages[language].recognisers == told


@MISSING
def test_public_figures_and_deviations_are_their_source_s() -> None:
    text = (SPEC / "scoring.md").read_text("utf-8")
    block = text.split("## Golden values")[1].split("BM25 Lucene")[0]
    short = {"fiqa": "FiQA", "hotpotqa": "HotpotQA", "nq": "NQ"}
    found: dict[str, dict[str, list[str]]] = {}
    for one in read_published("public").singles:
        name = short.get(str(one.subset), str(one.subset).removesuffix("Retrieval"))
        found.setdefault(one.system, {}).setdefault(name, []).append(f"{one.value:.4f}".lstrip("0"))
    told = [
        f"{system}: {', '.join(f'{name} ' + '/'.join(values) for name, values in rows.items())}."
        for system, rows in found.items()
    ]
    assert len(told) == 3 and all(line in block for line in told)
    line = (
        (SPEC / "squtr-protocol.md")
        .read_text("utf-8")
        .split("Stability (standard deviation) as printed: ")[1]
    )
    deviations = read_published("paper").deviations
    told = [f"{name} {f'{value:.3f}'.lstrip('0')}" for name, value in deviations.items()]
    assert line.startswith(f"{', '.join(told)}. ")


def test_the_doubts_follow_from_the_figures() -> None:
    paper = read_published("paper")
    exchanged = [
        (language, name)
        for language, table in paper.languages.items()
        for name, row in table.systems.items()
        if any(cell is not None and cell[0] > cell[1] for cell in cells(row.printed))
    ]
    assert exchanged == [("en", "Omni-Embed-Nemotron-3B")]

    def loss(language: str, name: str) -> float:
        line = cells(paper.languages[language].systems[name].printed)
        assert line[1] is not None and line[4] is not None
        return 1 - line[4][0] / line[1][0]

    assert [round(100 * loss(language, "Omni-Embed-Nemotron-3B"), 1) for language in ("zh", "en")] == [
        13.6,
        8.3,
    ]
    pooled = [
        cell[0]
        for table in paper.languages.values()
        for cell in cells(table.systems["BM25"].printed)[1:]
        if cell
    ]
    assert len(pooled) == 8
    assert round(statistics.stdev(pooled), 3) == 0.042 and paper.deviations["BM25"] == 0.031
    public = [one.value for one in read_published("public").singles if one.system == "all-MiniLM-L6-v2"][::3]
    text = cells(paper.languages["en"].systems["all-MiniLM-L6-v2"].printed)[0]
    assert text is not None and math.isclose(sum(public) / 3, text[0], abs_tol=0.0005)


@pytest.mark.parametrize("command", ['squtr wer "unclosed', "squtr", "squtr check edge-cases"])
def test_a_command_that_cannot_be_replayed_is_one_message(tmp_path: Path, command: str) -> None:
    from squtr.eval.replay import _arguments

    with pytest.raises(UserError, match=r"cannot be read|no command of squtr"):
        _arguments(command, {}, "mine.yaml")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            "squtr verify {wrok}/x",
            r"mine\.yaml:2: commands: unknown placeholder \{wrok\}\. Did you mean 'work'",
        ),
        ("squtr verify {}", r"unknown placeholder \{\}\. Known: cache, content, data, here, work"),
    ],
)
def test_an_unknown_placeholder_is_told_before_anything_is_replayed(
    tmp_path: Path, command: str, said: str
) -> None:
    with pytest.raises(UserError, match=said):
        run_check(["edge-cases", reference(tmp_path, command=command)], None)


def test_placeholders_of_patterns_are_left_to_the_command(tmp_path: Path) -> None:
    command = "squtr eval {work}/none --runs 'x={work}/{subset}.{condition}.trec'"
    [found] = run_check([reference(tmp_path, command=command)], None)
    assert found.reason is not None and "no such data set folder" in found.reason


def test_a_command_on_data_without_data_is_skipped(tmp_path: Path) -> None:
    mine = reference(tmp_path, command="squtr validate {data}/x")
    with pytest.raises(
        UserError, match=r"mine: no collection \. \(give the folder that holds it with --data\)"
    ):
        run_check([mine], None)
    [found] = run_check([mine], tmp_path)
    assert found.verdict == "FAIL"
