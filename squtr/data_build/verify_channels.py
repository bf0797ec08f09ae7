"""Verify what a manifest says of channels: its columns agree, and the edits turn one text into the other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from squtr.channels.changed import Edit, changed
from squtr.data_build.layout import channel_of
from squtr.data_build.verify_files import Fault


def check_channels(rows: list[dict[str, Any]]) -> Iterator[Fault]:
    """Yield rows whose channel, source text and edits do not fit their condition and text."""
    for row in rows:
        channel, place = channel_of(row["condition"]), str(row["file"])
        if row["channel"] != channel:
            yield place, f"channel is {row['channel']!r}, its condition {row['condition']}"
        elif channel is None:
            if any(row[name] is not None for name in ("source_text", "edits", "error_rate_fluent")):
                yield place, "has a source text, edits or a fluent error rate and no channel"
        elif not _rebuilds(row, channel):
            yield place, "its edits do not turn source_text into text"


def _rebuilds(row: dict[str, Any], channel: str) -> bool:
    """Carry out each operator's edits, in order. Places count in the text that came into the operator."""
    operators = channel.split("|")
    text = row["source_text"]
    try:
        edits = {name: list(group) for name, group in groupby(json.loads(row["edits"]), _operator)}
        if set(edits) - set(operators):
            return False
        for name in operators:
            done = [Edit(one["kind"], one["start"], one["end"], one["after"]) for one in edits.pop(name, [])]
            text = changed(text, done).text
    except (TypeError, ValueError, KeyError, AttributeError):
        return False
    return bool(text == row["text"]) or len(set(operators)) < len(operators)


def _operator(edit: dict[str, Any]) -> Any:
    return edit["operator"]
