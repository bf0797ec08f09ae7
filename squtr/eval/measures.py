"""The measures: what they are called, what they mean, how trec_eval names them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from squtr.errors import UserError, did_you_mean


@dataclass(frozen=True, slots=True)
class _Family:
    engine_name: str
    suffix: str
    definition: str


_FAMILIES = {
    "nDCG": _Family(
        "ndcg_cut_{}",
        " (linear gain)",
        "sum of grade / log2(rank + 1) over the top k, divided by the same sum for the ideal order of all"
        " judged documents",
    ),
    "MRR": _Family("recip_rank", "", "1 / rank of the first relevant document in the top k, else 0"),
    "Recall": _Family("recall_{}", "", "relevant documents in the top k / all relevant documents"),
    "MAP": _Family(
        "map_cut_{}",
        "",
        "sum of the precision at each relevant document in the top k / all relevant documents",
    ),
    "P": _Family("P_{}", "", "relevant documents in the top k / k"),
    "Success": _Family("success_{}", "", "1 if the top k hold a relevant document, else 0"),
}
_SPELLING = re.compile(r"([A-Za-z]+)@([1-9][0-9]{0,4})(?: \(linear gain\))?")


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure with its cut-off; a document is relevant from grade 1 on.

    `name` is what people type (nDCG@10), `full_name` is the key in every result (nDCG@10 (linear gain)).
    """

    family: str
    cutoff: int

    @property
    def name(self) -> str:
        return f"{self.family}@{self.cutoff}"

    @property
    def full_name(self) -> str:
        return self.name + _FAMILIES[self.family].suffix

    @property
    def definition(self) -> str:
        """What is computed, with k for the cut-off."""
        return _FAMILIES[self.family].definition

    @property
    def engine_name(self) -> str:
        """The name of trec_eval; its recip_rank has no cut-off, so every list is cut before scoring."""
        return _FAMILIES[self.family].engine_name.format(self.cutoff)


_ELSEWHERE = {"r": "recall", "rr": "mrr", "ap": "map", "precision": "p", "hits": "success"}
_HOW = f"Write {', '.join(_FAMILIES)} and a cut-off (1 to 99999), such as nDCG@10."
DEFAULT_MEASURES = (Measure("nDCG", 10), Measure("MRR", 10), Measure("Recall", 10))


def parse_measure(text: str) -> Measure:
    """Read `nDCG@10` in any case, or a full name. Raises UserError with the nearest name."""
    match = _SPELLING.fullmatch(text.strip())
    if not match:
        raise UserError(f"{text!r} is no measure. {_HOW}")
    families = {family.lower(): family for family in _FAMILIES}
    family = families.get(match[1].lower())
    if family is None:
        said = match[1].lower()
        meant = _ELSEWHERE.get(said)
        hint = f" Did you mean {meant!r}?" if meant else did_you_mean(said, families)
        raise UserError(f"Unknown measure {text!r}.{hint} {_HOW}")
    return Measure(family, int(match[2]))
