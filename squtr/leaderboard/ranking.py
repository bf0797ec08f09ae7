"""The digest of a ranking's order: the same whatever the scores, the tag and the order of the queries."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from squtr.eval.runs import Run, cut


def ranking_digest(run: Run) -> str:
    """Return the digest of a run's documents in order, by query."""
    return joined_digest(
        query_digest(query, (document for document, _ in cut(found, len(found), query)))
        for query, found in run.items()
        if found
    )


def query_digest(query: str, ordered: Iterable[str]) -> bytes:
    """Return the digest of one query's documents, given in the contract's order."""
    return hashlib.sha256("\0".join((query, *ordered)).encode("utf-8", "surrogatepass")).digest()


def joined_digest(queries: Iterable[bytes]) -> str:
    """Return the digest of all queries' digests, in whatever order they come."""
    return hashlib.sha256(b"".join(sorted(queries))).hexdigest()
