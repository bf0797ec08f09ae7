"""Assemble: number the utterances, mix their conditions and write every row, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from squtr.collection import Collection
from squtr.data_build.acoustics import AcousticItem
from squtr.data_build.audio_names import AudioNames, remove_leftovers
from squtr.data_build.channels import behind_channels
from squtr.data_build.check import Checked
from squtr.data_build.conditions import Conditions, Item, by_noise
from squtr.data_build.journal import Finished, Journal
from squtr.data_build.layout import CLEAN
from squtr.data_build.select import Planned
from squtr.data_build.utterances import Utterance, make_utterances
from squtr.data_build.write import SubsetWriter, rejected_row, utterance_row
from squtr.digest import to_plain
from squtr.line_file import LineFile
from squtr.manifest import ManifestWriter
from squtr.stage import Runner

BLOCK = 512


@dataclass
class Counts:
    """What a finished data set holds; the same for every run of a recipe."""

    accepted: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    recordings: int = 0
    seconds_of_audio: float = 0.0
    largest_snr_error_db: float = 0.0


@dataclass
class _Numbers:
    """The last number given to an accepted utterance of a subset by channel, and to a rejected one."""

    accepted: dict[str, int] = field(default_factory=dict)
    rejected: int = 0

    def next(self, utterance: Utterance) -> int:
        if utterance.rejected is None:
            channel = utterance.planned.channel or ""
            self.accepted[channel] = self.accepted.get(channel, 0) + 1
            return self.accepted[channel]
        self.rejected += 1
        return self.rejected


@dataclass(frozen=True, slots=True)
class _Numbered:
    """An utterance with its number within its subset and among the accepted or the rejected."""

    utterance: Utterance
    number: int


class Assembly:
    """Takes subsets, writes their audio and rows; nothing but audio appears before `finish`."""

    def __init__(self, checked: Checked, out: Path, runner: Runner, journal: Journal) -> None:
        self.counts = Counts()
        self._checked, self._recipe, self._out = checked, checked.recipe, out
        self._runner, self._journal = runner, journal
        self._conditions = Conditions(checked.recipe, checked.recordings)
        self._manifest = ManifestWriter(out)
        self._rejected = LineFile(out / "rejected.jsonl")
        self._subsets: list[SubsetWriter] = []
        self._audio = AudioNames()
        self._block_audio: list[str] = []
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
        """Build all utterances of one collection; blocks that an earlier run finished are taken over."""
        writer = SubsetWriter(self._out, collection, self._recipe.condition_names)
        self._subsets.append(writer)
        name, numbers = f"{collection.language}/{collection.name}", _Numbers()
        for start in range(0, len(planned), BLOCK):
            before = self._state(numbers)
            found = self._journal.find(name, start, before)
            if found is not None:
                self._take_over(found, writer)
                numbers = _Numbers(**found.after["numbers"])
                continue
            made = self._make_block(collection, writer, planned[start : start + BLOCK], numbers)
            if made is not None:
                self._journal.keep(name, start, before, made)

    def _state(self, numbers: _Numbers) -> dict[str, Any]:
        return {"counts": to_plain(self.counts), "numbers": to_plain(numbers)}

    def _make_block(
        self, collection: Collection, writer: SubsetWriter, block: Sequence[Planned], numbers: _Numbers
    ) -> Finished | None:
        """Make a block and return its entry for the journal, if all of it is to stay as it is."""
        items, crashed = self._runner.counts(), self._runner.crashed
        block = behind_channels(block, self._checked.changes, self._recipe.seed, self._runner.run)
        utterances = make_utterances(block, self._checked.speakers, self._checked.placed, self._runner.run)
        self._write_block(collection, writer, [_Numbered(one, numbers.next(one)) for one in utterances])
        lines = {self._name(file): file.flush() for file in self._files(writer)}
        audio, self._block_audio = self._block_audio, []
        if self._runner.crashed > crashed:
            return None
        counted = {name: count - items.get(name, 0) for name, count in self._runner.counts().items()}
        return Finished(self._state(numbers), counted, self._journal.facts(audio), lines)

    def _take_over(self, found: Finished, writer: SubsetWriter) -> None:
        self.counts = Counts(**found.after["counts"])
        self._runner.reuse(found.items)
        for file in self._files(writer):
            file.append(found.lines[self._name(file)])
        for path, _, _ in found.audio:
            self._audio.add(path)

    def _files(self, writer: SubsetWriter) -> list[LineFile]:
        return [self._manifest.lines, self._rejected, *writer.files]

    def _name(self, file: LineFile) -> str:
        return file.path.relative_to(self._out).as_posix()

    def finish(self) -> None:
        """Let every file appear; audio that an earlier run left and this one has no row for goes."""
        for subset in self._subsets:
            remove_leftovers(self._out, subset.folder, self._audio)
            subset.close()
        self._rejected.close()
        self._manifest.close()
        self._finished = True

    def _write_block(self, collection: Collection, writer: SubsetWriter, numbered: list[_Numbered]) -> None:
        folder = f"{collection.language}/{collection.name}"
        items = [self._conditions.items(one.utterance, one.number, folder) for one in numbered]
        written = self._make([item for conditions in items for item in conditions.values()])
        for one, conditions in zip(numbered, items, strict=True):
            realised = {name: written[item.path] for name, item in conditions.items()}
            self._write_utterance(collection, writer, one.utterance, conditions, realised)

    def _make(self, items: list[Item]) -> dict[str, dict[str, Any]]:
        """Write every recording, those that share noise and speech together. Return the records by path."""
        items.sort(key=by_noise)
        for name in {str(Path(item.path).parent) for item in items}:
            (self._out / name).mkdir(parents=True, exist_ok=True)
        acoustic = [item for item in items if isinstance(item, AcousticItem)]
        plain = [item for item in items if not isinstance(item, AcousticItem)]
        records = self._runner.run(self._checked.mixing(self._out), plain)
        if acoustic:
            records = [*records, *self._runner.run(self._checked.acoustic_mixing(self._out), acoustic)]
        return {item.path: record for item, record in zip([*plain, *acoustic], records, strict=True)}

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
            if audio:
                self._add_audio(audio)
            self._rejected.add(rejected_row(utterance, collection.qrels[utterance.planned.query.id], audio))
            return
        shared = utterance_row(utterance)
        rows = {
            name: shared | self._condition_row(name, items[name], record) for name, record in records.items()
        }
        for row in rows.values():
            self._manifest.add(row)
            self._add_audio(row["file"])
            self._count_recording(row)
        writer.add(utterance, rows)
        self.counts.accepted += 1

    def _add_audio(self, path: str) -> None:
        self._audio.add(path)
        self._block_audio.append(path)

    def _condition_row(self, condition: str, item: Item, record: dict[str, Any]) -> dict[str, Any]:
        row = {"condition": condition, "file": item.path, **self._conditions.noise_row(item)}
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
