"""Channels: each query's text as written, and as it comes out behind each of a recipe's channels."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from squtr.channels import Channel, read_channel
from squtr.channels.records import RecordOperator
from squtr.data_build.select import Planned
from squtr.digest import digest
from squtr.errors import ItemFailure, UserError
from squtr.recipe import Recipe
from squtr.records import AudioRef
from squtr.store import Audio, PackWriter

RunStage = Callable[[Any, Sequence[Any]], list[dict[str, Any]]]
_CODE_VERSION = 1


@dataclass(frozen=True, slots=True)
class ChangeItem:
    """What decides a text behind a channel besides the channel; `key` names the query for its draws."""

    text: str
    language: str
    seed: int
    key: str


@dataclass(frozen=True)
class Change:
    """Stage: send a text through a channel. Record: the text that came out, and its edits.

    `placed` is the channel as it is loaded, with its paths whole; edits name operators as the recipe does.
    """

    channel: str
    placed: str
    name: str = "change"

    @property
    def fingerprint(self) -> str:
        return digest(self.channel, loaded(self.channel, self.placed).fingerprint, _CODE_VERSION)

    def audio_of(self, item: ChangeItem) -> Sequence[AudioRef]:
        return ()

    def run(self, item: ChangeItem, audio: Audio, pack: PackWriter) -> dict[str, Any]:
        passed = loaded(self.channel, self.placed).apply(item.text, item.language, item.seed, item.key)
        if not passed.text.strip():
            raise ItemFailure(f"{self.channel} leaves no text")
        return {"text": passed.text, "edits": passed.edits}


@functools.cache
def loaded(channel: str, placed: str) -> Channel:
    """Return this process's one channel of that spec, its operators called as they are written."""
    found = read_channel(placed)
    operators = [operator for _, operator in found.operators]
    return Channel(channel, tuple(zip(channel.split("|"), operators, strict=True)))


def changes(recipe: Recipe, placed: Recipe) -> list[Change]:
    """Return the stages of a recipe's channels; `placed` is the recipe as its engines are loaded.

    Raises UserError as `read_channels` does, and for an operator that cannot be used on this machine.
    """
    for place, channel in enumerate(read_channels(recipe, placed)):
        with recipe.origin.of("channels", place):
            channel.check(recipe.languages)
    return [Change(*specs) for specs in zip(recipe.channels, placed.channels, strict=True)]


def read_channels(recipe: Recipe, placed: Recipe) -> list[Channel]:
    """Return a recipe's channels.

    Raises UserError, at the channel, for one that is unknown, lacks a language of the recipe, needs more of a
    record than its text, or does what an earlier one does.
    """
    found: dict[str, Channel] = {}
    for place, specs in enumerate(zip(recipe.channels, placed.channels, strict=True)):
        with recipe.origin.of("channels", place):
            channel = loaded(*specs)
            for language in recipe.languages:
                channel.check_language(language)
            for name, operator in channel.operators:
                if isinstance(operator, RecordOperator):
                    raise UserError(f"{name!r} changes more of a record than its text. A query has no more.")
            same = found.setdefault(digest([one.fingerprint for _, one in channel.operators]), channel)
            if same is not channel:
                raise UserError(f"{channel.name!r} does the same as {same.name!r}. Leave one.")
    return list(found.values())


def behind_channels(
    block: Sequence[Planned], stages: Sequence[Change], seed: int, run: RunStage
) -> list[Planned]:
    """Return each query as written, followed by what it is behind each channel."""
    items = [ChangeItem(one.query.text, one.language, seed, one.key) for one in block]
    told = [
        [_changed(stage.channel, *pair) for pair in zip(block, run(stage, items), strict=True)]
        for stage in stages
    ]
    return [one for group in zip(block, *told, strict=True) for one in group]


def _changed(channel: str, planned: Planned, record: dict[str, Any]) -> Planned:
    if record["status"] != "ok":
        return replace(planned, channel=channel, failure=record["reason"])
    edits = json.dumps(record["edits"], ensure_ascii=False, allow_nan=False)
    return replace(planned, channel=channel, changed=record["text"], edits=edits)
