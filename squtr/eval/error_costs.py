"""What recognition errors cost: the loss of a score against the error rate, and by kind of error.

A recording's loss is the query's score on its text minus its score on the transcript. A query has several
recordings, so all intervals are percentile bootstraps over queries, each with all its recordings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from squtr.digest import to_plain
from squtr.eval.error_kinds import CLASSES, KINDS, Words, error_kinds
from squtr.eval.resampling import RESAMPLES, Floats, drawn_times, exact_grid, percentiles
from squtr.eval.scores import Measure, Scores
from squtr.eval.statistics import Interval, Undefined
from squtr.eval.transcripts import Heard

RATES = (0.0, 0.1, 0.25, 0.5, 1.0)
FEW = 5
METHODS = {
    "loss": "score on the text - score on the transcript, in the unit of the measure",
    "correlation": "Spearman's rho of error rate and loss over recordings, ties at their mean rank; the"
    " interval resamples queries and keeps the ranks",
    "cost": "least-squares regression of the loss on the kinds that occur in a transcript, each once however"
    " often (and a constant): the loss added by a kind, the others held fixed",
    "alone": "mean loss of the recordings with errors of this kind only",
}
_Groups = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Recordings:
    """Recordings in rows: the place of their query, error rate, kinds of error, and loss by system.

    Shapes: queries (n,), rates (n,), kinds (n, 12) in the order of KINDS, losses (n, systems).
    """

    queries: npt.NDArray[np.int64]
    rates: Floats
    kinds: Floats
    losses: Floats
    systems: tuple[str, ...]
    failed: int


def collect(
    heard: Mapping[str, Sequence[Heard]],
    scores: Mapping[str, Mapping[str, Scores]],
    texts: Mapping[str, str],
    measure: Measure,
    words: Words,
) -> Recordings:
    """Return all judged recordings under all conditions; failed ones have no error rate and are counted.

    Every system must have scores on the text and under the conditions of `heard`.
    """
    judged = next(iter(scores.values()))["text"].per_query if scores else {}
    places = {query: place for place, query in enumerate(judged)}
    name = measure.full_name
    rows: list[tuple[int, float, list[int], list[float]]] = []
    failed = 0
    for condition, transcripts in heard.items():
        for one in transcripts:
            query = one.recording.query_id
            if query not in places:
                continue
            rate = one.clean.rate
            if one.status == "failed" or rate is None:
                failed += 1
                continue
            found = (
                error_kinds(one.recording.text or texts[query], one.text, words) if one.clean.errors else {}
            )
            losses = [
                by["text"].per_query[query][name] - by[condition].per_query[query][name]
                for by in scores.values()
            ]
            rows.append((places[query], rate, [found.get(kind, 0) for kind in KINDS], losses))
    return Recordings(
        np.array([row[0] for row in rows], dtype=np.int64),
        np.array([row[1] for row in rows], dtype=np.float64),
        np.array([row[2] for row in rows], dtype=np.float64).reshape(len(rows), len(KINDS)),
        np.array([row[3] for row in rows], dtype=np.float64).reshape(len(rows), len(scores)),
        tuple(scores),
        failed,
    )


def error_costs(
    recordings: Recordings,
    words: Words,
    item: str,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> dict[str, Any]:
    """Return rates against losses and the cost of each kind of error as plain values; see METHODS."""
    head = {
        "recordings": len(recordings.queries),
        "queries": len(set(recordings.queries.tolist())),
        "failed": recordings.failed,
        "systems": list(recordings.systems),
        "documents_read": words.documents,
        "classes": CLASSES,
        "methods": METHODS,
    }
    if not len(recordings.queries):
        return {
            **head,
            "rates": [],
            "correlation": {},
            "kinds": [],
            "reason": "no system that searches with transcripts"
            if not recordings.systems
            else "no recording with an error rate",
        }
    draws = _Draws(recordings, item, seed, resamples, level)
    present = recordings.kinds > 0
    alone = present & (present.sum(axis=1, keepdims=True) == 1)
    rates = _rate_groups(recordings.rates)
    told = draws.groups([*(members for _, members in rates), *alone.T])
    costs = _costs(draws, present)
    return {
        **head,
        "rates": [{**bounds, **group} for (bounds, _), group in zip(rates, told, strict=False)],
        "correlation": {
            system: to_plain(draws.correlation(recordings.rates, recordings.losses[:, place]))
            for place, system in enumerate(recordings.systems)
        },
        "kinds": [
            {
                "edit": edit,
                "word": word,
                "errors": int(recordings.kinds[:, place].sum()),
                **draws.counts(present[:, place]),
                "cost": {system: to_plain(costs[system][place]) for system in recordings.systems},
                "alone": told[len(rates) + place],
            }
            for place, (edit, word) in enumerate(KINDS)
        ],
        "reason": None,
    }


class _Draws:
    """Sums over recordings of resampled queries; every call draws the same queries."""

    def __init__(self, recordings: Recordings, item: str, seed: int, resamples: int, level: float) -> None:
        self.recordings, self.level = recordings, level
        names, self._query = np.unique(recordings.queries, return_inverse=True)
        self._order = np.argsort(self._query, kind="stable")
        self._starts = np.searchsorted(self._query[self._order], np.arange(len(names)))
        self._times = list(drawn_times(len(names), item, seed, resamples))

    def sums(self, columns: Floats) -> Floats:
        """Return the sums of columns given a recording, shape (resamples, columns)."""
        by_query = exact_grid(np.add.reduceat(columns[self._order], self._starts, axis=0))
        return np.concatenate([times.astype(np.float64) @ by_query for times in self._times])

    def counts(self, members: _Groups) -> dict[str, int]:
        return {"recordings": int(members.sum()), "queries": len(np.unique(self._query[members]))}

    def groups(self, groups: Sequence[_Groups]) -> list[dict[str, Any]]:
        """Return each group's counts and mean loss by system, with an interval from FEW queries on."""
        losses, wide = self.recordings.losses, 1 + len(self.recordings.systems)
        columns = [np.column_stack([members, losses * members[:, None]]) for members in groups]
        sums = self.sums(np.concatenate(columns, axis=1).astype(np.float64))
        return [
            self._group(members, sums[:, place * wide : (place + 1) * wide])
            for place, members in enumerate(groups)
        ]

    def _group(self, members: _Groups, sums: Floats) -> dict[str, Any]:
        counts, systems = self.counts(members), self.recordings.systems
        if not counts["recordings"]:
            return {**counts, "loss": dict.fromkeys(systems, to_plain(Undefined("no such recording")))}
        means = self.recordings.losses[members].mean(axis=0)
        if counts["queries"] < FEW:
            none = {"low": None, "high": None, "reason": f"fewer than {FEW} queries: no interval"}
            loss = {name: {"mean": float(mean), **none} for name, mean in zip(systems, means, strict=True)}
            return {**counts, "loss": loss}
        kept = sums[sums[:, 0] > 0]
        spans = [percentiles(column / kept[:, 0], self.level) for column in kept[:, 1:].T]
        found = zip(systems, means, spans, strict=True)
        return {
            **counts,
            "loss": {name: to_plain(Interval(low, float(mean), high)) for name, mean, (low, high) in found},
        }

    def correlation(self, rates: Floats, losses: Floats) -> Interval | Undefined:
        """Return Spearman's rho (1904) with its interval."""
        x, y = (rankdata(values) - (len(values) + 1) / 2 for values in (rates, losses))
        if not x.any() or not y.any():
            return Undefined("all error rates are equal" if not x.any() else "all losses are equal")
        moments = self.sums(np.column_stack([np.ones_like(x), x, y, x * x, y * y, x * y]))
        n, sx, sy, sxx, syy, sxy = moments.T
        spread = (sxx - sx * sx / n) * (syy - sy * sy / n)
        kept = spread > 1e-9 * float(x @ x) * float(y @ y)
        if not kept.any():
            return Undefined("no resample in which both differ")
        low, high = percentiles(((sxy - sx * sy / n)[kept]) / np.sqrt(spread[kept]), self.level)
        return Interval(low, float(x @ y / np.sqrt((x @ x) * (y @ y))), high)


