"""What the README shows, runs."""

from __future__ import annotations

import re
from pathlib import Path

from tests.building import RECOGNISER, build, command, write_trial
from tests.conftest import ROOT

README = Path(ROOT, "README.md").read_text(encoding="utf-8")


def test_the_ten_line_retriever_runs_as_it_stands(tmp_path: Path) -> None:
    build(write_trial(tmp_path), tmp_path / "data")
    code = re.search(r"```python\n# my_search.py\n(.*?)```", README, re.DOTALL)
    assert code
    (tmp_path / "my_search.py").write_text(code[1], encoding="utf-8")
    done = command(
        "eval",
        tmp_path / "data",
        "--asr",
        RECOGNISER,
        "--retriever",
        "my_search:Overlap",
        "--json",
        PYTHONPATH=f"{tmp_path}:{ROOT}",
    )
    assert done.returncode == 0, done.stderr
    assert '"my_search:Overlap"' in done.stdout


def test_the_two_commands_are_targets_of_the_makefile() -> None:
    makefile = Path(ROOT, "Makefile").read_text(encoding="utf-8")
    for target in ("demo", "test"):
        assert f"make {target} " in README
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
