"""Import: published audio made ready to be evaluated where it lies, in its archive or folder."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
import zlib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from squtr.collection import Collection, Findings, read_collection
from squtr.collection.layout import SLICE_FILE, find_layout
from squtr.collection.qrels_rows import qrels_rows
from squtr.counted import counted
from squtr.errors import UserError
from squtr.imported import IMPORT_FILE, AudioSource
from squtr.languages import language_row
from squtr.progress import Reporter
from squtr.publish.fresh import fresh_folder
from squtr.publish.gaps import SUBSET, UNASKED, UNFOUND, UNJUDGED, Gaps, first
from squtr.publish.listing import Listing, list_files, subset_places
from squtr.publish.noise import listed_terms, warning, write_terms
from squtr.publish.official import Difference, SubsetFacts, archive_sha256, differences, subset_facts
from squtr.publish.usable import UsableTable, usable_tables
from squtr.store import write_atomic

_SCHEMA = 1
_TABLE = re.compile(r"[^/]+\.jsonl|qrels/[^/]+\.(?:jsonl|tsv)")
_QUERY_FILE = re.compile(r"queries_with_audio_[^/]*\.jsonl")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Imported:
    """What was imported: facts by subset, what is not as published, and the archive's SHA-256 if computed.

    `gaps` holds what could not be used; `noise` warns of noise that must not be passed on.
    """

    subsets: dict[str, SubsetFacts]
    differences: list[Difference]
    sha256: str | None
    gaps: Gaps = field(default_factory=Gaps)
    noise: str | None = None

    @property
    def is_official(self) -> bool:
        """True when everything that was compared is as published."""
        return not self.differences

    def plain(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "official": self.is_official,
            "sha256": self.sha256,
            "differences": [asdict(one) for one in self.differences],
            "subsets": {key: asdict(facts) for key, facts in self.subsets.items()},
            "gaps": self.gaps.counts,
        }


def import_squtr(source: Path, out: Path, check_official: bool, progress: Reporter) -> Imported:
    """Write the tables of a published data set and `import.json`, which says where its audio is, to `out`.

    The audio stays where it is: `squtr eval OUT` reads single members of the archive. What differs from the
    official data set is told, and no reason to refuse it; `check_official` computes the archive's SHA-256
    too. Rows, query files and subsets that cannot be used are left out, and stand in `gaps.jsonl` with every
    recording that is missing or broken; these, and noise that must not be passed on, are told as notes.
    Raises UserError for a source in another layout or without anything to use, a dangerous or damaged
    archive, and if `out` is not empty.
    """
    listing = list_files(source)
    prefix, keys = subset_places(listing)
    for part in {part for key in keys for part in key.split("/")}:
        if not _PLAIN_NAME.fullmatch(part):
            raise UserError(f"{source}: {part!r} may hold only letters, digits, '.', '_' and '-'. Rename it.")
    gaps = Gaps()
    with fresh_folder(out) as place:
        try:
            terms = listed_terms(listing, prefix)
            facts = {}
            for key in keys:
                base = f"{prefix}/{key}/" if prefix else f"{key}/"
                tables = _import_subset(listing, base, key, place, gaps)
                if tables:
                    facts[key] = subset_facts(listing, base, tables, key, gaps, progress)
            _copy_mark(listing, prefix, place)
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise UserError(f"{source}: damaged ({error}). Fetch it again.") from error
        _refuse_nothing(source, facts, gaps)
        sha256 = archive_sha256(listing, progress) if check_official and source.is_file() else None
        told = differences(listing, facts, sha256)
        imported = Imported(facts, told, sha256, gaps, warning(terms))
        audio = AudioSource.of(source, prefix, out).plain()
        plain = {"schema": _SCHEMA, "audio": audio, **imported.plain()}
        write_atomic(place / IMPORT_FILE, json.dumps(plain, ensure_ascii=False, indent=1) + "\n")
        write_terms(place, terms)
        gaps.write(place)
    for line in filter(None, (*gaps.lines(), imported.noise)):
        progress.note(f"{source}: {line}")
    return imported


def _import_subset(listing: Listing, base: str, key: str, place: Path, gaps: Gaps) -> list[UsableTable]:
    """Copy a subset's tables, of its query files what can be used; none of it when it cannot be used."""
    folder = place / key
    try:
        language, name = key.split("/")
        language_row(language)
        _copy_tables(listing, base, folder)
        collection = read_collection(folder, language, name)
    except UserError as error:
        shutil.rmtree(folder, ignore_errors=True)
        gaps.add(SUBSET, key, str(error).replace(f"{place}/", "").partition("\n")[0])
        return []
    _check_judgements(folder, collection, key, gaps)
    tables = usable_tables(listing, base, [query.id for query in collection.queries], key, gaps)
    for table in tables:
        (folder / table.name).write_bytes(b"".join(table.lines))
    if not tables:
        shutil.rmtree(folder)
        gaps.add(SUBSET, key, "it has no query file that can be used")
    return tables


def _check_judgements(folder: Path, collection: Collection, key: str, gaps: Gaps) -> None:
    """Name judgements of queries that there are not, and queries and documents that lack their other half."""
    known = {query.id for query in collection.queries}
    for path in find_layout(folder, Findings()).qrels:
        for row in qrels_rows(path, Findings()):
            if row.query not in known:
                place = f"{key}/{path.relative_to(folder).as_posix()}:{row.line}"
                gaps.add(UNASKED, place, f"query {row.query!r} is not in queries.jsonl")
    for query in collection.queries:
        if query.id not in collection.qrels:
            gaps.add(UNJUDGED, f"{key}/queries.jsonl", f"query {query.id!r} has no judgement and so no score")
    for finding in collection.findings:
        if finding.kind == "qrels-unknown-document":
            gaps.add(UNFOUND, f"{key}/qrels", f"{finding.message} Such as {'; '.join(finding.examples)}")


def _copy_tables(listing: Listing, base: str, folder: Path) -> None:
    """Copy all tables but query files, streamed; a member never grows past its stated size."""
    for name in listing.sizes:
        inner = name[len(base) :]
        if not name.startswith(base) or not _TABLE.fullmatch(inner) or _QUERY_FILE.fullmatch(inner):
            continue
        target = folder / inner
        target.parent.mkdir(parents=True, exist_ok=True)
        with listing.open(name) as file, target.open("wb") as copy:
            shutil.copyfileobj(file, copy, 1 << 20)


def _copy_mark(listing: Listing, prefix: str, place: Path) -> None:
    """Copy the mark of a slice, so that what is imported is no whole either."""
    name = f"{prefix}/{SLICE_FILE}" if prefix else SLICE_FILE
    if name in listing.sizes:
        with listing.open(name) as file:
            (place / SLICE_FILE).write_bytes(file.read())


def _refuse_nothing(source: Path, facts: dict[str, SubsetFacts], gaps: Gaps) -> None:
    count = counted(len(gaps.found), "gap")
    if not facts:
        raise UserError(f"{source}: nothing in it can be imported. {count}: {first(gaps.found)}")
    rows = sum(sum(one.recordings.values()) for one in facts.values())
    if not any(one.seconds for one in facts.values()):
        raise UserError(f"{source}: of {rows} recordings, none can be read. {count}: {first(gaps.found)}")
