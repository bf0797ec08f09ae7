"""Assemble: number the utterances, mix their conditions and write every row, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from squtr.collection import Collection
from squtr.data_build.check import Checked
from squtr.data_build.layout import audio_file, audio_folder, condition_name
from squtr.data_build.mix import CleanItem, MixItem, draw_noise
from squtr.data_build.select import Planned
from squtr.data_build.utterances import RunStage, Utterance, make_utterances
from squtr.data_build.write import LineFile, SubsetWriter, rejected_row, utterance_row
from squtr.manifest import ManifestWriter
from squtr.records import AudioRef, NoiseRecording

BLOCK = 512
REJECTED_FOLDER = "audio_rejected"


@dataclass
class Counts:
    """What a finished data set holds; the same for every run of a recipe."""

    accepted: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    recordings: int = 0
    seconds_of_audio: float = 0.0
    largest_snr_error_db: float = 0.0


@dataclass(frozen=True, slots=True)
class _Numbered:
    """An utterance with its number within its subset and among the accepted or the rejected."""

    utterance: Utterance
    number: int


class Assembly:
    """Takes subsets, writes their audio and rows; nothing but audio appears before `finish`."""

    def __init__(self, checked: Checked, out: Path, run: RunStage) -> None:
        self.counts = Counts()
        self._checked, self._recipe, self._out, self._run = checked, checked.recipe, out, run
        self._manifest = ManifestWriter(out)
        self._rejected = LineFile(out / "rejected.jsonl")
        self._subsets: list[SubsetWriter] = []
        self._audio: set[str] = set()
        self._finished = False

    def __enter__(self) -> Assembly:
        return self

    def __exit__(self, *error: object) -> None:
        if self._finished:
            return
        with ExitStack() as stack:
            stack.callback(self._manifest.discard)
            stack.callback(self._rejected.discard)
            for subset in self._subsets:
                stack.callback(subset.discard)

    def add_subset(self, collection: Collection, planned: Sequence[Planned]) -> None:
        """Build all utterances of one collection."""
        writer = SubsetWriter(self._out, collection, self._recipe.mix.snrs_db)
        self._subsets.append(writer)
        accepted = refused = 0
        for block in _blocks(planned):
            utterances = make_utterances(block, self._checked.speakers, self._recipe, self._run)
            numbered = []
            for utterance in utterances:
                accepted += utterance.rejected is None
                refused += utterance.rejected is not None
                numbered.append(_Numbered(utterance, accepted if utterance.rejected is None else refused))
            self._write_block(collection, writer, numbered)

    def finish(self) -> None:
        """Let every file appear; audio that an earlier run left and this one has no row for goes."""
        for subset in self._subsets:
            for file in subset.folder.glob("audio_*/*.wav"):
                if file.relative_to(self._out).as_posix() not in self._audio:
                    file.unlink()
            subset.close()
        self._rejected.close()
        self._manifest.close()
        self._finished = True

    def _write_block(self, collection: Collection, writer: SubsetWriter, numbered: list[_Numbered]) -> None:
        folder = f"{collection.language}/{collection.name}"
        items = {one.utterance.planned.key: self._items(one, folder) for one in numbered}
        flat = sorted(
            (item for conditions in items.values() for item in conditions.values()),
            key=lambda item: (getattr(item, "recording", ""), item.path),
        )
        for name in {str(Path(item.path).parent) for item in flat}:
            (self._out / name).mkdir(parents=True, exist_ok=True)
        records = self._run(self._checked.mixing(self._out), flat)
        written = {item.path: record for item, record in zip(flat, records, strict=True)}
        for one in numbered:
            conditions = items[one.utterance.planned.key]
            realised = {snr: written[item.path] for snr, item in conditions.items()}
            self._write_utterance(collection, writer, one.utterance, conditions, realised)

    def _items(self, one: _Numbered, folder: str) -> dict[float | None, MixItem | CleanItem]:
        """Return what is to be written of an utterance, by SNR; None is the clean condition."""
        utterance = one.utterance
        if utterance.chosen is None:
            return {}
        speech = utterance.chosen.audio
        if utterance.rejected is not None:
            return {None: CleanItem(speech, f"{folder}/{REJECTED_FOLDER}/{one.number}.wav")}
        paths = {
            snr: f"{folder}/{audio_folder(snr)}/{audio_file(one.number, snr)}"
            for snr in (None, *self._recipe.mix.snrs_db)
        }
        return {
            snr: CleanItem(speech, path) if snr is None else self._mix_item(utterance, speech, snr, path)
            for snr, path in paths.items()
        }

    def _mix_item(self, utterance: Utterance, speech: AudioRef, snr_db: float, path: str) -> MixItem:
        recording, crop_seed = self._noise(utterance, snr_db)
        return MixItem(speech, recording.id, crop_seed, snr_db, path)

    def _noise(self, utterance: Utterance, snr_db: float) -> tuple[NoiseRecording, int]:
        key = utterance.planned.key
        if self._recipe.mix.draw_per == "condition":
            key = f"{key}/{condition_name(snr_db)}"
        return draw_noise(self._checked.recordings, self._recipe.seed, key)

    def _write_utterance(
        self,
        collection: Collection,
        writer: SubsetWriter,
        utterance: Utterance,
        items: dict[float | None, MixItem | CleanItem],
        records: dict[float | None, dict[str, Any]],
    ) -> None:
        failures = [record["reason"] for record in records.values() if record["status"] != "ok"]
        if failures and utterance.rejected is None:
            for item in items.values():
                (self._out / item.path).unlink(missing_ok=True)
            utterance = replace(utterance, rejected=failures[0], rejected_at="mix")
            items = {}
        if utterance.rejected is not None:
            audio = items[None].path if None in items else None
            self._count_rejected(utterance)
            self._audio.update({audio} if audio else ())
            self._rejected.add(rejected_row(utterance, collection.qrels[utterance.planned.query.id], audio))
            return
        shared = utterance_row(utterance)
        rows = {
            snr: shared | self._condition_row(utterance, snr, items[snr], records[snr]) for snr in records
        }
        for row in rows.values():
            self._manifest.add(row)
            self._audio.add(row["file"])
            self._count_recording(row)
        writer.add(utterance, rows)
        self.counts.accepted += 1

    def _condition_row(
        self, utterance: Utterance, snr_db: float | None, item: MixItem | CleanItem, record: dict[str, Any]
    ) -> dict[str, Any]:
        row: dict[str, Any] = {"condition": condition_name(snr_db), "file": item.path}
        if snr_db is not None:
            recording, _ = self._noise(utterance, snr_db)
            row |= {
                "noise_id": recording.id,
                "noise_category": recording.category,
                "noise_synthetic": recording.synthetic,
            }
        return row | {name: value for name, value in record.items() if name != "status"}

    def _count_rejected(self, utterance: Utterance) -> None:
        stage = utterance.rejected_at or "?"
        self.counts.rejected[stage] = self.counts.rejected.get(stage, 0) + 1

    def _count_recording(self, row: dict[str, Any]) -> None:
        self.counts.recordings += 1
        self.counts.seconds_of_audio = round(self.counts.seconds_of_audio + row["seconds"], 6)
        if "realised_snr_db" in row:
            error = abs(row["realised_snr_db"] - row["requested_snr_db"])
            self.counts.largest_snr_error_db = max(self.counts.largest_snr_error_db, round(error, 6))


def _blocks(planned: Sequence[Planned]) -> Iterator[Sequence[Planned]]:
    for start in range(0, len(planned), BLOCK):
        yield planned[start : start + BLOCK]
