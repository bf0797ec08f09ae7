"""WebDataset: tar shards of audio and JSON, the same bytes every time."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from squtr.digest import canonical_json
from squtr.progress import Reporter
from squtr.publish.beir import write_corpus, write_qrels_tsv
from squtr.publish.shards import SHARD_BYTES
from squtr.publish.source import Condition, Part, Source, audio_bytes, recordings
from squtr.publish.tables import spoken_texts

_BLOCK = 512


def write_webdataset(source: Source, out: Path, progress: Reporter, limit: int = SHARD_BYTES) -> None:
    """Write {language}-{subset}/{condition}-000000.tar, and the documents and judgements beside them.

    Sample n of a condition is n.wav and n.json (`_id`, `text`, condition, SNR, noise and what the manifest
    tells); members have mode 0644 and no owner or time. A shard grows past `limit` only by a single sample.
    """
    for part in source.parts:
        place = out / f"{part.language}-{part.name}"
        collection = part.collection()
        place.mkdir()
        write_corpus(place / "corpus.jsonl", collection)
        write_qrels_tsv(place / "qrels.tsv", collection)
        texts = {query.id: query.text for query in collection.queries}
        for condition in part.conditions:
            label = f"{part.key} {condition.name}"
            progress.total(label, len(texts))
            shards = _Shards(place, condition.file_form, limit)
            try:
                for members in _samples(source, part, condition, texts):
                    shards.add(members)
                    progress.advance(label, 1)
            finally:
                shards.close()


def _samples(
    source: Source, part: Part, condition: Condition, texts: dict[str, str]
) -> Iterator[dict[str, bytes]]:
    """Yield each recording as its members by name."""
    for number, recording in enumerate(recordings(source, part, condition, set(texts))):
        said: dict[str, Any] = {
            "_id": recording.query_id,
            **spoken_texts(recording, texts),
            "language": part.language,
            "subset": part.name,
            "condition": condition.name,
            "snr_db": recording.snr_db,
            "noise_id": recording.noise_id,
            **recording.facts,
        }
        key, suffix = f"{number:08d}", recording.path.suffix or ".wav"
        yield {f"{key}{suffix}": audio_bytes(recording), f"{key}.json": canonical_json(said).encode()}


class _Shards:
    """Numbered tar files of a bounded size."""

    def __init__(self, folder: Path, stem: str, limit: int) -> None:
        self._folder, self._stem, self._limit = folder, stem, limit
        self._count = self._bytes = 0
        self._file: tarfile.TarFile | None = None

    def add(self, members: dict[str, bytes]) -> None:
        size = sum(2 * _BLOCK + len(data) for data in members.values())
        if self._file is None or self._bytes + size > self._limit:
            self.close()
            path = self._folder / f"{self._stem}-{self._count:06d}.tar"
            self._file = tarfile.open(path, "w", format=tarfile.USTAR_FORMAT)  # noqa: SIM115
            self._count += 1
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            self._file.addfile(info, io.BytesIO(data))
        self._bytes += size

    def close(self) -> None:
        """Finish the tar file that is open."""
        if self._file is not None:
            self._file.close()
        self._file, self._bytes = None, 0
