"""All systems of the board, scored, and where each stands."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from squtr.errors import UserError
from squtr.leaderboard.board_data import BoardData
from squtr.leaderboard.entry import MAIN, Entry, Table, read_entry
from squtr.leaderboard.schema import SUBMISSION_FILE
from squtr.leaderboard.standings import Floats, Standings, standings
from squtr.leaderboard.validate import offered_data
from squtr.leaderboard.verdict import Verdict
from squtr.leaderboard.workers import Each
from squtr.progress import Reporter

_MANY = 100
_STAGE, _COMPARE = "score systems", "compare systems"


@dataclass(frozen=True)
class Scope:
    """What is ranked together: a data set, one of its subsets or a language's mean, and a condition."""

    dataset: str
    part: str
    condition: str


@dataclass(frozen=True)
class Ranked:
    """The systems of a scope by id, and their standings."""

    ids: tuple[str, ...]
    standings: Standings

    @functools.cached_property
    def places(self) -> dict[str, int]:
        """The place of each system in the standings."""
        return {name: place for place, name in enumerate(self.ids)}


@dataclass(frozen=True)
class Board:
    """Data sets with systems, the systems by id, their standings, and what was left out with its reasons."""

    data: tuple[BoardData, ...]
    entries: tuple[Entry, ...]
    ranked: dict[Scope, Ranked]
    left_out: tuple[Verdict, ...]


def submissions(board: Path) -> list[Path]:
    """Return the folders in `board`. Raises UserError where none is a submission."""
    folders = sorted(path for path in board.iterdir() if path.is_dir() and not path.name.startswith("."))
    if not any((folder / SUBMISSION_FILE).is_file() for folder in folders):
        raise UserError(f"{board}: no submission in it. squtr leaderboard submit makes one.")
    return folders


def read_board_entries(
    folders: Sequence[Path], offered: Sequence[BoardData], cache: Path | None, each: Each, progress: Reporter
) -> Board:
    """Score every submission and compare them. Raises UserError where none is sound.

    `each` is a `map` over processes that called `hold_data`. A submission that is refused, or whose folder,
    id or name is not its own, is left out.
    """
    progress.total(_STAGE, len(folders))
    entries: dict[str, Entry] = {}
    names: dict[str, str] = {}
    left_out: list[Verdict] = []
    for folder, found in zip(folders, each(_read, folders, itertools.repeat(cache)), strict=True):
        progress.advance(_STAGE, 1)
        if isinstance(found, Verdict):
            left_out.append(found)
        elif refused := _foreign(folder, found, names):
            left_out.append(refused)
        else:
            entries[found.id], names[found.system.name.casefold()] = found, found.id
    if not entries:
        raise UserError(
            f"{folders[0].parent}: none of its submissions validates. {_first_fault(left_out[0])}"
        )
    used = {entry.dataset for entry in entries.values()}
    kept = tuple(one for one in offered if one.name in used)
    ranked = _ranked(kept, list(entries.values()), each, progress)
    return Board(kept, tuple(entries.values()), ranked, tuple(left_out))


def _foreign(folder: Path, entry: Entry, names: dict[str, str]) -> Verdict | None:
    verdict = Verdict(str(folder), entry.id, entry.system.name)
    if entry.id != folder.name:
        verdict["board"].refuse(folder.name, f"holds the submission {entry.id}", "Rename the folder to that.")
    if other := names.get(entry.system.name.casefold()):
        verdict["board"].refuse(entry.id, f"goes by the name of {other}", "Choose a name of its own.")
    return verdict if verdict["board"].faults else None


def _first_fault(verdict: Verdict) -> str:
    return next(str(fault) for check in verdict.checks.values() for fault in check.faults)


_HELD: list[BoardData] = []


def hold_data(data: Path | None, board: Path) -> None:
    """Read the data sets that this process holds submissions against."""
    _HELD[:] = offered_data(data, board)


def _read(folder: Path, cache: Path | None) -> Entry | Verdict:
    try:
        return read_entry(folder, _HELD, cache)
    except OSError as error:
        path = Path(error.filename or "")
        if not path.is_relative_to(folder):
            raise
        verdict = Verdict(str(folder))
        where = path.relative_to(folder).as_posix()
        verdict["files"].refuse(where, f"cannot be read ({error.strerror})", "Let it be read.")
        return verdict


def _ranked(
    data: Sequence[BoardData], entries: Sequence[Entry], each: Each, progress: Reporter
) -> dict[Scope, Ranked]:
    tasks = {scope: found for one in data for scope, found in _scopes(one, entries)}
    progress.total(_COMPARE, len(tasks))
    found: dict[Scope, Ranked] = {}
    names, columns, means = zip(*tasks.values(), strict=True)
    among = each if max(map(len, names)) >= _MANY else map
    for scope, ids, standing in zip(tasks, names, among(standings, columns, means), strict=True):
        found[scope] = Ranked(ids, standing)
        progress.advance(_COMPARE, 1)
    return found


def _scopes(
    data: BoardData, entries: Sequence[Entry]
) -> Iterator[tuple[Scope, tuple[tuple[str, ...], list[Table], Floats]]]:
    """Yield each scope with its systems, their scores, one table (queries, systems) a subset, and means."""
    languages: dict[str, list[str]] = {}
    for key, subset in data.subsets.items():
        languages.setdefault(subset.language, []).append(key)
    parts = {key: [key] for key in data.subsets} | languages
    for part, keys in parts.items():
        members = [one for one in entries if one.dataset == data.name and keys[0] in one.facts["cells"]]
        for condition in dict.fromkeys(name for one in members for name in one.facts["cells"][keys[0]]):
            having = [
                one for one in members if all(condition in one.facts["cells"].get(key, ()) for key in keys)
            ]
            if having:
                columns = [_columns(having, key, condition) for key in keys]
                means = np.array([_mean(one, keys, condition) for one in having])
                yield Scope(data.name, part, condition), (tuple(one.id for one in having), columns, means)


def _mean(entry: Entry, keys: Sequence[str], condition: str) -> float:
    cells = (entry.facts["cells"][key][condition]["measures"] for key in keys)
    return sum(float(measures[MAIN]["mean"]) for measures in cells) / len(keys)


def _columns(entries: Sequence[Entry], key: str, condition: str) -> Table:
    return np.stack(
        [one.scores[key][list(one.facts["cells"][key]).index(condition)] for one in entries], axis=1
    )
