"""One browser and one site for all tests in this folder; no page may say, fetch or open anything unasked."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.leaderboard.boards import drawn, rendered, write_data, write_submission

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
OWN = ("file:", "data:", "blob:")

Visit = Callable[..., Any]
QUERIES = {
    "en/nq": [f"nq-{number:02}" for number in range(30)],
    "en/fiqa": [f"fiqa-{number:02}" for number in range(16)],
    "zh/du": [f"du-{number:02}" for number in range(16)],
}
OTHER = {"en/other": [f"other-{number}" for number in range(6)]}
SYSTEMS: dict[str, dict[str, Any]] = {
    "Alpha": {"family": "end-to-end", "parameters": 100_000_000, "training_sets": ["NQ"]},
    "Beta": {"family": "end-to-end", "parameters": 100_000_001, "licence": "Apache-2.0"},
    "Gamma": {"parameters": 0, "licence": "closed"},
    "Delta": {"parameters": 7_000_000_000, "training_sets": ["du (train)", "FiQA-2018"]},
    "Epsilon": {
        "family": "cascade-bm25",
        "recogniser": {"name": "ears", "revision": "1", "link": "https://example.org/ears"},
        "links": ["https://example.org/paper"],
        "prompts": {"query": "query: {text}\nanswer:"},
        "parameters": 72_593_920,
    },
    "Zeta": {"parameters": 20_000_000_000},
    "Eta": {"parameters": 1_000_000_000},
    "Theta": {"parameters": 10_000_000_000},
    "Iota": {"parameters": 5, "authors": ["A. Author", "B. Author"]},
    "Kappa": {"parameters": 6},
}


def write_board(root: Path) -> Path:
    """Ten systems on one data set, one on another. Gamma never finds anything, Iota has no oracle."""
    write_data(root, QUERIES)
    write_data(root, OTHER, "other-set", cut=True)
    for seed, (name, system) in enumerate(SYSTEMS.items()):
        places = drawn(seed, QUERIES, 0.5 + 0.05 * seed, text=name != "Iota")
        if name == "Gamma":
            nothing = {"text": 0, "clean": None, "snr_20": 0, "snr_0": 0}
            places = {
                key: {condition: [place] * len(named) for condition, place in nothing.items()}
                for key, named in QUERIES.items()
            }
        write_submission(root, name, QUERIES, places, **system)
    write_submission(root, "Elsewhere", OTHER, drawn(99, OTHER, 0.9), data="other-set")
    rendered(root)
    return root / "site"


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_board(tmp_path_factory.mktemp("board"))


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="no playwright here: it is in the extra dev"
    )
    if BROWSER is None:
        pytest.skip("no Chromium here; CI installs one")
    with playwright.sync_playwright() as running:
        found = running.chromium.launch(executable_path=BROWSER, args=OPTIONS)
        yield found
        found.close()


@pytest.fixture
def faults() -> list[str]:
    """What pages said to the console, failed at, opened, or asked from outside."""
    return []


@pytest.fixture
def visit(browser: Any, faults: list[str]) -> Iterator[Visit]:
    """Open a file and a view of it, what its address has from # on; at the end no fault may be there."""
    contexts = []

    def opened(path: Path, view: str = "", **context: Any) -> Any:
        contexts.append(browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **context}))
        page = contexts[-1].new_page()
        watch(page, faults)
        page.goto(path.resolve().as_uri() + view)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not faults


def watch(page: Any, faults: list[str]) -> None:
    def dialog(found: Any) -> None:
        faults.append(f"dialog: {found.message}")
        found.dismiss()

    page.on("console", lambda found: faults.append(f"console: {found.text}"))
    page.on("pageerror", lambda found: faults.append(f"error: {found}"))
    page.on("requestfailed", lambda found: faults.append(f"failed: {found.url}"))
    page.on("request", lambda found: found.url.startswith(OWN) or faults.append(f"outside: {found.url}"))
    page.on("popup", lambda found: faults.append("popup"))
    page.on("dialog", dialog)
