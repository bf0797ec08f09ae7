"""Aliases of aliases: a small file that would be a billion values is refused before they are made."""

from __future__ import annotations

import pytest

from squtr.errors import UserError
from squtr.recipe_file import read_recipe


def test_c54_a_bomb_of_aliases_is_refused(tmp_path):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    (tmp_path / "bomb.yaml").write_text("\n".join(lines) + "\nname: x\n")
    with pytest.raises(UserError, match=r"bomb\.yaml: aliases of aliases make more than 1,000,000 values"):
        read_recipe(tmp_path / "bomb.yaml")


def test_plain_aliases_are_as_good_as_what_they_stand_for(tmp_path):
    (tmp_path / "recipe.yaml").write_text(
        "name: x\ncollections: [{name: a, language: &l en, path: p}, {name: b, language: *l, path: q}]\n"
    )
    recipe, _ = read_recipe(tmp_path / "recipe.yaml")
    assert recipe.subsets == ["en/a", "en/b"]
