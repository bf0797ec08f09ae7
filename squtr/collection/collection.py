"""A collection: queries and judgements in memory, the corpus streamed."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from squtr.collection.corpus import CorpusFacts, numbered_documents, scan_corpus
from squtr.collection.findings import Finding, Findings
from squtr.collection.layout import Layout, find_layout
from squtr.collection.qrels import Qrels, first_row, read_qrels_files
from squtr.collection.queries import read_query_files
from squtr.collection.remembered import Remembered, Told, files_key
from squtr.errors import UserError, at
from squtr.records import Document, Query


@dataclass(frozen=True)
class Collection:
    """A validated collection.

    `queries` are all queries in file order, judged or not. `qrels` hold the judgements of these
    queries with grades as read: documents outside the corpus and negative grades are kept.
    `fingerprint` is the SHA-256 (hex) over ids, titles, texts and grades in file order,
    `corpus_fingerprint` that over the documents alone; file formats and further fields change neither.
    """

    name: str
    language: str
    queries: tuple[Query, ...]
    qrels: Qrels
    document_count: int
    findings: tuple[Finding, ...]
    fingerprint: str
    corpus_fingerprint: str
    corpus_files: tuple[Path, ...]

    def documents(self) -> Iterator[Document]:
        """Stream the corpus from its files, from the start at each call."""
        return (document for _, _, document in numbered_documents(self.corpus_files, Findings()))


def read_collection(
    path: Path,
    language: str,
    name: str | None = None,
    strict: bool = False,
    remembered: Remembered | None = None,
) -> Collection:
    """Read and validate the collection in a folder, whichever known layout it has.

    Memory grows by 20 bytes a document, for a moment by 40. With `strict`, judgements of unknown
    queries or documents are errors. What `remembered` knows of files that did not change is not read again.
    Raises UserError with `file:line` and what to do about it.
    """
    root = Path(path)
    findings = Findings(root)
    layout = find_layout(root, findings)
    queries = read_query_files(layout.queries, findings)
    if not queries:
        raise UserError(f"{at(layout.queries[0])}: no query in it.")
    qrels = _of_known_queries(layout, queries, read_qrels_files(layout.qrels, findings), strict, findings)
    read = functools.partial(_read_corpus, layout, queries, qrels, strict, findings)
    if remembered is None or strict:
        told = read()
    else:
        told = remembered.get(files_key(root, (*layout.queries, *layout.qrels, *layout.corpus)), read)
    return Collection(
        name=name or root.resolve().name,
        language=language,
        queries=queries,
        qrels=qrels,
        document_count=told.document_count,
        findings=told.findings,
        fingerprint=told.fingerprint,
        corpus_fingerprint=told.corpus_fingerprint,
        corpus_files=layout.corpus,
    )


def _read_corpus(
    layout: Layout, queries: tuple[Query, ...], qrels: Qrels, strict: bool, findings: Findings
) -> Told:
    state = _Fingerprint()
    for query in queries:
        state.add(query.id, query.text)
    state.add("qrels")
    for query_id, grades in qrels.items():
        for document_id, grade in grades.items():
            state.add(query_id, document_id, str(grade))
    state.add("corpus")
    judged = {document_id for grades in qrels.values() for document_id in grades}
    corpus = _Fingerprint()

    def add(*parts: str) -> None:
        state.add(*parts)
        corpus.add(*parts)

    facts = scan_corpus(layout.corpus, judged, add, findings)
    _check_documents(layout, qrels, facts, judged, strict, findings)
    return Told(facts.document_count, findings.found(), state.hexdigest(), corpus.hexdigest())


class _Fingerprint:
    """SHA-256 over records of strings, each with the lengths of its parts in front."""

    def __init__(self) -> None:
        self._state = hashlib.sha256()

    def add(self, *parts: str) -> None:
        lengths = " ".join(str(len(part)) for part in parts)
        self._state.update(f"{lengths}\n{''.join(parts)}".encode("utf-8", "surrogatepass"))

    def hexdigest(self) -> str:
        return self._state.hexdigest()


def _of_known_queries(
    layout: Layout, queries: tuple[Query, ...], qrels: Qrels, strict: bool, findings: Findings
) -> Qrels:
    if not qrels:
        raise UserError(f"{at(layout.qrels[0])}: no judgement in it. Restore it: nothing can score without.")
    known = {query.id for query in queries}
    unknown = qrels.keys() - known
    if unknown and strict:
        row = first_row(layout.qrels, lambda row: row.query in unknown)
        raise UserError(f"{at(row.path, row.line)}: query {row.query!r} does not exist (strict reading).")
    kept = {query_id: grades for query_id, grades in qrels.items() if query_id in known}
    if not kept:
        raise UserError(
            f"{at(layout.qrels[0])}: no judgement names a query of {at(layout.queries[0])}:"
            f" {sorted(unknown)[:3]} against {[query.id for query in queries[:3]]}. Ids must match exactly."
        )
    for query_id, grades in qrels.items():
        for document_id in grades if query_id in unknown else ():
            findings.add("qrels-unknown-query", f"{query_id} {document_id}")
    for query in queries:
        if query.id not in kept:
            findings.add("unjudged-query", query.id)
        elif max(kept[query.id].values()) <= 0:
            findings.add("query-without-positive", query.id)
    return kept


def _check_documents(
    layout: Layout, qrels: Qrels, facts: CorpusFacts, judged: set[str], strict: bool, findings: Findings
) -> None:
    missing = facts.missing
    if missing and strict:
        row = first_row(layout.qrels, lambda row: row.query in qrels and row.document in missing)
        raise UserError(
            f"{at(row.path, row.line)}: document {row.document!r} is not in the corpus (strict reading)."
        )
    if missing == judged:
        raise UserError(
            f"{at(layout.qrels[0])}: no judged document is in {at(layout.corpus[0])}, such as"
            f" {sorted(missing)[:3]}. Ids must match exactly."
        )
    for query_id, grades in qrels.items():
        for document_id in grades:
            if document_id in missing:
                findings.add("qrels-unknown-document", f"{query_id} {document_id}")
