"""What the tests of the leaderboard share: a small evaluation, its submission, and ways to spoil one."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from squtr.commands.eval import run_eval
from squtr.digest import digest_file
from squtr.leaderboard.submit import submit
from squtr.leaderboard.validate import validate
from squtr.leaderboard.verdict import Verdict
from tests.building import RECOGNISER, build, write_both

OVERLAP = "tests.eval.retriever_doubles:Overlap"
RUN = "runs/en/trial/snr_0.run.gz"
HEARD = "transcripts/en/trial/snr_0.jsonl.gz"
SYSTEM: dict[str, Any] = {
    "name": "Tones and words",
    "authors": ["A. Author"],
    "links": ["https://example.org/paper"],
    "family": "cascade-bm25",
    "recogniser": {"name": "tones", "revision": "1"},
    "retriever": {"name": "bm25"},
    "parameters": 0,
    "prompts": {"query": "query: {text}"},
    "training_sets": [],
    "licence": "Apache-2.0",
    "hardware": "one CPU core",
}


def write_system(path: Path, **changes: Any) -> Path:
    plain = {key: value for key, value in {**SYSTEM, **changes}.items() if value is not None}
    path.write_text(yaml.safe_dump(plain, allow_unicode=True), encoding="utf-8")
    return path


def make(folder: Path) -> tuple[Path, Path]:
    """Build a bilingual data set, evaluate two systems on it; return both folders."""
    build(write_both(folder), folder / "data")
    run_eval(folder / "data", RECOGNISER, ["bm25", OVERLAP], folder / "eval", 1, None)
    return folder / "data", folder / "eval"


def packed(evaluation: Path, out: Path, of: str = "bm25", **changes: Any) -> Path:
    submit(evaluation, write_system(out.with_name(f"{out.name}.yaml"), **changes), out, of)
    return out


def lines(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()


def write(path: Path, text: str) -> None:
    path.write_bytes(gzip.compress(text.encode("utf-8", "surrogateescape"), mtime=0))


def seal(folder: Path) -> None:
    """State the digests of the files as they are now: what a submitter with bad intent would do."""
    facts = json.loads((folder / "submission.json").read_text())
    names = [path for path in folder.rglob("*") if path.is_file() and path.name != "submission.json"]
    facts["files"] = {path.relative_to(folder).as_posix(): digest_file(path) for path in names}
    (folder / "submission.json").write_text(json.dumps(facts))


def edit_facts(folder: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    facts = json.loads((folder / "submission.json").read_text())
    edit(facts)
    (folder / "submission.json").write_text(json.dumps(facts))


def edit_run(folder: Path, edit: Callable[[list[str]], object], name: str = RUN) -> None:
    rows = lines(folder / name)
    edit(rows)
    write(folder / name, "".join(f"{row}\n" for row in rows))
    seal(folder)


def spoiled(submission: Path, target: Path, spoil: Callable[[Path], object]) -> Path:
    shutil.copytree(submission, target)
    spoil(target)
    return target


def refusals(verdict: Verdict) -> dict[str, list[str]]:
    return {
        check.name: [str(fault) for fault in check.faults]
        for check in verdict.checks.values()
        if check.faults
    }


def check(folder: Path, data: Path, board: Path | None = None) -> Verdict:
    return validate(folder, data, board)
