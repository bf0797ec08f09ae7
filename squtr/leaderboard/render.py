"""Render the board: score what is on it, compare, write the site."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from squtr.errors import UserError
from squtr.leaderboard.board import Board, hold_data, read_board_entries, submissions
from squtr.leaderboard.replacing import check_place, replacing, resolved
from squtr.leaderboard.site import write_site
from squtr.leaderboard.validate import check_is_board, offered_data
from squtr.leaderboard.workers import sharing, uncollected
from squtr.progress import Reporter

_STAGE = "write pages"
_MANY = 50


@dataclass(frozen=True)
class Rendered:
    """The board that was rendered, where to, and how many files and bytes the site has."""

    board: Board
    out: Path
    files: int
    bytes: int


def render(
    board: Path, out: Path, data: Path | None, cache: Path | None, workers: int, progress: Reporter
) -> Rendered:
    """Write the site of all submissions in `board` to `out`. Raises UserError."""
    _check_places(board, out, data, cache)
    folders, offered = submissions(board), offered_data(data, board)
    workers = workers if len(folders) >= _MANY else 1
    with replacing(out) as fresh, uncollected(), sharing(workers, hold_data, data, board) as each:
        read = read_board_entries(folders, offered, cache, each, progress)
        progress.total(_STAGE, len(read.entries))
        write_site(read, fresh, each, lambda count: progress.advance(_STAGE, count))
        sizes = [path.stat().st_size for path in fresh.rglob("*") if path.is_file()]
    return Rendered(read, out, len(sizes), sum(sizes))


def _check_places(board: Path, out: Path, data: Path | None, cache: Path | None) -> None:
    """Raise UserError for places that cannot be written, before anything is scored."""
    check_is_board(board)
    for source in filter(None, (board, data)):
        if resolved(out) in (source.resolve(), *source.resolve().parents):
            raise UserError(f"{out}: {source} lies in it, and would be lost. Choose another --out.")
    check_place(out)
    if board.resolve() in out.resolve().parents:
        raise UserError(f"{out}: lies among the submissions of the board. Choose another --out.")
    if cache and {board.resolve(), out.resolve()} & {cache.resolve(), *cache.resolve().parents}:
        raise UserError(f"{cache}: lies in the board or in the site. Choose another --cache.")
    for place, option in ((out, "--out"), (cache, "--cache")):
        held = place and next(one for one in (place.resolve(), *place.resolve().parents) if one.exists())
        if held and not held.is_dir():
            raise UserError(
                f"{place}: {held.name} is a file, and a folder is needed. Choose another {option}."
            )
    if cache:
        _check_writable(cache)


def _check_writable(cache: Path) -> None:
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{cache}: cannot be made ({error.strerror}). Choose another --cache.") from None
    if not os.access(cache, os.W_OK | os.X_OK):
        raise UserError(f"{cache}: cannot be written. Choose another --cache.")
