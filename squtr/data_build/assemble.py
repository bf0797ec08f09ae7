"""Assemble: number the utterances, mix their conditions and write every row, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from squtr.acoustics.condition import Condition
from squtr.collection import Collection
from squtr.data_build.acoustics import AcousticItem, draw_second
from squtr.data_build.check import Checked
from squtr.data_build.layout import CLEAN, audio_file, audio_folder, condition_name
from squtr.data_build.mix import CleanItem, MixItem, draw_noise
from squtr.data_build.select import Planned
from squtr.data_build.utterances import RunStage, Utterance, make_utterances
from squtr.data_build.write import LineFile, SubsetWriter, rejected_row, utterance_row
from squtr.manifest import ManifestWriter
from squtr.records import AudioRef, NoiseRecording

BLOCK = 512
Item = CleanItem | MixItem | AcousticItem
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
        writer = SubsetWriter(self._out, collection, self._recipe.mix.condition_names)
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
        written = self._make([item for conditions in items.values() for item in conditions.values()])
        for one in numbered:
            conditions = items[one.utterance.planned.key]
            realised = {name: written[item.path] for name, item in conditions.items()}
            self._write_utterance(collection, writer, one.utterance, conditions, realised)

    def _make(self, items: list[Item]) -> dict[str, dict[str, Any]]:
        """Write every recording, those that share noise and speech together. Return the records by path."""
        items.sort(key=_by_noise)
        for name in {str(Path(item.path).parent) for item in items}:
            (self._out / name).mkdir(parents=True, exist_ok=True)
        acoustic = [item for item in items if isinstance(item, AcousticItem)]
        plain = [item for item in items if not isinstance(item, AcousticItem)]
        records = self._run(self._checked.mixing(self._out), plain)
        if acoustic:
            records = [*records, *self._run(self._checked.acoustic_mixing(self._out), acoustic)]
        return {item.path: record for item, record in zip([*plain, *acoustic], records, strict=True)}

    def _items(self, one: _Numbered, folder: str) -> dict[str, Item]:
        """Return what is to be written of an utterance, by condition."""
        utterance = one.utterance
        if utterance.chosen is None:
            return {}
        speech = utterance.chosen.audio
        if utterance.rejected is not None:
            return {CLEAN: CleanItem(speech, f"{folder}/{REJECTED_FOLDER}/{one.number}.wav")}
        rule = self._recipe.mix
        paths = {
            name: f"{folder}/{audio_folder(name)}/{audio_file(one.number, name)}"
            for name in rule.condition_names
        }
        items: dict[str, Item] = {CLEAN: CleanItem(speech, paths[CLEAN])}
        for snr_db in rule.snrs_db:
            name = condition_name(snr_db)
            recording, crop_seed = self._noise(utterance, name)
            items[name] = MixItem(speech, recording.id, crop_seed, snr_db, paths[name])
        for condition in rule.conditions:
            items[condition.name] = self._acoustic_item(utterance, speech, condition, paths[condition.name])
        return items

    def _acoustic_item(
        self, utterance: Utterance, speech: AudioRef, condition: Condition, path: str
    ) -> AcousticItem:
        recording, crop_seed = self._noise(utterance, condition.name)
        second = None
        if condition.second_noise:
            key = self._noise_key(utterance, condition.name)
            second = draw_second(self._checked.recordings, recording, self._recipe.seed, key)
        plain = condition.model_dump(mode="json", exclude={"name", "snr_db"}, exclude_none=True)
        return AcousticItem(speech, recording.id, second, crop_seed, condition.snr_db, plain, path)

    def _noise(self, utterance: Utterance, condition: str) -> tuple[NoiseRecording, int]:
        key = self._noise_key(utterance, condition)
        return draw_noise(self._checked.recordings, self._recipe.seed, key)

    def _noise_key(self, utterance: Utterance, condition: str) -> str:
        key = utterance.planned.key
        return f"{key}/{condition}" if self._recipe.mix.draw_per == "condition" else key

    def _write_utterance(
        self,
        collection: Collection,
        writer: SubsetWriter,
        utterance: Utterance,
        items: dict[str, Item],
        records: dict[str, dict[str, Any]],
    ) -> None:
        failures = [record["reason"] for record in records.values() if record["status"] != "ok"]
        if failures and utterance.rejected is None:
            for item in items.values():
                (self._out / item.path).unlink(missing_ok=True)
            utterance = replace(utterance, rejected=failures[0], rejected_at="mix")
            items = {}
        if utterance.rejected is not None:
            audio = items[CLEAN].path if CLEAN in items else None
            self._count_rejected(utterance)
            self._audio.update({audio} if audio else ())
            self._rejected.add(rejected_row(utterance, collection.qrels[utterance.planned.query.id], audio))
            return
        shared = utterance_row(utterance)
        rows = {
            name: shared | self._condition_row(utterance, name, items[name], records[name])
            for name in records
        }
        for row in rows.values():
            self._manifest.add(row)
            self._audio.add(row["file"])
            self._count_recording(row)
        writer.add(utterance, rows)
        self.counts.accepted += 1

    def _condition_row(
        self, utterance: Utterance, condition: str, item: Item, record: dict[str, Any]
    ) -> dict[str, Any]:
        row: dict[str, Any] = {"condition": condition, "file": item.path}
        if condition != CLEAN:
            recording, _ = self._noise(utterance, condition)
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


def _by_noise(item: Item) -> tuple[str, int, str]:
    return getattr(item, "recording", ""), getattr(item, "crop_seed", 0), item.path


def _blocks(planned: Sequence[Planned]) -> Iterator[Sequence[Planned]]:
    for start in range(0, len(planned), BLOCK):
        yield planned[start : start + BLOCK]
