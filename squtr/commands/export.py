"""squtr export and squtr import."""

from __future__ import annotations

import json
from pathlib import Path

from squtr.counted import counted
from squtr.errors import UserError
from squtr.progress import reporter
from squtr.publish.export import Exported, export
from squtr.publish.gaps import GAPS_FILE
from squtr.publish.importing import Imported, import_squtr

_SHOWN = 20


def run_export(layout: str, dataset: Path, out: Path) -> Exported:
    """Export a data set, with progress."""
    with reporter() as progress:
        return export(layout, dataset, out, progress)


def show_export(exported: Exported, out: Path, as_json: bool) -> None:
    """Print what was written."""
    if as_json:
        plain = {
            "format": exported.format,
            "files": exported.files,
            "bytes": exported.bytes,
            "out": str(out),
            "noise": exported.noise,
        }
        print(json.dumps(plain, ensure_ascii=False))
        return
    print(f"{out}: {exported.format}, {counted(exported.files, 'file')}, {exported.bytes / 1e6:.1f} MB.")
    if exported.noise:
        print(f"{out}: {exported.noise}")


def run_import(layout: str, source: Path, out: Path, check_official: bool) -> Imported:
    """Import a published data set, with progress."""
    if layout != "squtr":
        raise UserError(f"import {layout!r}: only squtr, the layout its authors publish, can be imported.")
    with reporter() as progress:
        return import_squtr(source, out, check_official, progress)


def show_import(imported: Imported, source: Path, out: Path, check_official: bool, as_json: bool) -> int:
    """Print what was found; return the exit code, 1 if the official data set was asked for and it is not."""
    if as_json:
        print(json.dumps(imported.plain(), ensure_ascii=False))
    else:
        _show(imported, source, out)
    return 1 if check_official and not imported.is_official else 0


def _show(imported: Imported, source: Path, out: Path) -> None:
    for key, facts in imported.subsets.items():
        formats = "; ".join(f"{count} x {kind}" for kind, count in facts.formats.items())
        print(
            f"{key}: {counted(facts.queries, 'query')}, {counted(facts.judgements, 'judgement')}"
            f" ({', '.join(facts.scores)}), {counted(sum(facts.recordings.values()), 'recording')},"
            f" {facts.seconds / 3600:.2f} h ({formats})"
        )
    if imported.gaps.found:
        print(f"{out / GAPS_FILE} has {counted(len(imported.gaps.found), 'gap')}, one a line.")
    for one in imported.differences[:_SHOWN]:
        print(f"not as published: {one.what}: {one.found} (published: {one.official})")
    if len(imported.differences) > _SHOWN:
        print(f"and {counted(len(imported.differences) - _SHOWN, 'difference')} more; see import.json")
    if not imported.is_official:
        verdict = "not the official SQuTR, which is no hindrance"
    elif imported.sha256 is not None:
        verdict = "the official SQuTR, by its SHA-256"
    elif source.is_file():
        verdict = "the official SQuTR by size and counts (--check-official compares the SHA-256 too)"
    else:
        verdict = "the official SQuTR by counts and bytes"
    print(f"{out}: {verdict}. The audio stays in {source}: squtr eval {out}")
