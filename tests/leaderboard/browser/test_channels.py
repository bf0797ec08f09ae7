"""A board with conditions behind channels: a curve runs along noise, not from one channel to the next."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.leaderboard import boards
from tests.leaderboard.boards import rendered, write_data, write_submission
from tests.leaderboard.browser.conftest import Visit

pytestmark = pytest.mark.xdist_group("browser")
QUERIES = {"en/nq": [f"q{number}" for number in range(6)]}
CHANNEL = "missed_space@0.5|disfluent"
CONDITIONS = ("clean", "snr_10", "snr_0", f"{CHANNEL}/clean", f"{CHANNEL}/snr_0")
DRAWN = {"snr_0": ["text", "clean", "10 dB", "0 dB"], f"{CHANNEL}/snr_0": ["text", "clean", "0 dB"]}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("channels")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(boards, "CONDITIONS", CONDITIONS)
        write_data(root, QUERIES)
    for first, name in enumerate(("One", "Two"), 1):
        places = {name: [first + at % 5] * 6 for at, name in enumerate(("text", *CONDITIONS))}
        write_submission(root, name, QUERIES, {"en/nq": places})
    rendered(root)
    return root / "site"


def along(page: Any) -> list[str]:
    """Return what stands under the curves; figures beside them are numbers alone."""
    texts = page.locator("#curves > svg text").all_text_contents()
    return [one.replace("\u202f", " ") for one in texts if not one.replace(".", "").isdigit()]


@pytest.mark.parametrize("condition", DRAWN)
@pytest.mark.parametrize("width", [1280, 390])
def test_curves_are_of_the_channel_that_is_chosen(
    site: Path, visit: Visit, condition: str, width: int
) -> None:
    page = visit(site / "index.html", viewport={"width": width, "height": 900})
    assert page.locator("select[name=condition] option").count() == 6
    page.select_option("select[name=condition]", condition)
    assert along(page) == DRAWN[condition]
    assert (f", {CHANNEL}, with" in page.locator("#curves figcaption").text_content()) is ("/" in condition)
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_the_other_pages_draw_the_plain_conditions(site: Path, visit: Visit) -> None:
    assert along(visit(site / "systems/one.html")) == DRAWN["snr_0"]
    assert along(visit(site / "compare.html", "#condition=snr_0")) == DRAWN["snr_0"]


def test_a_view_names_its_data_set(site: Path, visit: Visit, tmp_path: Path) -> None:
    """So it stays the view of that one when the board gets others, which may come before it."""
    address = visit(site / "index.html").evaluate("location.hash")
    assert "data=trial-set" in address
    write_data(tmp_path, QUERIES, "a set, and before")
    write_submission(
        tmp_path,
        "New",
        QUERIES,
        {"en/nq": {"clean": [1] * 6, "snr_20": [1] * 6, "snr_0": [1] * 6}},
        data="a set, and before",
    )
    for part in ("datasets", "submissions"):
        shutil.copytree(site.parent / part, tmp_path / part, dirs_exist_ok=True)
    rendered(tmp_path)
    page = visit(tmp_path / "site/index.html")
    assert page.locator("#board tbody th a").all_text_contents() == ["New"]
    page = visit(tmp_path / "site/index.html", address)
    assert page.locator("#board tbody th a").all_text_contents() == ["One", "Two"]
