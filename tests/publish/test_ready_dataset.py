"""Published audio evaluated from an archive, and from the hub in each of its forms."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from squtr.commands.eval import run_eval
from squtr.commands.publish import run_publish
from squtr.dataset import read_dataset
from squtr.errors import UserError
from squtr.progress import Silent, reporter
from squtr.publish.ready import ready_dataset, results_place
from tests.building import RECOGNISER, command
from tests.hub_server import Hub, clear_client, serving_hub
from tests.publish.published_zip import ANY_RATE, members, write_folder, write_zip

REVISION = "c" * 40


def address(name: str) -> str:
    return f"hf://datasets/org/{name}@{REVISION}"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    pytest.importorskip("huggingface_hub", reason="needs the hub's client")
    clear_client(tmp_path, monkeypatch)
    with serving_hub({}) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.url)
        yield served


def put(hub: Hub, name: str, files: dict[str, bytes]) -> str:
    hub.repositories[f"datasets/org/{name}@{REVISION}"] = files
    return address(name)


def staged(dataset: Path, place: Path) -> dict[str, bytes]:
    """Return what squtr publish gives away of a data set."""
    run_publish(dataset, "hf://org/name", True, False, place, None)
    root = place / "repository"
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def ready(source: str) -> Path:
    with reporter() as progress:
        return ready_dataset(source, progress)


def test_our_parquet_tables_give_the_scores_of_the_data_set(hub: Hub, dataset: Path, tmp_path: Path) -> None:
    source = put(hub, "name", staged(dataset, tmp_path / "staging"))
    published, out = run_eval(source, RECOGNISER, ["bm25"], tmp_path / "a", 2, None)
    local, other = run_eval(dataset, RECOGNISER, ["bm25"], tmp_path / "b", 1, None)
    for part in (
        "scores",
        "recognition",
        "by_noise_category",
        "by_speaker",
        "audit",
        "worst_queries",
        "slice",
    ):
        assert published.get(part) == local.get(part)
    for subset, facts in local["dataset"]["subsets"].items():
        assert published["dataset"]["subsets"][subset] == facts
    assert published["dataset"]["name"] == f"org--name@{REVISION}"
    for path in sorted(other.rglob("*.jsonl")):
        assert (out / path.relative_to(other)).read_bytes() == path.read_bytes()
    folder = ready(source)
    assert not list(folder.rglob("*.wav")) and (folder / "audio.zip").is_file()


def test_samples_are_those_of_the_data_set_and_the_second_use_asks_nothing(
    hub: Hub, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from squtr.archive import read_file

    source = put(hub, "name", staged(dataset, tmp_path / "staging"))
    first = ready(source)
    for mine, theirs in zip(read_dataset(first), read_dataset(dataset), strict=True):
        for condition, recordings in theirs.conditions.items():
            for one, other in zip(mine.conditions[condition], recordings, strict=True):
                assert (one.file, one.snr_db, one.noise_id, one.facts) == (
                    other.file,
                    other.snr_db,
                    other.noise_id,
                    other.facts,
                )
                assert read_file(one.path) == read_file(other.path)
    hub.asked.clear()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert ready(source) == first and hub.asked == []


@pytest.mark.parametrize("prefix", ["", "source_data/"])
def test_the_official_layout_on_the_hub_as_files(hub: Hub, tmp_path: Path, prefix: str) -> None:
    files = {**members(prefix), f"{prefix}README.md": b"a card", "../evil.jsonl": b"", "evil/../x": b""}
    source = put(hub, "loose", files)
    found, _ = run_eval(source, ANY_RATE, ["bm25"], tmp_path / "a", 1, None)
    folder = write_folder(tmp_path / "unpacked", members(""))
    local, _ = run_eval(folder, ANY_RATE, ["bm25"], tmp_path / "b", 1, None)
    assert found["scores"] == local["scores"] and found["recognition"] == local["recognition"]
    assert "README.md" not in hub.fetched


def test_the_official_archive_on_the_hub_and_on_disk(hub: Hub, tmp_path: Path) -> None:
    archive = write_zip(tmp_path / "source_data.zip", members())
    source = put(hub, "zipped", {"README.md": b"", "source_data.zip": archive.read_bytes()})
    from_hub, _ = run_eval(source, ANY_RATE, ["bm25"], tmp_path / "a", 2, None)
    from_disk, out = run_eval(archive, ANY_RATE, ["bm25"], None, 1, None)
    assert from_hub["scores"] == from_disk["scores"] and from_hub["recognition"] == from_disk["recognition"]
    assert from_disk["dataset"]["imported"]["official"] is False
    assert out == tmp_path / "source_data-eval"
    assert ready(str(archive)) == ready(str(archive))
    write_zip(archive, {**members(), "source_data/en/fiqa/more.txt": b"x"})
    assert ready(str(archive)).name != from_disk["dataset"]["name"]


def test_the_command_line_takes_an_address(hub: Hub, dataset: Path, tmp_path: Path) -> None:
    source = put(hub, "name", staged(dataset, tmp_path / "staging"))
    done = command(
        "eval", source, "--asr", RECOGNISER, "--retriever", "bm25", "--out", tmp_path / "out", "--json"
    )
    assert done.returncode == 0, done.stderr
    assert list(json.loads(done.stdout)["scores"]) == ["en/trial", "zh/trial"]
    done = command("eval", "hf://datasets/org/name@main", "--out", tmp_path / "out")
    assert done.returncode == 2 and "'main' can move" in " ".join(done.stderr.split())


def test_where_results_go(tmp_path: Path) -> None:
    assert results_place(address("name")) == Path("name-eval")
    assert results_place(str(tmp_path / "data")) == tmp_path / "data-eval"


def without(files: dict[str, bytes], name: str) -> dict[str, bytes]:
    assert any(name in file for file in files)
    return {file: data for file, data in files.items() if name not in file}


def renamed(files: dict[str, bytes], old: str, new: str) -> dict[str, bytes]:
    return {file.replace(old, new): data for file, data in files.items()}


def silent(files: dict[str, bytes], name: str) -> dict[str, bytes]:
    """Empty the audio of a table."""
    table = pq.read_table(io.BytesIO(files[name]))
    rows = [{**row, "audio": {"bytes": None, "path": "x.wav"}} for row in table.to_pylist()]
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), buffer)
    return {**files, name: buffer.getvalue()}


CLEAN = "data/en/trial/clean-00000-of-00001.parquet"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda files: {"README.md": b""}, r"holds no data set that squtr knows.*0 zip archives"),
        (lambda files: without(files, "en/trial/qrels"), "en/trial has no table qrels"),
        (
            lambda files: renamed(files, "trial/snr_0-00000-of-00001", "trial/snr_0-00000-of-00002"),
            "has 1 of 2 files of snr_0",
        ),
        (
            lambda files: {
                name: data for name, data in files.items() if "snr" not in name and "clean" not in name
            },
            "no recordings under any",
        ),
        (lambda files: {**files, CLEAN: b"PAR1 and no more"}, r"clean-00000-of-00001.parquet: no Parquet"),
        (
            lambda files: {**files, CLEAN: files[CLEAN.replace("clean", "qrels")]},
            "has no column _id and no text and no audio",
        ),
        (lambda files: silent(files, CLEAN), "the recording of query 'q1' has no bytes"),
    ],
)
def test_repositories_that_are_not_whole(hub: Hub, dataset: Path, tmp_path: Path, change, said: str) -> None:
    source = put(hub, "odd", change(staged(dataset, tmp_path / "staging")))
    with pytest.raises(UserError, match=said):
        ready(source)
    assert not list((tmp_path / "cache/squtr").rglob("import.json"))


@pytest.mark.parametrize("address", ["http://example.org/data.zip", "s3://bucket/data", "HTTPS://x"])
def test_an_address_of_another_kind(address: str) -> None:
    with pytest.raises(UserError, match=rf"^{address}: addresses are not fetched from\. Download it"):
        ready_dataset(address, Silent())


def test_a_file_that_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "manifest.jsonl").write_text("{}")
    with pytest.raises(
        UserError, match=r"manifest\.jsonl: is a file\. Give the folder of a data set, a \.zip"
    ):
        ready_dataset(str(tmp_path / "manifest.jsonl"), Silent())
