"""Ray: the same bytes as one process, models once an actor, a lost worker costs its shard."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from squtr.commands.build import run_build
from squtr.errors import UserError
from squtr.resources import Share
from squtr.stage import Tally, run_stage
from squtr.store import open_store
from tests.building import command, files, write_both
from tests.doubles import Doubling

pytest.importorskip("ray", reason="Ray is an extra: pip install 'squtr[ray]'")

pytestmark = pytest.mark.xdist_group("ray")


@pytest.fixture(scope="module")
def cluster():
    import ray

    from squtr.engines.ray import connect

    connect(4, None, gpus=1)
    yield
    ray.shutdown()


def test_sigterm_is_left_to_who_started_it(cluster):
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.fixture
def engine(cluster):
    from squtr.engines.ray import RayEngine

    engine = RayEngine(2)
    yield engine
    engine.close()


def test_two_ray_workers_give_the_bytes_of_one_process(tmp_path: Path, cluster) -> None:
    recipe = write_both(tmp_path)
    run_build(str(recipe), tmp_path / "one", None, None, None, None, 1, None)
    run_build(str(recipe), tmp_path / "ray", None, None, None, None, 2, None, engine="ray")
    assert files(tmp_path / "ray") == files(tmp_path / "one")


def test_the_work_is_done_by_two_actors_that_outlive_a_stage(tmp_path: Path, engine) -> None:
    seen = []
    with open_store(tmp_path) as store:
        for version in (1, 2):
            found = run_stage(Doubling(version=version, sleep=0.1), list(range(12)), store, engine, Tally())
            seen.append({record["process"] for record in found})
    assert len(seen[0]) == 2 and seen[0] == seen[1]
    assert os.getpid() not in seen[0]


def test_an_error_of_the_set_up_comes_through(tmp_path: Path, engine) -> None:
    with open_store(tmp_path) as store, pytest.raises(UserError, match="mend this"):
        run_stage(Doubling(((0, "user"),)), list(range(4)), store, engine, Tally())


def test_a_worker_that_dies_again_and_again_stops_the_run_with_what_was_done(tmp_path: Path, engine) -> None:
    with open_store(tmp_path) as store, pytest.raises(UserError, match="lost 3 times"):
        run_stage(Doubling(((3, "die"),)), list(range(4)), store, engine, Tally())


def test_a_lost_worker_costs_only_its_shard(tmp_path: Path, engine) -> None:
    once = tmp_path / "once"
    once.touch()
    with open_store(tmp_path / "store") as store:
        tally = Tally()
        stage = Doubling(((3, f"die while {once}"),))
        found = run_stage(stage, list(range(8)), store, engine, tally)
    assert [record["status"] for record in found] == ["ok"] * 8
    assert tally.done == 8
    assert not once.exists()


def test_more_workers_than_processors_are_refused(cluster) -> None:
    from squtr.engines.ray import RayEngine

    with pytest.raises(UserError, match="has 4 processors"):
        RayEngine(400)


def test_stages_that_ask_for_gpus_run_where_ray_gives_them(tmp_path: Path, cluster) -> None:
    from squtr.engines.ray import RayEngine

    engine = RayEngine(2)
    found = {}
    with open_store(tmp_path) as store:
        for gpus in (0.5, 0.0, 0.5):
            stage = Doubling(version=len(found), sleep=0.05)
            records = run_stage(stage, list(range(8)), store, engine, Tally(), share=Share(gpus=gpus))
            found[len(found)] = {(record["process"], record["gpus"]) for record in records}
        with pytest.raises(UserError, match="asks for 1 GPUs a worker; the Ray cluster has 1, and other"):
            run_stage(Doubling(version=9), [1], store, engine, Tally(), share=Share(gpus=1.0))
    engine.close()
    assert found[0] == found[2] != found[1]
    assert {gpus for _, gpus in found[0]} == {"0"}
    assert len(found[0]) == len(found[1]) == 2


@pytest.mark.parametrize(
    ("workers", "gpus", "offered", "taken", "size"),
    [(4, 0.0, 0, 0, 4), (4, 1.0, 2, 0, 2), (4, 0.25, 1, 0.5, 2), (2, 0.1, 1, 0, 2), (8, 0.1, 1, 0.7, 3)],
)
def test_a_crew_is_as_large_as_the_gpus_allow(workers, gpus, offered, taken, size) -> None:
    from squtr.engines.ray import crew_size

    assert crew_size(workers, gpus, offered, taken) == size


@pytest.mark.parametrize("address", ["127.0.0.1:9", "ray://127.0.0.1:9", "no-such-host.invalid:6379"])
def test_an_address_where_nobody_listens_is_told_at_once(tmp_path: Path, address: str) -> None:
    recipe = write_both(tmp_path)
    done = command("build", recipe, "--out", tmp_path / "out", "--engine", "ray", "--ray-address", address)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"--ray-address {address}: no Ray cluster answers there" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_unknown_engine_and_a_stray_address_are_refused(tmp_path: Path) -> None:
    recipe = write_both(tmp_path)
    for options, message in (({"engine": "rey"}, "Did you mean 'ray'"), ({"ray_address": "x"}, "goes with")):
        with pytest.raises(UserError, match=message):
            run_build(str(recipe), tmp_path / "out", None, None, None, None, 1, None, **options)
    assert not (tmp_path / "out").exists()
