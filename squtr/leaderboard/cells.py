"""Cells of the system pages, as functions: a page has hundreds of them, and macros of a template are slow."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from markupsafe import Markup

from squtr.eval.report.words import number, percent

Found = Mapping[str, float | None] | None
_NONE = Markup('<td class="number">–</td>')


def cell(found: Found, digits: int) -> Markup:
    """Return a mean over its interval; a dash where there is none."""
    return _interval(found, lambda value: number(value, digits))


def share(found: Found) -> Markup:
    """Return the same as per cent."""
    return _interval(found, percent)


def _interval(found: Found, written: Callable[[float], str]) -> Markup:
    if found is None or (mean := found["mean"]) is None:
        return _NONE
    low, high = found["low"], found["high"]
    under = "" if low is None or high is None else f"<small>{written(low)} to {written(high)}</small>"
    return Markup(f'<td class="number">{written(mean)}{under}</td>')  # noqa: S704
