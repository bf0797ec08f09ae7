"""SQuTR's own layout and nothing else: what its loaders and scripts read, without squtr's own files."""

from __future__ import annotations

import shutil
from pathlib import Path

from squtr.progress import Reporter
from squtr.publish.fresh import put_audio
from squtr.publish.source import Part, Source, recordings


def write_squtr(source: Source, out: Path, progress: Reporter) -> None:
    """Write {language}/{subset}/ as published: its tables as they are, and one audio folder a condition."""
    for part in source.parts:
        known = {query.id for query in part.collection().queries}
        _copy_tables(part, out / part.language / part.name)
        for condition in part.conditions:
            label = f"{part.key} {condition.name}"
            progress.total(label, len(known))
            for recording in recordings(source, part, condition, known):
                put_audio(recording, out / recording.file)
                progress.advance(label, 1)


def _copy_tables(part: Part, place: Path) -> None:
    for path in sorted([*part.folder.glob("*.jsonl"), *part.folder.glob("qrels/*")]):
        target = place / path.relative_to(part.folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
