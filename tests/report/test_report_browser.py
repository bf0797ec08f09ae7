"""The page in a real browser: it opens, shows its tables, and says nothing to the console."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest
from report_data import evaluated, report, write_dataset

from squtr.eval.report.players import embedded_clips

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--enable-logging=stderr",
    "--virtual-time-budget=5000",
)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium here; CI installs one")


def _browse(tmp_path: Path, page: Path, *options: str) -> tuple[str, str]:
    """Return what the browser prints and what it logs."""
    assert BROWSER
    command = [
        BROWSER,
        *OPTIONS,
        f"--user-data-dir={tmp_path / 'profile'}",
        *options,
        page.resolve().as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, done.stderr


def _shot(tmp_path: Path, page: Path, width: int, *options: str) -> np.ndarray:
    picture = tmp_path / "shot.png"
    _browse(tmp_path, page, f"--window-size={width},2400", f"--screenshot={picture}", *options)
    return np.asarray(matplotlib.image.imread(picture))[..., :3]


def test_the_tables_are_there_and_the_console_is_silent(tmp_path: Path, path: Path) -> None:
    dom, log = _browse(tmp_path, path, "--dump-dom")
    assert len(re.findall("<table", dom)) > 15 and len(re.findall("<audio", dom)) > 5
    assert "CONSOLE" not in log, log
    assert dom.count("<h1") == 1 and "<script" not in dom


def test_a_broken_rule_would_be_heard(tmp_path: Path, path: Path) -> None:
    broken = tmp_path / "broken.html"
    broken.write_text(
        path.read_text(encoding="utf-8").replace("</body>", "<script>1</script></body>"), "utf-8"
    )
    assert "CONSOLE" in _browse(tmp_path, broken, "--dump-dom")[1]


@pytest.mark.parametrize("width", [1280, 500])
def test_the_picture_is_not_blank(tmp_path: Path, path: Path, width: int) -> None:
    picture = _shot(tmp_path, path, width)
    ground = np.median(picture.reshape(-1, 3), axis=0)
    drawn = np.abs(picture - ground).max(axis=2) > 0.2
    assert 0.01 < drawn.mean() < 0.5
    assert drawn.any(axis=1).mean() > 0.3


def test_dark_is_dark_and_light_is_light(tmp_path: Path, path: Path) -> None:
    light = np.median(_shot(tmp_path, path, 1000))
    dark = np.median(_shot(tmp_path, path, 1000, "--blink-settings=preferredColorScheme=0"))
    assert light > 0.9 and dark < 0.15


MEASURE = """<!DOCTYPE html><meta charset="utf-8"><body>
<iframe src="REPORT" style="width:390px;height:900px"></iframe>
<script>onload = () => {
  const page = document.querySelector("iframe").contentDocument;
  const free = one => !one.closest(".scroll") && !one.classList.contains("unseen");
  const wide = [...page.querySelectorAll("main *")]
    .filter(one => free(one) && one.getBoundingClientRect().right > 391).map(one => one.tagName);
  const spilt = [...page.querySelectorAll("th")]
    .filter(one => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1).length;
  const found = {wide, spilt, width: page.documentElement.scrollWidth};
  document.body.textContent = "FOUND" + JSON.stringify(found) + "END";
}</script></body>"""


def _measured(tmp_path: Path, page: Path) -> dict[str, Any]:
    frame = tmp_path / "frame.html"
    frame.write_text(MEASURE.replace("REPORT", page.resolve().as_uri()), encoding="utf-8")
    dom, _ = _browse(tmp_path, frame, "--dump-dom", "--allow-file-access-from-files")
    found: dict[str, Any] = json.loads(re.findall("FOUND(.*?)END", dom)[-1])
    return found


def test_nothing_but_tables_in_their_boxes_is_wider_than_a_phone(tmp_path: Path, path: Path) -> None:
    assert _measured(tmp_path, path) == {"wide": [], "spilt": 0, "width": 390}


def test_long_names_stay_in_their_cells(tmp_path: Path) -> None:
    results = evaluated(write_dataset(tmp_path / ("d" * 99), ["en/tiny"]), ["x" * 10_000, "y" * 39])
    report(tmp_path, *results)
    assert _measured(tmp_path, tmp_path / "report.html") == {"wide": [], "spilt": 0, "width": 390}


PLAY = """<!DOCTYPE html><body><script>
const clip = new Audio("CLIP");
clip.onloadedmetadata = () => { document.body.textContent = "SECONDS" + clip.duration + "END"; };
clip.onerror = () => { document.body.textContent = "SECONDSnoneEND"; };
</script></body>"""


def test_the_browser_can_play_the_clips(tmp_path: Path, small: Any) -> None:
    clip = next(iter(embedded_clips(*small).values()))
    page = tmp_path / "play.html"
    page.write_text(PLAY.replace("CLIP", str(clip.source)), encoding="utf-8")
    dom, _ = _browse(tmp_path, page, "--dump-dom")
    seconds = re.findall("SECONDS(.*?)END", dom)[-1]
    assert 0.2 < float(seconds) < 0.5
