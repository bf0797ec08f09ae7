"""Collections on the hub in a recipe: pinned or refused with the line, and no part of the digest."""

from __future__ import annotations

from pathlib import Path

import pytest

from squtr.errors import UserError
from squtr.recipe_file import read_recipe

PIN, OTHER = (f"hf://datasets/org/name@{digit * 40}" for digit in "ab")


def recipe(tmp_path: Path, *lines: str):
    path = tmp_path / "recipe.yaml"
    path.write_text(
        "\n".join(["name: trial", "collections:", "  - name: x", "    language: en", *lines]) + "\n"
    )
    return read_recipe(path)[0]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("    path: hf://datasets/org/name", r":5: collections\.0\.path: .*no revision is pinned"),
        ("    path: hf://datasets/org/name@main", r":5: collections\.0\.path: .*'main' can move"),
        ("    path: hf://org/name", r":5: .*hf://datasets/organisation/name@revision"),
        (
            f"    path: {PIN}\n    qrels: elsewhere",
            r":6: collections\.0\.qrels: .*hf://datasets/organisation",
        ),
        (f"    path: here\n    qrels: {PIN}", "qrels: goes with a path on the hub"),
    ],
)
def test_faults_have_their_line(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        recipe(tmp_path, line)


def test_where_a_collection_lies_is_no_part_of_the_digest(tmp_path: Path) -> None:
    here = recipe(tmp_path, "    path: here")
    there = recipe(tmp_path, f"    path: {PIN}", f"    qrels: {OTHER}")
    assert here.digest == there.digest
    assert "qrels" not in here.description["collections"][0]
    assert there.description["collections"][0]["qrels"] == OTHER
