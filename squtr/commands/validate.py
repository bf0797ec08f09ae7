"""squtr validate."""

from __future__ import annotations

import json
from pathlib import Path

from squtr.collection import Collection, read_collection
from squtr.counted import counted
from squtr.digest import to_plain
from squtr.languages import language_row


def run_validate(folder: Path, language: str, strict: bool) -> Collection:
    """Read and check a collection. Raises UserError with file and line for what cannot be used."""
    language_row(language)
    return read_collection(folder, language, strict=strict)


def show_validate(collection: Collection, folder: Path, as_json: bool) -> None:
    """Print what the collection holds and every oddity in it."""
    judgements = sum(map(len, collection.qrels.values()))
    positives = [sum(grade > 0 for grade in grades.values()) for grades in collection.qrels.values()]
    scoring, most = sum(count > 0 for count in positives), max(positives, default=0)
    facts = {
        "documents": collection.document_count,
        "queries": len(collection.queries),
        "judged_queries": len(collection.qrels),
        "judgements": judgements,
        "grades": _grades(collection),
        "queries_with_positive": scoring,
        "most_positives_a_query": most,
        "fingerprint": collection.fingerprint,
    }
    if as_json:
        plain = {"folder": str(folder), **facts, "findings": to_plain(collection.findings)}
        print(json.dumps(plain, ensure_ascii=False, allow_nan=False))
        return
    grades = ", ".join(f"{grade}: {count:,}" for grade, count in _grades(collection).items())
    print(
        f"{folder}: {counted(collection.document_count, 'document')},"
        f" {counted(len(collection.queries), 'query')}, {counted(judgements, 'judgement')}"
        f" of {counted(len(collection.qrels), 'query')} (by grade {grades})."
    )
    print(f"{counted(scoring, 'query')} can score; at most {counted(most, 'positive judgement')} a query.")
    for finding in collection.findings:
        examples = f" ({', '.join(finding.examples)})" if finding.examples else ""
        print(f"{finding.message}{examples}")
    print(f"Fingerprint {collection.fingerprint}")


def _grades(collection: Collection) -> dict[str, int]:
    counts: dict[int, int] = {}
    for grades in collection.qrels.values():
        for grade in grades.values():
            counts[grade] = counts.get(grade, 0) + 1
    return {str(grade): counts[grade] for grade in sorted(counts)}
