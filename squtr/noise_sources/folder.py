"""Any folder of recordings as a noise source: sub-folders are categories."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

from squtr.audio import SILENCE_FLOOR_DBFS, level_dbfs, mean_removed, read_audio
from squtr.digest import digest, digest_file
from squtr.errors import ItemFailure, UserError, did_you_mean
from squtr.records import NoiseRecording, Waveform

_SUFFIXES = (".wav", ".flac", ".ogg", ".aiff", ".mp3")


class Folder:
    """A NoiseSource over audio files: `path/category/name.wav`, or `path/name.wav` for one category.

    Names that begin with a dot are passed over. Raises UserError when the folder has no audio.
    """

    def __init__(self, path: str) -> None:
        if not isinstance(path, str):
            raise UserError(f"noise folder: path is {path!r}, not text. Write path='{path}', in quotes.")
        self._root = Path(path)
        if not self._root.is_dir():
            raise UserError(f"noise folder {path}: no such folder.")
        found = {file.relative_to(self._root): file for file in sorted(self._root.rglob("*"))}
        self._files = {name.as_posix(): file for name, file in found.items() if _is_audio(name, file)}
        if not self._files:
            raise UserError(f"noise folder {path}: no audio file ({', '.join(_SUFFIXES)}) in it.")

    @property
    def fingerprint(self) -> str:
        return _fingerprint(tuple(sorted(self._files.items())))

    def check(self) -> None:
        """Read every file once. Raises UserError for one that is no audio, or is silent."""
        for name, file in self._files.items():
            level = level_dbfs(mean_removed(_read(file).samples))
            if not level >= SILENCE_FLOOR_DBFS:
                raise UserError(
                    f"{file}: the noise is silent ({level:.1f} dBFS, the floor is {SILENCE_FLOOR_DBFS:g})."
                    f" Take {name} out of the folder."
                )

    def recordings(self) -> Sequence[NoiseRecording]:
        return [
            NoiseRecording(name, Path(name).parts[0] if "/" in name else self._root.name, False)
            for name in self._files
        ]

    def read(self, recording_id: str) -> Waveform:
        if recording_id not in self._files:
            hint = did_you_mean(recording_id, self._files)
            raise UserError(f"noise folder {self._root}: no recording {recording_id!r}.{hint}")
        return _read(self._files[recording_id])


def _is_audio(name: Path, file: Path) -> bool:
    hidden = any(part.startswith(".") for part in name.parts)
    return not hidden and name.suffix.lower() in _SUFFIXES and file.is_file()


@functools.lru_cache(maxsize=4)
def _read(file: Path) -> Waveform:
    try:
        return read_audio(file)
    except ItemFailure as failure:
        raise UserError(f"{file}: {failure}. Take it out of the noise folder or replace it.") from None


@functools.cache
def _fingerprint(files: tuple[tuple[str, Path], ...]) -> str:
    return digest("folder", [(name, digest_file(file)) for name, file in files])
