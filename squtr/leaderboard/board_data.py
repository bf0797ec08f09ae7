"""The data set that submissions are held against, by subset."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from squtr.audio_digest import audio_digest
from squtr.collection import Collection
from squtr.data_build.layout import channel_of
from squtr.dataset import Subset, heard_everywhere, read_dataset
from squtr.digest import digest, digest_bytes
from squtr.eval.scores import Scorer
from squtr.leaderboard.known_ids import KnownIds
from squtr.leaderboard.schema import TEXT, SubsetFacts
from squtr.slicing import slice_of

_DIGITS = 16

Table = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class BoardSubset:
    """One subset: its facts, its judgements, and which ids there are.

    Documents and noise are read when asked for.
    """

    facts: SubsetFacts
    language: str
    conditions: tuple[str, ...]
    qrels: Mapping[str, Mapping[str, int]]
    queries: frozenset[str]
    document_ids: Callable[[], Iterable[str]]
    noise_categories: Callable[[], Table] = dict
    text_digests: Callable[[], Table] = dict

    @functools.cached_property
    def scorer(self) -> Scorer:
        """What scores runs against the judgements."""
        return Scorer(self.qrels)

    @functools.cached_property
    def judged(self) -> frozenset[str]:
        """The queries that have judgements."""
        return frozenset(query for query, grades in self.qrels.items() if grades)

    @functools.cached_property
    def documents(self) -> KnownIds:
        """The documents there are. Raises UserError where what the board keeps of them is damaged."""
        return KnownIds(self.document_ids())

    @functools.cached_property
    def noise(self) -> Table:
        """{condition: {query id: category}} of the noise that each query was mixed with, as far as is known.

        Raises UserError where what the board keeps of it is damaged.
        """
        return self.noise_categories()

    @functools.cached_property
    def texts(self) -> Table:
        """{condition: {query id: `text_digest` of what was spoken}}, empty where it is not known.

        Raises UserError where what the board keeps of it is damaged.
        """
        return self.text_digests()

    def spoken(self, condition: str) -> Mapping[str, str]:
        """Return {query id: `text_digest` of what was spoken} under a condition."""
        return self.texts.get(condition if channel_of(condition) else TEXT, {})


@dataclass(frozen=True)
class BoardData:
    """A data set, by subset key."""

    name: str
    slice: bool
    subsets: dict[str, BoardSubset]

    @functools.cached_property
    def digest(self) -> str:
        """Digest of all that scores of this data set follow from."""
        told = {
            key: [subset.facts.model_dump(), subset.language, subset.conditions, subset.noise, subset.texts]
            for key, subset in self.subsets.items()
        }
        return digest([self.name, self.slice, told])


def built_data(folder: Path) -> BoardData:
    """Return a data set folder as submissions are held against it. Raises UserError for what is none."""
    subsets = [heard_everywhere(subset) for subset in read_dataset(folder)]
    found = {
        subset.key: BoardSubset(
            subset_facts(subset),
            subset.language,
            tuple(subset.conditions),
            subset.collection.qrels,
            frozenset(query.id for query in subset.collection.queries),
            functools.partial(_collection_ids, subset.collection),
            functools.partial(noise_of, subset),
            functools.partial(texts_of, subset),
        )
        for subset in subsets
    }
    return BoardData(folder.resolve().name, slice_of(folder) is not None, found)


def _collection_ids(collection: Collection) -> Iterator[str]:
    return (document.id for document in collection.documents())


def noise_of(subset: Subset) -> Table:
    """Return {condition: {query id: category of the noise}}, of conditions that have any."""
    named = {
        condition: {
            recording.query_id: str(recording.facts["noise_category"])
            for recording in recordings
            if recording.facts.get("noise_category") is not None
        }
        for condition, recordings in subset.conditions.items()
    }
    return {condition: categories for condition, categories in named.items() if categories}


def texts_of(subset: Subset) -> Table:
    """Return {condition: {query id: digest of what was spoken}}; TEXT stands for all without a channel."""
    written = {query.id: query.text for query in subset.collection.queries}
    found = {TEXT: {query: text_digest(text) for query, text in written.items()}}
    for condition, recordings in subset.conditions.items():
        if channel_of(condition):
            found[condition] = {
                one.query_id: text_digest(one.text or written[one.query_id]) for one in recordings
            }
    return found


def text_digest(text: str) -> str:
    """Return what tells a text from others: 16 hexadecimal digits of its SHA-256."""
    return digest_bytes(text.encode("utf-8", "surrogatepass"))[:_DIGITS]


def subset_facts(subset: Subset) -> SubsetFacts:
    """Return the digests of a subset as an evaluation has them in its results."""
    collection = subset.collection
    return SubsetFacts(
        fingerprint=collection.fingerprint, qrels=digest(collection.qrels), audio=audio_digest(subset)
    )
