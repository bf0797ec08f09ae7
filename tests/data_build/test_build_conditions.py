"""Conditions beyond plain noise: built, named, verified and read back by their names."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from squtr.acoustics.condition import Condition
from squtr.acoustics.second_noise import SecondNoise
from squtr.data_build.acoustics import check_conditions, draw_second
from squtr.data_build.verify import verify
from squtr.dataset import read_dataset
from squtr.errors import UserError
from squtr.line_file import canonical_json_ordered
from squtr.recipe_file import read_recipe
from squtr.records import NoiseRecording
from tests.building import build, files, manifest, rows, write_both, write_lines, write_trial

pytest.importorskip("pyroomacoustics", reason="rooms need squtr[rooms]")

ROOM = {"rt60_seconds": [0.15, 0.3], "rooms": 3}
CONDITIONS: list[dict[str, Any]] = [
    {"name": "room_snr_10", "snr_db": 10, "room": ROOM},
    {"name": "phone", "snr_db": 20, "telephone": {"law": "mu"}},
    {"name": "bursts_snr_0", "snr_db": 0, "bursts": {"duty": 0.4}},
    {"name": "two", "snr_db": 5, "second_noise": {"relative_db": -6}},
    {"name": "all", "snr_db": 5, "room": ROOM, "bursts": {}, "second_noise": {}, "telephone": {"law": "a"}},
]
NAMES = [condition["name"] for condition in CONDITIONS]
MIX = {"snrs_db": [10, 0], "conditions": CONDITIONS}
SUBSET = "en/trial"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("conditions")
    build(write_both(folder, mix=MIX), folder / "out")
    return folder / "out"


def test_each_has_its_folder_query_file_and_rows(out: Path) -> None:
    for name in NAMES:
        table = rows(out / SUBSET / f"queries_with_audio_noise_{name}.jsonl")
        assert [row["audio"] for row in table] == [f"noise_{name}_{n}.wav" for n in range(1, 5)]
        assert all(set(row) == {"_id", "text", "audio", "snr_db", "noise_id"} for row in table)
        assert {row["snr_db"] for row in table} == {CONDITIONS[NAMES.index(name)]["snr_db"]}
        for row in table:
            assert (out / SUBSET / f"audio_noise_{name}" / row["audio"]).is_file()
    told = [row["condition"] for row in manifest(out) if row["query_id"] == "q1"]
    assert told == ["clean", "snr_10", "snr_0", *NAMES]


def test_the_manifest_tells_what_was_realised(out: Path) -> None:
    by_name = {row["condition"]: row for row in manifest(out) if row["query_id"] == "q2"}
    assert all(by_name[name]["acoustics"] is None for name in ("clean", "snr_10", "snr_0"))
    found = {name: json.loads(by_name[name]["acoustics"]) for name in NAMES}
    assert set(found["all"]) == {"room", "bursts", "second_noise", "telephone"}
    assert {"realised_rt60_seconds", "drr_db", "distance_metres"} < set(found["room_snr_10"]["room"])
    assert found["phone"]["telephone"]["line_snr_db"] != pytest.approx(20, abs=0.1)
    assert found["bursts_snr_0"]["bursts"]["realised_duty"] == pytest.approx(0.4, abs=0.01)
    assert found["bursts_snr_0"]["bursts"]["in_burst_snr_db"] is not None
    assert found["two"]["second_noise"]["noise_id"] != by_name["two"]["noise_id"]
    for name in NAMES:
        assert by_name[name]["realised_snr_db"] == pytest.approx(by_name[name]["requested_snr_db"], abs=0.05)


def test_all_conditions_of_an_utterance_share_noise_and_room(out: Path) -> None:
    for query in ("q1", "z1"):
        members = [row for row in manifest(out) if row["query_id"] == query and row["condition"] != "clean"]
        assert len({(row["noise_id"], row["crop_start_seconds"]) for row in members}) == 1
        rooms = [json.loads(row["acoustics"] or "{}").get("room") for row in members]
        assert len({json.dumps(room) for room in rooms if room}) == 1


def test_it_verifies_as_built(out: Path) -> None:
    verdict = verify(out)
    assert verdict.faults == []
    assert verdict.recordings == 6 * (3 + len(NAMES))
    assert verdict.largest_snr_error_db < 0.05


@pytest.mark.parametrize("name", NAMES)
def test_another_clean_recording_is_noticed(out: Path, tmp_path: Path, name: str) -> None:
    """Verification measures the ratio from the samples, in the room and behind the line."""
    copy = tmp_path / "copy"
    shutil.copytree(out, copy, ignore=shutil.ignore_patterns(".squtr"))
    place = copy / SUBSET / f"audio_noise_{name}"
    first, second = place / f"noise_{name}_1.wav", place / f"noise_{name}_2.wav"
    first.write_bytes(second.read_bytes())
    told = manifest(copy)
    row, other = (
        next(
            row for row in told if row["file"].endswith(f"/noise_{name}_{n}.wav") and row["subset"] == "trial"
        )
        for n in (1, 2)
    )
    row |= {key: other[key] for key in ("pcm_sha256", "samples")}
    (copy / "manifest.jsonl").write_text("".join(canonical_json_ordered(row) + "\n" for row in told))
    faults = [what for place, what in verify(copy).faults if place == row["file"]]
    assert any("SNR" in what for what in faults), faults


def test_a_line_that_is_not_as_told_is_noticed(out: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(out, copy, ignore=shutil.ignore_patterns(".squtr"))
    told = manifest(copy)
    row = next(row for row in told if row["condition"] == "phone")
    record = json.loads(row["acoustics"])
    record["telephone"]["line_snr_db"] += 0.5
    row["acoustics"] = json.dumps(record)
    write_lines(copy / "manifest.jsonl", told)
    faults = dict(verify(copy).faults)
    assert "the manifest says" in faults[row["file"]]


def test_a_data_set_is_read_back_by_name(out: Path) -> None:
    english, chinese = read_dataset(out)
    for subset in (english, chinese):
        assert list(subset.conditions)[:3] == ["clean", "snr_10", "snr_0"]
        assert set(subset.conditions) == {"clean", "snr_10", "snr_0", *NAMES}
    recording = english.conditions["phone"][0]
    assert (recording.snr_db, recording.path.name) == (20.0, "noise_phone_1.wav")
    assert recording.facts["condition"] == "phone"


def test_what_is_plain_stays_the_same_bytes_beside_conditions(out: Path, tmp_path: Path) -> None:
    build(write_both(tmp_path, mix={"snrs_db": [10, 0]}), tmp_path / "out")
    plain, both = files(tmp_path / "out"), files(out)
    audio = [name for name in plain if name.endswith((".wav", "queries.jsonl", "corpus.jsonl", "test.jsonl"))]
    assert len(audio) > 12
    assert all(both[name] == plain[name] for name in audio)
    assert len(both) == len(plain) + 2 * len(NAMES) + 6 * len(NAMES)


def test_workers_and_order_change_nothing(out: Path, tmp_path: Path) -> None:
    turned = {"snrs_db": [10, 0], "conditions": CONDITIONS[::-1]}
    build(write_both(tmp_path, mix=turned), tmp_path / "out", workers=2)
    once, again = files(out), files(tmp_path / "out")
    audio = [name for name in once if name.endswith(".wav")]
    assert all(again[name] == once[name] for name in audio)


def test_a_second_run_makes_nothing_anew(tmp_path: Path) -> None:
    recipe = write_trial(tmp_path, mix=MIX)
    assert build(recipe, tmp_path / "out").computed["acoustics"] == 4 * len(NAMES)
    again = build(recipe, tmp_path / "out")
    assert again.computed["acoustics"] == 0 and again.reused["acoustics"] == 4 * len(NAMES)


def test_a_new_name_or_threshold_makes_no_other_condition_anew(tmp_path: Path) -> None:
    build(write_trial(tmp_path, mix=MIX), tmp_path / "one", cache=tmp_path / "cache")
    changed = [{**CONDITIONS[1], "snr_db": 15}, *CONDITIONS[2:]]
    summary = build(
        write_trial(tmp_path, mix={**MIX, "conditions": changed}), tmp_path / "two", cache=tmp_path / "cache"
    )
    assert summary.computed["speak"] == 0
    assert verify(tmp_path / "two").faults == []


def test_with_a_draw_for_each_condition_noises_differ(tmp_path: Path) -> None:
    build(write_trial(tmp_path, mix={**MIX, "draw_per": "condition"}), tmp_path / "out")
    noises = [(row["noise_id"], row["crop_start_seconds"]) for row in manifest(tmp_path / "out")]
    assert len(set(noises)) > 4 * len(NAMES)
    assert verify(tmp_path / "out").faults == []


def test_rooms_without_their_package_stop_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyroomacoustics", None)
    with pytest.raises(UserError, match=r"squtr\[rooms\]"):
        build(write_trial(tmp_path, mix=MIX), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([{"name": "phone", "snr_db": 5}], r"plain noise belongs in snrs_db"),
        ([{"name": "snr_5", "snr_db": 5, "telephone": {}}], r"plain condition"),
        ([{"name": "a/b", "snr_db": 5, "telephone": {}}], r"mix\.conditions\.0\.name"),
        ([CONDITIONS[1], CONDITIONS[1]], r"two conditions have the same name"),
        ([{"name": "phone", "snr_db": 5, "telephone": {"law": "x"}}], r"telephone\.law"),
        (
            [{"name": "phone", "snr_db": 5, "telefone": {}}],
            r"unknown key .*telefone.*Did you mean 'telephone'",
        ),
        ([{"name": "b", "snr_db": 5, "bursts": {"duti": 1}}], r"unknown key .*duti.*Did you mean 'duty'"),
        ([{"name": "r", "snr_db": 5, "room": {"rt60_seconds": [0.8, 0.3]}}], r"lowest to the highest"),
        ([{"name": "r", "snr_db": "5", "telephone": {}}], r"snr_db: a plain number"),
    ],
)
def test_recipes_with_conditions_that_make_no_sense(tmp_path: Path, wrong: list[Any], message: str) -> None:
    path = write_trial(tmp_path, mix={"conditions": wrong})
    with pytest.raises(UserError, match=message) as caught:
        read_recipe(path)
    assert "recipe.yaml:" in str(caught.value)


def test_a_recipe_without_conditions_has_its_old_digest(tmp_path: Path) -> None:
    plain, _ = read_recipe(write_trial(tmp_path))
    empty, _ = read_recipe(write_trial(tmp_path, mix={"conditions": []}))
    assert "conditions" not in plain.model_dump()["mix"]
    assert plain.digest == empty.digest
    assert read_recipe(write_trial(tmp_path, mix=MIX))[0].digest != plain.digest


def test_the_second_noise_is_never_the_first() -> None:
    offered = [NoiseRecording(name, "cars", True) for name in ("a", "b", "c")]
    drawn = [draw_second(offered, offered[n % 3], 7, f"q{n}") for n in range(60)]
    assert all(second != offered[n % 3].id for n, second in enumerate(drawn))
    assert set(drawn) == {"a", "b", "c"}
    with pytest.raises(UserError, match="two recordings"):
        check_conditions([Condition(name="two", snr_db=0.0, second_noise=SecondNoise())], offered[:1])
