"""One build owns a folder, one process at a time works in it, and foreign files are left alone."""

from __future__ import annotations

import os
import re
import signal

import pytest

from squtr.data_build.folder import claimed
from squtr.errors import UserError
from tests.building import RECOGNISER, build, command, files, start, wait_for, write_lines, write_trial


def test_c50_second_build_stops_and_a_dead_process_holds_nothing(tmp_path):
    recipe = write_trial(tmp_path)
    out = tmp_path / "out"
    first = start(recipe, out, 1, TONE_SLEEP=1)
    wait_for(lambda: any(out.glob(".squtr/packs/*.pcm")))
    with pytest.raises(UserError, match=f"in use by process {first.pid}"):
        build(recipe, out)
    second = command("build", recipe, "--out", out)
    assert second.returncode == 2
    assert f"in use by process {first.pid}" in second.stderr
    assert first.poll() is None
    os.kill(first.pid, signal.SIGKILL)
    first.communicate(timeout=20)
    build(recipe, out)
    build(recipe, tmp_path / "alone")
    assert files(out) == files(tmp_path / "alone")


def test_c50_two_builds_started_at_once(tmp_path):
    recipe = write_trial(tmp_path)
    both = [start(recipe, tmp_path / "out", 1, TONE_SLEEP=0.3) for _ in range(2)]
    errors = [process.communicate(timeout=60)[1] for process in both]
    assert sorted(process.returncode for process in both) == [0, 2], errors
    refused = errors[[process.returncode for process in both].index(2)]
    assert re.search(r"in use by process (\d+|\?)\. Wait for it", refused)
    build(recipe, tmp_path / "alone")
    assert files(tmp_path / "out") == files(tmp_path / "alone")


@pytest.mark.parametrize(
    ("changes", "differs"),
    [
        ({"mix": {"snrs_db": [5]}}, "recipe"),
        ({"seed": 8}, "recipe"),
        ({"choose": {"recogniser": f"{RECOGNISER},version=2"}}, "recipe"),
        ({"name": "other"}, "name, recipe"),
    ],
)
def test_c50_another_recipe_is_refused(tmp_path, changes, differs):
    out = tmp_path / "out"
    build(write_trial(tmp_path), out)
    before = files(out)
    with pytest.raises(UserError, match=f"belongs to another build .*differs in {differs}.*--cache"):
        build(write_trial(tmp_path, **changes), out)
    assert files(out) == before


def test_c50_changed_input_is_refused(tmp_path):
    recipe = write_trial(tmp_path)
    build(recipe, tmp_path / "out")
    write_lines(tmp_path / "en-trial" / "corpus.jsonl", [{"_id": f"d-{n}", "text": "new"} for n in range(4)])
    with pytest.raises(UserError, match="differs in inputs"):
        build(recipe, tmp_path / "out")


def test_a_moved_collection_is_the_same_input(tmp_path):
    recipe = write_trial(tmp_path)
    build(recipe, tmp_path / "out")
    before = files(tmp_path / "out")
    (tmp_path / "en-trial").rename(tmp_path / "en-moved")
    recipe.write_text(recipe.read_text().replace("path: en-trial", "path: en-moved"))
    assert sum(build(recipe, tmp_path / "out").computed.values()) == 0
    after = files(tmp_path / "out")
    assert {name for name in before if before[name] != after[name]} == {"build.json"}


def test_foreign_folder_is_left_untouched(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("do not lose")
    with pytest.raises(UserError, match="has files that no squtr build made"):
        build(write_trial(tmp_path), out)
    assert [path.name for path in out.rglob("*")] == ["thesis.txt"]


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "out").write_text("x")
    with pytest.raises(UserError, match="is a file"):
        build(write_trial(tmp_path), tmp_path / "out")


def test_c50_leftovers_go_and_stale_audio_goes(tmp_path):
    recipe = write_trial(tmp_path)
    out = tmp_path / "out"
    build(recipe, out)
    before = files(out)
    (out / "en" / "trial" / ".corpus.jsonl.99.abcd.tmp").write_text("half")
    (out / "en" / "trial" / "audio_clean" / "17.wav").write_bytes(b"RIFF")
    build(recipe, out)
    assert files(out) == before


def test_c50_damaged_audio_is_written_again(tmp_path):
    recipe = write_trial(tmp_path)
    out = tmp_path / "out"
    build(recipe, out)
    before = files(out)
    place = out / "en" / "trial" / "audio_noise_snr_0" / "noise_snr0_2.wav"
    data = bytearray(place.read_bytes())
    data[1000] ^= 1
    place.write_bytes(data)
    (out / "en" / "trial" / "audio_clean" / "1.wav").unlink()
    assert build(recipe, out).computed["mix"] == 2
    assert files(out) == before


def test_a_lock_is_freed_by_an_error(tmp_path):
    identity = {"name": "a"}
    with pytest.raises(ZeroDivisionError), claimed(tmp_path / "out", identity):
        raise ZeroDivisionError
    with (
        claimed(tmp_path / "out", identity) as work,
        pytest.raises(UserError, match=f"process {os.getpid()}"),
    ):
        assert work.is_dir()
        with claimed(tmp_path / "out", identity):
            pass
