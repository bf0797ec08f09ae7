"""A data set on disk in SQuTR's layout, read back; whoever wrote it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from squtr.archive import is_file, read_file
from squtr.audio import read_audio, to_pcm
from squtr.collection import Collection, read_collection, read_jsonl
from squtr.counted import counted
from squtr.data_build.layout import channel_of, condition_name, table_condition, without_channel
from squtr.digest import digest_bytes
from squtr.errors import ItemFailure, UserError, at
from squtr.imported import audio_root
from squtr.manifest import read_facts
from squtr.records import AudioRef
from squtr.store import AudioPlace, PackWriter

_WAV_HEADER_BYTES = 44
_AUDIO_QUERIES = "queries_with_audio_"


@dataclass(frozen=True, slots=True)
class Recording:
    """One query's audio under one condition; `facts` is its manifest row, empty without a manifest.

    `path` may lead into an archive: `archive.zip!member`. Behind a channel `text` is what was spoken.
    """

    query_id: str
    path: Path
    snr_db: float | None
    facts: dict[str, Any]
    noise_id: str | None = None
    channel: str | None = None
    text: str | None = None

    @property
    def file(self) -> str:
        """Where the audio is within its data set: {language}/{subset}/{audio folder}/{name}."""
        return "/".join(self.path.parts[-4:])


@dataclass(frozen=True)
class Subset:
    """One collection with its recordings by condition, clean first, then by falling SNR, then by channel.

    `unpaired`: recordings that were left out with their queries, see `heard_everywhere`.
    """

    language: str
    name: str
    folder: Path
    collection: Collection
    conditions: dict[str, list[Recording]]
    unpaired: tuple[Recording, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.language}/{self.name}"


def read_dataset(folder: Path) -> list[Subset]:
    """Read every {language}/{subset} folder that has audio queries.

    Raises UserError when there is none, or a query file points outside its audio folder.
    """
    places = subset_folders(folder)
    facts, root = _manifest_facts(folder), audio_root(folder)
    return [_read_subset(place, facts, root) for place in places]


def heard_everywhere(subset: Subset) -> Subset:
    """Return a subset with the queries that have a recording under every condition, where it has channels.

    A query may be rejected behind one channel and stay behind another; all conditions then hold the same
    queries and compare. Without channels nothing is left out. Raises UserError when no query is left.
    """
    if not any(map(channel_of, subset.conditions)):
        return subset
    every = [one for recordings in subset.conditions.values() for one in recordings]
    heard = [{one.query_id for one in recordings} for recordings in subset.conditions.values()]
    kept = set.intersection(*heard)
    if not kept:
        raise UserError(f"{subset.folder}: no query of it has a recording under every condition.")
    queries = tuple(query for query in subset.collection.queries if query.id in kept)
    qrels = {query: grades for query, grades in subset.collection.qrels.items() if query in kept}
    return replace(
        subset,
        collection=replace(subset.collection, queries=queries, qrels=qrels),
        conditions={
            name: [one for one in recordings if one.query_id in kept]
            for name, recordings in subset.conditions.items()
        },
        unpaired=tuple(one for one in every if one.query_id not in kept),
    )


def left_out(folder: Path, subsets: Sequence[Subset]) -> Iterator[str]:
    """Yield what of a data set is not compared: subsets without a query, and queries without a pair."""
    for empty in empty_subsets(folder):
        yield f"{empty.parent.name}/{empty.name}: every query was rejected; left out."
    for subset in subsets:
        if queries := {one.query_id for one in subset.unpaired}:
            missing = "without a recording under every condition; left out"
            yield f"{subset.key}: {counted(len(queries), 'query')} {missing}."


def subset_folders(folder: Path) -> list[Path]:
    """Return the folders that have audio queries; those without any query are left out (`empty_subsets`).

    Raises UserError when there is none.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: no such data set folder.")
    places = sorted({path.parent for path in folder.glob(f"*/*/{_AUDIO_QUERIES}*.jsonl")})
    if not places:
        raise UserError(
            f"{folder}: no {{language}}/{{subset}}/{_AUDIO_QUERIES}*.jsonl in it,"
            " so this is no SQuTR data set. squtr build makes one."
        )
    empty = set(empty_subsets(folder))
    if len(empty) == len(places):
        raise UserError(f"{folder}: no query in it was accepted; rejected.jsonl says why.")
    return [place for place in places if place not in empty]


def empty_subsets(folder: Path) -> list[Path]:
    """Return the subset folders of which every query was rejected when the data set was built."""
    tables = sorted(folder.glob("*/*/queries.jsonl"))
    return [path.parent for path in tables if path.stat().st_size == 0]


def audio_tables(place: Path) -> list[Path]:
    """Return the query files of a subset folder that point to audio."""
    return sorted(place.glob(f"{_AUDIO_QUERIES}*.jsonl"))


