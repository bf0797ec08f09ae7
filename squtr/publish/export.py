"""Export: a data set in another layout, streamed; the folder appears when it is complete."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from squtr.collection.layout import SLICE_FILE
from squtr.errors import UserError, did_you_mean
from squtr.progress import Reporter
from squtr.publish.beir import write_beir
from squtr.publish.fresh import fresh_folder
from squtr.publish.mteb import write_mteb
from squtr.publish.noise import noise_terms, warning, write_terms
from squtr.publish.source import Source, open_source
from squtr.publish.squtr_layout import write_squtr
from squtr.publish.webdataset import write_webdataset

Write = Callable[[Source, Path, Reporter], None]
FORMATS: dict[str, Write] = {
    "beir": write_beir,
    "mteb": write_mteb,
    "squtr": write_squtr,
    "webdataset": write_webdataset,
}


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote; `noise` warns of noise that must not be passed on."""

    format: str
    files: int
    bytes: int
    noise: str | None = None


def export(layout: str, folder: Path, out: Path, progress: Reporter) -> Exported:
    """Write the data set in `folder` to `out` as beir, mteb, squtr or webdataset, with the noise's terms and
    the mark of a slice.

    Raises UserError for an unknown layout, for a folder that is no whole data set, and if `out` is not empty.
    """
    if layout not in FORMATS:
        raise UserError(f"export {layout!r}: no such layout.{did_you_mean(layout, FORMATS)}")
    source = open_source(folder)
    if out.resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{out}: lies in the data set itself. Choose another --out.")
    terms = noise_terms(folder)
    with fresh_folder(out) as place:
        FORMATS[layout](source, place, progress)
        write_terms(place, terms)
        if (folder / SLICE_FILE).is_file():
            shutil.copyfile(folder / SLICE_FILE, place / SLICE_FILE)
    files = [path.stat().st_size for path in out.rglob("*") if path.is_file()]
    return Exported(layout, len(files), sum(files), warning(terms))
