"""Where a collection's files are: BEIR, MTEB and SQuTR folders."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from squtr.collection.findings import Finding, Findings
from squtr.errors import UserError

SLICE_FILE = "slice.json"
_ROW_SUFFIXES = (".jsonl", ".jsonl.gz", ".parquet")
_QRELS_TEXTS = (".jsonl", ".tsv", ".txt", ".qrels", ".qrel")
_QRELS_SUFFIXES = (*_QRELS_TEXTS, *(f"{suffix}.gz" for suffix in _QRELS_TEXTS), ".parquet")
_SHARD = re.compile(r"-\d{5}-of-\d{5}.*$")
_QRELS_WORD = re.compile(r"^qrels[._-]|[._-]qrels$")
_SPLIT_ORDER = ("test", "dev", "validation", "valid", "val")
_SOUGHT = """
  corpus: corpus.jsonl, corpus.jsonl.gz, corpus.parquet, files in corpus/, data/corpus-*.parquet
  queries: queries.jsonl, queries.jsonl.gz, queries.parquet, files in queries/, data/queries-*.parquet
  qrels: .tsv, .txt, .qrels, .jsonl or .parquet in qrels/, qrels.* or *.qrels, data/<split>-*.parquet"""


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of a collection; each tuple holds the shards of one file, in order."""

    corpus: tuple[Path, ...]
    queries: tuple[Path, ...]
    qrels: tuple[Path, ...]


def find_layout(root: Path, findings: Findings) -> Layout:
    """Find a collection's files in a folder. Raises UserError with what was looked for and found."""
    if not root.is_dir():
        raise UserError(f"{root}: no such folder. Name the folder that holds a collection.")
    if (root / SLICE_FILE).is_file():
        message = "This is a slice of a collection: scores on it stand beside no others."
        findings.say(Finding("slice", 1, message, (SLICE_FILE,)))
    corpus = _row_files(root, "corpus", findings)
    queries = _row_files(root, "queries", findings)
    splits = _qrels_splits(root, findings)
    parts = {"corpus": corpus, "queries": queries, "qrels": splits}
    lacking = [part for part, files in parts.items() if not files]
    if lacking:
        raise UserError(
            f"{root}: no {' and no '.join(lacking)} found. Looked for{_SOUGHT}\nFound: {_listing(root)}"
        )
    return Layout(tuple(corpus), tuple(queries), tuple(_take_split(root, splits, findings)))


def _row_files(root: Path, stem: str, findings: Findings) -> list[Path]:
    single = [[path] for suffix in _ROW_SUFFIXES if (path := root / f"{stem}{suffix}").is_file()]
    folder = _by_suffix(_files(root / stem, _ROW_SUFFIXES), _ROW_SUFFIXES)
    shards = [path for path in _files(root / "data", (".parquet",)) if _split_name(path) == stem]
    found = [group for group in (*single, *folder, shards) if group]
    for group in found[1:]:
        _note_unread(root, group, findings)
    return found[0] if found else []


def _qrels_splits(root: Path, findings: Findings) -> dict[str, list[Path]]:
    loose = [
        path
        for path in sorted(root.iterdir())
        if path.is_file()
        and path.name.endswith(_QRELS_SUFFIXES)
        and (path.name.startswith("qrels") or ".qrel" in path.name)
        and not path.name.startswith(".")
    ]
    hub = [
        path
        for folder in ("data", "default")
        for path in _files(root / folder, (".parquet",))
        if _split_name(path) not in ("corpus", "queries")
    ]
    found = [group for group in (_files(root / "qrels", _QRELS_SUFFIXES), loose, hub) if group]
    for group in found[1:]:
        _note_unread(root, group, findings)
    splits: dict[str, list[Path]] = {}
    for path in found[0] if found else []:
        splits.setdefault(_split_name(path), []).append(path)
    return splits


def _take_split(root: Path, splits: dict[str, list[Path]], findings: Findings) -> list[Path]:
    taken = next((split for split in _SPLIT_ORDER if split in splits), None)
    if taken is None and len(splits) > 1:
        raise UserError(
            f"{root}: several splits of qrels and neither test nor dev: {', '.join(splits)}."
            " Leave one in qrels/."
        )
    taken = taken or next(iter(splits))
    files = splits[taken]
    if len(files) > 1 and (len({_suffix(path) for path in files}) > 1 or not all(map(_is_shard, files))):
        names = ", ".join(_relative(root, path) for path in files)
        raise UserError(f"{root}: more than one file for split {taken}: {names}. Leave one.")
    others = [split for split in splits if split != taken]
    if others or taken not in ("test", "qrels"):
        beside = f"; left unread: {', '.join(others)}" if others else ""
        message = f"The judgements are those of split {taken}{beside}."
        findings.say(
            Finding("qrels-split", len(splits), message, tuple(_relative(root, path) for path in files[:3]))
        )
    return files


def _files(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Return the files below a folder with one of the suffixes, sorted; hidden ones are left out."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.name.endswith(suffixes)
        and path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]


def _by_suffix(paths: list[Path], suffixes: tuple[str, ...]) -> list[list[Path]]:
    return [[path for path in paths if _suffix(path) == suffix] for suffix in suffixes]


def _suffix(path: Path) -> str:
    return next(
        suffix for suffix in sorted(_QRELS_SUFFIXES, key=len, reverse=True) if path.name.endswith(suffix)
    )


def _stem(path: Path) -> str:
    return path.name.removesuffix(_suffix(path))


def _is_shard(path: Path) -> bool:
    return bool(_SHARD.search(_stem(path))) or _stem(path).isdigit()


def _split_name(path: Path) -> str:
    """Return `test` for test.tsv, qrels.test.tsv, test-00000-of-00002.parquet and test/0000.parquet."""
    stem = path.parent.name if _stem(path).isdigit() else _stem(path)
    return _QRELS_WORD.sub("", _SHARD.sub("", stem))


def _relative(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def _note_unread(root: Path, paths: list[Path], findings: Findings) -> None:
    for path in paths:
        findings.add("file-not-read", _relative(root, path))


def _listing(root: Path, limit: int = 20) -> str:
    names = sorted(
        _relative(root, path) + "/" * path.is_dir() for path in [*root.glob("*"), *root.glob("*/*")]
    )
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return (", ".join(names[:limit]) or "nothing") + more
