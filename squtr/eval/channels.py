"""Judged queries behind channels: what each channel makes of them at each seed, and what was realised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from squtr.channels.channel import FAMILIES, Channel, names, read_channel
from squtr.channels.distance import pooled
from squtr.channels.records import RecordOperator
from squtr.digest import to_plain
from squtr.errors import ItemFailure, UserError
from squtr.eval.runs import Run
from squtr.eval.scores import DEFAULT_MEASURES, Measure, Qrels, Scores, score_runs
from squtr.progress import Reporter
from squtr.records import Query
from squtr.remote import ServiceUnavailable

SEEDS = 5
TYPED, SPOKEN, OTHER = "typed", "spoken", "other"
_ALSO = {"typos": TYPED, "disfluent": SPOKEN}


@dataclass(frozen=True, slots=True)
class Sent:
    """A query behind a channel; where it failed it kept its text, and `reason` says why."""

    text: str
    source: str
    edits: Sequence[dict[str, Any]] = ()
    reason: str | None = None

    @property
    def search_text(self) -> str | None:
        """What is searched for; None where nothing is left."""
        return self.text if self.text.strip() else None


@dataclass(frozen=True)
class ChannelTexts:
    """Judged queries by channel, seed and query id. `skipped` holds the channels that lack the language."""

    language: str
    seeds: tuple[int, ...]
    sent: Mapping[str, Mapping[int, Mapping[str, Sent]]]
    skipped: Mapping[str, str]

    @cached_property
    def asked(self) -> dict[str, dict[str, str | None]]:
        """What is searched for, by `condition_of` and query."""
        return {
            condition_of(channel, seed): {query: one.search_text for query, one in by_query.items()}
            for channel, by_seed in self.sent.items()
            for seed, by_query in by_seed.items()
        }

    def seeds_differ(self, channel: str) -> bool:
        """Whether any query has another text at another seed."""
        first, *others = ([one.text for one in by_query.values()] for by_query in self.sent[channel].values())
        return any(other != first for other in others)


@dataclass(frozen=True)
class ChannelRuns:
    """Texts behind channels with their runs and scores, by system and `condition_of`."""

    texts: ChannelTexts
    runs: Mapping[str, Mapping[str, Run]]
    scores: Mapping[str, Mapping[str, Scores]]

    @classmethod
    def scored(
        cls,
        texts: ChannelTexts,
        runs: Mapping[str, Mapping[str, Run]],
        qrels: Qrels,
        corpus: set[str],
        measures: Sequence[Measure] = DEFAULT_MEASURES,
    ) -> ChannelRuns:
        """Score the runs."""
        scores = {name: score_runs(qrels, found, measures, corpus) for name, found in runs.items()}
        return cls(texts, runs, scores)


def condition_of(channel: str, seed: int) -> str:
    """Return the name under which a channel's texts at one seed are searched."""
    return f"channels/{channel}/{seed}"


def load_channels(specs: Sequence[str], languages: Sequence[str]) -> tuple[Channel, ...]:
    """Read channels and let their operators check themselves.

    Raises UserError for an unknown one, one that stands twice, one that needs more of a record than its
    text, and one that knows none of the languages.
    """
    channels = tuple(read_channel(spec) for spec in specs)
    names(channels)
    for channel in channels:
        for name, operator in channel.operators:
            if isinstance(operator, RecordOperator):
                raise UserError(f"Channel {name!r} changes records with more fields; queries have a text.")
        reasons = {language: _lacks(channel, language) for language in languages}
        if reasons and all(reasons.values()):
            raise UserError(str(next(iter(reasons.values()))))
        channel.check([language for language, reason in reasons.items() if reason is None])
    return channels


def seeds_from(first: int, count: int) -> tuple[int, ...]:
    """Return the seeds `first`, `first` + 1, and so on: more seeds keep the texts of fewer."""
    if count < 1:
        raise UserError(f"{count} seeds make no texts. Ask for one or more; five give an interval.")
    return tuple(range(first, first + count))


def send(
    queries: Sequence[Query],
    language: str,
    channels: Sequence[Channel],
    seeds: tuple[int, ...],
    progress: Reporter,
    label: str,
) -> ChannelTexts:
    """Send queries through each channel at each seed; chance comes from the seed and the query's id alone."""
    skipped = {channel.name: reason for channel in channels if (reason := _lacks(channel, language))}
    for reason in skipped.values():
        progress.note(f"{label}: {reason} Left out.")
    sent: dict[str, dict[int, dict[str, Sent]]] = {}
    for channel in channels:
        if channel.name not in skipped:
            bar = f"{label} {channel.name}"
            progress.total(bar, len(seeds))
            sent[channel.name] = {}
            for seed in seeds:
                sent[channel.name][seed] = {
                    query.id: _through(channel, query, language, seed) for query in queries
                }
                progress.advance(bar, 1)
    return ChannelTexts(language, seeds, sent, skipped)


def realised(texts: ChannelTexts, channel: str) -> dict[str, Any]:
    """Return what a channel did over all queries and seeds: counts of texts, and rates of what went through.

    `token_survival`: share of the source's words still there; `typo_rate`: Damerau-Levenshtein edits per
    letter that a slip can touch; `edits_per_word`. None where nothing went through.
    """
    every = [one for by_query in texts.sent[channel].values() for one in by_query.values()]
    went = [one for one in every if one.reason is None]
    lettered = [one for one in went if any(char.isalpha() for char in one.source)]
    far = pooled(((one.source, one.text) for one in lettered), texts.language)
    return {
        "token_survival": far.survival,
        "typo_rate": far.slips / far.letters if far.letters else None,
        "edits_per_word": far.edits_per_word,
        "texts": len(every),
        "changed": sum(one.text != one.source for one in went),
        "unchanged": sum(one.text == one.source for one in lettered),
        "without_letters": len(went) - len(lettered),
        "failed": len(every) - len(went),
        "empty": sum(one.search_text is None for one in every),
    }


def kind_of(channel: str) -> str:
    """Return typed or spoken, other where its operators are of both or of neither."""
    heads = (part.partition("@")[0].partition(",")[0] for part in channel.split("|"))
    kinds = {_kind(head.rpartition(":")[2].strip()) for head in heads}
    return kinds.pop() if len(kinds) == 1 else OTHER


def text_rows(texts: ChannelTexts) -> list[dict[str, Any]]:
    """Return one row a channel, seed and query: the text, what came in, and what was done."""
    return [
        {
            "_id": query,
            "channel": channel,
            "seed": seed,
            "text": one.text,
            "source_text": one.source,
            "edits": to_plain(list(one.edits)),
            "status": "ok" if one.reason is None else "failed",
            "reason": one.reason,
        }
        for channel, by_seed in texts.sent.items()
        for seed, by_query in by_seed.items()
        for query, one in by_query.items()
    ]


def _kind(operator: str) -> str:
    found = (family for family, members in FAMILIES.items() if operator in members)
    return _ALSO.get(operator) or next(found, OTHER)


def _lacks(channel: Channel, language: str) -> str | None:
    try:
        channel.check_language(language)
    except UserError as error:
        return str(error)
    return None


def _through(channel: Channel, query: Query, language: str, seed: int) -> Sent:
    try:
        passed = channel.apply(query.text, language, seed, query.id)
    except (ItemFailure, ServiceUnavailable) as failure:
        return Sent(query.text, query.text, reason=str(failure))
    return Sent(passed.text, query.text, passed.edits)
