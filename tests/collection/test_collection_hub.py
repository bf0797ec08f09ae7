"""Collections on the hub: pinned, only what is needed, the identity of a local copy, then without network."""

from __future__ import annotations

import io
import json
import logging
import logging.handlers
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from squtr.collection import read_collection
from squtr.collection.hub import hub_collection, hub_folder, is_whole
from squtr.errors import UserError
from tests.hub_server import Hub, clear_client, serving_hub

REVISION, OTHER = "a" * 40, "b" * 40
DOCUMENTS = [{"_id": f"d{number}", "title": "t", "text": f"text {number}"} for number in range(4)]
QUERIES = [{"_id": "q1", "text": "one"}, {"_id": "q2", "text": "two"}]
JUDGED = [
    {"query-id": "q1", "corpus-id": "d1", "score": 1},
    {"query-id": "q2", "corpus-id": "d3", "score": 1},
]


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def table(rows: list[dict[str, Any]]) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), buffer)
    return buffer.getvalue()


def tsv(rows: list[dict[str, Any]]) -> bytes:
    head = "query-id\tcorpus-id\tscore\n"
    return (head + "".join("\t".join(map(str, row.values())) + "\n" for row in rows)).encode()


BEIR = {
    "README.md": b"a card",
    "corpus.jsonl": lines(DOCUMENTS),
    "queries.jsonl": lines(QUERIES),
    "qrels/test.jsonl": lines(JUDGED),
    "qrels/test.tsv": tsv(JUDGED),
    "qrels/train.jsonl": lines(JUDGED[:1]),
}
MTEB = {
    "README.md": b"a card",
    "corpus/dev-00000-of-00002.parquet": table(DOCUMENTS[:2]),
    "corpus/dev-00001-of-00002.parquet": table(DOCUMENTS[2:]),
    "data/dev-00000-of-00001.parquet": table(JUDGED),
    "queries/dev-00000-of-00001.parquet": table(QUERIES),
}
OLDER = {
    "data/corpus-00000-of-00001-ee9a640f70deeff5.parquet": table(DOCUMENTS),
    "data/queries-00000-of-00001-eeb3bbcd890c48b3.parquet": table(QUERIES),
}
JUDGEMENTS = {"data/dev-00000-of-00001.parquet": table(JUDGED)}


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    pytest.importorskip("huggingface_hub", reason="needs the hub's client")
    clear_client(tmp_path, monkeypatch)
    repositories = {
        f"datasets/mteb/fiqa@{REVISION}": BEIR,
        f"datasets/mteb/DuRetrieval@{REVISION}": MTEB,
        f"datasets/C-MTEB/DuRetrieval@{REVISION}": OLDER,
        f"datasets/C-MTEB/DuRetrieval-qrels@{OTHER}": JUDGEMENTS,
    }
    with serving_hub(repositories) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.url)
        yield served


PATHS = {
    "jsonl": (f"hf://datasets/mteb/fiqa@{REVISION}", None),
    "parquet": (f"hf://datasets/mteb/DuRetrieval@{REVISION}", None),
    "two repositories": (
        f"hf://datasets/C-MTEB/DuRetrieval@{REVISION}",
        f"hf://datasets/C-MTEB/DuRetrieval-qrels@{OTHER}",
    ),
}


@pytest.mark.parametrize("name", PATHS)
def test_every_layout_gives_the_identity_of_a_local_copy(hub: Hub, tmp_path: Path, name: str) -> None:
    local = tmp_path / "local"
    for file in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        (local / file).parent.mkdir(parents=True, exist_ok=True)
        (local / file).write_bytes(BEIR[file])
    found = read_collection(hub_collection(*PATHS[name]), "en", "x")
    assert found.fingerprint == read_collection(local, "en", "x").fingerprint
    assert found.document_count == 4 and found.qrels == {"q1": {"d1": 1}, "q2": {"d3": 1}}


def test_only_the_files_of_the_judged_split_are_fetched(hub: Hub) -> None:
    hub_collection(*PATHS["jsonl"])
    assert sorted(hub.fetched) == ["corpus.jsonl", "qrels/test.jsonl", "queries.jsonl"]