def _costs(draws: _Draws, present: _Groups) -> dict[str, list[Interval | Undefined]]:
    """Regress the losses on the kinds that enough queries have and enough have not."""
    recordings = draws.recordings
    used = [
        place
        for place in range(len(KINDS))
        if min(draws.counts(members)["queries"] for members in (present[:, place], ~present[:, place])) >= FEW
    ]
    rare = Undefined(f"fewer than {FEW} queries with or without this kind")
    found: dict[str, list[Interval | Undefined]] = {
        system: [rare] * len(KINDS) for system in recordings.systems
    }
    design = np.column_stack([np.ones(len(present)), present[:, used]]).astype(np.float64)
    if not used:
        return found
    if np.linalg.matrix_rank(design) < design.shape[1]:
        mixed = Undefined("kinds always occur together, so their costs cannot be parted")
        return {system: [mixed if place in used else rare for place in range(len(KINDS))] for system in found}
    size = design.shape[1]
    rows, columns = np.triu_indices(size)
    products = design[:, rows] * design[:, columns]
    matched = (design[:, :, None] * recordings.losses[:, None, :]).reshape(len(design), -1)
    sums = draws.sums(np.column_stack([products, matched]))
    squares = np.empty((len(sums), size, size))
    squares[:, rows, columns] = squares[:, columns, rows] = sums[:, : len(rows)]
    resampled = np.linalg.pinv(squares, hermitian=True) @ sums[:, len(rows) :].reshape(-1, size, len(found))
    best = np.linalg.lstsq(design, recordings.losses, rcond=None)[0]
    for column, system in enumerate(found):
        for row, place in enumerate(used, start=1):
            low, high = percentiles(resampled[:, row, column], draws.level)
            found[system][place] = Interval(low, float(best[row, column]), high)
    return found


def _rate_groups(rates: Floats) -> list[tuple[dict[str, float | None], _Groups]]:
    """Return the recordings without an error, then those in (0, 0.1], (0.1, 0.25], ... and above 1."""
    borders = (*RATES, float("inf"))
    place = np.searchsorted(borders, rates, side="left")
    return [
        (
            {
                "above": None if not index else borders[index - 1],
                "up_to": None if high == float("inf") else high,
            },
            place == index,
        )
        for index, high in enumerate(borders)
    ]
