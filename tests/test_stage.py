"""The one loop that runs stages: only what the store lacks is computed, failures are records."""

from __future__ import annotations

from pathlib import Path

import pytest

from squtr.engines.local import InProcess
from squtr.errors import UserError
from squtr.progress import Silent
from squtr.records import AudioRef
from squtr.resources import Resources, Share
from squtr.stage import Runner, Tally, _shards, run_stage
from squtr.store import Store, open_store
from tests.doubles import Doubling


def run(folder: Path, stage: Doubling, items: list[int]) -> tuple[list[dict[str, object]], Tally]:
    tally = Tally()
    with open_store(folder) as store:
        return run_stage(stage, items, store, InProcess(), tally), tally


def test_records_come_in_the_order_of_the_items(tmp_path):
    items = [5, 3, 9, 3, 0]
    records, tally = run(tmp_path, Doubling(), items)
    assert [record["value"] for record in records] == [10, 6, 18, 6, 0]
    assert (tally.done, tally.reused) == (4, 1)


def test_only_the_new_is_computed(tmp_path):
    run(tmp_path, Doubling(), [1, 2, 3])
    _, tally = run(tmp_path, Doubling(), [2, 3, 4, 5])
    assert (tally.done, tally.reused) == (2, 2)
    _, tally = run(tmp_path, Doubling(version=2), [2, 3])
    assert (tally.done, tally.reused) == (2, 0)


def test_what_else_decides_an_item_redoes_that_item_alone(tmp_path, monkeypatch):
    run(tmp_path, Doubling(), [1, 2, 3])
    monkeypatch.setattr(
        Doubling, "also_decides", lambda self, item: ("x",) if item == 2 else (), raising=False
    )
    _, tally = run(tmp_path, Doubling(), [1, 2, 3])
    assert (tally.done, tally.reused) == (1, 2)


def test_failures_are_records_and_crashes_are_tried_again(tmp_path):
    stage = Doubling(((1, "item"), (2, "crash"), (3, "nan"), (5, "surrogate")))
    records, tally = run(tmp_path, stage, [0, 1, 2, 3, 4, 5])
    assert [record["status"] for record in records] == ["ok", "failed", "failed", "failed", "ok", "failed"]
    assert records[1]["reason"] == "no"
    assert records[2]["reason"] == "ZeroDivisionError: oh"
    assert "not JSON compliant" in str(records[3]["reason"])
    assert records[5]["reason"] == "caf\\ud800"
    assert (tally.done, tally.crashed) == (6, 2)
    again, tally = run(tmp_path, Doubling(), [0, 1, 2, 3, 4, 5])
    assert [record["status"] for record in again] == ["ok", "failed", "ok", "ok", "ok", "failed"]
    assert (tally.done, tally.reused) == (2, 4)


@pytest.mark.parametrize(("trouble", "error"), [("user", UserError), ("disk", OSError)])
def test_faults_of_the_set_up_stop_and_keep_what_was_done(tmp_path, trouble, error):
    with pytest.raises(error):
        run(tmp_path, Doubling(((7, trouble),)), list(range(10)))
    _, tally = run(tmp_path, Doubling(), list(range(10)))
    assert (tally.done, tally.reused) == (3, 7)


def test_what_lies_outside_the_store_is_made_again_when_it_is_gone(tmp_path):
    with open_store(tmp_path) as store:
        tally = Tally()
        run_stage(Doubling(), [1, 2, 3], store, InProcess(), tally)
        run_stage(
            Doubling(), [1, 2, 3], store, InProcess(), tally,
            still_there=lambda item, record: record["value"] != 4,
        )  # fmt: skip
        assert (tally.done, tally.reused) == (4, 2)


def test_audio_of_a_record_is_in_the_store(tmp_path):
    records, _ = run(tmp_path, Doubling(), [4])
    with open_store(tmp_path) as store:
        ref = AudioRef(**records[0]["audio"])
        assert store.audio([ref]).pcm(ref).tolist() == [4] * 5