@pytest.mark.parametrize("name", PATHS)
def test_the_second_use_asks_nothing(hub: Hub, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    first = hub_collection(*PATHS[name])
    hub.asked.clear()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert hub_collection(*PATHS[name]) == first and hub.asked == []


def test_what_another_program_left_in_the_hub_s_cache_is_used_offline(hub: Hub, monkeypatch) -> None:
    import huggingface_hub

    huggingface_hub.snapshot_download(
        "mteb/fiqa",
        repo_type="dataset",
        revision=REVISION,
        endpoint=hub.url,
        cache_dir=str(Path(_hub_cache())),
    )
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    hub.asked.clear()
    collection = read_collection(hub_collection(*PATHS["jsonl"]), "en")
    assert collection.document_count == 4 and hub.asked == []


def test_a_part_in_the_cache_is_not_taken_for_the_whole(hub: Hub, monkeypatch) -> None:
    path, _ = PATHS["parquet"]
    hub_collection(path)
    folder = hub_folder(path)
    (folder / "corpus/dev-00001-of-00002.parquet").resolve().unlink()
    (
        Path(_hub_cache())
        / f"datasets--mteb--DuRetrieval/snapshots/{REVISION}/corpus/dev-00001-of-00002.parquet"
    ).unlink()
    assert not is_whole(folder)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UserError, match=r"DuRetrieval@a+: 1 of 2 files of corpus/dev are on this machine"):
        hub_collection(path)
    monkeypatch.delenv("HF_HUB_OFFLINE")
    assert read_collection(hub_collection(path), "zh").document_count == 4


def _hub_cache() -> str:
    from squtr.hub import cache_folder

    return str(cache_folder())


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("hf://datasets/mteb/fiqa", "no revision is pinned, and with it what a data set is made of"),
        ("hf://datasets/mteb/fiqa@main", "'main' can move"),
        (f"hf://datasets/mteb/fiqa@{REVISION[:7]}", "'aaaaaaa' can move"),
        (f"hf://datasets/fiqa@{REVISION}", "is hf://datasets/organisation/name@revision"),
        (f"hf://mteb/fiqa@{REVISION}", "is hf://datasets/organisation/name@revision"),
        (f"hf://datasets/../..@{REVISION}", "is hf://datasets/organisation/name@revision"),
    ],
)
def test_what_is_not_pinned_is_refused(path: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        hub_collection(path)


def test_each_way_to_fail_is_one_message(hub: Hub, monkeypatch) -> None:
    with pytest.raises(UserError, match="has the repository, but not this revision"):
        hub_collection(f"hf://datasets/mteb/fiqa@{OTHER}")
    with pytest.raises(UserError, match=r"shows no such repository.*HF_TOKEN"):
        hub_collection(f"hf://datasets/mteb/nothing@{REVISION}")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UserError, match=rf"HF_HUB_OFFLINE is set.*hf download mteb/fiqa .*{REVISION}"):
        hub_collection(*PATHS["jsonl"])
    monkeypatch.setattr("squtr.hub.is_installed", lambda module: False)
    with pytest.raises(UserError, match=r"pip install 'squtr\[hub\]'"):
        hub_collection(*PATHS["jsonl"])


def test_a_hub_that_cannot_be_reached_is_one_message(hub: Hub, monkeypatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    log, said = logging.getLogger("huggingface_hub"), logging.handlers.BufferingHandler(100)
    log.addHandler(said)
    level, started = log.level, time.monotonic()
    with pytest.raises(UserError, match=r"cannot be fetched .*run the same command again"):
        hub_collection(*PATHS["jsonl"])
    log.removeHandler(said)
    assert not hub_folder(*PATHS["jsonl"]).exists()
    assert (said.buffer, log.level) == ([], level)
    assert time.monotonic() - started < 10  # its client alone tries for 23 s


def test_a_hub_that_stops_to_answer_is_not_waited_for(hub: Hub, monkeypatch) -> None:
    hub.broken.add(f"/api/datasets/mteb/fiqa/revision/{REVISION}")
    started = time.monotonic()
    with pytest.raises(UserError, match="500"):
        hub_collection(*PATHS["jsonl"])
    assert len(hub.asked) == 1 and time.monotonic() - started < 10


def test_a_repository_that_is_no_collection_says_what_it_holds(hub: Hub) -> None:
    hub.repositories[f"datasets/some/thing@{REVISION}"] = {"queries.jsonl": b"", "../evil.jsonl": b""}
    with pytest.raises(
        UserError, match=rf"some/thing@{REVISION}: no corpus and no qrels found(.|\n)*Found: queries"
    ):
        hub_collection(f"hf://datasets/some/thing@{REVISION}")
