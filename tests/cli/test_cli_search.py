"""`squtr search`: where its runs go is looked at before any work."""

from __future__ import annotations

import pytest

from tests.changes import check

ASKED = ("search", "en-trial", "--language", "en", "--retriever", "bm25")


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("en-trial", r"en-trial: is there already\. Choose an empty or new folder"),
        ("recipe.yaml", r"recipe\.yaml: is there already"),
        ("recipe.yaml/x", r"recipe\.yaml/x: cannot be written\. Choose a folder that can"),
    ],
)
def test_out_is_looked_at_before_any_work(folder, run, monkeypatch, out, said):
    monkeypatch.setattr("squtr.commands.search.load_systems", lambda specs: pytest.fail("too late"))
    check(run(*ASKED, "--out", out), said, folder)


def test_out_appears_with_its_runs_and_not_before(folder, run, monkeypatch):
    code, shown, _ = run(*ASKED, "--out", "runs")
    assert code == 0 and "4 judged queries" in shown
    assert [path.name for path in (folder / "runs").iterdir()] == ["bm25.trec"]

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "bm25.trec")

    monkeypatch.setattr("squtr.commands.search.write_run", full)
    code, _, said = run(*ASKED, "--out", "more")
    assert (code, said) == (2, "squtr: bm25.trec: No space left on device.\n")
    assert not (folder / "more").exists()


def test_a_cache_that_is_a_file(folder, run):
    check(run(*ASKED, "--cache", "recipe.yaml"), r"recipe\.yaml: is a file\. A cache is a folder", folder)
