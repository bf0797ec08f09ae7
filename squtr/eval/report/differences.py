"""Which differences hold: letters, differences with their intervals and p values, and effect sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from squtr.eval.report.table import Cell, Table, missing
from squtr.eval.report.view import SubsetView
from squtr.eval.report.words import Label, amount, condition_label, label, number, score

MOST_PAIRS = 45
_NO_PAIR = "no such pair"
Pairs = Mapping[str, Sequence[dict[str, Any]]]


def letters_table(view: SubsetView) -> Table | None:
    """Means with their letters by condition, or None for one system."""
    found = view.results["comparisons"][view.key]
    if len(view.scores) < 2:
        return None
    rows = tuple(
        (
            label(system),
            tuple(
                _lettered(cells.get(name), found["systems"].get(name), system, view.measure)
                for name in view.conditions
            ),
        )
        for system, cells in view.scores.items()
    )
    caption = f"{view.measure} and letters: systems that share one cannot be told apart under that condition."
    return Table(caption, "system", _conditions(view.conditions), rows)


def system_tables(view: SubsetView) -> list[Table]:
    """Differences and effect sizes of all pairs of systems by condition; none for one system."""
    found = view.results["comparisons"][view.key]["systems"]
    pairs = {name: found[name]["pairs"] for name in view.conditions if name in found}
    return _tables(pairs, "pair of systems", view, label, _conditions(list(pairs)))


def condition_tables(view: SubsetView) -> list[Table]:
    """Differences and effect sizes of all pairs of conditions by system."""
    pairs = view.results["comparisons"][view.key]["conditions"]
    columns = tuple(label(system) for system in pairs)
    return _tables(pairs, "pair of conditions", view, lambda name: Label(condition_label(name)), columns)


def holding(view: SubsetView) -> str:
    """Say how many pairs of systems can be told apart, over all conditions."""
    found = view.results["comparisons"][view.key]
    pairs = [one for cells in found["systems"].values() for one in cells["pairs"]]
    if not pairs:
        return "One system, so there is nothing to compare it with; its conditions are compared below."
    apart = sum(one["p_holm"] < found["alpha"] for one in pairs)
    return f"{apart} of {amount(len(pairs), 'comparison')} of two systems hold."


def _tables(
    pairs: Pairs, corner: str, view: SubsetView, named: Callable[[str], Label], columns: tuple[Label, ...]
) -> list[Table]:
    keys = list(dict.fromkeys((one["first"], one["second"]) for found in pairs.values() for one in found))
    if not keys:
        return []
    shown = keys[:MOST_PAIRS]
    known = {name: {(one["first"], one["second"]): one for one in found} for name, found in pairs.items()}
    cut = f" The first {len(shown)} of {len(keys)} pairs." if len(keys) > len(shown) else ""
    alpha = view.results["comparisons"][view.key]["alpha"]
    captions = (
        f"Difference of {view.measure}, first minus second; 95\u202f% interval and p after Holm's"
        " correction below."
        f" * marks p below {alpha:g}.{cut}",
        "Effect size (mean difference / standard deviation of the differences); queries won,"
        f" tied and lost below.{cut}",
    )
    heads = {key: Label(" \u2212 ".join(named(name).text for name in key)) for key in shown}
    return [
        Table(
            caption,
            corner,
            columns,
            tuple(
                (heads[key], tuple(cell(found.get(key), alpha) for found in known.values())) for key in shown
            ),
        )
        for caption, cell in zip(captions, (_difference, _effect), strict=True)
    ]


def _difference(one: Mapping[str, Any] | None, alpha: float) -> Cell:
    if one is None:
        return missing(_NO_PAIR)
    mark = " *" if one["p_holm"] < alpha else ""
    span = f"{number(one['low'], 3)} to {number(one['high'], 3)}"
    return Cell(f"{_signed(one['difference'], 3)}{mark}", under=f"{span}; {p_value(one['p_holm'])}")


def _effect(one: Mapping[str, Any] | None, alpha: float) -> Cell:
    if one is None:
        return missing(_NO_PAIR)
    counts = f"{one['wins']} / {one['ties']} / {one['losses']}"
    if one["effect_size"] is None:
        return Cell(missing("").text, under=counts, remark=one["reason"])
    return Cell(_signed(one["effect_size"], 2), under=counts)


def p_value(p: float) -> str:
    """Return `p 0.012`, or `p < 0.001`."""
    return "p < 0.001" if p < 0.001 else f"p {number(p, 3)}"


def _signed(value: float, digits: int) -> str:
    text = number(value, digits)
    return f"+{text}" if float(f"{value:.{digits}f}") > 0 else text


def _lettered(
    cell: Mapping[str, Any] | None, found: Mapping[str, Any] | None, system: str, measure: str
) -> Cell:
    if cell is None or found is None:
        return missing("no such run")
    letters = found["letters"][system]
    joiner = "" if all(len(one) == 1 for one in letters) else " "
    return Cell(score(cell["measures"][measure]["mean"]), under=joiner.join(letters))


def _conditions(names: Sequence[str]) -> tuple[Label, ...]:
    return tuple(Label(condition_label(name)) for name in names)
