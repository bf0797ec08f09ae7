"""Check that a submission is of a data set of the board, and covers it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from squtr.leaderboard.board_data import BoardData
from squtr.leaderboard.lines import shown
from squtr.leaderboard.schema import SUBMISSION_FILE, TEXT, Submission, SubsetFacts, System
from squtr.leaderboard.verdict import Check

_RUN_AGAIN = "Evaluate on the board's data set, under all its conditions, and pack that."


def check_data(
    submission: Submission, system: System, offered: Sequence[BoardData], check: Check, notes: list[str]
) -> BoardData | None:
    """Return the data set of `offered` that the submission is of, None where it is of none of them."""
    data = nearest(submission.dataset.subsets, offered)
    if found := differences(submission.dataset.subsets, data):
        for where, what in found:
            if where in data.subsets:
                check.refuse(where, f"runs of another data set: {what}", _RUN_AGAIN)
            else:
                check.refuse(shown(where), what, _RUN_AGAIN)
        return None
    if submission.dataset.slice != data.slice:
        check.refuse(SUBMISSION_FILE, "a slice stands only beside runs on the same slice", _RUN_AGAIN)
    _check_subsets(submission, data, check)
    for key, conditions in submission.scores.items():
        if key in data.subsets:
            _check_conditions(key, set(conditions), data, system, check)
    for key, facts in submission.dataset.subsets.items():
        if facts.audio is None and data.subsets[key].facts.audio is not None:
            notes.append(f"{key}: the evaluation does not say which audio it heard.")
    return data


def nearest(facts: Mapping[str, SubsetFacts], offered: Sequence[BoardData]) -> BoardData:
    """Return the first data set with the fewest differences from subsets by key."""
    return min(offered, key=lambda data: len(differences(facts, data)))


def differences(facts: Mapping[str, SubsetFacts], data: BoardData) -> list[tuple[str, str]]:
    """Return the subsets that are not those of a data set, and how; what is not known differs in nothing."""
    found: list[tuple[str, str]] = []
    for key, mine in facts.items():
        if key in data.subsets:
            found += [(key, said) for said in _unlike(mine, data.subsets[key].facts, data.name)]
        else:
            found.append((key, f"is no subset of {data.name}"))
    return found


def uncovered(keys: Iterable[str], data: BoardData) -> list[str]:
    """Return the subsets that are lacking while another of their language is there."""
    claimed = set(keys)
    languages = {data.subsets[key].language for key in claimed if key in data.subsets}
    return [
        key for key, subset in data.subsets.items() if subset.language in languages and key not in claimed
    ]


def _unlike(mine: SubsetFacts, board: SubsetFacts, name: str) -> list[str]:
    parts = {"fingerprint": "texts and judgements", "qrels": "judgements", "audio": "recordings"}
    return [
        f"the {what} have digest {(getattr(mine, part))[:12]}..., those of {name}"
        f" {getattr(board, part)[:12]}..."
        for part, what in parts.items()
        if None not in (getattr(mine, part), getattr(board, part))
        and getattr(mine, part) != getattr(board, part)
    ]


def _check_subsets(submission: Submission, data: BoardData, check: Check) -> None:
    """A language is covered whole or not at all: its mean is over all its subsets."""
    claimed = set(submission.scores)
    for key in sorted(claimed ^ set(submission.dataset.subsets)):
        check.refuse(SUBMISSION_FILE, f"{shown(key)} has scores or digests, but not both", _RUN_AGAIN)
    for key in uncovered(claimed, data):
        check.refuse(key, "has no runs, while another subset of its language has", _RUN_AGAIN)


def _check_conditions(key: str, mine: set[str], data: BoardData, system: System, check: Check) -> None:
    spoken = set(data.subsets[key].conditions)
    wanted = {TEXT} if system.family == "oracle-text" else spoken
    for condition in sorted(wanted - mine):
        check.refuse(f"{key} {condition}", "has no run", _RUN_AGAIN)
    for condition in sorted(mine - wanted - {TEXT}):
        check.refuse(f"{key} {condition}", "is no condition that counts here", _RUN_AGAIN)
