"""Any folder of recordings as a noise source: sub-folders are categories."""

from __future__ import annotations

from pathlib import Path

from squtr.errors import NotHere
from squtr.noise_sources.cache import cache_folder
from squtr.noise_sources.planning import text
from squtr.noise_sources.tracks import Track, Tracks
from squtr.noise_sources.tree import list_tree
from squtr.records import NoiseRecording

_SUFFIXES = (".wav", ".flac", ".ogg", ".aiff", ".mp3")


class Folder(Tracks):
    """A NoiseSource over audio files: `path/category/name.wav`, or `path/name.wav` for one category.

    Names that begin with a dot are passed over. A catalogue says more of a folder: see `Recordings`.
    Raises UserError when the folder has no audio.
    """

    def __init__(self, path: str, cache: str = "") -> None:
        root = Path(text("noise folder: path", path))
        if not root.is_dir():
            raise NotHere(f"noise folder {path}: no such folder.")
        tracks = [
            Track(NoiseRecording(entry.path, _category(entry.path, root), False), entry)
            for entry in list_tree(root)
            if not entry.member and entry.path.lower().endswith(_SUFFIXES)
        ]
        if not tracks:
            raise NotHere(f"noise folder {path}: no audio file ({', '.join(_SUFFIXES)}) in it.")
        super().__init__(tracks, cache_folder(text("noise folder: cache", cache)), f"noise folder {path}")


def _category(path: str, root: Path) -> str:
    return path.split("/")[0] if "/" in path else root.name
