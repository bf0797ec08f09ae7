"""How a score falls with the noise: slope, area under the SNR curve, and where two systems cross.

A curve is a system's mean score at the SNRs of plain noise; text, clean speech and conditions with a name of
their own are no points of it. Intervals are percentile bootstraps over queries, all from the same resamples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from squtr.data_build.layout import condition_name
from squtr.digest import to_plain
from squtr.errors import UserError
from squtr.eval.paired import PairedScores
from squtr.eval.resampling import Floats, percentiles
from squtr.eval.statistics import Interval, Undefined

FORMULAS = {
    "slope_per_db": "least-squares slope of the mean score over the SNR, in score per dB; above 0 where noise"
    " hurts",
    "area": "integral of the mean score over the SNR by the trapezoid rule / (range of the SNR x mean score"
    " on clean speech); 1 where noise costs nothing over the whole range",
    "crossing": "where the difference of two mean scores, linear between SNRs, passes 0; snr_db is the first"
    " as the SNR falls, share how many resamples have one",
}
_FEW = "fewer than two SNRs of plain noise"
_LEAST_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class Crossing:
    """Where `leader`, better at the highest SNR, falls below `follower`; SNRs in dB.

    `snrs_db` holds every crossing from high to low SNR, in either direction; `snr_db` is the first and None
    with a `reason` where there is none. The interval is over the resamples in which `leader` falls below
    `follower`, and `share` tells how many do; it is None where they are fewer than 5 %.
    """

    leader: str
    follower: str
    snr_db: float | None
    low: float | None
    high: float | None
    share: float
    snrs_db: tuple[float, ...]
    reason: str | None = None


def slope(snrs_db: Sequence[float], means: Floats) -> Floats:
    """Return the least-squares slope of each row of means, shape (rows, SNRs), in score per dB.

    Raises UserError for fewer than two different SNRs.
    """
    snrs = _checked(snrs_db, means)
    centred = snrs - snrs.mean()
    found: Floats = means @ (centred / (centred @ centred))
    return found


def area(snrs_db: Sequence[float], means: Floats, clean: Floats) -> Floats:
    """Return the area under each row of means, shape (rows, SNRs), over range and clean score, shape (rows,).

    Raises UserError for fewer than two different SNRs. A clean score of 0 gives NaN or infinity.
    """
    snrs = _checked(snrs_db, means)
    order = np.argsort(snrs)
    steps, rising = np.diff(snrs[order]), means[:, order]
    under = ((rising[:, 1:] + rising[:, :-1]) / 2) @ steps
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = under / (steps.sum() * clean)
    return found


def crossings(snrs_db: Sequence[float], differences: Floats) -> list[float]:
    """Return every SNR at which a curve of differences, shape (SNRs,), changes its sign, from high to low.

    Linear between SNRs. A difference that is 0 at some SNRs and changes its sign there crosses at the first
    of them; one that only touches 0 does not cross.
    """
    order = np.argsort(-np.asarray(snrs_db, dtype=np.float64))
    snrs, curve = np.asarray(snrs_db, dtype=np.float64)[order], differences[order]
    found = []
    for sign in (1, -1):
        falls = _falls(sign * curve[None, :])[0]
        found += [_between(snrs, curve, int(place)) for place in np.flatnonzero(falls)]
    return sorted(found, reverse=True)


def snr_of_conditions(conditions: Mapping[str, float | None]) -> dict[str, float]:
    """Return {condition: SNR in dB} of the plain noise among {condition: SNR of its recordings}."""
    plain = {name: snr for name, snr in conditions.items() if snr is not None and name == condition_name(snr)}
    return dict(sorted(plain.items(), key=lambda row: -row[1]))


def robustness(paired: PairedScores[tuple[str, str]], snrs: Mapping[str, float]) -> dict[str, Any]:
    """Return slopes, areas and crossings of one subset as plain values; names are (system, condition)."""
    systems = list(dict.fromkeys(system for system, _ in paired.names))
    return {
        "snrs_db": list(snrs.values()),
        "formulas": FORMULAS,
        "systems": {
            system: {
                "slope_per_db": to_plain(_slope(paired, system, snrs)),
                "area": to_plain(_area(paired, system, snrs)),
            }
            for system in systems
        },
        "crossings": [
            to_plain(crossing(paired, first, second, snrs)) for first, second in combinations(systems, 2)
        ]
        if len(snrs) > 1
        else [],
    }


def crossing(
    paired: PairedScores[tuple[str, str]], first: str, second: str, snrs: Mapping[str, float]
) -> Crossing:
    """Return where the better of two systems at the highest SNR falls below the other; see `Crossing`."""
    falling = sorted(snrs, key=lambda name: -snrs[name])
    levels = np.array([snrs[name] for name in falling])
    curve = np.array([paired.mean((first, name)) - paired.mean((second, name)) for name in falling])
    signs = np.sign(curve[curve != 0])
    if len(signs) and signs[0] < 0:
        first, second, curve = second, first, -curve
    resampled = np.stack(
        [paired.means((first, name)) - paired.means((second, name)) for name in falling], axis=1
    )
    falls = _falls(resampled)
    crossed = falls.any(axis=1)
    share = float(crossed.mean())
    low = high = None
    if share >= _LEAST_SHARE:
        places = falls[crossed].argmax(axis=1)
        rows = resampled[crossed]
        low, high = percentiles(_between_rows(levels, rows, places), paired.level)
    points = tuple(crossings(levels.tolist(), curve))
    reason = None if points else _no_crossing(first, curve)
    return Crossing(first, second, points[0] if points else None, low, high, share, points, reason)


def macro(found: Mapping[str, Mapping[str, Any]], languages: Mapping[str, str]) -> dict[str, Any]:
    """Return the mean over subsets of slopes and areas by language, from {subset: `robustness`}.

    None with a reason where one subset of the language has no value; never pooled over languages.
    """
    table: dict[str, Any] = {}
    for language in dict.fromkeys(languages.values()):
        members = [found[key]["systems"] for key in found if languages[key] == language]
        table[language] = {
            system: {
                what: _mean([one[system][what]["mean"] for one in members])
                for what in ("slope_per_db", "area")
            }
            for system in members[0]
        }
    return table


def _slope(
    paired: PairedScores[tuple[str, str]], system: str, snrs: Mapping[str, float]
) -> Interval | Undefined:
    if len(snrs) < 2:
        return Undefined(_FEW)
    levels = list(snrs.values())
    mean = slope(levels, np.array([[paired.mean((system, name)) for name in snrs]]))[0]
    low, high = percentiles(slope(levels, _curves(paired, system, snrs)), paired.level)
    return Interval(low, float(mean), high)


def _area(
    paired: PairedScores[tuple[str, str]], system: str, snrs: Mapping[str, float]
) -> Interval | Undefined:
    if len(snrs) < 2:
        return Undefined(_FEW)
    if (system, "clean") not in paired:
        return Undefined("no run on clean speech")
    clean = paired.mean((system, "clean"))
    if clean == 0:
        return Undefined("the mean on clean speech is 0")
    levels = list(snrs.values())
    mean = area(levels, np.array([[paired.mean((system, name)) for name in snrs]]), np.array([clean]))[0]
    cleans = paired.means((system, "clean"))
    kept = cleans != 0
    if not kept.any():
        return Undefined("the mean on clean speech is 0 in every resample")
    low, high = percentiles(area(levels, _curves(paired, system, snrs)[kept], cleans[kept]), paired.level)
    return Interval(low, float(mean), high)


def _curves(paired: PairedScores[tuple[str, str]], system: str, snrs: Mapping[str, float]) -> Floats:
    return np.stack([paired.means((system, name)) for name in snrs], axis=1)


def _falls(curves: Floats) -> Any:
    """Say where each row, ordered by falling SNR, goes from above 0 to below, shape (rows, SNRs - 1)."""
    after = np.sign(curves)
    for place in range(curves.shape[1] - 2, -1, -1):
        after[:, place] = np.where(after[:, place] == 0, after[:, place + 1], after[:, place])
    return (curves[:, :-1] > 0) & (curves[:, 1:] <= 0) & (after[:, 1:] < 0)


def _between(snrs: Floats, curve: Floats, place: int) -> float:
    return float(_between_rows(snrs, curve[None, :], np.array([place]))[0])


def _between_rows(snrs: Floats, curves: Floats, places: Any) -> Floats:
    rows = np.arange(len(curves))
    above, below = curves[rows, places], curves[rows, places + 1]
    found: Floats = snrs[places] + (snrs[places + 1] - snrs[places]) * above / (above - below)
    return found


def _no_crossing(leader: str, curve: Floats) -> str:
    if not curve.any():
        return "the two score the same at every SNR"
    return f"{leader} is not below at any SNR"


def _mean(values: Sequence[float | None]) -> dict[str, Any]:
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return {"mean": None, "reason": "a subset of this language has no value"}
    return {"mean": sum(known) / len(known), "subsets": len(known)}


def _checked(snrs_db: Sequence[float], means: Floats) -> Floats:
    snrs = np.asarray(snrs_db, dtype=np.float64)
    if means.ndim != 2 or means.shape[1] != len(snrs):
        raise UserError(f"{len(snrs)} SNRs do not fit means of shape {means.shape}.")
    if len(set(snrs.tolist())) < 2:
        raise UserError("A curve needs two different SNRs or more.")
    return snrs
