"""Changes to a folder with a collection and a recipe, for tables of bad input."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.building import write_recipe

Change = Callable[[Path], object]


def line(name: str, number: int, text: str) -> Change:
    """Put `text` in place of a line, counted from 1."""

    def act(folder: Path) -> None:
        lines = (folder / name).read_text(encoding="utf-8").splitlines()
        lines[number - 1] = text
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    return act


def put(name: str, text: str) -> Change:
    return lambda folder: (folder / name).write_text(text, encoding="utf-8")


def settings(**changes: object) -> Change:
    return lambda folder: write_recipe(folder, **changes)


def more(text: str) -> Change:
    """Append lines to the recipe."""

    def act(folder: Path) -> None:
        with (folder / "recipe.yaml").open("a", encoding="utf-8") as file:
            file.write(text)

    return act


def gone(name: str) -> Change:
    return lambda folder: (folder / name).unlink()


def plain(text: str) -> str:
    """Take the frame off what typer prints."""
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", text).split())


def check(ran: tuple[int, str, str], pattern: str, folder: Path) -> None:
    """Assert exit code 2 and one message with `pattern` in it."""
    code, shown, error = ran
    assert code == 2
    assert not shown
    assert "Traceback" not in error
    assert re.search(pattern, plain(error)), plain(error)
    assert not (folder / "pwned").exists()
