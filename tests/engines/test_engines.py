"""Engines: the same records from any number of processes, and no process left behind."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from squtr.engines import Engine, local_engine
from squtr.engines.local import InProcess, Pool
from squtr.errors import UserError
from squtr.stage import Tally, run_stage
from squtr.store import open_store
from tests.doubles import Doubling


def run(
    folder: Path, engine: Engine, stage: Doubling, items: list[int]
) -> tuple[list[dict[str, object]], list[int], Tally]:
    ticks: list[int] = []
    tally = Tally()
    with open_store(folder) as store:
        return run_stage(stage, items, store, engine, tally, ticks.append), ticks, tally


@pytest.fixture
def pool():
    engine = Pool(2)
    yield engine
    engine.close()


def test_one_worker_is_this_process():
    assert isinstance(local_engine(1), InProcess)
    assert isinstance(local_engine(3), Pool)
    assert (local_engine(1).workers, local_engine(3).workers) == (1, 3)


def test_a_pool_gives_the_same_records_and_counts_every_item(tmp_path, pool):
    items = list(range(40))
    stage = Doubling(((5, "item"), (6, "crash")))
    alone, ticks, _ = run(tmp_path / "a", InProcess(), stage, items)
    assert sum(ticks) == 40
    shared, ticks, tally = run(tmp_path / "b", pool, stage, items)
    assert sum(ticks) == 40
    assert (tally.done, tally.crashed) == (40, 1)
    strip = [{name: value for name, value in record.items() if name != "process"} for record in shared]
    assert strip == [{name: value for name, value in record.items() if name != "process"} for record in alone]
    packs = [{path.name for path in (tmp_path / name / "packs").iterdir()} for name in "ab"]
    assert packs[0] == packs[1]
    again, _, tally = run(tmp_path / "b", pool, stage, items)
    assert tally.done == 1
    assert again == shared


def test_an_error_of_the_set_up_comes_through_at_once(tmp_path, pool):
    started = time.monotonic()
    with pytest.raises(UserError, match="mend this"):
        run(tmp_path, pool, Doubling(((0, "user"),), sleep=1.0), list(range(1000)))
    pool.close()
    assert time.monotonic() - started < 20


def test_a_worker_that_dies_is_an_error_with_advice(tmp_path, pool):
    with pytest.raises(UserError, match=r"worker process died .*fewer --workers"):
        run(tmp_path, pool, Doubling(((3, "die"),)), list(range(8)))
    with open_store(tmp_path) as store:
        assert run_stage(Doubling(), list(range(8)), store, InProcess(), Tally())[3]["value"] == 6
