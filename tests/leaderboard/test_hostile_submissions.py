"""Each broken or hostile submission is refused, by the right check and with the right reason."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.leaderboard.making import (
    HEARD,
    SYSTEM,
    check,
    edit_facts,
    edit_run,
    lines,
    refusals,
    seal,
    spoiled,
    write,
)

Spoil = Callable[[Path], object]
RUN = "runs/en/trial/clean.run.gz"
KEY = "en/trial"


def run(edit: Callable[[list[str]], object]) -> Spoil:
    return lambda folder: edit_run(folder, edit, RUN)


def facts(edit: Callable[[dict[str, Any]], object]) -> Spoil:
    return lambda folder: edit_facts(folder, edit)


def system(**changes: Any) -> Spoil:
    def spoil(folder: Path) -> None:
        (folder / "system.yaml").write_text(yaml.safe_dump({**SYSTEM, **changes}, allow_unicode=True))
        seal(folder)

    return spoil


def score(value: str) -> Spoil:
    return run(lambda rows: rows.__setitem__(0, rows[0].replace(rows[0].split()[4], value)))


def cell(**changes: Any) -> Spoil:
    return facts(lambda found: found["scores"][KEY]["clean"].update(changes))


def claim(measure: str, by: float) -> Spoil:
    def edit(found: dict[str, Any]) -> None:
        found["scores"][KEY]["clean"]["measures"][measure] += by

    return facts(edit)


def heard(text: str) -> Spoil:
    def spoil(folder: Path) -> None:
        write(folder / HEARD, text)
        seal(folder)

    return spoil


def drop(condition: str) -> Spoil:
    def spoil(folder: Path) -> None:
        edit_facts(folder, lambda found: found["scores"][KEY].pop(condition))
        (folder / f"runs/{KEY}/{condition}.run.gz").unlink()
        (folder / f"transcripts/{KEY}/{condition}.jsonl.gz").unlink()
        seal(folder)

    return spoil


def drop_subset(folder: Path) -> None:
    """Take out a language's only subset but leave its digests."""
    edit_facts(folder, lambda found: found["scores"].pop("zh/trial"))
    shutil.rmtree(folder / "runs/zh")
    shutil.rmtree(folder / "transcripts/zh")
    seal(folder)


def other_data(part: str) -> Spoil:
    return facts(lambda found: found["dataset"]["subsets"][KEY].update({part: "0" * 64}))


def repeat(rows: list[str]) -> None:
    rows += [f"q1 Q0 d-{number} 1 {1 / (number + 2)} t" for number in range(1001)]


