"""The verdict on a submission: one entry a check, each fault with its place and how to mend it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from squtr.eval.scores import Scores
from squtr.leaderboard.schema import Submission, System

CHECKS = {
    "files": "only files that belong there, none of them a link or too large",
    "facts": "system.yaml and submission.json say what they must, in plain text",
    "digests": "every file has the SHA-256 that submission.json states",
    "data set": "the runs are of a data set that the board has, with all its conditions",
    "runs": "known ids, each once, within the depth, with finite scores and no padding",
    "transcripts": "one for each query and condition, each with its status",
    "scores": "the claimed scores follow from runs and judgements",
    "board": "no accepted submission is changed, copied or goes by the same name",
}
MOST_TOLD = 20
_UNTOLD = ("found", "system", "submission")
_LONGEST = 400


@dataclass(frozen=True)
class Fault:
    """What is wrong, where, and how to mend it."""

    where: str
    what: str
    how: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}{'' if self.what.endswith('?') else '.'} {self.how}"


@dataclass
class Check:
    """One check: `ok` is None while it could not be made; of many faults the first are told."""

    name: str
    ok: bool | None = None
    faults: list[Fault] = field(default_factory=list)
    more: int = 0

    def refuse(self, where: str, what: str, how: str) -> None:
        """Take down a fault; what a terminal or a page would not show as it is gets escaped."""
        self.ok = False
        if len(self.faults) < MOST_TOLD:
            self.faults.append(Fault(_harmless(where), _harmless(what), how))
        else:
            self.more += 1

    def passed(self) -> bool:
        """End the check: without a fault it is ok."""
        self.ok = self.ok is not False
        return self.ok


def _harmless(text: str) -> str:
    escaped = "".join(one if one.isprintable() else repr(one)[1:-1] for one in text[:_LONGEST])
    return escaped if len(text) <= _LONGEST else f"{escaped}..."


@dataclass
class Verdict:
    """All checks in their order, notes that refuse nothing, and what was recomputed.

    `scores` and `macro` are means, `recognition` has error rates of transcripts; `found` has the scores of
    every query, by subset and condition. `system` and `submission` are there as soon as they could be read.
    """

    path: str
    id: str | None = None
    name: str | None = None
    dataset: str | None = None
    checks: dict[str, Check] = field(default_factory=lambda: {name: Check(name) for name in CHECKS})
    notes: list[str] = field(default_factory=list)
    scores: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    macro: dict[str, dict[str, float]] = field(default_factory=dict)
    recognition: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    found: dict[str, dict[str, Scores]] = field(default_factory=dict)
    system: System | None = None
    submission: Submission | None = None

    def __getitem__(self, name: str) -> Check:
        return self.checks[name]

    @property
    def accepted(self) -> bool:
        """Whether every check was made and found nothing."""
        return all(check.ok for check in self.checks.values())

    def plain(self) -> dict[str, Any]:
        """Return it as --json prints it."""
        checks = [
            {
                "check": check.name,
                "what": CHECKS[check.name],
                "ok": check.ok,
                "faults": [asdict(fault) for fault in check.faults],
                "more": check.more,
            }
            for check in self.checks.values()
        ]
        told = {name: value for name, value in vars(self).items() if name not in _UNTOLD}
        return {**told, "accepted": self.accepted, "checks": checks}
