"""squtr audit."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from squtr.channels.audit import Audit, SettingAudit, Turn, audit
from squtr.channels.estimate import Estimate
from squtr.channels.table import Row, field, read_rows
from squtr.counted import counted
from squtr.errors import UserError
from squtr.eval.transcript_files import ID_NAMES

SOURCE_COLUMN = "source_text"
_ALWAYS = {
    "fillers_per_1000_words": "fillers / 1,000 words",
    "repetitions_per_1000_words": "repetitions / 1,000 words",
    "first_word_share_of_fillers": "fillers on the first word",
    "share_of_turns_with_any": "turns with any",
    "variance_to_mean": "variance to mean",
}
_WITH_SOURCE = {
    "token_survival": "words that survive",
    "token_survival_in_order": "words that survive in order",
    "edits_per_word": "edits / word",
    "edits_per_character": "edits / character",
    "typos_per_letter": "edits / letter (typo rate)",
}
_PERCENT = ("share", "survival", "typos")


def run_audit(
    path: Path,
    text_column: str,
    source_column: str | None,
    group: str | None,
    setting: str | None,
    language: str,
    seed: int,
) -> Audit:
    """Read texts and audit them. Raises UserError with file and line for a column that a record lacks."""
    rows = read_rows(path, text_column)
    if source_column is None:
        source_column = SOURCE_COLUMN if any(SOURCE_COLUMN in row.fields for row in rows) else None
    keys = _keys(rows, setting)
    return audit(
        [
            Turn(
                row.text,
                _plain(row, group) if group else key,
                key,
                _plain(row, setting) if setting else "",
                _source(row, source_column),
            )
            for row, key in zip(rows, keys, strict=True)
        ],
        language,
        seed,
    )


def show_audit(found: Audit, as_json: bool) -> None:
    """Print a column for each setting, and how the settings compare."""
    if as_json:
        print(json.dumps(dataclasses.asdict(found), ensure_ascii=False, allow_nan=False))
        return
    Console().print(_table(found))
    for one in found.settings:
        if one.without_words:
            print(f"{_named(one)}: {one.without_words:,} of {one.turns:,} texts hold no word.")
        if found.source and one.with_source < one.turns:
            print(f"{_named(one)}: {one.turns - one.with_source:,} of {one.turns:,} texts have no source.")
    if len(found.settings) > 1:
        p = "" if found.tau_b_p is None else f", p = {found.tau_b_p:.2g}"
        print(f"Kendall's tau-b of setting and count: {_told(found.tau_b, False)}{p}.")
        print(f"Texts equal at all settings: {_told(found.equal_at_all, True)}.")
    if found.settings[0].fillers is None:
        print(f"No fillers are known for {found.language!r}, so neither they nor repetitions are counted.")
    groups = found.settings[0].groups
    print(f"In brackets: 95 % intervals over {counted(groups, 'group')}; for edits per letter, Wilson's.")


def _keys(rows: list[Row], setting: str | None) -> list[str]:
    """Return what joins a record over settings: its id, or else its number within its setting."""
    if name := next((name for name in ID_NAMES if all(name in row.fields for row in rows)), None):
        return [_plain(row, name) for row in rows]
    seen: dict[str, int] = {}
    keys = []
    for row in rows:
        at = _plain(row, setting) if setting else ""
        seen[at] = seen.get(at, 0) + 1
        keys.append(f"{seen[at]}")
    return keys


def _plain(row: Row, column: str) -> str:
    found = field(row, column)
    if isinstance(found, (str, int, float)):
        return str(found)
    raise UserError(f"{row.place}: {column} is {json.dumps(found)}, neither a text nor a number.")


def _source(row: Row, column: str | None) -> str | None:
    if column is None or (column == SOURCE_COLUMN and column not in row.fields):
        return None
    found = field(row, column)
    if found is not None and not isinstance(found, str):
        raise UserError(f"{row.place}: {column} is {json.dumps(found)}, not a text.")
    return found


def _table(found: Audit) -> Table:
    columns = [*([found.source] if found.source else []), *found.settings]
    table = Table(title_justify="left", box=SIMPLE, padding=(0, 1))
    table.add_column("")
    for one in columns:
        table.add_column(_named(one), justify="right")
    counts = {"texts": "turns", "words": "words", "fillers": "fillers", "repetitions": "repetitions"}
    for title, name in counts.items():
        table.add_row(title, *(_count(getattr(one, name)) for one in columns))
    for measure, title in (_ALWAYS | (_WITH_SOURCE if found.source else {})).items():
        percent = any(word in measure for word in _PERCENT)
        table.add_row(title, *(_told(one.measures[measure], percent) for one in columns))
    return table


def _count(found: int | None) -> str:
    return "-" if found is None else f"{found:,}"


def _named(one: SettingAudit) -> str:
    return one.setting or "text"


def _told(one: Estimate, percent: bool) -> str:
    if one.value is None:
        return "-"
    shape = ".1%" if percent else ".1f" if one.value >= 10 else ".3g"
    if one.low is None:
        return format(one.value, shape)
    return f"{one.value:{shape}} [{one.low:{shape}}, {one.high:{shape}}]"
