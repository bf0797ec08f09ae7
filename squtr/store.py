"""Content-addressed artefacts: records and PCM under the digest of what made them.

One SQLite file indexes everything; audio lies in packs of raw 16-bit little-endian PCM that are
renamed into place before the index names them. A run killed at any moment therefore leaves either
a whole artefact or none.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from squtr.archive import is_member, read_file
from squtr.digest import digest_bytes
from squtr.errors import UserError
from squtr.records import AudioRef, Pcm, Samples, Waveform

_SCHEMA = """
CREATE TABLE IF NOT EXISTS record (
  key TEXT PRIMARY KEY, stage TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS audio (
  sha256 TEXT PRIMARY KEY, pack TEXT NOT NULL, byte_offset INTEGER NOT NULL,
  samples INTEGER NOT NULL, sample_rate INTEGER NOT NULL) WITHOUT ROWID;
"""
_LOOKUP_BATCH = 500
# Both survive a kill and a power cut; WAL is faster, but only processes of one machine may share it.
_SHARED, _OWN = "PERSIST", "WAL"


@dataclass(frozen=True, slots=True)
class AudioPlace:
    """Where a piece of PCM lies: file, offset in bytes, and its reference."""

    ref: AudioRef
    path: str
    byte_offset: int


class PackWriter:
    """Collects PCM and writes it as one file, atomically, when the shard is complete."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self._refs: list[AudioRef] = []

    def add(self, pcm: Pcm, sample_rate: int) -> AudioRef:
        """Take in mono int16 PCM, shape (n,), and return its reference."""
        data = np.ascontiguousarray(pcm, dtype="<i2").tobytes()
        ref = AudioRef(digest_bytes(data), len(pcm), sample_rate)
        self._chunks.append(data)
        self._refs.append(ref)
        return ref

    def write(self, folder: Path) -> list[AudioPlace]:
        """Write the pack under the digest of its bytes; return where each piece lies."""
        if not self._chunks:
            return []
        data = b"".join(self._chunks)
        path = folder / f"{digest_bytes(data)}.pcm"
        if not path.exists():
            write_atomic(path, data)
        places, offset = [], 0
        for ref, chunk in zip(self._refs, self._chunks, strict=True):
            places.append(AudioPlace(ref, str(path), offset))
            offset += len(chunk)
        return places


def temporary_name(path: Path) -> Path:
    """Return a name beside `path` that no other process uses."""
    return path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")


def write_atomic(path: Path, data: bytes | str) -> None:
    """Write a whole file or nothing: temporary name, then rename."""
    temporary = temporary_name(path)
    try:
        temporary.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def read_place(place: AudioPlace) -> Pcm:
    """Return the PCM at a place, shape (samples,), int16, read-only. Raises OSError for a file cut short."""
    size, start = 2 * place.ref.samples, place.byte_offset
    path = Path(place.path)
    if is_member(path):
        data = read_file(path)[start : start + size]
    else:
        with open(place.path, "rb", buffering=0) as file:
            file.seek(start)
            data = file.read(size)
    if len(data) != size:
        raise OSError(f"{place.path}: cut short at {start + len(data)} bytes, not {start + size}")
    return np.frombuffer(data, "<i2")


class Audio:
    """The audio a shard may read: references to waveforms. Picklable."""

    def __init__(self, places: Iterable[AudioPlace]) -> None:
        self._places = {place.ref.sha256: place for place in places}

    def pcm(self, ref: AudioRef) -> Pcm:
        return read_place(self._places[ref.sha256])

    def waveform(self, ref: AudioRef) -> Waveform:
        samples: Samples = self.pcm(ref).astype(np.float32) / np.float32(32768)
        return Waveform(samples, ref.sample_rate)


class Store:
    """The artefacts of one folder. Only the process that opened it writes to the index."""

    def __init__(self, folder: Path, journal_mode: str = _SHARED) -> None:
        self.folder = folder
        self.packs = folder / "packs"
        self._lent: dict[str, AudioPlace] = {}
        self._sizes: dict[str, int] = {}
        try:
            self.packs.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise UserError(f"{folder}: is a file. A cache is a folder.") from None
        try:
            self._index = sqlite3.connect(folder / "index.sqlite", timeout=60)
            self._set_journal_mode(journal_mode)
            self._index.executescript(_SCHEMA)
        except sqlite3.DatabaseError as error:
            raise self.unusable(str(error)) from error

    def _set_journal_mode(self, wanted: str) -> None:
        (current,) = self._index.execute("PRAGMA journal_mode").fetchone()
        if current != "wal":
            (current,) = self._index.execute(f"PRAGMA journal_mode={wanted}").fetchone()
        if current == "wal":
            self._index.execute("PRAGMA synchronous=NORMAL")

    def close(self) -> None:
        self._index.close()

    def records(self, keys: Sequence[str]) -> dict[str, Any]:
        """Return the stored records among `keys`."""
        found: dict[str, Any] = {}
        for batch in _batches(keys):
            marks = ",".join("?" * len(batch))
            rows = self._index.execute(f"SELECT key, body FROM record WHERE key IN ({marks})", batch)  # noqa: S608
            found.update((key, json.loads(body)) for key, body in rows)
        return found

    def places(self, refs: Iterable[AudioRef]) -> list[AudioPlace]:
        """Return where each piece of audio lies.

        Raises KeyError when one is unknown, UserError when its pack was deleted or cut short.
        """
        wanted = {ref.sha256: ref for ref in refs}
        found = [self._lent[sha256] for sha256 in wanted if sha256 in self._lent]
        for place in found:
            del wanted[place.ref.sha256]
        for batch in _batches(list(wanted)):
            marks = ",".join("?" * len(batch))
            query = f"SELECT sha256, pack, byte_offset FROM audio WHERE sha256 IN ({marks})"  # noqa: S608
            for sha256, pack, offset in self._index.execute(query, batch):
                ref = wanted.pop(sha256)
                if offset + 2 * ref.samples > self._size(pack):
                    raise self.unusable(f"packs/{pack} is missing or cut short")
                found.append(AudioPlace(ref, str(self.packs / pack), offset))
        if wanted:
            raise KeyError(f"audio not in the store: {sorted(wanted)[:3]}")
        return found

    def audio(self, refs: Iterable[AudioRef]) -> Audio:
        """Return a reader for these pieces of audio."""
        return Audio(self.places(refs))

    def commit(self, stage: str, records: dict[str, Any], places: Iterable[AudioPlace] = ()) -> None:
        """Add records and the places of their audio in one transaction."""
        bodies = [(key, stage, _strict_json(body)) for key, body in records.items()]
        rows = [
            (p.ref.sha256, Path(p.path).name, p.byte_offset, p.ref.samples, p.ref.sample_rate) for p in places
        ]
        with self._index:
            self._index.executemany("INSERT OR REPLACE INTO audio VALUES (?,?,?,?,?)", rows)
            self._index.executemany("INSERT OR REPLACE INTO record VALUES (?,?,?)", bodies)

    def lend(self, places: Iterable[AudioPlace]) -> None:
        """Let audio be read from files that are not the store's own, for as long as it is open."""
        self._lent.update((place.ref.sha256, place) for place in places)

    def _size(self, pack: str) -> int:
        if pack not in self._sizes:
            path = self.packs / pack
            self._sizes[pack] = path.stat().st_size if path.is_file() else 0
        return self._sizes[pack]

    def unusable(self, why: str) -> UserError:
        """Return the error to raise when the index or a pack is not as it was written."""
        return UserError(
            f"{self.folder}: the cache cannot be used: {why}. Delete index.sqlite and packs in it to start"
            " afresh."
        )

    def array_path(self, key: str) -> Path:
        """Return the path of a numpy array kept under `key`; the caller writes it atomically."""
        folder = self.folder / "arrays"
        folder.mkdir(exist_ok=True)
        return folder / f"{key}.npy"


def open_store(folder: Path) -> AbstractContextManager[Store]:
    """Open the store in `folder`, made if need be; several processes, on several machines, may share it."""
    return _opened(folder, _SHARED)


def open_own_store(folder: Path) -> AbstractContextManager[Store]:
    """Open a store that one machine alone works on: commits cost less."""
    return _opened(folder, _OWN)


@contextmanager
def _opened(folder: Path, journal_mode: str) -> Iterator[Store]:
    store = Store(folder, journal_mode)
    try:
        yield store
    except sqlite3.DatabaseError as error:
        raise store.unusable(str(error)) from error
    finally:
        store.close()


def _batches(keys: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(keys), _LOOKUP_BATCH):
        yield list(keys[start : start + _LOOKUP_BATCH])


def _strict_json(body: Any) -> str:
    return json.dumps(body, ensure_ascii=False, allow_nan=False)