@pytest.mark.parametrize(
    ("items", "workers", "shards", "largest"),
    [(1, 1, 1, 1), (10, 1, 10, 1), (160, 1, 16, 10), (5000, 1, 157, 32), (512, 2, 16, 32), (512, 64, 256, 2)],
)
def test_shards_are_small_enough_to_lose_and_many_enough_to_share(tmp_path, items, workers, shards, largest):
    with open_store(tmp_path) as store:
        missing = {str(number): number for number in range(items)}
        cut = list(_shards(Doubling(), missing, store, workers, Share()))
    assert len(cut) == shards
    assert max(len(shard.items) for shard in cut) == largest
    assert [item for shard in cut for item in shard.items] == list(range(items))


class Told(Silent):
    """Keeps what a runner tells."""

    def __init__(self) -> None:
        self.totals: list[tuple[str, int]] = []
        self.done = 0

    def total(self, stage: str, count: int) -> None:
        self.totals.append((stage, count))

    def advance(self, stage: str, count: int) -> None:
        self.done += count


def test_a_runner_tells_progress_and_time(tmp_path):
    told = Told()
    with open_store(tmp_path) as store:
        runner = Runner(store, InProcess(), told)
        runner.run(Doubling(sleep=0.01), [1, 2, 3])
        runner.run(Doubling(sleep=0.01), [3, 4])
    assert told.totals == [("double", 3), ("double", 5)]
    assert told.done == 5
    assert runner.seconds("double") >= 0.04
    assert runner.seconds("unknown") == 0


def test_what_several_runs_will_bring_can_be_announced(tmp_path):
    told = Told()
    with open_store(tmp_path) as store:
        runner = Runner(store, InProcess(), told)
        runner.run(Doubling(), [1])
        runner.expect("double", 2)
        runner.run(Doubling(), [2])
        runner.run(Doubling(), [3])
        runner.run(Doubling(), [4])
    assert [count for _, count in told.totals] == [1, 3, 3, 3, 4]
    assert told.done == 4


def test_nothing_to_do(tmp_path):
    store = Store(tmp_path)
    assert Runner(store, InProcess(), Silent()).run(Doubling(), []) == []
    store.close()


class InBatches(Doubling):
    """Doubling, several at once; it breaks down on a batch with a 5 and says how large each batch was."""

    def run_many(self, items, audio, pack):
        if 5 in items:
            raise RuntimeError("not with a 5")
        return [{**self.run(item, audio, pack), "together": len(items)} for item in items]


def in_batches(folder: Path, stage: Doubling, items: list[int], batch: int) -> list[dict[str, object]]:
    resources = Resources(judge=Share(batch=batch))
    with open_store(folder) as store:
        return Runner(store, InProcess(), Silent(), resources).run(stage, items)


def test_a_stage_gets_as_many_items_at_once_as_its_share_says(tmp_path):
    records = in_batches(tmp_path, InBatches(name="judge"), [0, 1, 2, 3, 4], 2)
    assert [record["value"] for record in records] == [0, 2, 4, 6, 8]
    assert [record.get("together") for record in records] == [2, 2, 2, 2, None]


def test_a_batch_that_fails_is_run_one_by_one(tmp_path):
    stage = InBatches(((6, "item"), (7, "crash")), name="judge")
    records = in_batches(tmp_path, stage, [4, 5, 6, 7, 8, 9], 2)
    assert [record["status"] for record in records] == ["ok", "ok", "failed", "failed", "ok", "ok"]
    assert [record.get("together") for record in records] == [None, None, None, None, 2, 2]


def test_a_stage_that_knows_no_batches_is_run_one_by_one(tmp_path):
    records = in_batches(tmp_path, Doubling(name="judge"), [1, 2, 3], 2)
    assert [record["value"] for record in records] == [2, 4, 6]


def test_a_fault_of_the_set_up_in_a_batch_stops_the_run(tmp_path):
    with pytest.raises(UserError, match="mend this"):
        in_batches(tmp_path, InBatches(((2, "user"),), name="judge"), [1, 2], 2)
