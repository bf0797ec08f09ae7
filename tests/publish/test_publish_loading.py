"""What others read: `datasets` by configuration, the card's YAML, Croissant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from squtr.commands.export import run_import
from squtr.digest import digest_file
from squtr.publish.card import size_category
from tests.building import manifest, rows
from tests.publish.published_zip import members, write_zip
from tests.publish.test_publish_staging import staged

NEEDED = "needs datasets, which no part of squtr itself does"


@pytest.fixture(scope="module")
def root(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return staged(dataset, tmp_path_factory.mktemp("staged"), 130_000).root


@pytest.fixture
def load(tmp_path):
    datasets = pytest.importorskip("datasets", reason=NEEDED)

    def call(root, config):
        found = datasets.load_dataset(str(root), config, split="test", cache_dir=str(tmp_path / "cache"))
        return (
            found.cast_column("audio", datasets.Audio(decode=False)) if "audio" in found.features else found
        )

    return call


def front_matter(root: Path) -> dict:
    return yaml.safe_load((root / "README.md").read_text(encoding="utf-8").split("---\n")[1])


def test_datasets_reads_every_configuration(root, load, dataset):
    import datasets

    names = datasets.get_dataset_config_names(str(root))
    assert len(names) == 13
    for name in names:
        assert len(load(root, name)) == (18 if name == "manifest" else 4 if name.startswith("en") else 2)


def test_audio_is_audio_and_byte_for_byte_the_files(root, load, dataset):
    import datasets

    plain = datasets.load_dataset("parquet", data_files=str(root / "data/en/trial/clean-*"), split="train")
    assert plain.features["audio"] == datasets.Audio()
    for key in ("en/trial", "zh/trial"):
        for condition, folder in (("clean", "audio_clean"), ("snr_0", "audio_noise_snr_0")):
            found = load(root, f"{key.replace('/', '-')}-{condition}")
            listed = rows(dataset / key / f"queries_with_{folder}.jsonl")
            assert found["_id"][:] == [row["_id"] for row in listed]
            for row, wanted in zip(found, listed, strict=True):
                assert row["audio"]["path"] == wanted["audio"]
                assert row["audio"]["bytes"] == (dataset / key / folder / wanted["audio"]).read_bytes()


def test_datasets_reads_the_collection(root, load, dataset):
    assert load(root, "zh-trial-queries").to_list() == rows(dataset / "zh/trial/queries.jsonl")
    assert load(root, "zh-trial-corpus").to_list() == rows(dataset / "zh/trial/corpus.jsonl")
    assert load(root, "zh-trial-qrels").to_list() == rows(dataset / "zh/trial/qrels/test.jsonl")
    assert load(root, "manifest").to_list() == manifest(dataset)


def test_imported_audio_of_two_rates_loads(tmp_path, load):
    run_import("squtr", write_zip(tmp_path / "a.zip", members()), tmp_path / "data", False)
    found = load(staged(tmp_path / "data", tmp_path / "s").root, "zh-DuRetrieval-snr_10")
    names = ["noise_snr10_1.wav", "noise_snr10_2.wav"]
    wanted = [members()[f"source_data/zh/DuRetrieval/audio_noise_snr_10/{name}"] for name in names]
    assert [row["audio"]["bytes"] for row in found] == wanted


def test_the_card(root):
    card = front_matter(root)
    assert card["pretty_name"] == "trial"
    assert card["license"] == "other"
    assert card["language"] == ["en", "zh"]
    assert card["size_categories"] == ["n<1K"]
    listed = [path for config in card["configs"] for one in config["data_files"] for path in one["path"]]
    there = {p.relative_to(root).as_posix() for p in root.rglob("*.parquet")}
    assert set(listed) == there
    clean = next(one for one in card["dataset_info"] if one["config_name"] == "en-trial-clean")
    assert {"name": "audio", "dtype": "audio"} in clean["features"]
    assert {"name": "noise_synthetic", "dtype": "bool"} in clean["features"]
    assert {"name": "sample_rate", "dtype": "int32"} in clean["features"]
    assert clean["splits"][0]["num_examples"] == 4
    text = (root / "README.md").read_text(encoding="utf-8").split("---\n", 2)[2]
    assert "6 queries, 18 recordings" in text
    assert "| zh/trial | 2 | 2 | 2 |" in text
    assert 'load_dataset("org/name", "en-trial-clean", split="test")' in text


@pytest.mark.parametrize(
    ("count", "word"),
    [(0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (149_268, "100K<n<1M"), (10**12, "100M<n<1B")],
)
def test_size_categories(count, word):
    assert size_category(count) == word


def test_croissant_names_every_file_by_its_digest(root):
    found = json.loads((root / "croissant.json").read_text(encoding="utf-8"))
    assert found["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    files = {one["@id"]: one for one in found["distribution"] if one["@type"] == "cr:FileObject"}
    assert files.pop("repo")["contentUrl"] == "https://huggingface.co/datasets/org/name/tree/main"
    assert set(files) == {p.relative_to(root).as_posix() for p in (root / "data").rglob("*.parquet")}
    for name, one in files.items():
        assert one["sha256"] == digest_file(root / name)
        assert one["contentSize"] == f"{(root / name).stat().st_size} B"
    sets = {one["@id"]: one for one in found["distribution"] if one["@type"] == "cr:FileSet"}
    records = {one["@id"]: one for one in found["recordSet"]}
    assert len(records) == len(sets) == 12
    for record in records.values():
        for field in record["field"]:
            assert set(sets[field["source"]["fileSet"]["@id"]]["includes"]) <= set(files)
    audio = next(one for one in records["en-trial-snr_10"]["field"] if one["@id"].endswith("/audio"))
    assert audio["dataType"] == "sc:AudioObject"


def test_croissant_is_valid_and_can_be_read(root, dataset):
    mlc = pytest.importorskip("mlcroissant", reason="needs mlcroissant, which no part of squtr itself does")
    found = mlc.Dataset(jsonld=str(root / "croissant.json"), mapping={"repo": str(root)})
    records = list(found.records("en-trial-clean"))
    assert [record["en-trial-clean/_id"] for record in records] == [b"q1", b"q2", b"q3", b"q4"]
    assert records[0]["en-trial-clean/audio"] == (dataset / "en/trial/audio_clean/1.wav").read_bytes()
