"""Two retrievers, chosen between or weighed query by query by how well the recording was heard."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from squtr.errors import UserError, did_you_mean
from squtr.eval.runs import cut
from squtr.options import number_option
from squtr.retrievers import QueryContext, Ranking, Retriever
from squtr.retrievers.fusion import normalised_fusion
from squtr.retrievers.members import Composed, fingerprint_of, loaded_members

SIGNALS = {"snr": "estimated_snr_db", "confidence": "confidence"}
_DEFAULT_THRESHOLDS = {"snr": 5.0, "confidence": -0.5}
_DEFAULT_WIDTHS = {"snr": 10.0, "confidence": 1.0}
MODES = ("switch", "weight")


class Adaptive(Composed):
    """The first member where the recording is clear, the second where it is not.

    by: `snr`, the ratio estimated from the recording alone (squtr.blind_snr; never the configured one), or
    `confidence`, the recogniser's mean token log-probability. mode: `switch` takes the one ranking or the
    other at `threshold` (dB, or log-probability); `weight` adds both, scaled as of `minmax`, the first one's
    weight rising from 0 to 1 over `width` about the threshold. A written query has no recording and goes to
    the first member. What the members could reach at best, query by query, stands beside it as its oracle.
    """

    composed_of = "members"
    default_members = ("bm25", "dense")

    def __init__(
        self,
        members: str | Sequence[str | Retriever] = default_members,
        by: str = "snr",
        mode: str = "switch",
        threshold: float | None = None,
        width: float | None = None,
        depth: int = 100,
    ) -> None:
        for name, value, known in (("by", by, SIGNALS), ("mode", mode, MODES)):
            if value not in known:
                raise UserError(f"adaptive: {name} is {value!r}.{did_you_mean(str(value), known)}")
        self.members = loaded_members(members)
        if len(self.members) != 2:
            raise UserError("adaptive: two members, such as members=bm25+dense.")
        self.by, self.mode = by, mode
        chosen = _DEFAULT_THRESHOLDS[by] if threshold is None else threshold
        self.threshold = number_option("adaptive: threshold", chosen, -1000, 1000)
        chosen_width = _DEFAULT_WIDTHS[by] if width is None else width
        self.width = number_option("adaptive: width", chosen_width, 1e-6, 1000)
        self.depth = int(number_option("adaptive: depth", depth, 1, 1e6))

    @property
    def context(self) -> str:
        """What of a QueryContext is looked at."""
        return SIGNALS[self.by]

    @property
    def fingerprint(self) -> str:
        """The members' fingerprints and the rule."""
        members = " + ".join(f"[{fingerprint_of(member)}]" for member in self.members)
        weighed = f" width={self.width:g} depth={self.depth}" if self.mode == "weight" else ""
        return f"adaptive {self.mode} by={self.by} threshold={self.threshold:g}{weighed} {members}"

    def search(self, queries: Sequence[str], k: int) -> list[Ranking]:
        """Search written queries: the first member's rankings."""
        return self.search_with(queries, [None] * len(queries), k)

    def search_with(
        self, queries: Sequence[str], contexts: Sequence[QueryContext | None], k: int
    ) -> list[Ranking]:
        """Return up to k documents a query. Raises UserError where the recogniser gives no confidence."""
        shares = [self.share(context) for context in contexts]
        depth = k if self.mode == "switch" else max(k, self.depth)
        pairs = list(zip(queries, shares, strict=True))
        asked = (
            list(dict.fromkeys(text for text, share in pairs if share > 0)),
            list(dict.fromkeys(text for text, share in pairs if share < 1)),
        )
        found: list[dict[str, Ranking]] = [
            dict(zip(texts, member.search(texts, depth), strict=True)) if texts else {}
            for member, texts in zip(self.members, asked, strict=True)
        ]
        return [self._combined([one.get(text, {}) for one in found], share, k) for text, share in pairs]

    def share(self, context: QueryContext | None) -> float:
        """Return the first member's weight, from 0 to 1; only these two where it switches."""
        if context is None:
            return 1.0
        value = getattr(context, self.context)
        if value is None:
            raise UserError(
                f"adaptive: this recogniser gives no {self.by}. Take by=snr, which is estimated from the"
                " recording, or another recogniser."
            )
        if self.mode == "switch":
            return float(value >= self.threshold)
        place = (value - self.threshold) / self.width + 0.5
        return min(max(place, 0.0), 1.0) if math.isfinite(place) else float(place > 0)

    def _combined(self, rankings: list[Ranking], share: float, k: int) -> Ranking:
        if share in (0.0, 1.0):
            return dict(cut(dict(rankings[0 if share else 1]), k))
        tops: list[Any] = [dict(cut(dict(ranking), max(k, self.depth))) for ranking in rankings]
        return normalised_fusion(tops, k, (share, 1 - share))
