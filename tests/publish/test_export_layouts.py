"""Exports: read back by whoever reads such a layout, and the same bytes every time."""

from __future__ import annotations

import csv
import io
import json
import shutil
import tarfile
from pathlib import Path

import pytest

from squtr.audio import read_audio
from squtr.collection import read_collection
from squtr.commands.export import run_export, run_import
from squtr.dataset import read_dataset
from squtr.errors import UserError
from squtr.progress import Silent
from squtr.publish.source import open_source
from squtr.publish.webdataset import write_webdataset
from tests.building import build, command, manifest, rows, write_trial
from tests.publish.published_zip import members, write_zip
from tests.publish.test_publish_staging import contents, copied

LAYOUTS = ["beir", "mteb", "squtr", "webdataset"]


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("imported")
    run_import("squtr", write_zip(folder / "a.zip", members()), folder / "data", False)
    return folder / "data"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_bytes_do_not_depend_on_place_or_time(dataset, tmp_path, layout):
    run_export(layout, dataset, tmp_path / "a")
    run_export(layout, copied(dataset, tmp_path / "other"), tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_archive_exports_as_its_folder_does(imported, tmp_path, layout):
    run_export(layout, imported, tmp_path / "a")
    files = contents(tmp_path / "a")
    assert files
    assert not (tmp_path / "a" / "import.json").exists()
    if layout == "squtr":
        wanted = {name.removeprefix("source_data/"): data for name, data in members().items()}
        audio = {name: data for name, data in files.items() if name.endswith(".wav")}
        assert audio == {name: data for name, data in wanted.items() if name.endswith(".wav")}
        assert files.keys() == wanted.keys()


def test_beir(dataset, tmp_path):
    run_export("beir", dataset, tmp_path / "out")
    for subset in read_dataset(dataset):
        place = tmp_path / "out" / subset.key
        read = read_collection(place, subset.language)
        assert [query.text for query in read.queries] == [q.text for q in subset.collection.queries]
        assert read.qrels == subset.collection.qrels
        assert read.corpus_fingerprint == subset.collection.corpus_fingerprint
        for query in rows(place / "queries.jsonl"):
            assert set(query) == {"_id", "text", "metadata"}
            for condition, file in query["metadata"]["audio"].items():
                wanted = next(r for r in subset.conditions[condition] if r.query_id == query["_id"])
                assert (place / file).read_bytes() == wanted.path.read_bytes()
            assert list(query["metadata"]["audio"]) == ["clean", "snr_10", "snr_0"]
    with (tmp_path / "out/en/trial/qrels/test.tsv").open() as file:
        lines = list(csv.reader(file, delimiter="\t"))
    assert lines[:2] == [["query-id", "corpus-id", "score"], ["q1", "d-0", "1"]]


@pytest.mark.parametrize("name", ["a\tb", 'say "it"'])
def test_beir_refuses_ids_its_tables_cannot_carry(tmp_path, name):
    recipe = write_trial(tmp_path, {"q1": "who wrote hamlet"})
    build(recipe, tmp_path / "data")
    for path in ("queries.jsonl", "qrels/test.jsonl", "queries_with_audio_clean.jsonl"):
        file = tmp_path / "data/en/trial" / path
        file.write_text(file.read_text().replace('"q1"', json.dumps(name)))
    with pytest.raises(UserError, match="cannot carry"):
        run_export("beir", tmp_path / "data", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_squtr_layout_is_the_data_set_without_squtr_s_own_files(dataset, tmp_path):
    run_export("squtr", dataset, tmp_path / "out")
    files = contents(tmp_path / "out")
    whole = {name: data for name, data in contents(dataset).items() if not name.startswith(".squtr")}
    own = {"build.json", "README.md", "manifest.jsonl", "manifest.parquet", "rejected.jsonl"}
    assert files == {name: data for name, data in whole.items() if name not in own}
    assert [subset.key for subset in read_dataset(tmp_path / "out")] == ["en/trial", "zh/trial"]


def test_screened_out_audio_is_not_exported(tmp_path):
    build(write_trial(tmp_path, {"q1": "who wrote hamlet", "q2": "clumsy words"}), tmp_path / "data")
    assert (tmp_path / "data/en/trial/audio_rejected/1.wav").is_file()
    run_export("squtr", tmp_path / "data", tmp_path / "out")
    assert "en/trial/audio_rejected/1.wav" not in contents(tmp_path / "out")


def test_mteb_as_its_loader_asks_for_it(dataset, tmp_path):
    datasets = pytest.importorskip("datasets", reason="needs datasets, which no part of squtr itself does")
    run_export("mteb", dataset, tmp_path / "out")
    names = datasets.get_dataset_config_names(str(tmp_path / "out"))
    assert len(names) == 18

    def load(config):
        assert datasets.get_dataset_split_names(str(tmp_path / "out"), config_name=config) == ["test"]
        return datasets.load_dataset(
            str(tmp_path / "out"), config, split="test", cache_dir=str(tmp_path / "c")
        )

    queries = load("zh-trial-snr_0-queries").cast_column("audio", datasets.Audio(decode=False))
    assert queries.column_names == ["id", "audio"]
    listed = rows(dataset / "zh/trial/queries_with_audio_noise_snr_0.jsonl")
    assert queries["id"][:] == [row["_id"] for row in listed]
    audio = [(dataset / "zh/trial/audio_noise_snr_0" / row["audio"]).read_bytes() for row in listed]
    assert [row["audio"]["bytes"] for row in queries] == audio
    corpus = load("zh-trial-snr_0-corpus")
    assert corpus.column_names == ["id", "title", "text"]
    assert load("zh-trial-clean-qrels").to_list() == rows(dataset / "zh/trial/qrels/test.jsonl")
    card = (tmp_path / "out/README.md").read_text(encoding="utf-8")
    assert '"zh-trial-snr_0": ["cmn-Hans"],' in card
    assert '"en-trial-clean": ["eng-Latn"],' in card


def test_mteb_conditions_share_their_documents(dataset, tmp_path):
    run_export("mteb", dataset, tmp_path / "out")
    names = {name for name in contents(tmp_path / "out") if name.startswith("en-trial/")}
    assert names == {
        f"en-trial/{stem}-00000-of-00001.parquet"
        for stem in ("corpus", "qrels", "queries-clean", "queries-snr_0", "queries-snr_10")
    }


def test_webdataset(dataset, tmp_path):
    run_export("webdataset", dataset, tmp_path / "out")
    told = {row["file"]: row for row in manifest(dataset)}
    with tarfile.open(tmp_path / "out/en-trial/snr_10-000000.tar") as file:
        infos = file.getmembers()
        assert [info.name for info in infos] == [
            f"{n:08d}.{suffix}" for n in range(4) for suffix in ("wav", "json")
        ]
        for info in infos:
            assert (info.mtime, info.uid, info.gid, info.uname, info.gname, info.mode) == (
                0,
                0,
                0,
                "",
                "",
                0o644,
            )
        for number in range(4):
            sound = file.extractfile(f"{number:08d}.wav").read()
            said = json.load(file.extractfile(f"{number:08d}.json"))
            row = told[f"en/trial/audio_noise_snr_10/noise_snr10_{number + 1}.wav"]
            assert sound == (dataset / row["file"]).read_bytes()
            assert (said["_id"], said["text"], said["snr_db"]) == (row["query_id"], row["text"], 10.0)
            assert said["realised_snr_db"] == row["realised_snr_db"]
    assert (
        (tmp_path / "out/en-trial/qrels.tsv")
        .read_text()
        .startswith("query-id\tcorpus-id\tscore\nq1\td-0\t1\n")
    )


def test_webdataset_shards_are_bounded(dataset, tmp_path):
    tmp_path.joinpath("out").mkdir()
    write_webdataset(open_source(dataset), tmp_path / "out", Silent(), 150_000)
    tars = sorted((tmp_path / "out/en-trial").glob("clean-*.tar"))
    assert [path.name for path in tars] == [f"clean-{n:06d}.tar" for n in range(len(tars))]
    assert len(tars) > 1
    sizes = [path.stat().st_size for path in tars]
    assert max(sizes) <= 160_000
    names = []
    for path in tars:
        with tarfile.open(fileobj=io.BytesIO(path.read_bytes())) as file:
            names += [name for name in file.getnames() if name.endswith(".wav")]
    assert names == [f"{n:08d}.wav" for n in range(4)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_folder_in_use_is_refused_and_left_alone(dataset, tmp_path, layout):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine").write_text("precious")
    with pytest.raises(UserError, match="is there already"):
        run_export(layout, dataset, tmp_path / "out")
    assert contents(tmp_path / "out") == {"mine": b"precious"}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_failed_export_leaves_nothing(dataset, tmp_path, layout):
    place = copied(dataset, tmp_path / "data")
    (place / "zh/trial/audio_noise_snr_0/noise_snr0_2.wav").unlink()
    with pytest.raises(UserError, match=r"noise_snr0_2\.wav: missing"):
        run_export(layout, place, tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"data"}


def test_what_a_killed_export_left_is_replaced(dataset, tmp_path):
    (tmp_path / ".out.part" / "en").mkdir(parents=True)
    (tmp_path / ".out.part" / "old").write_text("x")
    run_export("squtr", dataset, tmp_path / "out")
    assert not (tmp_path / "out" / "old").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"out"}


def test_an_export_lives_on_without_its_source(dataset, tmp_path):
    place = copied(dataset, tmp_path / "data")
    run_export("squtr", place, tmp_path / "out")
    shutil.rmtree(place)
    (english, _) = read_dataset(tmp_path / "out")
    assert read_audio(english.conditions["clean"][0].path).sample_rate == 24000


def test_on_the_command_line(dataset, tmp_path):
    done = command("export", "webdataset", dataset, "--out", tmp_path / "out", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    files = contents(tmp_path / "out")
    assert (told["format"], told["files"]) == ("webdataset", len(files))
    assert told["bytes"] == sum(map(len, files.values()))
    wrong = command("export", "webdatasets", dataset, "--out", tmp_path / "other")
    assert wrong.returncode == 2
    assert "Did you mean 'webdataset'" in wrong.stderr
