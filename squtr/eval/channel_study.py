"""What channels cost: loss against the text, over seeds and over queries, and what it goes with."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from squtr.channels.channel import Channel
from squtr.digest import to_plain
from squtr.eval.channel_audit import audit_study
from squtr.eval.channels import ChannelRuns, condition_of, kind_of, realised
from squtr.eval.paired import PairedScores
from squtr.eval.scores import Measure, Scores
from squtr.eval.typo_curve import typo_curve

if TYPE_CHECKING:
    from squtr.eval.results import SubsetRuns

TEXT, HEARD = "text", "heard"
LEVEL = 0.95
METHODS = {
    "loss": "1 - mean behind the channel / mean on the text; 95 % Student interval over the seeds, the"
    " queries held fixed",
    "loss_over_queries": "the same, each query's mean over the seeds; 95 % percentile bootstrap over queries",
    "p": "paired t-test of the mean on the text and the means behind the channel, over the seeds",
    "p_bonferroni": "p times the channels and systems of the subset",
    "survival_against_loss": "Pearson's r of token survival and loss over the channels",
    "knee": "of the continuous fits of two straight lines to the loss by asked rate, with the text at 0, the"
    " bend of least squares at an inner point; none where its BIC (4 parameters) is not below a line's (2)",
    "side_by_side": "loss against the text with its 95 % interval over queries",
}
_TYPOS = re.compile(r"typos@([0-9.eE+-]+)")
_SAME = 1e-12
_SAME_TEXTS = "every seed gives the same texts; see loss_over_queries"
_ONE_SEED = "one seed has no spread"
_SAME_MEAN = "the mean is the same at every seed"


def channel_results(
    channels: Sequence[Channel], seeds: Sequence[int], subsets: Mapping[str, dict[str, Any]]
) -> dict[str, Any] | None:
    """Return the part of results.json about channels; `subsets` as `study_subset` gives them."""
    if not channels:
        return None
    return {
        "seeds": list(seeds),
        "channels": {channel.name: channel.fingerprint for channel in channels},
        "methods": METHODS,
        "subsets": dict(subsets),
    }


def study_subset(
    one: ChannelRuns,
    text: Mapping[str, Scores],
    heard: Mapping[str, Mapping[str, Any]],
    measure: Measure,
    item: str,
    seed: int,
) -> dict[str, Any]:
    """Study one subset. `text` holds each system's scores on the written queries.

    `heard` holds each system's loss against the text by acoustic condition, as intervals; nothing where
    nothing is spoken.
    """
    names, systems = list(one.texts.sent), list(one.runs)
    table = _table(one, text, measure, item, seed)
    tests = len(names) * len(systems)
    found: dict[str, Any] = {}
    for name in names:
        differ = one.texts.seeds_differ(name)
        found[name] = {
            "kind": kind_of(name),
            "realised": realised(one.texts, name),
            "seeds_differ": differ,
            "systems": {
                system: _cell(one, text[system], table, system, name, measure, tests, differ)
                for system in systems
            },
        }
    return {
        "measure": measure.full_name,
        "queries": next(iter(text.values())).queries,
        "text": {system: text[system].mean[measure.full_name] for system in systems},
        "tests": tests,
        "channels": found,
        "audit": audit_study(one.texts, seed),
        "skipped": dict(one.texts.skipped),
        "survival_against_loss": {system: _survival(found, system) for system in systems},
        "typo_curve": {system: typo_curve(_points(found, system)) for system in systems},
        "side_by_side": {system: _side_by_side(found, heard.get(system, {}), system) for system in systems},
    }


def study_runs(
    runs: Sequence[SubsetRuns], scores: Mapping[str, Any], measure: Measure, seed: int
) -> dict[str, dict[str, Any]]:
    """Study the subsets of an evaluation; `scores` is that part of its results."""
    found = {}
    for one in runs:
        if one.channels:
            key = one.subset.key
            text = {system: one.scores[system][TEXT] for system in one.channels.runs}
            heard = {system: _heard_losses(conditions) for system, conditions in scores[key].items()}
            found[key] = study_subset(one.channels, text, heard, measure, key, seed)
    return found


def over_seeds(reference: float, means: Sequence[float]) -> dict[str, Any]:
    """Return relative loss with its Student interval, the t-test's p, and why either is not there."""
    from scipy.stats import t, ttest_rel

    if reference == 0:
        reason = "the mean of the reference is 0"
        return {"loss": _undefined(reason), "p": None, "reason": reason}
    losses = [1 - mean / reference for mean in means]
    middle = _mean(losses)
    reason = _ONE_SEED if len(means) < 2 else _SAME_MEAN if max(means) - min(means) < _SAME else ""
    if reason:
        return {"loss": {**_undefined(reason), "mean": middle}, "p": None, "reason": reason}
    error = float(np.std(losses, ddof=1)) / math.sqrt(len(losses))
    low, high = t.interval(LEVEL, len(losses) - 1, loc=middle, scale=error)
    p = float(ttest_rel([reference] * len(means), list(means)).pvalue)
    return {
        "loss": {"low": float(low), "mean": middle, "high": float(high), "reason": None},
        "p": p,
        "reason": None,
    }


