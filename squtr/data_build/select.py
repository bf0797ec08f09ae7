"""Select: which queries of which collections are built, in which order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from squtr.collection import Collection, Remembered, read_collection
from squtr.collection.hub import hub_collection
from squtr.collection_source import CollectionSource
from squtr.draw import draw_order
from squtr.errors import UserError
from squtr.hub import is_hub_path
from squtr.recipe import Recipe, resolve_path
from squtr.records import Query


@dataclass(frozen=True, slots=True)
class Planned:
    """One query on its way to becoming an utterance; `key` names it for every draw.

    Behind a `channel` it is `changed`, a text with its `edits` in JSON, or a `failure` says why not.
    """

    key: str
    language: str
    subset: str
    query: Query
    channel: str | None = None
    changed: str | None = None
    edits: str | None = None
    failure: str | None = None

    @property
    def text(self) -> str:
        """What is spoken, as it is written."""
        return self.query.text if self.changed is None else self.changed

    @property
    def take_key(self) -> str:
        """The key of the draws of its takes: a text that no channel changed is spoken once."""
        return self.key if self.text == self.query.text else f"{self.key}/{self.channel}"


@dataclass(frozen=True)
class Selection:
    """The collections of a recipe, with the queries taken from each and those left out."""

    collections: tuple[Collection, ...]
    planned: tuple[tuple[Planned, ...], ...]
    without_judgements: tuple[int, ...]
    without_positives: tuple[int, ...]

    def pairs(self) -> Iterator[tuple[Collection, tuple[Planned, ...]]]:
        """Each collection with its planned queries."""
        return iter(zip(self.collections, self.planned, strict=True))

    def oddities(self) -> Iterator[str]:
        """What was noticed in the collections, a line each."""
        for collection in self.collections:
            for finding in collection.findings:
                examples = f" ({', '.join(finding.examples)})" if finding.examples else ""
                yield f"{collection.language}/{collection.name}: {finding.message}{examples}"

    @property
    def queries(self) -> int:
        return sum(len(planned) for planned in self.planned)


def select(recipe: Recipe, base: Path, remembered: Remembered | None = None) -> Selection:
    """Read the recipe's collections and pick the queries that can score.

    Queries without judgements or without a positive one are left out and counted. A limit takes the
    first in a stable random order, so that adding a query to a collection moves no other draw.
    """
    collections, planned, unjudged, no_positive = [], [], [], []
    for place, source in enumerate(recipe.collections):
        with recipe.origin.of("collections", place, "path"):
            path = collection_folder(source, base)
            collection = read_collection(path, source.language, source.name, remembered=remembered)
            judged = [query for query in collection.queries if query.id in collection.qrels]
            positive = [query for query in judged if max(collection.qrels[query.id].values(), default=0) > 0]
            if not positive:
                raise UserError(f"{path}: no query has a positive judgement, so nothing can be scored.")
            _refuse_broken_texts(positive, path)
        collections.append(collection)
        unjudged.append(len(collection.queries) - len(judged))
        no_positive.append(len(judged) - len(positive))
        planned.append(tuple(_planned(collection, positive, recipe)))
    return Selection(tuple(collections), tuple(planned), tuple(unjudged), tuple(no_positive))


def collection_folder(source: CollectionSource, base: Path) -> Path:
    """Return the folder of a recipe's collection; one on the hub is fetched if need be. Raises UserError."""
    if is_hub_path(source.path):
        return hub_collection(source.path, source.qrels)
    return resolve_path(source.path, base, "data_build")


def _refuse_broken_texts(queries: list[Query], path: Path) -> None:
    for query in queries:
        if any("\ud800" <= character <= "\udfff" for character in query.text):
            raise UserError(f"{path}: the text of query {query.id!r} holds a broken character. Repair it.")


def _planned(collection: Collection, queries: list[Query], recipe: Recipe) -> list[Planned]:
    limit, prefix = recipe.select.limit, f"{collection.language}/{collection.name}/"
    if limit is None or limit >= len(queries):
        return [Planned(prefix + query.id, collection.language, collection.name, query) for query in queries]
    chosen = sorted(queries, key=lambda query: draw_order(recipe.seed, "select", prefix + query.id))[:limit]
    taken = {query.id for query in chosen}
    return [
        Planned(prefix + query.id, collection.language, collection.name, query)
        for query in queries
        if query.id in taken
    ]
