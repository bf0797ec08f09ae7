"""What channels realised beside what was set: in a study of channels, and in the recordings of a data set."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from squtr import plugins
from squtr.channels.audit import SettingAudit, Turn, audit
from squtr.channels.channel import operator_name
from squtr.dataset import Subset
from squtr.digest import to_plain
from squtr.errors import UserError
from squtr.eval.channels import SPOKEN, ChannelTexts, kind_of


@dataclass(frozen=True, slots=True)
class Behind:
    """A text behind a channel; `key` joins it with the same text behind others.

    `edits` are the kinds of all edits, None where nobody wrote them down.
    """

    query: str
    key: str
    source: str
    text: str
    edits: tuple[str, ...] | None


def audit_study(texts: ChannelTexts, seed: int) -> dict[str, Any]:
    """Audit a study of channels, intervals over queries; failed texts are left out.

    All seeds are taken together, or the first where every seed gives the same texts.
    """
    behind = {
        channel: [
            Behind(query, f"{at}/{query}", one.source, one.text, tuple(edit["kind"] for edit in one.edits))
            for at, by_query in list(by_seed.items())[: None if texts.seeds_differ(channel) else 1]
            for query, one in by_query.items()
            if one.reason is None
        ]
        for channel, by_seed in texts.sent.items()
    }
    return audit_channels(behind, texts.language, seed)


def audit_recordings(subsets: Sequence[Subset], seed: int = 0) -> dict[str, Any] | None:
    """Audit by subset what was spoken behind channels; None where nothing was."""
    found = {}
    for subset in subsets:
        behind: dict[str, list[Behind]] = {}
        for channel, one in _spoken(subset):
            behind.setdefault(channel, []).append(one)
        if behind:
            found[subset.key] = audit_channels(behind, subset.language, seed)
    return found or None


def audit_channels(behind: Mapping[str, Sequence[Behind]], language: str, seed: int = 0) -> dict[str, Any]:
    """Return what was set, counts, measures and the mix of edits by channel, and of the texts as written.

    `trends`: Kendall's tau-b of rate against fillers and repetitions, for each operator that speaks at
    several rates. A channel without a text is left out.
    """
    known = {name: texts for name, texts in behind.items() if texts}
    if not known:
        return {"written": None, "channels": {}, "trends": {}}
    written = {one.query: one.source for texts in known.values() for one in texts}
    turns = [Turn(text, query, query) for query, text in written.items()]
    found: dict[str, Any] = {}
    trends: dict[str, Any] = {}
    for names in _families(list(known)):
        told = audit([turn for name in names for turn in _turns(name, known[name])], language, seed)
        for one in told.settings:
            found[one.setting] = _plain(one, known[one.setting])
        if len(names) > 1 and kind_of(names[0]) == SPOKEN:
            trends[operator_name(names[0])] = to_plain(
                {"tau_b": told.tau_b, "p": told.tau_b_p, "equal_at_all": told.equal_at_all}
            )
    return {
        "written": to_plain(audit(turns, language, seed).settings[0]),
        "channels": {name: found[name] for name in known},
        "trends": trends,
    }


def settings_of(channel: str) -> list[dict[str, Any]]:
    """Return each operator of a channel with its rate, as written or by default; None where it has none."""
    return [{"operator": operator_name(part), "rate": _rate(part)} for part in channel.split("|")]


def _plain(one: SettingAudit, texts: Sequence[Behind]) -> dict[str, Any]:
    told = [text.edits for text in texts if text.edits is not None]
    kinds = Counter(kind for edits in told for kind in edits)
    plain: dict[str, Any] = to_plain(one)
    name = plain.pop("setting")
    return {
        "set": settings_of(name),
        **plain,
        "edits": kinds.total() if len(told) == len(texts) else None,
        "edits_by_kind": dict(sorted(kinds.items(), key=lambda item: (-item[1], item[0]))),
    }


def _turns(name: str, texts: Sequence[Behind]) -> Iterator[Turn]:
    for one in texts:
        yield Turn(one.text, one.query, one.key, name, one.source)


def _families(names: Sequence[str]) -> list[list[str]]:
    """Return channels of one operator and nothing but a rate together, by rising rate; others alone."""
    found: dict[str, list[str]] = {}
    for name in names:
        alone = "|" in name or "," in name or _rate(name) is None
        found.setdefault(name if alone else f"@{operator_name(name)}", []).append(name)
    return [sorted(family, key=lambda name: _rate(name) or 0.0) for family in found.values()]


def _rate(part: str) -> float | None:
    head, _, options = part.partition(",")
    name, at, rate = head.partition("@")
    try:
        given = plugins.split_spec(f"{name},{options}")[1].get("rate") if options else None
        found = rate if at else given if given is not None else _default(name)
        return None if found is None else float(found)
    except (UserError, TypeError, ValueError):
        return None


def _default(name: str) -> Any:
    maker = plugins.resolve("channel", operator_name(name))
    parameter = inspect.signature(maker).parameters.get("rate")
    return None if parameter is None or parameter.default is parameter.empty else parameter.default


def _spoken(subset: Subset) -> Iterator[tuple[str, Behind]]:
    """Yield what was spoken behind channels, once a query; its source is the manifest's or the query."""
    written = {query.id: query.text for query in subset.collection.queries}
    seen: set[tuple[str, str]] = set()
    for one in (*(each for row in subset.conditions.values() for each in row), *subset.unpaired):
        source = one.facts.get("source_text") or written.get(one.query_id)
        channel = one.channel
        if channel is None or one.text is None or source is None or (channel, one.query_id) in seen:
            continue
        seen.add((channel, one.query_id))
        edits = one.facts.get("edits")
        kinds = tuple(edit["kind"] for edit in json.loads(edits)) if edits else None
        yield channel, Behind(one.query_id, one.query_id, source, one.text, kinds)
