"""How far chance moves the disfluency rule's figures: the turns of the tests, other seeds, samples of 299.

python benchmarks/disfluency.py [samples] prints mean and middle 95 % of each figure, and how often the
samples fall where Wang et al. (arXiv:2610.11015) print theirs: 47.06 repetitions in 1,000 words at 1.0, and a
variance to mean of 1.15 to 1.29 at every tendency.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt

from squtr.channels.hesitations import Hesitations, hesitations
from squtr.channels.operators import disfluent

TENDENCIES = (0.25, 0.5, 0.75, 1.0)
TURNS = 299
FIGURES = ("repetitions / 1,000 words", "variance to mean", "fillers on the first word, %")
_FILE = Path(__file__).parents[1] / "tests" / "data" / "dialogue_turns.txt"


def seeded(salt: int) -> Any:
    """Stand for Python's generator, seeded with the text and a salt."""
    return mock.patch.object(disfluent, "Random", lambda text: random.Random(f"{salt}/".encode() + text))


def figures(said: list[Hesitations]) -> tuple[float, float, float]:
    """Return FIGURES of the turns of one sample."""
    counts = np.array([one.total for one in said])
    words, fillers = (sum(getattr(one, name) for one in said) for name in ("words", "fillers"))
    first = sum(one.first for one in said) / fillers if fillers else 0.0
    repeated = 1000 * sum(one.repetitions for one in said) / words
    return repeated, float(counts.var(ddof=1) / counts.mean()), 100 * first


def samples(number: int, turns: list[str]) -> npt.NDArray[np.float64]:
    """Return figures, shape (samples, tendencies, figures); each sample has turns and a salt of its own."""
    found = []
    rng = np.random.default_rng(0)
    for salt in range(number):
        drawn = rng.choice(len(turns), TURNS, replace=False)
        with seeded(salt):
            found.append([figures(_said(tendency, [turns[at] for at in drawn])) for tendency in TENDENCIES])
    return np.array(found)


def _said(tendency: float, turns: list[str]) -> list[Hesitations]:
    operator, rng = disfluent.Disfluent(tendency), np.random.default_rng(0)
    return [hesitations(operator.change(text, "en", rng).text, "en") for text in turns]


def main() -> None:
    """Print a row a figure, and the shares."""
    turns = [line for line in _FILE.read_text(encoding="utf-8").splitlines() if line]
    found = samples(int(sys.argv[1]) if len(sys.argv) > 1 else 200, turns)
    print("|  |", " | ".join(map(str, TENDENCIES)), "|")
    for place, name in enumerate(FIGURES):
        low, high = np.quantile(found[..., place], [0.025, 0.975], axis=0)
        cells = zip(found[..., place].mean(axis=0), low, high, strict=True)
        print(f"| {name} |", " | ".join(f"{mean:.3g} [{a:.3g}, {b:.3g}]" for mean, a, b in cells), "|")
    inside = (found[..., 1] >= 1.15) & (found[..., 1] <= 1.29)
    print(f"At 1.0 {np.mean(found[:, 3, 0] <= 47.06):.0%} have 47.06 repetitions or fewer.")
    shares, every = inside.mean(axis=0), inside.all(axis=1).mean()
    print(f"Variance to mean from 1.15 to 1.29: {shares}, all four {every:.1%}.")


if __name__ == "__main__":
    main()
