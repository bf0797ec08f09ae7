"""A stage and the one loop that runs it: look up, shard, execute, commit."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from squtr.digest import digest, to_plain
from squtr.engines import Engine
from squtr.errors import ItemFailure, UserError, raised, raised_at
from squtr.plugins import PROTOCOLS
from squtr.progress import Reporter
from squtr.records import AudioRef
from squtr.resources import Resources, Share
from squtr.store import Audio, AudioPlace, PackWriter, Store

_SHARDS_WANTED = 16
_SHARDS_A_WORKER = 4
_LARGEST_SHARD = 32


class Stage(Protocol):
    """A pure function of an item. Instances are picklable: settings only, models load where they run.

    A stage may also have `run_many(items, audio, pack)`: the records of several items from one call of a
    model, or None when its engine takes one at a time. They must be what `run` gives for each alone.
    `also_decides(item)` returns what decides an item's outcome beyond both, such as a language's packages.
    """

    name: str

    @property
    def fingerprint(self) -> str:
        """Digest of everything but the item that decides the outcome."""
        ...

    def audio_of(self, item: Any) -> Sequence[AudioRef]:
        """The audio an item reads."""
        ...

    def run(self, item: Any, audio: Audio, pack: PackWriter) -> dict[str, Any]:
        """Return the item's record (plain JSON values). Raises ItemFailure."""
        ...


@dataclass(frozen=True, slots=True)
class Shard:
    """The unit of work and of loss: a slice of the items still to do."""

    stage: Stage
    keys: tuple[str, ...]
    items: tuple[Any, ...]
    places: tuple[AudioPlace, ...]
    pack_folder: Path
    batch: int = 1
    gpus: float = 0.0


@dataclass(frozen=True, slots=True)
class ShardResult:
    """Records by key, where their audio lies, those not to be kept, and the seconds spent in the stage."""

    records: dict[str, Any]
    places: list[AudioPlace]
    passing: frozenset[str]
    seconds: float


def execute(shard: Shard, tick: Callable[[], None]) -> ShardResult:
    """Run a shard's items one after the other in this process.

    Raises UserError, OSError and MemoryError: a full disk or a lost file is no fault of the item, and
    must not decide what a data set holds.
    """
    audio, pack = Audio(shard.places), PackWriter()
    records: dict[str, Any] = {}
    passing: set[str] = set()
    started = time.perf_counter()
    for start in range(0, len(shard.keys), shard.batch):
        keys, items = (part[start : start + shard.batch] for part in (shard.keys, shard.items))
        together = _run_together(shard.stage, items, audio, pack) if len(items) > 1 else None
        for place, (key, item) in enumerate(zip(keys, items, strict=True)):
            if together is not None:
                records[key] = together[place]
            else:
                records[key], is_passing = _run_one(shard.stage, item, audio, pack)
                passing.update([key] if is_passing else [])
            tick()
    return ShardResult(
        records, pack.write(shard.pack_folder), frozenset(passing), time.perf_counter() - started
    )


def _run_one(stage: Stage, item: Any, audio: Audio, pack: PackWriter) -> tuple[dict[str, Any], bool]:
    """Return an item's record and whether it is to be tried again: a model that crashed costs that item."""
    try:
        return _storable({"status": "ok", **stage.run(item, audio, pack)}), False
    except ItemFailure as failure:
        return _failed(str(failure)), False
    except (UserError, OSError, MemoryError):
        raise
    except SystemExit as error:
        raise _ended(stage, error) from error
    except Exception as error:
        return _failed(raised(error)), True


def _run_together(
    stage: Stage, items: Sequence[Any], audio: Audio, pack: PackWriter
) -> list[dict[str, Any]] | None:
    """Return the records of a batch; None where one by one is the way: no batches, or an item that fails."""
    run_many = getattr(stage, "run_many", None)
    if run_many is None:
        return None
    try:
        records = run_many(items, audio, pack)
        return records and [_storable({"status": "ok", **record}) for record in records]
    except (UserError, OSError, MemoryError):
        raise
    except SystemExit as error:
        raise _ended(stage, error) from error
    except Exception:
        return None


def _ended(stage: Stage, error: SystemExit) -> UserError:
    """A part that ends the process would end the run without a word, and with exit code 0."""
    part = next(
        (f"{kind} {getattr(stage, kind)!r}" for kind in PROTOCOLS if hasattr(stage, kind)), stage.name
    )
    return UserError(f"{part} ended the process at {raised_at(error)}. Let it raise ItemFailure instead.")


def _storable(record: dict[str, Any]) -> dict[str, Any]:
    """Raise ValueError or TypeError for what strict JSON in UTF-8 cannot hold, such as a score of NaN."""
    json.dumps(record, ensure_ascii=False, allow_nan=False).encode("utf-8")
    return record


