"""What the tests of a build share: small collections, recipes on doubles, and data sets as bytes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from squtr.commands.build import run_build
from squtr.data_build.build import Summary

VOICE, RECOGNISER, JUDGE, HUM = (
    f"tests.doubles:{name}" for name in ("ToneVoice", "ToneRecogniser", "WordJudge,word=clumsy", "Hum")
)
ENGLISH = {
    "q1": "who wrote hamlet",
    "q2": "where is the tallest tree",
    "q3": "how deep is the sea",
    "q4": "when was paper invented",
}
CHINESE = {"z1": "北京的人口是多少", "z2": "今天天气怎么样"}


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def write_collection(folder: Path, queries: Mapping[str, str], qrels: list[str] | None = None) -> Path:
    """Write a BEIR folder with a document for every query, judged 1 unless `qrels` says otherwise."""
    rows = [
        {"_id": f"d-{place}", "title": "", "text": f"about {text}"}
        for place, text in enumerate(queries.values())
    ]
    write_lines(folder / "corpus.jsonl", rows)
    write_lines(folder / "queries.jsonl", [{"_id": name, "text": text} for name, text in queries.items()])
    lines = qrels or [f"{name}\td-{place}\t1" for place, name in enumerate(queries)]
    (folder / "qrels").mkdir(exist_ok=True)
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "\n".join(lines) + "\n")
    return folder


def write_speakers(path: Path) -> Path:
    rows = [
        {"id": f"{language}-{number}", "language": language, "voices": {VOICE: {"level": level}}}
        for language in ("en", "zh")
        for number, level in enumerate((0.2, 0.25, 0.3), 1)
    ]
    return write_lines(path, rows)


def write_recipe(folder: Path, **changes: Any) -> Path:
    """Write a recipe on doubles; `changes` are merged into its sections."""
    write_speakers(folder / "speakers.jsonl")
    plain: dict[str, Any] = {
        "name": "trial",
        "seed": 7,
        "collections": [
            {"name": name.partition("-")[2], "language": name.partition("-")[0], "path": name}
            for name in sorted(
                path.name for path in folder.iterdir() if path.is_dir() and path.name[2:3] == "-"
            )
        ],
        "speak": {"voice": VOICE, "speakers": "speakers.jsonl", "takes": 2},
        "choose": {"recogniser": RECOGNISER},
        "screen": {"recogniser": RECOGNISER, "judges": [{"judge": JUDGE, "min_score": 3.0}]},
        "mix": {"noise": HUM, "snrs_db": [10, 0]},
    }
    for section, value in changes.items():
        plain[section] = {**plain.get(section, {}), **value} if isinstance(value, dict) else value
    path = folder / "recipe.yaml"
    path.write_text(yaml.safe_dump(plain, allow_unicode=True), encoding="utf-8")
    return path


def write_trial(folder: Path, queries: Mapping[str, str] = ENGLISH, **changes: Any) -> Path:
    """Write an English collection and a recipe for it."""
    write_collection(folder / "en-trial", queries)
    return write_recipe(folder, **changes)


def write_both(folder: Path, **changes: Any) -> Path:
    """Write an English and a Chinese collection and a recipe for them."""
    write_collection(folder / "zh-trial", CHINESE)
    return write_trial(folder, **changes)


def build(recipe: Path, out: Path, workers: int = 1, cache: Path | None = None) -> Summary:
    return run_build(str(recipe), out, None, None, None, None, workers, cache)


def start(recipe: Path, out: Path, workers: int, **environment: object) -> subprocess.Popen[str]:
    """Start a build in a process of its own, at the head of a group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "squtr.cli", "build", recipe, "--out", out, "--workers", str(workers)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, **{name: str(value) for name, value in environment.items()}},
    )


def command(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "squtr.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        timeout=300,
    )


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def manifest(out: Path) -> list[dict[str, Any]]:
    return rows(out / "manifest.jsonl")


def files(out: Path) -> dict[str, bytes]:
    """Return every file of a data set but its work folder; the environment is taken out of build.json."""
    found = {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and ".squtr" not in path.parts
    }
    facts = json.loads(found["build.json"])
    del facts["environment"]
    return found | {"build.json": json.dumps(facts).encode()}


def wait_for(sight: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not sight():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
