"""The operator protocol: one change of a text."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from squtr.channels.changed import Changed


class Operator(Protocol):
    """One way to change a text. Built from its options; `rate`, where it has one, is what stands after @."""

    @property
    def fingerprint(self) -> str:
        """What decides the result besides text, language and chance: version, options, model, word lists."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages it knows; none named: any."""
        ...

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        """Change `text`. Chance comes from `rng` alone.

        Raises ItemFailure when this one text cannot be changed, as when a service gave no usable answer.
        """
        ...
