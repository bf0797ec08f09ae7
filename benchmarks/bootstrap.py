"""Statistics at the size of the published benchmark: 37,317 queries under four conditions, 149,268 instances.

Scores are made up (uniform, a third of them 0). Measured, in seconds of wall time, one process:

instances     2,000 bootstrap resamples of the mean of all 149,268 instances as one sample
resampling    2,000 resamples of 37,317 queries, shared by all systems x 5 conditions (text beside the four)
comparisons   all pairs of systems within each condition, and of conditions within each system: intervals,
              effect sizes, 10,000 sign flips, Holm (after `resampling`, which is not counted again)
robustness    slopes, areas and crossings of all pairs (likewise)
naive         the same comparisons' intervals and tests one pair at a time, from two pairs by extrapolation
costs         error rate against loss and the regression of kinds, 149,268 recordings

Run: python benchmarks/bootstrap.py [--queries 37317] [--systems 3] [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from squtr.draw import draw
from squtr.eval.comparisons import compare_subset
from squtr.eval.error_costs import Recordings, error_costs
from squtr.eval.error_kinds import KINDS, Words
from squtr.eval.paired import PairedScores
from squtr.eval.robustness import robustness
from squtr.eval.statistics import bootstrap_mean, paired_bootstrap, paired_randomisation

SNRS = {"snr_20": 20.0, "snr_10": 10.0, "snr_0": 0.0}
CONDITIONS = ("text", "clean", *SNRS)
TARGET_SECONDS = 20.0


def main() -> int:
    """Measure, print, and exit with 1 where the bootstrap of all instances misses its target."""
    options = _options()
    scores = made_up(options.queries, options.systems)
    instances = np.concatenate([scores["system-0", name] for name in CONDITIONS[1:]])
    found: dict[str, Any] = {
        "queries": options.queries,
        "instances": len(instances),
        "systems": options.systems,
    }
    found["instances_s"] = _seconds(lambda: bootstrap_mean(instances, "benchmark"))
    paired = PairedScores(scores, "benchmark")
    found["resampling_s"] = _seconds(lambda: paired.resampled)
    found["comparisons_s"] = _seconds(lambda: compare_subset(paired, "nDCG@10"))
    found["robustness_s"] = _seconds(lambda: robustness(paired, SNRS))
    pairs = len(CONDITIONS) * options.systems * (options.systems - 1) // 2 + options.systems * 10
    first, second, *_ = scores.values()
    found["pairs"] = pairs
    found["naive_s"] = pairs * _seconds(lambda: _one_pair(first, second))
    recordings = _recordings(scores, options.queries, options.systems)
    words = Words("en", frozenset(), frozenset(), 0)
    found["costs_s"] = _seconds(lambda: error_costs(recordings, words, "benchmark"))
    found["ratio"] = found["naive_s"] / (found["resampling_s"] + found["comparisons_s"])
    if options.json:
        print(json.dumps(found))
    else:
        print("\n".join(f"{name:14} {value:,.2f}" for name, value in found.items()))
    return 0 if found["instances_s"] < TARGET_SECONDS else 1


def made_up(queries: int, systems: int) -> dict[tuple[str, str], Any]:
    """Return {(system, condition): scores}, harder conditions a little lower."""
    generator = draw(0, "benchmark", "scores")
    base = np.maximum(0, 1.5 * generator.random(queries) - 0.5)
    return {
        (f"system-{system}", name): base * generator.uniform(0.9 - 0.1 * place, 1.0, queries)
        for system in range(systems)
        for place, name in enumerate(CONDITIONS)
    }


def _recordings(scores: dict[tuple[str, str], Any], queries: int, systems: int) -> Recordings:
    generator = draw(0, "benchmark", "errors")
    spoken = CONDITIONS[1:]
    names = tuple(f"system-{system}" for system in range(systems))
    losses = np.concatenate(
        [
            np.column_stack([scores[name, "text"] - scores[name, spoken_one] for name in names])
            for spoken_one in spoken
        ]
    )
    kinds = generator.poisson(0.3, (len(losses), len(KINDS))).astype(np.float64)
    places = np.tile(np.arange(queries), len(spoken))
    return Recordings(places, kinds.sum(axis=1) / 10, kinds, losses, names, 0)


def _one_pair(first: Any, second: Any) -> None:
    paired_bootstrap(first, second, "benchmark")
    paired_randomisation(first, second, "benchmark")


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--queries", type=int, default=37_317)
    parser.add_argument("--systems", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
