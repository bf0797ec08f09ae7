"""Counts of a recipe's collections: read where they are on this machine, else known facts of the hub's."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from squtr.collection import Findings
from squtr.collection.hub import hub_folder, is_whole
from squtr.collection.layout import Layout, find_layout
from squtr.collection.qrels import read_qrels_files
from squtr.collection.queries import read_query_files
from squtr.collection_source import CollectionSource
from squtr.content import content
from squtr.hub import is_hub_path, pinned_dataset
from squtr.languages import language_row
from squtr.recipe import resolve_path
from squtr.recipe_file import plain_yaml
from squtr.section import Section, check_section

READ, KNOWN, UNKNOWN = "read", "known", "unknown"


class Known(Section):
    """A row of data_build/known_collections.yaml; `seconds` is the mean length of a spoken query."""

    queries: Annotated[int, Field(gt=0)]
    seconds: Annotated[float, Field(gt=0)]
    characters: Annotated[int, Field(gt=0)]
    documents: Annotated[int, Field(gt=0)]
    corpus_bytes: Annotated[int, Field(gt=0)]


@dataclass(frozen=True, slots=True)
class Counted:
    """One collection as it will be built.

    queries: those taken; characters, seconds: means of one of them; corpus_bytes: of all its documents, as
    they are stored. counted: `read` from the files, `known` facts, or `unknown` (all zero). present: it is
    on this machine.
    """

    subset: str
    language: str
    queries: int
    characters: float
    seconds: float
    documents: int | None
    corpus_bytes: int
    counted: str
    present: bool


def count(source: CollectionSource, base: Path, limit: int | None) -> Counted:
    """Count one collection without fetching it or reading its corpus. Raises UserError for a faulty one."""
    known = None
    folder: Path
    if is_hub_path(source.path):
        pin = pinned_dataset(source.path)
        known = known_collections().get(f"{pin.repository}@{pin.revision}")
        folder = hub_folder(source.path, source.qrels)
        if not is_whole(folder):
            return _by_facts(source, known, limit)
    else:
        folder = resolve_path(source.path, base, "data_build")
    return _read(source, folder, known, limit)


def seconds_of(characters: float, code: str) -> float:
    """Return the likely length of a spoken text: the geometric middle of the language's plausible pace."""
    return characters * math.sqrt(math.prod(language_row(code).seconds_per_character))


@functools.cache
def known_collections() -> dict[str, Known]:
    """Return the facts by `organisation/name@revision`."""
    path = content("data_build", "known_collections.yaml")
    plain, _ = plain_yaml(path)
    return {name: check_section(Known, row, f"{path}: {name}") for name, row in plain.items()}


def _by_facts(source: CollectionSource, known: Known | None, limit: int | None) -> Counted:
    subset = f"{source.language}/{source.name}"
    if known is None:
        return Counted(subset, source.language, 0, 0.0, 0.0, None, 0, UNKNOWN, False)
    taken = min(limit or known.queries, known.queries)
    mean = known.characters / known.queries
    return Counted(
        subset,
        source.language,
        taken,
        mean,
        known.seconds,
        known.documents,
        known.corpus_bytes,
        KNOWN,
        False,
    )


def _read(source: CollectionSource, folder: Path, known: Known | None, limit: int | None) -> Counted:
    layout = find_layout(folder, Findings(folder))
    texts = _positive_texts(layout)
    mean = sum(map(len, texts)) / max(len(texts), 1)
    taken = min(limit or len(texts), len(texts))
    return Counted(
        f"{source.language}/{source.name}",
        source.language,
        taken,
        mean,
        known.seconds if known else seconds_of(mean, source.language),
        known.documents if known else None,
        sum(path.stat().st_size for path in layout.corpus),
        READ,
        True,
    )


def _positive_texts(layout: Layout) -> list[str]:
    """Return the texts of the queries that a build takes: those with a positive judgement."""
    findings = Findings(Path())
    qrels = read_qrels_files(layout.qrels, findings)
    queries = read_query_files(layout.queries, findings)
    return [query.text for query in queries if max(qrels.get(query.id, {}).values(), default=0) > 0]
