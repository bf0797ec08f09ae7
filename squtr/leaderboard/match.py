"""Whether a data set is one of the board's, before anything is evaluated on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from squtr.dataset import heard_everywhere, read_dataset
from squtr.leaderboard.board_data import BoardData, subset_facts
from squtr.leaderboard.check_data import differences, nearest, uncovered


@dataclass(frozen=True)
class Match:
    """The nearest data set of the board, and where and how the one that was looked at differs from it."""

    dataset: str
    differences: list[tuple[str, str]]


def match(folder: Path, offered: Sequence[BoardData]) -> Match:
    """Compare a data set folder with those of the board. Raises UserError for what is no data set."""
    facts = {subset.key: subset_facts(subset) for subset in map(heard_everywhere, read_dataset(folder))}
    data = nearest(facts, offered)
    lacking = [
        (key, "is not there, while another subset of its language is") for key in uncovered(facts, data)
    ]
    return Match(data.name, differences(facts, data) + lacking)
