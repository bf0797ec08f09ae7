"""Retrievers made of other retrievers: how members are named, loaded and told apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from squtr import plugins
from squtr.errors import UserError
from squtr.needs import Need, needs_of
from squtr.options import number_option
from squtr.records import Document
from squtr.retrievers import Retriever

Members = str | Sequence[Any]


def member_specs(value: object) -> list[Any]:
    """Return members one by one, written `bm25+dense` or as a list; in a list each may have options."""
    if isinstance(value, str):
        return [part.strip() for part in value.split("+")]
    if isinstance(value, Sequence):
        return list(value)
    raise UserError(f"members is {value!r}. Write members=bm25+dense, or a list, members=[bm25, dense].")


def loaded_members(value: object) -> list[Retriever]:
    """Return the members, built where they are specs. Raises UserError."""
    return [
        plugins.load("retriever", member) if isinstance(member, str) else member
        for member in member_specs(value)
    ]


def fingerprint_of(member: Any) -> str:
    """Return a member's fingerprint, or the path of its class where it has none."""
    own = getattr(member, "fingerprint", None)
    return own if isinstance(own, str) else f"{type(member).__module__}:{type(member).__qualname__}"


def check_members(members: Sequence[Any]) -> None:
    """Let each member that can check itself do so. Raises UserError."""
    for member in members:
        check_itself = getattr(member, "check", None)
        if check_itself is not None:
            check_itself()


class Composed:
    """What every retriever shares that hands the whole corpus to each of its `members`."""

    members: list[Retriever]

    def needs(self) -> list[Need]:
        """Return what the members need, each thing once."""
        return list(dict.fromkeys(need for member in self.members for need in needs_of(member)))

    def check(self) -> None:
        """Let the members check themselves. Raises UserError."""
        check_members(self.members)

    def index(self, documents: Sequence[Document], language: str) -> None:
        """Hand the corpus to each member."""
        for member in self.members:
            member.index(documents, language)


def weights_option(value: object, count: int) -> tuple[float, ...]:
    """Return one weight a member, above 0, from `0.7+0.3` or a list; 1 each for None. Raises UserError."""
    if value is None:
        return (1.0,) * count
    parts = [_number(part) for part in value.split("+")] if isinstance(value, str) else value
    if not isinstance(parts, Sequence) or len(parts) != count:
        raise UserError(f"weights is {value!r}: {count} members need {count} numbers, such as 0.7+0.3.")
    return tuple(number_option("weights", part, 1e-9, 1e9) for part in parts)


def _number(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text