def audio_place(path: Path) -> tuple[AudioRef, AudioPlace | None]:
    """Return the reference of an audio file's PCM, and where it lies if it is plain 16-bit mono WAV.

    Raises ItemFailure for a file that holds no whole audio.
    """
    data = read_file(path) if is_file(path) else b""
    if is_plain_wav(data):
        pcm = data[_WAV_HEADER_BYTES:]
        ref = AudioRef(digest_bytes(pcm), len(pcm) // 2, int.from_bytes(data[24:28], "little"))
        return ref, AudioPlace(ref, str(path), _WAV_HEADER_BYTES)
    if not data:
        raise ItemFailure(f"{path.name}: missing or empty")
    return _converted(path), None


def pack_audio(path: Path, pack: PackWriter) -> AudioRef:
    """Convert any other audio file to 16-bit mono and add it to a pack."""
    waveform = read_audio(path)
    return pack.add(to_pcm(np.clip(waveform.samples, -1.0, 1.0)), waveform.sample_rate)


def _converted(path: Path) -> AudioRef:
    return pack_audio(path, PackWriter())


def is_plain_wav(data: bytes) -> bool:
    """True for a WAV of exactly a 44-byte header and whole 16-bit mono samples."""
    size = len(data) - _WAV_HEADER_BYTES
    return (
        size > 0
        and size % 2 == 0
        and data[:4] == b"RIFF"
        and data[8:24] == b"WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"
        and data[24:28] != b"\x00\x00\x00\x00"
        and data[34:40] == b"\x10\x00data"
        and int.from_bytes(data[40:44], "little") == size
    )


def _read_subset(folder: Path, facts: dict[str, dict[str, Any]], root: Path) -> Subset:
    language, name = folder.parent.name, folder.name
    collection = read_collection(folder, language, name)
    known = {query.id for query in collection.queries}
    facts = {file: row for file, row in facts.items() if file.startswith(f"{language}/{name}/")}
    found: list[tuple[tuple[str, bool, float], str, list[Recording]]] = []
    for path in audio_tables(folder):
        recordings = list(read_recordings(path, known, root, facts))
        if not recordings:
            raise UserError(f"{path}: no recording in it.")
        snr = recordings[0].snr_db
        if any(recording.snr_db != snr for recording in recordings):
            raise UserError(f"{path}: holds recordings of different snr_db.")
        channel = recordings[0].channel
        if any(recording.channel != channel for recording in recordings):
            raise UserError(f"{path}: holds recordings of different channels.")
        condition = table_condition(path.name, snr, channel)
        named = without_channel(condition) != condition_name(snr)
        place = (channel or "", named, float("-inf") if snr is None else -snr)
        found.append((place, condition, recordings))
    found.sort(key=lambda row: row[:2])
    conditions = {condition: recordings for _, condition, recordings in found}
    if len(conditions) != len(found):
        names = [condition for _, condition, _ in found]
        twice = next(name for name in names if names.count(name) > 1)
        raise UserError(f"{folder}: has {twice} twice among its {_AUDIO_QUERIES}*.jsonl. Leave one.")
    return Subset(language, name, folder, collection, conditions)


def read_recordings(
    path: Path, known: set[str], root: Path, facts: dict[str, dict[str, Any]]
) -> Iterator[Recording]:
    """Yield the recordings of one query file, in its order; `root` is what the audio lies below.

    Raises UserError with `file:line` for a query that is not in `known`, an audio name that leads out of its
    folder, an SNR that is no number, and a recording that `facts`, where there are any, do not tell of.
    """
    audio = root.joinpath(*path.parts[-3:-1], path.stem.removeprefix("queries_with_"))
    for line, row in read_jsonl(path):
        query_id, file, snr = row.get("_id"), row.get("audio"), row.get("snr_db")
        if not isinstance(file, str) or Path(file).name != file or file in ("", ".", ".."):
            raise UserError(
                f"{at(path, line)}: audio is {file!r}; a plain file name in {audio.name} must stand there."
            )
        if not isinstance(snr, (int, float, type(None))) or isinstance(snr, bool):
            raise UserError(f"{at(path, line)}: snr_db is {snr!r}; a number of dB must stand there.")
        if str(query_id) not in known:
            raise UserError(f"{at(path, line)}: query {query_id!r} is not in queries.jsonl.")
        place = audio / file
        noise, channel, text = (_text(row.get(name)) for name in ("noise_id", "channel", "text"))
        snr_db = None if snr is None else float(snr)
        recording = Recording(str(query_id), place, snr_db, {}, noise, channel, text if channel else None)
        if facts and recording.file not in facts:
            raise UserError(
                f"{at(path, line)}: manifest.jsonl has no row of {recording.file}. Run squtr verify."
            )
        yield replace(recording, facts=facts.get(recording.file, {}))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _manifest_facts(folder: Path) -> dict[str, dict[str, Any]]:
    path = folder / "manifest.jsonl"
    if not path.is_file():
        return {}
    facts = {row["file"]: row for row in read_facts(folder)}
    if not facts:
        raise UserError(f"{path}: no row in it. Restore it, or remove it to go without.")
    return facts