def shown_loss(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Return the loss with the interval over seeds, or over queries where the seeds have no spread."""
    loss: dict[str, Any] = cell["loss"]
    return cell["loss_over_queries"] if loss["low"] is None else loss


def _heard_losses(conditions: Mapping[str, Any]) -> dict[str, Any]:
    return {
        condition: cell["loss_against_text"]
        for condition, cell in conditions.items()
        if "loss_against_text" in cell
    }


def mean_loss(one: Mapping[str, Any]) -> float:
    """Return a channel's mean loss over the systems, -inf where none is defined: the order of tables."""
    known = [cell["loss"]["mean"] for cell in one["systems"].values() if cell["loss"]["mean"] is not None]
    return _mean(known) if known else -math.inf


def stars(cell: Mapping[str, Any]) -> str:
    """Return one star below 0.05, two below 0.01, three below 0.001 of the adjusted p."""
    p = cell["p_bonferroni"]
    return "" if p is None else "*" * sum(p < border for border in (0.05, 0.01, 0.001))


def _table(
    one: ChannelRuns, text: Mapping[str, Scores], measure: Measure, item: str, seed: int
) -> PairedScores[tuple[str, str]]:
    columns: dict[tuple[str, str], Any] = {}
    for system, scores in one.scores.items():
        columns[system, TEXT] = text[system].values(measure)
        for name in one.texts.sent:
            by_seed = [scores[condition_of(name, at)].values(measure) for at in one.texts.seeds]
            columns[system, name] = [_mean(values) for values in zip(*by_seed, strict=True)]
    return PairedScores(columns, item, seed)


def _cell(
    one: ChannelRuns,
    text: Scores,
    table: PairedScores[tuple[str, str]],
    system: str,
    name: str,
    measure: Measure,
    tests: int,
    differ: bool,
) -> dict[str, Any]:
    scores = [one.scores[system][condition_of(name, seed)] for seed in one.texts.seeds]
    means = [found.mean[measure.full_name] for found in scores]
    mean = _mean(means)
    seeds = over_seeds(text.mean[measure.full_name], means)
    if not differ and len(means) > 1:
        seeds = {**seeds, "loss": {**seeds["loss"], "reason": _SAME_TEXTS}, "reason": _SAME_TEXTS}
    return {
        "by_seed": means,
        "mean": mean,
        "difference": text.mean[measure.full_name] - mean,
        "loss": seeds["loss"],
        "loss_over_queries": to_plain(table.loss((system, TEXT), (system, name))),
        "p": seeds["p"],
        "p_bonferroni": None if seeds["p"] is None else min(1.0, seeds["p"] * tests),
        "reason": seeds["reason"],
        "no_response": [found.no_response for found in scores],
        "measures": {full: _mean([each.mean[full] for each in scores]) for full in text.mean},
    }


def _survival(found: Mapping[str, Any], system: str) -> dict[str, Any]:
    from scipy.stats import pearsonr

    pairs = [
        (one["realised"]["token_survival"], one["systems"][system]["loss"]["mean"]) for one in found.values()
    ]
    known = [pair for pair in pairs if None not in pair]
    if len(known) < 3:
        return {"r": None, "n": len(known), "reason": "fewer than three channels"}
    survival, loss = zip(*known, strict=True)
    if max(survival) - min(survival) < _SAME or max(loss) - min(loss) < _SAME:
        return {"r": None, "n": len(known), "reason": "all channels are alike"}
    return {"r": float(pearsonr(survival, loss).statistic), "n": len(known), "reason": None}


def _points(found: Mapping[str, Any], system: str) -> list[dict[str, Any]]:
    points = []
    for name, one in found.items():
        if match := _TYPOS.fullmatch(name):
            loss = shown_loss(one["systems"][system])
            rate = one["realised"]["typo_rate"]
            points.append({"channel": name, "asked": float(match[1]), "realised": rate, "loss": loss})
    return sorted(points, key=lambda point: float(point["asked"]))


def _side_by_side(found: Mapping[str, Any], heard: Mapping[str, Any], system: str) -> list[dict[str, Any]]:
    channels = [
        {"condition": name, "kind": one["kind"], "loss": one["systems"][system]["loss_over_queries"]}
        for name, one in found.items()
    ]
    return [
        *channels,
        *({"condition": name, "kind": HEARD, "loss": loss} for name, loss in heard.items()),
    ]


def _mean(values: Sequence[float]) -> float:
    """Return the mean; of equal values that value, without rounding."""
    return values[0] if min(values) == max(values) else math.fsum(values) / len(values)


def _undefined(reason: str) -> dict[str, Any]:
    return {"low": None, "mean": None, "high": None, "reason": reason}
