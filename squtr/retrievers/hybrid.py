"""Several retrievers as one, fused."""

from __future__ import annotations

from collections.abc import Sequence

from squtr import plugins
from squtr.errors import UserError, did_you_mean
from squtr.eval.runs import cut
from squtr.records import Document
from squtr.retrievers import Ranking, Retriever
from squtr.retrievers.fusion import normalised_fusion, reciprocal_rank_fusion

FUSIONS = ("rrf", "minmax")


class Hybrid:
    """Fuses the rankings of its members, each cut at `depth` (or k, if that is more).

    `members` are retrievers, or specs of the registry; in a spec of one's own they are written
    `bm25+dense`. Where the members' rankings are at hand already, `fuse` needs no search.
    """

    def __init__(
        self,
        members: str | Sequence[str | Retriever] = ("bm25", "dense"),
        k_rrf: float = 60,
        depth: int = 100,
        fusion: str = "rrf",
    ) -> None:
        if fusion not in FUSIONS:
            raise UserError(f"hybrid: no fusion {fusion!r}.{did_you_mean(str(fusion), FUSIONS)}")
        if k_rrf <= 0 or depth < 1:
            raise UserError(f"hybrid: k_rrf={k_rrf} and depth={depth} must be above 0.")
        chosen = members.split("+") if isinstance(members, str) else members
        self.members = [_loaded(member) for member in chosen]
        if len(self.members) < 2:
            raise UserError("hybrid: two members or more, such as members=bm25+dense.")
        self.k_rrf, self.depth, self.fusion = k_rrf, depth, fusion

    @property
    def fingerprint(self) -> str:
        """The members' fingerprints and the parameters of the fusion."""
        members = " + ".join(f"[{_fingerprint(member)}]" for member in self.members)
        return f"hybrid {self.fusion} k_rrf={self.k_rrf} depth={self.depth} {members}"

    def index(self, documents: Sequence[Document], language: str) -> None:
        """Hand the corpus to each member."""
        for member in self.members:
            member.index(documents, language)

    def search(self, queries: Sequence[str], k: int) -> list[Ranking]:
        """Search each member once and fuse query by query."""
        found = [member.search(queries, max(k, self.depth)) for member in self.members]
        return [self.fuse(rankings, k) for rankings in zip(*found, strict=True)]

    def fuse(self, rankings: Sequence[Ranking], k: int) -> Ranking:
        """Return the k best of one query's rankings, in the members' order; a pure function of both."""
        depth = max(k, self.depth)
        tops = [dict(cut(ranking, depth)) for ranking in rankings]
        if self.fusion == "minmax":
            return normalised_fusion(tops, k)
        return reciprocal_rank_fusion(tops, k, self.k_rrf)


def _loaded(member: str | Retriever) -> Retriever:
    if not isinstance(member, str):
        return member
    retriever: Retriever = plugins.load("retriever", member)
    return retriever


def _fingerprint(member: Retriever) -> str:
    own = getattr(member, "fingerprint", None)
    return own if isinstance(own, str) else f"{type(member).__module__}:{type(member).__qualname__}"
