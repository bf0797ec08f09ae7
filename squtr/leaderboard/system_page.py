"""What the page of one system says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from squtr.eval.report.words import condition_label, language_name, ordered, visible
from squtr.leaderboard.board import Board, Scope
from squtr.leaderboard.board_data import BoardData
from squtr.leaderboard.entry import Entry
from squtr.leaderboard.facts import seen_subsets
from squtr.leaderboard.site_values import error_rate_name, error_rates, measures_of, told_apart

_ALIKE = 20


class Place(NamedTuple):
    """Rank, best and worst rank that are not excluded, group, and among how many systems."""

    rank: int
    best: int
    worst: int
    group: int
    systems: int


@dataclass(frozen=True)
class Part:
    """A language's mean or a subset: scores by condition, error rates, losses, slope, area, noise."""

    key: str
    name: str
    macro: bool
    scores: Mapping[str, Mapping[str, Any]]
    places: Mapping[str, Place]
    cells: Mapping[str, Any]
    error_rate: str
    error_rates: Mapping[str, float]
    robustness: Mapping[str, Any]
    noise: Mapping[str, Any]
    noisy: list[str]
    alike: list[tuple[str, str]]
    alike_count: int
    hardest: str


@dataclass(frozen=True)
class SystemPage:
    """Everything on the page; `components`: recogniser, retriever; `data`: its name and whether a slice."""

    entry: Entry
    data: tuple[str, bool]
    parts: list[Part]
    seen: list[str]
    components: list[tuple[str, Any]]
    prompts: dict[str, str]
    unanswered: int
    environment: str


def system_page(board: Board, entry: Entry, names: Mapping[str, str]) -> SystemPage:
    """Put together what the page of a system shows."""
    data = next(one for one in board.data if one.name == entry.dataset)
    system, submission = entry.system, entry.submission
    components = [("recogniser", system.recogniser), ("retriever", system.retriever)]
    return SystemPage(
        entry,
        (data.name, data.slice),
        [_part(board, data, entry, key, names) for key in (*entry.facts["macro"], *entry.facts["cells"])],
        seen_subsets(system.training_sets, list(data.subsets)),
        [(what, component) for what, component in components if component is not None],
        {visible(name): visible_lines(text) for name, text in system.prompts.items()},
        sum(len(cell.unanswered) for cells in submission.scores.values() for cell in cells.values()),
        json.dumps(submission.environment.model_dump(), ensure_ascii=False, indent=1),
    )


def visible_lines(text: str) -> str:
    """Return a text of several lines without anything that acts unseen."""
    return "\n".join(map(visible, text.split("\n")))


def _part(board: Board, data: BoardData, entry: Entry, key: str, names: Mapping[str, str]) -> Part:
    scores = measures_of(entry, key)
    macro = key in entry.facts["macro"]
    noise = entry.facts["noise"].get(key, {})
    hardest = ordered(scores)[-1]
    alike, count = told_apart(board, entry, key, hardest, _ALIKE)
    return Part(
        key,
        f"{language_name(key)}: mean of its subsets" if macro else visible(key),
        macro,
        scores,
        {condition: _place(board, entry, Scope(entry.dataset, key, condition)) for condition in scores},
        entry.facts["cells"].get(key, {}),
        error_rate_name(key if macro else data.subsets[key].language),
        error_rates(data, entry, key),
        entry.facts["robustness"][key],
        noise,
        ordered(condition for conditions in noise.values() for condition in conditions),
        [(other, visible(names[other])) for other in alike],
        count,
        condition_label(hardest),
    )


def _place(board: Board, entry: Entry, scope: Scope) -> Place:
    ranked = board.ranked[scope]
    at, found = ranked.places[entry.id], ranked.standings
    return Place(found.ranks[at], found.best[at], found.worst[at], found.groups[at], len(ranked.ids))
