"""What is staged: the same bytes every time, bounded shards, nothing with gaps, and what was done is kept."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from filelock import FileLock

from squtr.commands.export import run_export, run_import
from squtr.commands.publish import run_publish
from squtr.data_build.seal import sealed
from squtr.errors import UserError
from squtr.progress import Silent
from squtr.publish import repository, shards
from squtr.publish.hub import parse_target
from squtr.publish.publish import Staged, stage
from squtr.publish.shards import write_table
from squtr.publish.tables import QRELS
from tests.building import build, manifest, rows, write_trial
from tests.publish.published_zip import members, write_zip

TARGET = parse_target("hf://org/name")


def staged(dataset: Path, place: Path, limit: int = 10**9) -> Staged:
    place.mkdir(parents=True, exist_ok=True)
    return stage(dataset, TARGET, place, "other", Silent(), limit)


def contents(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def copied(dataset: Path, place: Path) -> Path:
    shutil.copytree(dataset, place, ignore=shutil.ignore_patterns(".squtr"))
    return place


def test_the_repository_holds_what_it_should(dataset, tmp_path):
    found = staged(dataset, tmp_path)
    tables = ["clean", "corpus", "qrels", "queries", "snr_0", "snr_10"]
    expected = {"README.md", "croissant.json", "build.json", "manifest.parquet", "rejected.jsonl"}
    expected |= {
        f"data/{key}/{name}-00000-of-00001.parquet" for key in ("en/trial", "zh/trial") for name in tables
    }
    assert set(contents(found.root)) == expected
    assert dict(found.files) == {name: len(data) for name, data in contents(found.root).items()}
    names = ["corpus", "queries", "qrels", "clean", "snr_10", "snr_0"]
    configs = [f"{key}-{name}" for key in ("en-trial", "zh-trial") for name in names]
    assert [one.name for one in found.configs] == [*configs, "manifest"]
    assert [one.rows for one in found.configs] == [4] * 6 + [2] * 6 + [18]


def test_audio_rows_hold_the_files_and_what_was_realised(dataset, tmp_path):
    root = staged(dataset, tmp_path).root
    told = {row["file"]: row for row in manifest(dataset)}
    for row in pq.read_table(root / "data/zh/trial/snr_10-00000-of-00001.parquet").to_pylist():
        file = f"zh/trial/audio_noise_snr_10/{row['audio']['path']}"
        assert row["audio"]["bytes"] == (dataset / file).read_bytes()
        assert (row["_id"], row["text"], row["snr_db"]) == (told[file]["query_id"], told[file]["text"], 10.0)
        for name in ("noise_id", "realised_snr_db", "speaker", "pcm_sha256", "noise_synthetic"):
            assert row[name] == told[file][name]
    qrels = pq.read_table(root / "data/en/trial/qrels-00000-of-00001.parquet").to_pylist()
    assert qrels == rows(dataset / "en/trial/qrels/test.jsonl")
    assert (root / "manifest.parquet").read_bytes() == (dataset / "manifest.parquet").read_bytes()


def test_bytes_do_not_depend_on_place_or_time(dataset, tmp_path):
    one = contents(staged(dataset, tmp_path / "a").root)
    assert contents(staged(dataset, tmp_path / "b").root) == one
    assert contents(staged(copied(dataset, tmp_path / "elsewhere"), tmp_path / "c").root) == one


def test_an_interrupted_run_goes_on_and_gives_the_same_bytes(dataset, tmp_path, monkeypatch):
    whole = contents(staged(dataset, tmp_path / "whole").root)
    written = []
    real = repository.write_table

    def stops(root, stem, *rest):
        if stem.endswith("zh/trial/clean"):
            (root / "data/zh/trial/clean-00000.part").write_bytes(b"half")
            raise KeyboardInterrupt
        written.append(stem)
        return real(root, stem, *rest)

    monkeypatch.setattr(repository, "write_table", stops)
    with pytest.raises(KeyboardInterrupt):
        staged(dataset, tmp_path / "again")
    monkeypatch.setattr(repository, "write_table", lambda *a: written.append(a[1]) or real(*a))
    before, written[:] = list(written), []
    assert contents(staged(dataset, tmp_path / "again").root) == whole
    assert before == [
        f"data/en/trial/{name}" for name in ("corpus", "queries", "qrels", "clean", "snr_10", "snr_0")
    ] + [f"data/zh/trial/{name}" for name in ("corpus", "queries", "qrels")]
    assert written == [f"data/zh/trial/{name}" for name in ("clean", "snr_10", "snr_0")]


def test_lost_and_cut_files_are_written_again(dataset, tmp_path):
    root = staged(dataset, tmp_path).root
    whole = contents(root)
    (root / "data/en/trial/clean-00000-of-00001.parquet").unlink()
    cut = root / "data/en/trial/snr_0-00000-of-00001.parquet"
    cut.write_bytes(cut.read_bytes()[:-1])
    (root / "README.md").write_text("old")
    (root / "data" / "stray.parquet").write_bytes(b"x")
    assert contents(staged(dataset, tmp_path).root) == whole


def test_tables_with_other_columns_are_written_again(dataset, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("squtr.publish.tables.FACTS", ("speaker",))
        patch.setattr("squtr.publish.source.FACTS", ("speaker",))
        root = staged(dataset, tmp_path / "s").root
    assert contents(staged(dataset, tmp_path / "s").root) == contents(staged(dataset, tmp_path / "new").root)
    assert "pcm_sha256" in pq.read_schema(root / "data/en/trial/clean-00000-of-00001.parquet").names


def test_another_data_set_replaces_the_first(dataset, tmp_path):
    root = staged(dataset, tmp_path / "s").root
    whole = contents(root)
    other = copied(dataset, tmp_path / "other")
    facts = json.loads((other / "build.json").read_text())
    facts["files"]["rejected.jsonl"] = "0" * 64
    (other / "build.json").write_text(json.dumps(sealed(facts)))
    (root / ".cache").mkdir()
    staged(other, tmp_path / "s")
    assert not (root / ".cache").exists()
    assert contents(root).keys() == whole.keys()


def test_the_upload_s_own_notes_are_kept(dataset, tmp_path):
    root = staged(dataset, tmp_path).root
    notes = root / ".cache" / "huggingface" / "upload"
    notes.parent.mkdir(parents=True)
    notes.write_text("x")
    found = staged(dataset, tmp_path)
    assert notes.exists()
    assert not [name for name, _ in found.files if ".cache" in name]


@pytest.mark.parametrize(("limit", "least"), [(60_000, 2), (80_000, 1), (400_000, 1)])
def test_shards_stay_under_their_limit(dataset, tmp_path, limit, least):
    found = staged(dataset, tmp_path, limit)
    audio = {name: size for name, size in found.files if "/clean-" in name or "/snr_" in name}
    assert max(audio.values()) < limit + 10_000  # the footer and the columns beside the audio
    names = [name for name in audio if name.startswith("data/en/trial/clean-")]
    assert len(names) >= least
    assert names == [f"data/en/trial/clean-{n:05d}-of-{len(names):05d}.parquet" for n in range(len(names))]
    ids = [row for name in names for row in pq.read_table(found.root / name)["_id"].to_pylist()]
    assert ids == ["q1", "q2", "q3", "q4"]


def test_shards_are_under_500_mb():
    assert shards.SHARD_BYTES + shards._GROUP_BYTES // 2 < 500_000_000


def test_row_groups_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(shards, "_GROUP_BYTES", 1000)
    made = ({"query-id": f"q{n}", "corpus-id": "d", "score": 1} for n in range(2500))
    written = write_table(tmp_path, "qrels", QRELS, ((row, 300) for row in made))
    assert (written.rows, written.content_bytes) == (2500, 750_000)
    file = pq.ParquetFile(tmp_path / written.shards[0].name)
    assert {file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)} <= {1, 3}


def test_an_empty_table_is_one_empty_shard(tmp_path):
    written = write_table(tmp_path, "x/qrels", QRELS, ())
    assert [shard.name for shard in written.shards] == ["x/qrels-00000-of-00001.parquet"]
    assert pq.read_table(tmp_path / written.shards[0].name).num_rows == 0


def test_a_failed_table_leaves_nothing(tmp_path):
    def broken():
        yield {"query-id": "q", "corpus-id": "d", "score": 1}, 600
        yield {"query-id": "q", "corpus-id": "d", "score": 1}, 600
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_table(tmp_path, "qrels", QRELS, broken(), 1000)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-2] + b"\x01\x7f"), "not the manifest's"),
        (lambda path: path.unlink(), "missing or empty"),
        (lambda path: path.write_bytes(b""), "missing or empty"),
    ],
)
def test_nothing_with_gaps_is_published(dataset, tmp_path, damage, message):
    place = copied(dataset, tmp_path / "data")
    damage(place / "en/trial/audio_noise_snr_0/noise_snr0_3.wav")
    with pytest.raises(UserError, match=rf"noise_snr0_3\.wav: .*{message}"):
        staged(place, tmp_path / "s")


@pytest.mark.parametrize("change", ["order", "fewer", "more"])
def test_manifest_and_query_files_must_agree(dataset, tmp_path, change):
    place = copied(dataset, tmp_path / "data")
    table = place / "en/trial/queries_with_audio_clean.jsonl"
    lines = table.read_text().splitlines(keepends=True)
    lines = {"order": lines[::-1], "fewer": lines[:-1], "more": [*lines, lines[0]]}[change]
    table.write_text("".join(lines))
    with pytest.raises(UserError, match="manifest and query files differ"):
        staged(place, tmp_path / "s")


def test_no_folder_holds_more_files_than_the_hub_allows(dataset, tmp_path, monkeypatch):
    monkeypatch.setattr(repository, "MOST_FILES_A_FOLDER", 6)
    staged(dataset, tmp_path / "a")
    monkeypatch.setattr(repository, "MOST_FILES_A_FOLDER", 5)
    with pytest.raises(UserError, match=r"trial: 6 files, a hub folder holds 5"):
        staged(dataset, tmp_path / "b")


def test_imported_audio_is_published_from_its_archive(tmp_path):
    run_import("squtr", write_zip(tmp_path / "a.zip", members()), tmp_path / "data", False)
    found = staged(tmp_path / "data", tmp_path / "s")
    table = pq.read_table(found.root / "data/en/fiqa/snr_20-00000-of-00001.parquet")
    assert table.schema.names == [
        "_id", "text", "audio", "language", "subset", "condition", "snr_db", "noise_id", "channel",
        "source_text",
    ]  # fmt: skip
    assert (
        table["audio"].to_pylist()[1]["bytes"]
        == members()["source_data/en/fiqa/audio_noise_snr_20/noise_snr20_2.wav"]
    )
    assert table["noise_id"].to_pylist() == ["demand_SCAFE_ch07"] * 4
    assert "manifest.parquet" not in dict(found.files)


def named_condition(folder: Path, name: str) -> Path:
    mix = {"conditions": [{"name": name, "snr_db": 10.0, "telephone": {}}]}
    build(write_trial(folder, mix=mix), folder / "data")
    return folder / "data"


def test_a_condition_with_a_name_of_its_own(tmp_path):
    found = staged(named_condition(tmp_path, "phone"), tmp_path / "s")
    names = ["corpus", "queries", "qrels", "clean", "snr_10", "snr_0", "phone"]
    assert [one.name for one in found.configs] == [*(f"en-trial-{name}" for name in names), "manifest"]
    (row, *_) = pq.read_table(found.root / "data/en/trial/phone-00000-of-00001.parquet").to_pylist()
    assert (row["condition"], row["snr_db"], row["audio"]["path"]) == ("phone", 10.0, "noise_phone_1.wav")
    assert "telephone" in row["acoustics"]


def test_a_condition_that_would_hide_a_table(tmp_path):
    with pytest.raises(UserError, match="'corpus' bears the name of a table"):
        staged(named_condition(tmp_path, "corpus"), tmp_path / "s")


def test_a_character_that_parquet_cannot_carry_is_named(dataset, tmp_path):
    place = copied(dataset, tmp_path / "data")
    corpus = place / "en/trial/corpus.jsonl"
    corpus.write_text(corpus.read_text() + '{"_id": "odd", "title": "", "text": "caf\\ud800"}\n')
    with pytest.raises(UserError, match="'odd' holds a broken character"):
        staged(place, tmp_path / "s")


def test_two_runs_at_once(dataset, tmp_path):
    lock = FileLock(tmp_path / "lock")
    with lock, pytest.raises(UserError, match="another process is staging"):
        run_publish(dataset, "hf://org/name", True, False, tmp_path, None)


def test_a_rate_that_is_not_the_manifest_s_stops_it(dataset, tmp_path):
    source = shutil.copytree(dataset, tmp_path / "patched")
    path = next(source.glob("en/*/audio_clean/1.wav"))
    data = bytearray(path.read_bytes())
    data[24:28] = (2 * int.from_bytes(data[24:28], "little")).to_bytes(4, "little")
    path.unlink()
    path.write_bytes(data)
    with pytest.raises(UserError, match=r"1\.wav: states \d+ Hz, the manifest says \d+\. Run squtr verify"):
        run_export("beir", source, tmp_path / "beir")


def test_a_cut_manifest_is_one_message(dataset, tmp_path):
    source = shutil.copytree(dataset, tmp_path / "cut")
    path = source / "manifest.parquet"
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(UserError, match=r"manifest\.parquet: cannot be read .* Run squtr verify"):
        run_export("webdataset", source, tmp_path / "out")
