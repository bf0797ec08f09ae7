"""What settings of turn-taking realised: rates by opportunity and by turn, and tests against a baseline.

Tests are those of Wang et al. (arXiv:2610.11015, appendix E): the two-sided Wilcoxon signed-rank test on
counts by scenario, Holm's correction, and the paired bootstrap of the mean difference with 1,000 resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from squtr.dialogue.event_log import Counts
from squtr.dialogue.rules import Setting
from squtr.errors import UserError
from squtr.eval.statistics import holm, paired_bootstrap

RESAMPLES = 1000
MEASURES: dict[str, Callable[[Counts], int]] = {
    "interruptions": lambda one: one.interruptions,
    "backchannels": lambda one: one.backchannels,
    "opportunities": lambda one: one.opportunities,
}
FAMILIES = (("interruptions", "backchannels"), ("opportunities",))


@dataclass(frozen=True, slots=True)
class Realised:
    """One setting over all its dialogues. A rate is None where there is nothing to divide by."""

    b: float
    g: float
    dialogues: int
    turns: int
    opportunities: int
    while_sounding: int
    interruptions: int
    interruptions_per_turn: float | None
    interruptions_per_opportunity: float | None
    interruptions_at_first: float | None
    backchannels: int
    backchannels_per_turn: float | None
    backchannels_per_opportunity: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """One setting against the baseline: mean difference of counts by scenario, its interval, and the test.

    `non_zero`: pairs that differ, which alone the test takes; `w`: the smaller sum of signed ranks. p is None
    where no pair differs. `p_holm` is corrected for the tests of what the rules aim at, interruptions and
    backchannels together; opportunities, which only follow, are a family of their own.
    """

    measure: str
    b: float
    g: float
    difference: float
    low: float
    high: float
    non_zero: int
    w: float | None
    p: float | None
    p_holm: float | None


@dataclass(frozen=True, slots=True)
class DialogueAudit:
    """All settings in order, and each but the first, the baseline, against it."""

    settings: tuple[Realised, ...]
    comparisons: tuple[Comparison, ...]


def audit(dialogues: Sequence[Counts], seed: int = 0) -> DialogueAudit:
    """Audit dialogues; those of one name are one scenario at several settings.

    The baseline is the lowest setting: b = g = 0 where that was run. Raises UserError for a scenario that a
    setting has twice, or lacks.
    """
    groups = _by_setting(dialogues)
    (_, baseline), *others = groups.items()
    found = [
        [
            _compared(measure, setting, counted, baseline, seed)
            for measure in family
            for setting, counted in others
        ]
        for family in FAMILIES
    ]
    return DialogueAudit(
        tuple(_realised(setting, list(counted.values())) for setting, counted in groups.items()),
        tuple(one for family in found for one in _corrected(family)),
    )


def signed_rank(differences: Sequence[float]) -> tuple[float, float] | None:
    """Return W, the smaller sum of ranks, and the exact two-sided p of Wilcoxon's test (1945).

    None where nothing differs. Zeros are left out. Equal sizes share their mean rank, and p counts all signs
    of the ranks there are, so it is exact with ties, too, at any number of pairs.
    """
    from scipy.stats import rankdata

    values = np.array([value for value in differences if value], dtype=np.float64)
    if not len(values):
        return None
    doubled = np.rint(2 * rankdata(np.abs(values))).astype(np.int64)
    positive = int(doubled[values > 0].sum())
    smaller = min(positive, int(doubled.sum()) - positive)
    return smaller / 2, min(1.0, 2 * float(_sign_shares(doubled)[: smaller + 1].sum()))


def _sign_shares(ranks: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the share of all signs that give each sum of positive ranks, shape (sum of ranks + 1,)."""
    shares = np.zeros(int(ranks.sum()) + 1)
    shares[0] = 1.0
    for rank in ranks:
        moved = np.zeros_like(shares)
        moved[rank:] = shares[: len(shares) - rank]
        shares = (shares + moved) / 2
    return shares


def _by_setting(dialogues: Sequence[Counts]) -> dict[Setting, dict[str, Counts]]:
    if not dialogues:
        raise UserError("There is no dialogue to audit.")
    groups: dict[Setting, dict[str, Counts]] = {}
    for one in sorted(dialogues, key=lambda one: (one.setting.b, one.setting.g, one.name)):
        group = groups.setdefault(one.setting, {})
        if one.name in group:
            raise UserError(f"The scenario {one.name!r} is there twice at {_named(one.setting)}.")
        group[one.name] = one
    (first, names), *others = groups.items()
    for setting, group in others:
        if apart := sorted(names.keys() ^ group.keys()):
            raise UserError(
                f"The scenario {apart[0]!r} is not at both {_named(first)} and {_named(setting)}, and"
                " scenarios are compared in pairs. Give the logs of the same ones."
            )
    return groups


def _realised(setting: Setting, counted: Sequence[Counts]) -> Realised:
    total = {
        name: sum(getattr(one, name) for one in counted)
        for name in ("turns", "opportunities", "while_sounding", "interruptions", "backchannels", "at_first")
    }
    turns, opportunities = total["turns"], total["opportunities"]
    interruptions, backchannels = total["interruptions"], total["backchannels"]
    return Realised(
        setting.b,
        setting.g,
        len(counted),
        turns,
        opportunities,
        total["while_sounding"],
        interruptions,
        _rate(interruptions, turns),
        _rate(interruptions, opportunities),
        _rate(total["at_first"], interruptions),
        backchannels,
        _rate(backchannels, turns),
        _rate(backchannels, opportunities),
    )


def _compared(
    measure: str, setting: Setting, counted: dict[str, Counts], baseline: dict[str, Counts], seed: int
) -> Comparison:
    names = sorted(baseline)
    ours, theirs = ([MEASURES[measure](group[name]) for name in names] for group in (counted, baseline))
    found = paired_bootstrap(ours, theirs, "dialogue", seed, RESAMPLES)
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    w, p = signed_rank(differences) or (None, None)
    non_zero = sum(value != 0 for value in differences)
    return Comparison(
        measure, setting.b, setting.g, found.difference, found.low, found.high, non_zero, w, p, None
    )


def _corrected(found: Sequence[Comparison]) -> list[Comparison]:
    adjusted = iter(holm([one.p for one in found if one.p is not None]))
    return [one if one.p is None else replace(one, p_holm=next(adjusted)) for one in found]


def _rate(count: int, of: int) -> float | None:
    return count / of if of else None


def _named(setting: Setting) -> str:
    return f"b = {setting.b:g}, g = {setting.g:g}"
