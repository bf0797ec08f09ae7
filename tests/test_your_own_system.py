"""What docs/your-own-system.md shows, runs: its files as they stand, its commands in their order."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.building import RECOGNISER, build, command, write_trial
from tests.conftest import ROOT

PAGE = Path(ROOT, "docs", "your-own-system.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
BUILD, FIRST, *OTHERS = COMMANDS
QUERIES = {"q1": "who wrote hamlet", "q2": "how deep is the sea"}


@pytest.mark.engines
def test_the_commands_run_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The data set is one of doubles, heard at first by their recogniser; all else is as it stands."""
    assert (BUILD, FIRST) == (
        "squtr build demo --limit 8 --out data",
        "squtr eval data --retriever bm25 --out first",
    )
    monkeypatch.chdir(tmp_path)
    build(write_trial(tmp_path, QUERIES), tmp_path / "data")
    for name, code in re.findall(r"```python\n# (\w+\.py)\n(.*?)```", PAGE, re.DOTALL):
        Path(name).write_text(code, encoding="utf-8")
    scores = {}
    for line in (f"{FIRST} --asr {RECOGNISER}", *OTHERS):
        words = shlex.split(line)
        squtr = words.index("squtr")
        assert words[:squtr] in ([], ["PYTHONPATH=."])
        done = command(*words[squtr + 1 :], PYTHONPATH=f"{tmp_path}:{ROOT}" if squtr else ROOT)
        assert done.returncode == 0, done.stderr
        out = words[words.index("--out") + 1]
        scores[out] = json.loads(Path(out, "results.json").read_text(encoding="utf-8"))["scores"]["en/trial"]
    assert list(scores["second"]) == ["bm25", "my_search:search", "my_search:search,size=2"]
    assert scores["second"]["my_search:search"]["text"]["measures"]["MRR@10"]["mean"] == 1.0
    assert list(scores["third"]) == ["bm25 | whisper-base", "bm25 | my_ears:hear"]
    assert list(scores["fourth"]) == ["dense", "yesterday"]
    assert scores["fourth"]["yesterday"] == scores["first"]["bm25"]


def test_its_links_lead_somewhere() -> None:
    for file, _, heading in re.findall(r"\]\(([\w-]+\.md)(#([\w-]+))?\)", PAGE):
        text = Path(ROOT, "docs", file).read_text(encoding="utf-8")
        titles = {
            re.sub(r"[^\w-]", "", one.lower().replace(" ", "-"))
            for one in re.findall(r"^#+ (.*)$", text, re.M)
        }
        assert not heading or heading in titles
