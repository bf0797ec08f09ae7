"""The table of what channels cost, as squtr eval and squtr search print it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from squtr.counted import counted
from squtr.eval.channel_study import mean_loss, shown_loss, stars

_NOTE = "* ** ***: p below 0.05, 0.01, 0.001 by the t-test over the seeds, Bonferroni"


def channel_table(key: str, study: Mapping[str, Any]) -> Table:
    """Return a row a channel, the dearest first: what was realised, and each system's loss."""
    title = f"{key}: loss of {study['measure']} against the text, {counted(study['queries'], 'query')}"
    table = Table(title=title, title_justify="left")
    table.add_column("channel", overflow="fold")
    for name in ("words kept", "edits a letter", *study["text"]):
        table.add_column(name, justify="right", overflow="fold")
    for name, one in sorted(study["channels"].items(), key=lambda item: -mean_loss(item[1])):
        found = one["realised"]
        rates = (_share(found["token_survival"]), _share(found["typo_rate"]))
        table.add_row(Text(name), *rates, *map(_loss, one["systems"].values()))
    return table


def channel_lines(key: str, study: Mapping[str, Any]) -> Iterator[str]:
    """Yield what stands below the table: how to read it, what goes together, and what was left out."""
    cells = [cell for one in study["channels"].values() for cell in one["systems"].values()]
    if any(stars(cell) for cell in cells):
        yield f"{_NOTE}."
    if any(cell["p"] is None for cell in cells):
        yield "~: no spread over the seeds; the interval is the bootstrap's over the queries."
    for system, found in study["survival_against_loss"].items():
        if found["r"] is not None:
            yield (
                f"{key} {system}: words kept and loss go together with r = {found['r']:.2f} over"
                f" {counted(found['n'], 'channel')}."
            )
    for system, curve in study["typo_curve"].items():
        if curve["knee"]:
            knee = curve["knee"]
            yield (
                f"{key} {system}: the loss by typos bends at {knee['asked']:.1%} of the letters; one per cent"
                f" more costs {knee['slope_before']:.1f} % below and {knee['slope_after']:.1f} % above."
            )
    for name, one in study["channels"].items():
        for status, said in (("failed", "failed and kept their text"), ("empty", "have nothing left")):
            if one["realised"][status]:
                yield f"{key} {name}: {one['realised'][status]} of {one['realised']['texts']} texts {said}."
    for reason in study["skipped"].values():
        yield f"{key}: {reason} Left out."


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _loss(cell: Mapping[str, Any]) -> str:
    loss = shown_loss(cell)
    if loss["mean"] is None:
        return "-"
    half = "" if loss["low"] is None else f" ±{(loss['high'] - loss['low']) / 2:.1%}"
    return f"{loss['mean']:.1%}{half}{stars(cell) or ('~' if cell['p'] is None else '')}"
