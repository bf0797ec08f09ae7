"""Several retrievers as one, fused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from squtr.errors import UserError, did_you_mean
from squtr.eval.runs import cut
from squtr.options import number_option
from squtr.retrievers import Ranking, Retriever
from squtr.retrievers.fusion import deviation_fusion, normalised_fusion, reciprocal_rank_fusion
from squtr.retrievers.members import Composed, fingerprint_of, loaded_members, weights_option

FUSIONS = ("rrf", "minmax", "zscore")


class Hybrid(Composed):
    """Fuses the rankings of its members, each cut at `depth` (or k, if that is more).

    `members` are retrievers, or specs of the registry; in a spec of one's own they are written
    `bm25+dense`, or as a list where they have options. fusion: by reciprocal ranks (`rrf`, with `k_rrf`), by
    scores between the lowest and highest of each ranking (`minmax`) or in standard deviations (`zscore`).
    weights: one a member, `0.7+0.3`. Where the members' rankings are at hand already, `fuse` needs no search.
    """

    composed_of = "members"
    default_members = ("bm25", "dense")

    def __init__(
        self,
        members: str | Sequence[str | Retriever] = default_members,
        k_rrf: float = 60,
        depth: int = 100,
        fusion: str = "rrf",
        weights: str | Sequence[float] | None = None,
    ) -> None:
        if fusion not in FUSIONS:
            raise UserError(f"hybrid: no fusion {fusion!r}.{did_you_mean(str(fusion), FUSIONS)}")
        self.k_rrf = number_option("hybrid: k_rrf", k_rrf, 1e-6, 1e6)
        self.depth = int(number_option("hybrid: depth", depth, 1, 1e6))
        self.members = loaded_members(members)
        if len(self.members) < 2:
            raise UserError("hybrid: two members or more, such as members=bm25+dense.")
        self.fusion, self.weights = fusion, weights_option(weights, len(self.members))

    @property
    def fingerprint(self) -> str:
        """The members' fingerprints and the parameters of the fusion."""
        members = " + ".join(f"[{fingerprint_of(member)}]" for member in self.members)
        plain = set(self.weights) == {1.0}
        weighted = "" if plain else f" weights={'+'.join(map(str, self.weights))}"
        return f"hybrid {self.fusion} k_rrf={self.k_rrf:g} depth={self.depth}{weighted} {members}"

    def search(self, queries: Sequence[str], k: int) -> list[Ranking]:
        """Search each member once and fuse query by query."""
        found = [member.search(queries, max(k, self.depth)) for member in self.members]
        return [self.fuse(rankings, k) for rankings in zip(*found, strict=True)]

    def fuse(self, rankings: Sequence[Ranking], k: int) -> Ranking:
        """Return the k best of one query's rankings, in the members' order; a pure function of both."""
        depth = max(k, self.depth)
        tops: list[Any] = [dict(cut(ranking, depth)) for ranking in rankings]
        if self.fusion == "minmax":
            return normalised_fusion(tops, k, self.weights)
        if self.fusion == "zscore":
            return deviation_fusion(tops, k, self.weights)
        return reciprocal_rank_fusion(tops, k, self.k_rrf, self.weights)
