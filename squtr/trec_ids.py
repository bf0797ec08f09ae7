"""Ids as columns of TREC runs and qrels, which blanks part."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

MARK = "%%"
_NEEDS_ESCAPE = re.compile(r"\A\Z|\A%%|[\x00-\x20\ufeff\ud800-\udfff]")
_UNSAFE = re.compile(r"[\x00-\x20%\ufeff\ud800-\udfff]")


def escape_id(identifier: str) -> str:
    """Return an id as one column of a TREC line; `unescape_id` gives it back exactly.

    An id is written as it is, unless it is empty, begins with `%%` or holds a blank, a control character, a
    byte-order mark or half a surrogate pair. Then `%%` is followed by the id with these characters and every
    `%` percent-encoded, so `doc a` becomes `%%doc%20a`, and `a%20b` stays `a%20b`.
    """
    if not _NEEDS_ESCAPE.search(identifier):
        return identifier
    return MARK + _UNSAFE.sub(lambda match: quote(match[0], safe="", errors="surrogatepass"), identifier)


def unescape_id(column: str) -> str:
    """Return the id that `escape_id` wrote; a column it never writes, such as `%%x`, is the id itself."""
    if not column.startswith(MARK):
        return column
    try:
        identifier = unquote(column[len(MARK) :], errors="surrogatepass")
    except UnicodeDecodeError:
        return column
    return identifier if escape_id(identifier) == column else column