BROKEN: dict[str, tuple[Spoil, str, str]] = {
    "unknown document": (
        run(lambda rows: rows.insert(0, "q1 Q0 nosuch 1 99.0 t")),
        "runs",
        "'nosuch', which is not",
    ),
    "path as a document": (
        run(lambda rows: rows.insert(0, "q1 Q0 ../../etc/x 1 99.0 t")),
        "runs",
        "'../../etc/x'",
    ),
    "unknown query": (
        run(lambda rows: rows.append("q999 Q0 d-0 1 1.0 t")),
        "runs",
        "'q999' is not in the data set",
    ),
    "missing query": (run(lambda rows: rows.clear()), "runs", "query 'q1' is missing"),
    "document twice": (run(lambda rows: rows.insert(0, rows[0])), "runs", "twice"),
    "query twice": (run(lambda rows: rows.append(rows[0])), "runs", "comes a second time"),
    "too many lines": (run(repeat), "runs", "has more than 400 lines"),
    "not a number": (score("nan"), "runs", "'nan' is no finite number"),
    "infinite": (score("inf"), "runs", "'inf' is no finite number"),
    "too large for a float": (score("1e999"), "runs", "'1e999' is no finite number"),
    "padding": (
        run(lambda rows: rows.insert(1, f"{rows[0].split()[0]} Q0 d-3 2 0.0 t")),
        "runs",
        "is padded",
    ),
    "negative padding": (run(lambda rows: rows.insert(1, "q1 Q0 d-3 2 -1.0 t")), "runs", "is padded"),
    "five columns": (run(lambda rows: rows.insert(0, "q1 d-0 1 1.0 t")), "runs", "5 columns"),
    "no UTF-8": (run(lambda rows: rows.insert(0, "q1 Q0 d-\udcff 1 1.0 t")), "runs", "no UTF-8"),
    "changed after packing": (lambda at: write(at / RUN, "q1 Q0 d-0 1 1.0 t\n"), "digests", "has SHA-256"),
    "no gzip": (lambda at: ((at / RUN).write_text("q1 Q0 d-0 1 1 t\n"), seal(at)), "runs", "is no gzip file"),
    "cut short": (
        lambda at: ((at / RUN).write_bytes((at / RUN).read_bytes()[:-9]), seal(at)),
        "runs",
        "no whole",
    ),
    "another collection": (other_data("fingerprint"), "data set", "runs of another data set: the texts"),
    "other judgements": (other_data("qrels"), "data set", "runs of another data set: the judgements"),
    "other recordings": (other_data("audio"), "data set", "runs of another data set: the recordings"),
    "a condition left out": (drop("snr_0"), "data set", "en/trial snr_0: has no run"),
    "a subset left out": (drop_subset, "data set", "scores or digests, but not both"),
    "called a slice": (
        facts(lambda found: found["dataset"].update(slice=True)),
        "data set",
        "a slice stands only",
    ),
    "claimed too much": (claim("nDCG@10 (linear gain)", 2e-6), "scores", "claims nDCG@10 (linear gain)"),
    "claimed too little": (claim("MRR@10", -0.25), "scores", "claims MRR@10 0.75, its run gives 1"),
    "a measure of its own": (cell(measures={"nDCG@10": 1.0}), "scores", "which the board does not have"),
    "fewer queries": (cell(queries=3), "scores", "claims queries 3, its run gives 4"),
    "another ranking": (cell(ranking="0" * 64), "scores", "digest of its ranking"),
    "unanswered by mistake": (cell(unanswered=["q1"]), "runs", "is in `unanswered`, but has documents"),
    "unanswered and unknown": (cell(unanswered=["q999"]), "runs", "but is not judged"),
    "claims no number": (cell(measures={"MRR@10": "1"}), "facts", "a plain number must stand here"),
    "script in a name": (system(name="<img src=x onerror=alert(1)>"), "facts", "holds '<', which is markup"),
    "link in a name": (system(name="[x](javascript:alert(1))"), "facts", "which is markup"),
    "entity in an author": (system(authors=["A &lt;b"]), "facts", "which is markup"),
    "formula in a name": (system(name="=HYPERLINK(1)"), "facts", "a spreadsheet takes for a formula"),
    "formula in an author": (system(authors=["@SUM(A1)"]), "facts", "a spreadsheet takes for a formula"),
    "name turned round": (system(name="good\u202egnp"), "facts", "U+202E"),
    "name of two lines": (system(name="a\nb"), "facts", "U+000A"),
    "endless name": (system(name="x" * 10_000), "facts", "at most 100 characters"),
    "no name": (system(name=""), "facts", "must have at least 1 characters"),
    "script as a link": (system(links=["javascript:alert(1)"]), "facts", "begins with https://"),
    "file as a link": (system(links=["file:///etc/passwd"]), "facts", "begins with https://"),
    "markup in a link": (system(links=['https://a.example/"><b>']), "facts", "that a link must not"),
    "password in a link": (system(links=["https://u:p@a.example"]), "facts", "that a link must not"),
    "unknown family": (system(family="magic"), "facts", "must be 'cascade-bm25'"),
    "unknown key": (system(licens="MIT"), "facts", "unknown key 'licens'. Did you mean 'licence'?"),
    "path as id": (facts(lambda found: found.update(id="../../x")), "facts", "id: may hold letters"),
    "path as subset": (
        facts(lambda found: found["scores"].update({"en/../../x": found["scores"][KEY]})),
        "facts",
        "scores.en/../../x",
    ),
    "path as condition": (
        facts(lambda found: found["scores"][KEY].update({"../x/../..": found["scores"][KEY]["clean"]})),
        "facts",
        "../x/../..",
    ),
    "escape codes in a key": (
        facts(lambda found: found["scores"].update({"en/x\x1b[2J\n::error::\u202e": {}})),
        "facts",
        "scores.en/x\\x1b[2J",
    ),
    "another's id": (facts(lambda found: found.update(id="winner")), "facts", "its id is 'winner'"),
    "a file more": (lambda at: (at / "setup.py").write_text("1"), "files", "'setup.py': does not belong"),
    "a hidden file": (lambda at: (at / "runs/.DS_Store").write_text("1"), "files", "'runs/.DS_Store'"),
    "a file less": (lambda at: (at / RUN).unlink(), "files", f"'{RUN}': is missing"),
    "a link": (
        lambda at: ((at / RUN).unlink(), (at / RUN).symlink_to("/etc/passwd")),
        "files",
        "a symbolic link",
    ),
    "a linked folder": (lambda at: (at / "more").symlink_to("/etc"), "files", "'more': is a symbolic link"),
    "a pipe": (lambda at: os.mkfifo(at / "pipe"), "files", "is no plain file"),
    "no facts": (lambda at: (at / "submission.json").unlink(), "files", "submission.json: is missing"),
    "no JSON": (lambda at: (at / "submission.json").write_text("{"), "facts", "not strict JSON"),
    "NaN in JSON": (
        lambda at: (at / "submission.json").write_text('{"id": NaN}'),
        "facts",
        "NaN is no finite",
    ),
    "deep JSON": (lambda at: (at / "submission.json").write_text("[" * 200_000), "facts", "not strict JSON"),
    "a key twice": (
        lambda at: (at / "submission.json").write_text('{"id": 1, "id": 2}'),
        "facts",
        "stands twice",
    ),
    "code in YAML": (
        lambda at: (at / "system.yaml").write_text("name: !!python/object/apply:os.system [id]\n"),
        "facts",
        "not plain YAML",
    ),
    "deep YAML": (lambda at: (at / "system.yaml").write_text("[" * 60_000), "facts", "system.yaml"),
    "large YAML": (lambda at: (at / "system.yaml").write_text("#" * 70_000), "files", "more than 65,536"),
    "transcripts of others": (
        heard('{"_id": "q9", "asr_text": "a", "status": "ok"}\n'),
        "transcripts",
        "'q9' is not",
    ),
    "transcripts missing": (heard(""), "transcripts", "query 'q1' is missing"),
    "empty for failed": (
        heard('{"_id": "q1", "asr_text": "", "status": "error"}\n'),
        "transcripts",
        "is 'error'",
    ),
    "path as audio": (
        heard('{"_id": "q1", "asr_text": "a", "status": "ok", "audio": "../../x.wav"}\n'),
        "transcripts",
        "audio is '../../x.wav'",
    ),
    "not JSON lines": (heard("NaN\n"), "transcripts", "is no strict JSON object"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_is_refused_for_its_reason(kind: str, submission: Path, data: Path, tmp_path: Path) -> None:
    spoil, by, reason = BROKEN[kind]
    verdict = check(spoiled(submission, tmp_path / "bad", spoil), data)
    assert not verdict.accepted
    found = refusals(verdict)
    assert by in found, found
    assert any(reason in fault for fault in found[by]), found
    json.dumps(verdict.plain(), allow_nan=False)
    assert all(fault.isprintable() for faults in found.values() for fault in faults)


def test_the_same_submission_unspoiled_is_accepted(submission: Path, data: Path, tmp_path: Path) -> None:
    verdict = check(spoiled(submission, tmp_path / "good", lambda folder: seal(folder)), data)
    assert verdict.accepted, refusals(verdict)


def test_a_query_that_failed_has_no_documents(submission: Path, data: Path, tmp_path: Path) -> None:
    def spoil(folder: Path) -> None:
        name = "transcripts/en/trial/clean.jsonl.gz"
        rows = [{**json.loads(line), "asr_text": "", "status": "failed"} for line in lines(folder / name)]
        write(folder / name, "".join(f"{json.dumps(row)}\n" for row in rows))
        seal(folder)

    found = refusals(check(spoiled(submission, tmp_path / "bad", spoil), data))
    assert list(found) == ["transcripts"]
    assert "query 'q1' failed, but the run has documents" in found["transcripts"][0]
