"""The little that the board keeps of a data set.

The board keeps of a data set what no check can do without: judgements, the ids of queries and documents,
the names of the conditions, and digests; beside them, the category of the noise in each query. No text and
no audio. `datasets/{name}/` holds dataset.json and, for each {language}/{subset}, `.qrels.gz` in trec_eval's
four columns, `.queries.gz` and `.documents.gz`, an id a line, `.noise.gz`: condition, query, category, and
`.texts.gz`: condition, query, digest of what was spoken (`text` stands for all conditions without a channel).
Sorted ids pack well: a few bytes a document, and people can read them.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from squtr.dataset import Subset, heard_everywhere, read_dataset
from squtr.digest import digest_file
from squtr.errors import UserError
from squtr.eval.runs import escape_id, unescape_id
from squtr.leaderboard.board_data import (
    BoardData,
    BoardSubset,
    Table,
    built_data,
    noise_of,
    subset_facts,
    texts_of,
)
from squtr.leaderboard.lines import Unreadable, read_lines, write_lines
from squtr.leaderboard.schema import Condition, Count, Sha256, SubsetFacts, SubsetKey
from squtr.leaderboard.texts import Line, plain_line
from squtr.publish.fresh import fresh_folder
from squtr.section import Section, check_section
from squtr.slicing import slice_of
from squtr.store import write_atomic

DATA_FILE = "dataset.json"
_PARTS = ("qrels", "queries", "documents", "noise", "texts")
_MOST_IDS = 100_000_000


class KeptSubset(SubsetFacts):
    """What dataset.json says of a subset; `files` has the SHA-256 of the files beside it."""

    language: Line
    conditions: tuple[Condition, ...]
    queries: Count
    documents: Count
    files: dict[str, Sha256]


class KeptData(Section):
    """dataset.json."""

    name: Line
    slice: bool
    subsets: dict[SubsetKey, KeptSubset]


def read_board_data(folder: Path) -> BoardData:
    """Read a data set folder, or what the board keeps of one. Raises UserError for what is neither."""
    return _read_kept(folder) if (folder / DATA_FILE).is_file() else built_data(folder)


def keep_data(folder: Path, out: Path) -> Path:
    """Write what the board keeps of a data set to `out`/{its name}; return that folder.

    Raises UserError when the board has one of that name already, and for a name that it could not show.
    """
    target = out / folder.resolve().name
    if target.exists():
        raise UserError(f"{target}: is there already. A data set of the board never changes.")
    subsets = list(map(heard_everywhere, read_dataset(folder)))
    try:
        plain_line(target.name)
    except ValueError as error:
        raise UserError(f"{folder}: its name {error}. The board shows it: rename the folder.") from None
    with fresh_folder(target) as place:
        kept = {subset.key: _keep_subset(subset, place) for subset in subsets}
        plain = {"name": target.name, "slice": slice_of(folder) is not None, "subsets": kept}
        check_section(KeptData, plain, str(folder))
        text = json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False)
        write_atomic(place / DATA_FILE, f"{text}\n")
    return target


def _keep_subset(subset: Subset, target: Path) -> dict[str, Any]:
    queries = sorted(query.id for query in subset.collection.queries)
    documents = sorted(document.id for document in subset.collection.documents())
    qrels = subset.collection.qrels
    place = target / subset.key
    write_lines(_part(place, "queries"), map(escape_id, queries))
    write_lines(_part(place, "documents"), map(escape_id, documents))
    write_lines(
        _part(place, "qrels"),
        (
            f"{escape_id(query)} 0 {escape_id(document)} {qrels[query][document]}"
            for query in sorted(qrels)
            for document in sorted(qrels[query])
        ),
    )
    for part, table in (("noise", noise_of(subset)), ("texts", texts_of(subset))):
        write_lines(
            _part(place, part),
            (
                f"{escape_id(condition)} {escape_id(query)} {escape_id(values[query])}"
                for condition, values in sorted(table.items())
                for query in sorted(values)
            ),
        )
    return {
        **subset_facts(subset).model_dump(),
        "language": subset.language,
        "conditions": list(subset.conditions),
        "queries": len(queries),
        "documents": len(documents),
        "files": {part: digest_file(_part(place, part)) for part in _PARTS},
    }


def _read_kept(folder: Path) -> BoardData:
    path = folder / DATA_FILE
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: no JSON ({error}). Restore it.") from None
    facts = check_section(KeptData, plain, str(path))
    if facts.name != folder.resolve().name:
        raise UserError(f"{path}: is that of {facts.name!r}. Name the folder so, or take it away.")
    try:
        subsets = {key: _read_subset(folder / key, kept) for key, kept in facts.subsets.items()}
    except ValueError as error:
        raise UserError(f"{folder}: its judgements are damaged ({error}). Restore them.") from None
    return BoardData(facts.name, facts.slice, subsets)


def _read_subset(place: Path, kept: KeptSubset) -> BoardSubset:
    qrels: dict[str, dict[str, int]] = {}
    for line in _kept_lines(place, "qrels", kept):
        query, _, document, grade = line.split(" ")
        qrels.setdefault(unescape_id(query), {})[unescape_id(document)] = int(grade)
    queries = frozenset(map(unescape_id, _kept_lines(place, "queries", kept)))
    facts = SubsetFacts(fingerprint=kept.fingerprint, qrels=kept.qrels, audio=kept.audio)
    documents = functools.partial(_kept_documents, place, kept)
    noise, texts = (functools.partial(_kept_table, place, part, kept) for part in ("noise", "texts"))
    return BoardSubset(facts, kept.language, kept.conditions, qrels, queries, documents, noise, texts)


def _kept_documents(place: Path, kept: KeptSubset) -> Iterator[str]:
    return map(unescape_id, _kept_lines(place, "documents", kept))


def _kept_table(place: Path, part: str, kept: KeptSubset) -> Table:
    """Return {condition: {query id: value}}; nothing of a part that the data set was kept without."""
    found: dict[str, dict[str, str]] = {}
    if part not in kept.files:
        return found
    for line in _kept_lines(place, part, kept):
        columns = list(map(unescape_id, line.split(" ")))
        if len(columns) != 3:
            raise UserError(f"{_part(place, part)}: {len(columns)} columns where three must be. Restore it.")
        condition, query, value = columns
        found.setdefault(condition, {})[query] = value
    return found


def _kept_lines(place: Path, part: str, kept: KeptSubset) -> Iterator[str]:
    """Yield the lines of a file whose SHA-256 is the one in dataset.json. Raises UserError otherwise."""
    path = _part(place, part)
    try:
        if digest_file(path) != kept.files.get(part):
            raise UserError(f"{path}: was changed. Restore what the board keeps of the data set.")
        for _, line in read_lines(path, _MOST_IDS):
            yield line.decode("utf-8")
    except (Unreadable, OSError) as error:
        raise UserError(f"{path}: is damaged ({error}). Restore it.") from None


def _part(place: Path, part: str) -> Path:
    return place.with_name(f"{place.name}.{part}.gz")
