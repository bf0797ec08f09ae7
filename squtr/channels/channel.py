"""A channel: operators in order, written as one spec, such as `typed:missed-space@0.2|typos@0.04`."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from squtr import plugins
from squtr.channels.changed import Edit
from squtr.channels.operator import Operator
from squtr.digest import digest
from squtr.draw import draw
from squtr.errors import UserError
from squtr.options import number_option

_TYPED = "connected-key key-swap keyboard-neighbor missed-space random-replace repeated-key"
_SPOKEN = (
    "clean+fillers clean+homophone clean+numwords clean-case/punct clean-func-words spoken-casual"
    " spoken-clean spoken-filler-stripped spoken-formal spoken-succinct"
)
FAMILIES = {
    "typed": tuple(_TYPED.split()),
    "spoken": tuple(_SPOKEN.split()),
    "control": ("context-swap", "option-permutation"),
}


@dataclass(frozen=True, slots=True)
class Step:
    """What one operator of a channel did to a text; `source` came in."""

    operator: str
    source: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Passed:
    """A text behind a channel: what came out, and what each operator did on the way."""

    text: str
    source_text: str
    steps: tuple[Step, ...]

    @property
    def edits(self) -> list[dict[str, Any]]:
        """All edits as plain values; places count in the text that came into their operator."""
        return [
            {
                "operator": step.operator,
                "kind": edit.kind,
                "start": edit.start,
                "end": edit.end,
                "before": step.source[edit.start : edit.end],
                "after": edit.after,
            }
            for step in self.steps
            for edit in step.edits
        ]


@dataclass(frozen=True)
class Channel:
    """Operators, applied in order. `name` is the spec it was read from, as results show it."""

    name: str
    operators: tuple[tuple[str, Operator], ...]

    @property
    def fingerprint(self) -> str:
        """Digest of all operators."""
        return digest("channel", [(name, operator.fingerprint) for name, operator in self.operators])

    def check_language(self, language: str) -> None:
        """Raise UserError for a language that one of its operators does not know."""
        for name, operator in self.operators:
            if operator.languages and language not in operator.languages:
                known = ", ".join(operator.languages)
                raise UserError(
                    f"Channel {name!r} does not know the language {language!r}. It knows {known}."
                )

    def check(self, languages: Iterable[str]) -> None:
        """Let operators look for what they need, in these languages too.

        Raises UserError before any work for what is missing.
        """
        for _, operator in self.operators:
            getattr(operator, "check", lambda: None)()
            for language in languages:
                getattr(operator, "check_language", lambda language: None)(language)

    def acts_on(self, text: str, language: str) -> bool:
        """Tell whether its operators find anything in a text: at their full rates one of them changes it.

        An operator without a rate is taken to find something.
        """
        return any(_acts_on(operator, text, language) for _, operator in self.operators)

    def apply(self, text: str, language: str, seed: int, item: str) -> Passed:
        """Send a text through; `item` is its id, and with `seed` decides all chance.

        Raises ItemFailure when an operator cannot change this text.
        """
        source, steps = text, []
        for place, (name, operator) in enumerate(self.operators):
            found = operator.change(
                text, language, draw(seed, f"channel/{place}/{operator_name(name)}", item)
            )
            steps.append(Step(name, text, found.edits))
            text = found.text
        return Passed(text, source, tuple(steps))


def read_channel(spec: str, options: Mapping[str, Any] | None = None) -> Channel:
    """Read `operator@rate,option=value|operator|...`; `options` are for every operator that takes them.

    Raises UserError for an unknown operator, with the nearest names, and for a rate outside 0 to 1.
    """
    parts = [part.strip() for part in spec.split("|")]
    if not all(parts):
        raise UserError(f"Channel {spec!r} has an empty operator. Write operator@rate|operator@rate.")
    return Channel("|".join(parts), tuple((part, _operator(part, dict(options or {}))) for part in parts))


def _acts_on(operator: Operator, text: str, language: str) -> bool:
    full: Any = copy.copy(operator)
    try:
        if full.rate is None:
            return True
        full.rate = getattr(full, "full_rate", 1.0)
    except AttributeError:
        return True
    return bool(full.change(text, language, draw(0, "channel/full", "")).edits)


def _operator(part: str, options: dict[str, Any]) -> Operator:
    head, comma, rest = part.partition(",")
    name, at, rate = head.partition("@")
    if at:
        options["rate"] = _rate(part, rate)
        if "rate" in plugins.split_spec(part)[1]:
            raise UserError(f"Channel {part!r} has its rate twice. Leave the @ or the option.")
    loaded: Operator = plugins.load("channel", f"{_without_family(name)}{comma}{rest}", **options)
    return loaded


def _without_family(name: str) -> str:
    """Return `keyboard-neighbor` for `typed:keyboard-neighbor`. Raises UserError for a wrong family."""
    family, colon, inner = name.partition(":")
    if not colon or family not in FAMILIES:
        return name
    for other, members in FAMILIES.items():
        if inner in members and other != family:
            raise UserError(f"Channel {name!r}: {inner} is {other}. Write {other}:{inner}.")
    if inner in plugins.BUILT_IN["channel"] and inner not in FAMILIES[family]:
        raise UserError(f"Channel {name!r}: {inner} has no family. Write {inner}.")
    return inner


def _rate(part: str, written: str) -> float:
    try:
        number = float(written)
    except ValueError:
        raise UserError(f"Channel {part!r}: {written!r} is no rate. Write a number from 0 to 1.") from None
    return number_option(f"The rate of {part!r}", number, 0.0, 1.0)


def operator_name(name: str) -> str:
    """The operator without rate and options: its chance is the same at every rate, so rates compare."""
    return _without_family(re.split("[@,]", name, maxsplit=1)[0])


def names(channels: Sequence[Channel]) -> list[str]:
    """Return the channels' names. Raises UserError when one stands twice."""
    found = [channel.name for channel in channels]
    for name in found:
        if found.count(name) > 1:
            raise UserError(f"The channel {name!r} stands twice.")
    return found
