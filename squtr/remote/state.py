"""What all processes of a machine share about services: turns, spending, and answers paid for.

One SQLite file; every call is one transaction of its own, so workers and killed runs cannot disturb it.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from squtr.errors import UserError

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS turn (account TEXT PRIMARY KEY, next REAL NOT NULL, paused REAL NOT NULL)",
    "CREATE TABLE IF NOT EXISTS spending (budget TEXT PRIMARY KEY, nano_usd INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS answer (key TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID",
)
_NANO = 10**9
_LONGEST_QUEUE_SECONDS = 3600.0


class State:
    """Turns, spending and answers in `folder`, by default the user's cache folder. Picklable."""

    def __init__(self, folder: str | None = None) -> None:
        self.folder = Path(folder) if folder else default_folder()

    def take_turn(self, account: str, per_minute: float | None) -> float:
        """Reserve the next moment for a request; return the seconds to wait for it.

        Turns of all processes are 60 / per_minute seconds apart, and none falls within a pause.
        """
        now = time.time()
        with self._transaction() as index:
            row = index.execute("SELECT next, paused FROM turn WHERE account = ?", (account,)).fetchone()
            following, paused = row or (0.0, 0.0)
            queued = following if following - now < _LONGEST_QUEUE_SECONDS else now
            turn = max(now, queued if per_minute else now, paused)
            after = turn + 60.0 / per_minute if per_minute else following
            index.execute("REPLACE INTO turn VALUES (?, ?, ?)", (account, after, paused))
        return turn - now

    def pause(self, account: str, seconds: float) -> None:
        """Let no process begin a request for so long."""
        until = time.time() + seconds
        with self._transaction() as index:
            index.execute(
                "INSERT INTO turn VALUES (?, 0, ?) ON CONFLICT (account) DO UPDATE"
                " SET paused = max(paused, excluded.paused)",
                (account, until),
            )

    def paused_seconds(self, account: str) -> float:
        """Return how much longer the account is paused."""
        with self._transaction() as index:
            row = index.execute("SELECT paused FROM turn WHERE account = ?", (account,)).fetchone()
        return max(row[0] - time.time(), 0.0) if row else 0.0

    def charge(self, budget: str, usd: float, most_usd: float | None) -> float | None:
        """Add a price to what was spent; return None, or what was spent so far if it would pass the cap.

        A negative price gives money back.
        """
        nano = round(usd * _NANO)
        with self._transaction() as index:
            spent = self._spent(index, budget)
            if most_usd is not None and nano > 0 and spent + nano > round(most_usd * _NANO):
                return spent / _NANO
            index.execute("REPLACE INTO spending VALUES (?, ?)", (budget, max(spent + nano, 0)))
        return None

    def spent_usd(self, budget: str) -> float:
        """Return what was spent, in US dollars."""
        with self._transaction() as index:
            return self._spent(index, budget) / _NANO

    def answer(self, key: str) -> str | None:
        """Return the answer kept under `key`."""
        with self._transaction() as index:
            row = index.execute("SELECT body FROM answer WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def keep(self, key: str, body: str) -> None:
        """Keep an answer."""
        with self._transaction() as index:
            index.execute("REPLACE INTO answer VALUES (?, ?)", (key, body))

    @staticmethod
    def _spent(index: sqlite3.Connection, budget: str) -> int:
        row = index.execute("SELECT nano_usd FROM spending WHERE budget = ?", (budget,)).fetchone()
        return int(row[0]) if row else 0

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        path = self.folder / "services.sqlite"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            index = sqlite3.connect(path, timeout=60, isolation_level=None)
            try:
                index.execute("BEGIN IMMEDIATE")
                for statement in _SCHEMA:
                    index.execute(statement)
                yield index
                index.execute("COMMIT")
            finally:
                index.close()
        except (OSError, sqlite3.Error) as error:
            raise UserError(
                f"{path}: spending and answers of services cannot be kept there ({error}). Name a folder of"
                " your own with state=FOLDER."
            ) from None


def default_folder() -> Path:
    """Return squtr's folder in the user's cache: paid answers outlive the data sets they were for."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "squtr"
