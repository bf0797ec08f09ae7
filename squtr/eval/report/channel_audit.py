"""What channels realised beside what was set, as tables of the audit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from squtr.eval.report.audit import AuditPart
from squtr.eval.report.table import Cell, Table, missing, words
from squtr.eval.report.view import SubsetView
from squtr.eval.report.words import DASH, Label, amount, count, label, number, percent, visible

_KINDS_SHOWN = 4
_CHANGES = {
    "typos_per_letter": "edits a letter",
    "edits_per_word": "words edited",
    "token_survival": "words kept",
    "token_survival_in_order": "kept in order",
}
_HESITATIONS = {
    "fillers_per_1000_words": "fillers",
    "repetitions_per_1000_words": "repetitions",
    "first_word_share_of_fillers": "on the first word",
    "share_of_turns_with_any": "texts with any",
    "variance_to_mean": "variance to mean",
}
_NUMBERS = {"fillers_per_1000_words": 1, "repetitions_per_1000_words": 1, "variance_to_mean": 2}
_UNITS = {"typos": "letters", "disfluent": "tendency", "clean-func-words": "function words"}


def channel_audit_parts(results: Mapping[str, Any], subsets: Sequence[SubsetView]) -> Iterator[AuditPart]:
    """Yield a part for each subset whose queries were searched or spoken behind channels."""
    studied = (results.get("channels") or {"subsets": {}})["subsets"]
    spoken = (results.get("audit") or {}).get("channels") or {}
    for view in subsets:
        searched = studied[view.key].get("audit") if view.key in studied else None
        for done, found in (("searched", searched), ("spoken", spoken.get(view.key))):
            if found and found["channels"]:
                yield _part(view, found, done)


def _part(view: SubsetView, found: Mapping[str, Any], done: str) -> AuditPart:
    texts = amount(found["written"]["turns"], "query")
    says = (
        f"What each channel made of {texts} that were {done} behind it, beside what was set."
        " Small: 95\u202f% intervals over the queries; of edits a letter, Wilson's."
    )
    trends = " ".join(_trends(found["trends"]))
    tables = (_changes(found), *_hesitations(found), _edits(found))
    return AuditPart(f"Channels as {done}: {view.name.text}", f"{says} {trends}".rstrip(), tables)


def _changes(found: Mapping[str, Any]) -> Table:
    rows = tuple(
        (
            label(name),
            (
                words(_set(one["set"])),
                Cell(count(one["turns"])),
                *(_measure(one, measure) for measure in _CHANGES),
            ),
        )
        for name, one in found["channels"].items()
    )
    caption = (
        "Set and realised: distances by Damerau and Levenshtein over the letters that typing can touch and"
        " over the words, and the share of the words that are still there."
    )
    return Table(caption, "channel", tuple(map(Label, ("set", "texts", *_CHANGES.values()))), rows)


def _edits(found: Mapping[str, Any]) -> Table:
    rows = tuple((label(name), (*_made(one), words(_mix(one)))) for name, one in found["channels"].items())
    caption = "Edits as the channels made them, how many for each word of the query, and their kinds."
    return Table(caption, "channel", tuple(map(Label, ("edits", "a word", "kinds"))), rows)


def _hesitations(found: Mapping[str, Any]) -> Iterator[Table]:
    hesitating = {
        name: one for name, one in found["channels"].items() if one["fillers"] or one["repetitions"]
    }
    if not hesitating:
        return
    rows = tuple(
        (label(name), tuple(_measure(one, measure) for measure in _HESITATIONS))
        for name, one in {"as written": found["written"], **hesitating}.items()
    )
    caption = (
        "Fillers and repetitions in 1,000 words, fillers included; the share of the fillers that begin a"
        " text, and of the texts that have any of the two; variance over mean of their count a text."
        " Channels that hesitate nowhere are left out."
    )
    yield Table(caption, "channel", tuple(map(Label, _HESITATIONS.values())), rows)


def _set(operators: Sequence[Mapping[str, Any]]) -> str:
    return ", then ".join(_rate(one["operator"], one["rate"]) for one in operators)


def _rate(operator: str, rate: float | None) -> str:
    if rate is None:
        return "no rate"
    unit = _UNITS.get(operator, "words")
    return f"{unit} {rate:g}" if unit == "tendency" else f"{100 * rate:g}\u202f% of {unit}"


def _made(one: Mapping[str, Any]) -> tuple[Cell, Cell]:
    made, size = one["edits"], one["source_words"]
    if made is None:
        return missing("no manifest tells of edits"), missing("no manifest tells of edits")
    return Cell(count(made)), Cell(number(made / size, 3)) if size else missing("no words")


def _measure(one: Mapping[str, Any], name: str) -> Cell:
    found = one["measures"][name]
    if found["value"] is None:
        return missing(found["reason"])
    as_percent = name not in _NUMBERS

    def told(value: float) -> str:
        return percent(value) if as_percent else number(value, _NUMBERS[name])

    under = "" if found["low"] is None else f"{told(found['low'])} to {told(found['high'])}"
    return Cell(told(found["value"]), under=under, remark=found["reason"] or "")


def _mix(one: Mapping[str, Any]) -> str:
    kinds = list(one["edits_by_kind"].items())
    if not one["edits"]:
        return DASH
    shown = [f"{visible(kind)} {percent(made / one['edits'], 0)}" for kind, made in kinds[:_KINDS_SHOWN]]
    rest = sum(made for _, made in kinds[_KINDS_SHOWN:])
    return ", ".join([*shown, *([f"others {percent(rest / one['edits'], 0)}"] if rest else [])])


def _trends(trends: Mapping[str, Any]) -> Iterator[str]:
    for operator, found in trends.items():
        tau, equal = found["tau_b"], found["equal_at_all"]
        if tau["value"] is not None:
            interval = "" if tau["low"] is None else f" ({number(tau['low'], 2)} to {number(tau['high'], 2)})"
            yield (
                f"{visible(operator)}: Kendall's tau-b of rate against fillers and repetitions is"
                f" {number(tau['value'], 2)}{interval}; {percent(equal['value'], 0)} of the texts are the"
                " same at every rate."
            )
