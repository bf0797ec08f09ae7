"""`squtr validate`: what a collection holds and what is odd about it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from squtr.commands.validate import run_validate, show_validate
from squtr.errors import UserError
from tests.building import ENGLISH, command, write_collection

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


def test_a_sound_collection_and_an_odd_one(tmp_path, capsys):
    folder = write_collection(tmp_path / "c", ENGLISH, ["q1\td-0\t2", "q2\td-1\t0", "q2\tnone\t1"])
    show_validate(run_validate(folder, "en", False), folder, True)
    found = json.loads(capsys.readouterr().out)
    assert (found["documents"], found["queries"], found["judged_queries"]) == (4, 4, 2)
    assert found["grades"] == {"0": 1, "1": 1, "2": 1}
    kinds = {finding["kind"]: finding["count"] for finding in found["findings"]}
    assert kinds == {"unjudged-query": 2, "qrels-unknown-document": 1}
    with pytest.raises(UserError, match=r"test\.tsv:4: document 'none' is not in the corpus"):
        run_validate(folder, "en", True)


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs shared/ beside the checkout")
def test_a_real_collection(capsys):
    folder = SHARED / "msmarco-50"
    show_validate(run_validate(folder, "en", False), folder, False)
    said = capsys.readouterr().out
    assert "5,000 documents, 50 queries, 4,102 judgements of 43 queries" in said
    assert "7 queries had no judgement" in said


def test_the_three_commands_are_on_the_command_line(tmp_path):
    folder = write_collection(tmp_path / "c", ENGLISH)
    (tmp_path / "a.trec").write_text("q1 Q0 d-0 1 1.0 x\n")
    lines = [
        ("validate", folder, "--json"),
        ("score", folder / "qrels" / "test.tsv", tmp_path / "a.trec", "--json"),
        ("wer", folder / "queries.jsonl", folder / "queries.jsonl", "--language", "en", "--json"),
    ]
    for line in lines:
        done = command(*line)
        assert done.returncode == 0, done.stderr
        assert isinstance(json.loads(done.stdout), dict)
    done = command("validate", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no corpus" in done.stderr
