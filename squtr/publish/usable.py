"""The rows of published query files that can be used; every other one is a gap."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from squtr.data_build.layout import table_condition
from squtr.publish.gaps import ROW, TABLE, UNHEARD, Gaps
from squtr.publish.listing import Listing

_START = "queries_with_"


@dataclass(frozen=True)
class UsableTable:
    """A query file of one condition: the lines and rows of it that can be used."""

    name: str
    condition: str
    lines: list[bytes]
    rows: list[dict[str, Any]]

    def audio(self) -> list[str]:
        """Return the audio file of each row, relative to the subset's folder."""
        folder = PurePosixPath(self.name).stem.removeprefix(_START)
        return [f"{folder}/{row['audio']}" for row in self.rows]


def usable_tables(listing: Listing, base: str, known: list[str], key: str, gaps: Gaps) -> list[UsableTable]:
    """Return the usable query files of the subset whose files begin with `base`; name all gaps.

    A row is left out when it is no JSON object, its query is not in `known` or stands in an earlier row, its
    audio is no plain file name, or its SNR is no number or not that of most rows.
    """
    found: dict[str, UsableTable] = {}
    start = f"{base}{_START}audio_"
    for name in sorted(name for name in listing.sizes if name.startswith(start) and name.endswith(".jsonl")):
        table = _usable(listing, name, set(known), f"{key}/{name[len(base) :]}", gaps)
        place = f"{key}/{table.name}"
        if not table.rows:
            gaps.add(TABLE, place, "it has no row that can be used")
        elif table.condition in found:
            gaps.add(TABLE, place, f"{found[table.condition].name} is of {table.condition} too")
        else:
            found[table.condition] = table
            heard = {str(row["_id"]) for row in table.rows}
            for query in known:
                if query not in heard:
                    gaps.add(UNHEARD, place, f"no row for query {query!r}")
    return list(found.values())


def _usable(listing: Listing, name: str, known: set[str], place: str, gaps: Gaps) -> UsableTable:
    good: list[tuple[int, bytes, dict[str, Any]]] = []
    seen: set[str] = set()
    with listing.open(name) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            row, fault = _read(line)
            fault = fault or _fault(row, known, seen)
            if fault:
                gaps.add(ROW, f"{place}:{number}", fault)
                continue
            seen.add(str(row["_id"]))
            good.append((number, line, row))
    snr = Counter(row.get("snr_db") for _, _, row in good).most_common(1)[0][0] if good else None
    for number, _, row in good:
        if row.get("snr_db") != snr:
            gaps.add(ROW, f"{place}:{number}", f"snr_db is {row.get('snr_db')!r}, that of most rows {snr!r}")
    first = good[0][2].get("channel") if good else None
    channel = first if isinstance(first, str) else None
    kept = [(line, row) for _, line, row in good if row.get("snr_db") == snr]
    table = PurePosixPath(name).name
    condition = table_condition(table, None if snr is None else float(snr), channel)
    return UsableTable(table, condition, [line for line, _ in kept], [row for _, row in kept])


def _read(line: bytes) -> tuple[dict[str, Any], str | None]:
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return {}, f"no JSON ({error})"
    return (
        (row, None) if isinstance(row, dict) else ({}, f"{type(row).__name__} where a JSON object must stand")
    )


def _fault(row: dict[str, Any], known: set[str], seen: set[str]) -> str | None:
    query, file, snr = row.get("_id"), row.get("audio"), row.get("snr_db")
    if str(query) not in known:
        return f"query {query!r} is not in queries.jsonl"
    if str(query) in seen:
        return f"query {query!r} stands in an earlier row"
    if not isinstance(file, str) or PurePosixPath(file).name != file or file in ("", "..") or "\0" in file:
        return f"audio is {file!r}, which is no plain file name"
    if snr is not None and (
        isinstance(snr, bool) or not isinstance(snr, (int, float)) or not math.isfinite(snr)
    ):
        return f"snr_db is {snr!r}, which is no number"
    return None
