"""Whether a data set is one of the board's, before anything is evaluated on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from squtr.dataset import heard_everywhere, read_dataset
from squtr.leaderboard.board_data import BoardData, subset_facts
from squtr.leaderboard.check_data import differences, nearest, uncovered
from squtr.slicing import slice_of


@dataclass(frozen=True)
class Match:
    """The nearest data set of the board, and where and how the one that was looked at differs from it."""

    dataset: str
    differences: list[tuple[str, str]]


def match(folder: Path, offered: Sequence[BoardData]) -> Match:
    """Compare a data set folder with those of the board. Raises UserError for what is no data set.

    Recordings are what its manifest says; `squtr verify` and `squtr eval` hold the files against it.
    """
    facts = {subset.key: subset_facts(subset) for subset in map(heard_everywhere, read_dataset(folder))}
    data = nearest(facts, offered)
    found = differences(facts, data)
    found += [
        (key, "is not there, while another subset of its language is") for key in uncovered(facts, data)
    ]
    found += [
        (key, "has no manifest that says what its recordings hold")
        for key, mine in facts.items()
        if mine.audio is None and key in data.subsets and data.subsets[key].facts.audio is not None
    ]
    if (slice_of(folder) is not None) != data.slice:
        found.append((folder.name, "is a slice, or that of the board is: each stands beside its like alone"))
    return Match(data.name, found)