def _failed(reason: str) -> dict[str, Any]:
    return {"status": "failed", "reason": reason.encode("utf-8", "backslashreplace").decode("utf-8")}


@dataclass
class Tally:
    """What running stages cost: items done, reused and crashed (to be tried again), seconds inside stages.

    `audio_seconds` is the length of the audio that the items done have read.
    """

    done: int = 0
    reused: int = 0
    crashed: int = 0
    stage_seconds: float = 0.0
    audio_seconds: float = 0.0


def run_stage(
    stage: Stage,
    items: Sequence[Any],
    store: Store,
    engine: Engine,
    tally: Tally,
    advance: Callable[[int], None] = lambda count: None,
    still_there: Callable[[Any, dict[str, Any]], bool] = lambda item, record: True,
    share: Share = Share(),
) -> list[dict[str, Any]]:
    """Return each item's record, in the order of `items`; only what the store lacks is computed.

    `still_there` says whether what a stage wrote outside the store is as an item's record says.
    """
    fingerprint = stage.fingerprint
    also = getattr(stage, "also_decides", lambda item: ())
    keys = [digest(stage.name, fingerprint, to_plain(item), *also(item)) for item in items]
    records = store.records(keys)
    pairs = zip(keys, items, strict=True)
    missing = {key: item for key, item in pairs if key not in records or not still_there(item, records[key])}
    advance(len(items) - len(missing))
    tally.reused += len(items) - len(missing)
    for result in engine.map(_shards(stage, missing, store, engine.workers, share), advance):
        kept = {key: body for key, body in result.records.items() if key not in result.passing}
        store.commit(stage.name, kept, result.places)
        records.update(result.records)
        tally.done += len(result.records)
        tally.crashed += len(result.passing)
        tally.stage_seconds += result.seconds
        read = (ref for key in result.records for ref in stage.audio_of(missing[key]))
        tally.audio_seconds += sum(ref.seconds for ref in read)
    return [records[key] for key in keys]


def _shards(
    stage: Stage, missing: dict[str, Any], store: Store, workers: int, share: Share
) -> Iterator[Shard]:
    keys = list(missing)
    wanted = max(_SHARDS_WANTED, _SHARDS_A_WORKER * workers)
    size = max(min(len(keys) // wanted, _LARGEST_SHARD), share.batch)
    for start in range(0, len(keys), size):
        part = keys[start : start + size]
        items = tuple(missing[key] for key in part)
        refs = [ref for item in items for ref in stage.audio_of(item)]
        yield Shard(
            stage, tuple(part), items, tuple(store.places(refs)), store.packs, share.batch, share.gpus
        )


class Runner:
    """Runs stages over one store with one engine, reports progress and keeps a tally a stage."""

    def __init__(
        self,
        store: Store,
        engine: Engine,
        progress: Reporter,
        resources: Resources = Resources(),
    ) -> None:
        self._store, self._engine, self._progress, self._resources = store, engine, progress, resources
        self._totals: dict[str, int] = {}
        self._expected: dict[str, int] = {}
        self.tallies: dict[str, Tally] = {}

    def expect(self, stage: str, items: int) -> None:
        """Announce what several runs of a stage will bring together, so that progress tells of all of it."""
        self._expected[stage] = self._expected.get(stage, self._totals.get(stage, 0)) + items
        self._progress.total(stage, self._expected[stage])

    def run(self, stage: Any, items: Sequence[Any]) -> list[dict[str, Any]]:
        """Return each item's record, in order; a stage that writes files says which still stand."""
        self._totals[stage.name] = self._totals.get(stage.name, 0) + len(items)
        self._progress.total(stage.name, max(self._totals[stage.name], self._expected.get(stage.name, 0)))
        tally = self.tallies.setdefault(stage.name, Tally())
        still_there = getattr(stage, "is_written", lambda item, record: True)

        def advance(count: int) -> None:
            self._progress.advance(stage.name, count)

        share = self._resources.share(stage.name)
        return run_stage(stage, items, self._store, self._engine, tally, advance, still_there, share)

    def reuse(self, counts: Mapping[str, int]) -> None:
        """Count items, by stage, whose records are known to stand without looking them up."""
        for name, count in counts.items():
            self._totals[name] = self._totals.get(name, 0) + count
            self._progress.total(name, self._totals[name])
            self._progress.advance(name, count)
            self.tallies.setdefault(name, Tally()).reused += count

    def counts(self) -> dict[str, int]:
        """Return the items of each stage so far."""
        return {name: tally.done + tally.reused for name, tally in self.tallies.items()}

    @property
    def crashed(self) -> int:
        """Items that are to be tried again at the next run."""
        return sum(tally.crashed for tally in self.tallies.values())

    def seconds(self, *stages: str) -> float:
        """Return the seconds spent inside these stages, over all workers."""
        return sum(self.tallies[name].stage_seconds for name in stages if name in self.tallies)
