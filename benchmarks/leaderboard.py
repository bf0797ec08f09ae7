"""Rendering a board of 1,000 synthetic systems, against reading and scoring their runs with pytrec_eval.

    PYTHONPATH=. python benchmarks/leaderboard.py [SYSTEMS] [FOLDER]

Six subsets in two languages, five conditions, 20 queries each, ten documents a query: small rankings, because
what is measured is the board itself. Rendered twice, without and with what was kept of the first time. Then
the page is opened, where there are playwright and Chromium: milliseconds until its rows stand, median of 5;
fewer systems are repeated to 1,000 for that.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytrec_eval
import yaml

from squtr.digest import digest_file
from squtr.eval.measures import DEFAULT_MEASURES
from squtr.eval.scores import score_runs
from squtr.leaderboard.lines import write_lines
from squtr.leaderboard.ranking import ranking_digest
from squtr.leaderboard.render import render
from squtr.leaderboard.site_values import script
from squtr.progress import Silent

SUBSETS = ("en/fiqa", "en/hotpotqa", "en/nq", "zh/du", "zh/medical", "zh/t2")
CONDITIONS = ("text", "clean", "snr_20", "snr_10", "snr_0")
QUERIES = [f"q{number}" for number in range(20)]
DOCUMENTS = [f"d{number:03}" for number in range(200)]
QRELS = {query: {DOCUMENTS[7 * place]: 1, DOCUMENTS[7 * place + 1]: 2} for place, query in enumerate(QUERIES)}
FAMILIES = ("end-to-end", "other")
DIGEST = "0" * 64
BROWSER_OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
# Both give the time behind the next frame, when rows are laid out and painted.
WATCH = """new MutationObserver((_, observer) => {
  if (!document.querySelector("#board tbody tr")) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.filled = performance.now(); }));
}).observe(document, { childList: true, subtree: true });"""
CLICK = """(place) => new Promise((done) => {
  const began = performance.now();
  document.querySelector(place).click();
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
})"""


def write_data(root: Path) -> None:
    """Write what a board keeps of the data set that all systems ran on."""
    place = root / "datasets" / "synthetic"
    subsets: dict[str, Any] = {}
    for key in SUBSETS:
        parts = {
            "qrels": [f"{q} 0 {d} {grade}" for q in sorted(QRELS) for d, grade in sorted(QRELS[q].items())],
            "queries": sorted(QUERIES),
            "documents": sorted(DOCUMENTS),
            "noise": [
                f"{condition} {query} {('car', 'fan', 'rain')[at % 3]}"
                for condition in CONDITIONS[2:]
                for at, query in enumerate(sorted(QUERIES))
            ],
        }
        for name, lines in parts.items():
            write_lines(place / f"{key}.{name}.gz", lines)
        subsets[key] = {
            "fingerprint": DIGEST, "qrels": DIGEST, "audio": None, "language": key[:2],
            "conditions": list(CONDITIONS[1:]), "queries": len(QUERIES), "documents": len(DOCUMENTS),
            "files": {name: digest_file(place / f"{key}.{name}.gz") for name in parts},
        }  # fmt: skip
    facts = {"name": "synthetic", "slice": False, "subsets": subsets}
    (place / "dataset.json").write_text(json.dumps(facts))


def write_system(root: Path, number: int) -> None:
    """Write a submission whose rankings get worse with the noise, each system by its own measure."""
    rng = np.random.default_rng(number)
    folder = root / "submissions" / f"synthetic-system-{number}"
    folder.mkdir(parents=True)
    skill = rng.uniform(0.3, 3.0)
    scores: dict[str, dict[str, Any]] = {}
    for key in SUBSETS:
        runs = {name: _run(rng, skill - 0.3 * noise) for noise, name in enumerate(CONDITIONS)}
        for name, run in runs.items():
            path = folder / "runs" / key / f"{name}.run.gz"
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = (
                f"{query} Q0 {document} {at + 1} {score} s"
                for query, found in run.items()
                for at, (document, score) in enumerate(found.items())
            )
            path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), 1, mtime=0))
        scores[key] = {
            name: {
                "measures": found.mean, "queries": found.queries, "no_response": 0, "unanswered": [],
                "ranking": ranking_digest(runs[name]),
            }
            for name, found in score_runs(QRELS, runs).items()
        }  # fmt: skip
    system = {
        "name": f"Synthetic system {number}", "authors": ["A. Author"], "family": FAMILIES[number % 2],
        "retriever": {"name": f"encoder-{number}"}, "parameters": int(10 ** rng.uniform(6, 10.5)),
        "training_sets": [["MS MARCO"], ["nq"], []][number % 3],
        "licence": ["MIT", "Apache-2.0", "closed"][number % 3], "hardware": "one core",
    }  # fmt: skip
    (folder / "system.yaml").write_text(yaml.safe_dump(system))
    made = {
        "system": f"encoder-{number}", "fingerprint": "synthetic", "recogniser": None,
        "recogniser_fingerprint": None, "command": "squtr eval data", "seed": 0, "normalisers": {},
        "wall_seconds": 1.0,
    }  # fmt: skip
    facts = {
        "schema_version": 1, "id": folder.name, "depth": 100,
        "dataset": {
            "name": "synthetic", "slice": False,
            "subsets": {key: {"fingerprint": DIGEST, "qrels": DIGEST} for key in SUBSETS},
        },
        "measures": {measure.full_name: measure.definition for measure in DEFAULT_MEASURES},
        "main_measure": DEFAULT_MEASURES[0].full_name, "made": made,
        "environment": {"squtr": "0", "python": "3", "machine": "x86_64", "system": "Linux"},
        "scores": scores,
        "files": {p.relative_to(folder).as_posix(): digest_file(p) for p in folder.rglob("*") if p.is_file()},
    }  # fmt: skip
    (folder / "submission.json").write_text(json.dumps(facts))


def _run(rng: np.random.Generator, skill: float) -> dict[str, dict[str, float]]:
    run = {}
    for query in QUERIES:
        wanted = list(QRELS[query])
        others = rng.choice([one for one in DOCUMENTS if one not in wanted], 8, replace=False).tolist()
        values = dict(
            zip(others + wanted, rng.normal(0, 1, 10) + np.r_[np.zeros(8), skill, skill], strict=True)
        )
        run[query] = {d: round(20 + s, 6) for d, s in sorted(values.items(), key=lambda row: -row[1])}
    return run


def score_alone(root: Path) -> None:
    """Read every run and score it with pytrec_eval: no checks, no intervals, no tests, no pages."""
    engine = pytrec_eval.RelevanceEvaluator(QRELS, {"ndcg_cut.10", "recip_rank", "recall.10"})
    for path in sorted(root.glob("submissions/*/runs/*/*/*.run.gz")):
        run: dict[str, dict[str, float]] = {}
        for line in gzip.decompress(path.read_bytes()).decode().splitlines():
            query, _, document, _, score, _ = line.split()
            run.setdefault(query, {})[document] = float(score)
        engine.evaluate(run)


def repeated(site: Path, page: Path, systems: int) -> None:
    """Copy the board's page; where it has fewer systems, repeat them under other names."""
    for name in ("index.html", "style.css", "common.js", "chart.js", "board.js"):
        (page / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(site / name, page / name)
    text = (site / "data" / "board.js").read_text(encoding="utf-8")
    value = json.loads(text[len("squtr.board(") : -len(");\n")])
    few = value["systems"]
    value["systems"] = [
        {**few[at % len(few)], "id": f"system-{at}", "name": f"System {at}"}
        for at in range(max(systems, len(few)))
    ]
    (page / "data").mkdir(exist_ok=True)
    (page / "data" / "board.js").write_text(script("board", value), encoding="utf-8")


def open_page(page: Path, times: int = 5) -> None:
    """Say how long it takes to open the page, to sort its rows and to show all of them."""
    browser_path = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        browser_path = None
    if browser_path is None:
        print("the page was not opened: no playwright or no Chromium here")
        return
    found: dict[str, list[float]] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=BROWSER_OPTIONS)
        for _ in range(times):
            tab = browser.new_context().new_page()
            tab.add_init_script(WATCH)
            tab.goto((page / "index.html").resolve().as_uri())
            found.setdefault("open the page", []).append(tab.evaluate("window.filled"))
            for what, place in (("sort by size", "th.size button"), ("show all rows", "#more")):
                found.setdefault(what, []).append(tab.evaluate(CLICK, place))
            rows = tab.locator("#board tbody tr").count()
            tab.context.close()
        browser.close()
    size = (page / "data" / "board.js").stat().st_size / 1e6
    print(f"board of {rows} systems, {size:.1f} MB:")
    for what, values in found.items():
        print(f"  {what}: {sorted(values)[len(values) // 2]:.0f} ms")


def timed(what: str, call: Any) -> float:
    """Run a call and say how long it took."""
    began = time.perf_counter()
    call()
    seconds = time.perf_counter() - began
    print(f"{what}: {seconds:.1f} s", flush=True)
    return seconds


def main() -> None:
    """Write the board where it is not there yet, then time."""
    systems = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    root = Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="squtr-board-"))
    if not (root / "datasets").exists():
        write_data(root)
        for number in range(systems):
            write_system(root, number)
    board, site, cache = root / "submissions", root / "site", root / "cache"
    peer = timed("read and score with pytrec_eval", lambda: score_alone(root))
    for what in ("render, nothing kept", "render again"):
        seconds = timed(what, lambda: render(board, site, None, cache, 2, Silent()))
        print(f"  {seconds / peer:.1f} times reading and scoring")
    print(f"{sum(1 for _ in site.rglob('*'))} files in {site}")
    repeated(site, root / "page", 1000)
    open_page(root / "page")


if __name__ == "__main__":
    main()
