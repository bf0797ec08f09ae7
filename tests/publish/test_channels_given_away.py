"""Data sets with queries spoken behind channels: published, exported in every layout, and imported again."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from squtr.commands.export import run_export, run_import
from squtr.dataset import read_dataset
from squtr.progress import Silent
from squtr.publish.from_parquet import write_from_parquet
from squtr.slicing import Cut, cut_slice
from tests.building import build, manifest, rows, write_trial
from tests.publish.test_publish_staging import staged

PUT = "tests.doubles:Put,word=is,by=is is um"
FORM = "tests.doubles%3APut%2Cword=is%2Cby=is%20is%20um"
CLUMSY = {"q1": "how is the sea", "q2": "is clumsy", "q3": "where is the tree"}


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("spoken")
    build(write_trial(folder, CLUMSY, channels=[PUT], mix={"snrs_db": [10]}), folder / "out")
    return folder / "out"


def told(folder: Path) -> dict[str, list[tuple[str, str | None, str | None, str]]]:
    (subset,) = read_dataset(folder)
    return {
        name: [(one.query_id, one.channel, one.text, one.path.name) for one in recordings]
        for name, recordings in subset.conditions.items()
    }


def test_conditions_behind_channels_are_configurations(spoken: Path, tmp_path: Path):
    root = staged(spoken, tmp_path).root
    text = (root / "README.md").read_text(encoding="utf-8")
    card = yaml.safe_load(text.split("---\n")[1])
    assert f'Queries were spoken behind "{PUT}" too' in text
    assert f"en-trial-{FORM}__snr_10" in {config["config_name"] for config in card["configs"]}
    found = pq.read_table(root / f"data/en/trial/{FORM}__snr_10-00000-of-00001.parquet").to_pylist()
    expected = [row for row in manifest(spoken) if row["condition"] == f"{PUT}/snr_10"]
    for name in ("text", "channel", "source_text", "edits", "condition", "error_rate_fluent", "spoken_text"):
        assert [row[name] for row in found] == [row[name] for row in expected], name
    plain = pq.read_table(root / "data/en/trial/snr_10-00000-of-00001.parquet").to_pylist()
    assert {(row["channel"], row["source_text"]) for row in plain} == {(None, None)}


def test_what_was_published_comes_back(spoken: Path, tmp_path: Path):
    root = staged(spoken, tmp_path / "staged").root
    tables = [path.relative_to(root).as_posix() for path in root.glob("data/*/*/*.parquet")]
    place = tmp_path / "back"
    place.mkdir()
    write_from_parquet("me/spoken", root, tables, place, place, Silent())
    assert told(place) == told(spoken)


def test_the_layout_comes_back(spoken: Path, tmp_path: Path):
    run_export("squtr", spoken, tmp_path / "out")
    assert told(tmp_path / "out") == told(spoken)
    run_import("squtr", tmp_path / "out", tmp_path / "back", False)
    assert told(tmp_path / "back") == told(spoken)


def test_other_layouts_hold_what_was_spoken(spoken: Path, tmp_path: Path):
    for layout in ("beir", "mteb", "webdataset"):
        run_export(layout, spoken, tmp_path / layout)
    with tarfile.open(tmp_path / f"webdataset/en-trial/{FORM}__clean-000000.tar") as shard:
        said = json.loads(shard.extractfile("00000000.json").read())
    assert (said["text"], said["channel"], said["source_text"]) == (
        "how is is um the sea",
        PUT,
        "how is the sea",
    )
    first = rows(tmp_path / "beir/en/trial/queries.jsonl")[0]
    assert first["text"] == "how is the sea"
    audio = first["metadata"]["audio"][f"{PUT}/clean"]
    assert audio == f"audio/{FORM}__clean/1.wav" and (tmp_path / "beir/en/trial" / audio).is_file()
    assert (tmp_path / f"mteb/en-trial/queries-{FORM}__clean-00000-of-00001.parquet").is_file()


def test_a_slice_keeps_channels(spoken: Path, tmp_path: Path):
    cut_slice(spoken, tmp_path / "cut", Cut(1, 1, 1), Silent())
    found = told(tmp_path / "cut")
    assert list(found) == list(told(spoken)) and all(len(one) == 1 for one in found.values())
    assert len(manifest(tmp_path / "cut")) == 4
