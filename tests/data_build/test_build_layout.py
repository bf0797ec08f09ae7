"""The layout on disk: a loader written from its description alone reads the data set."""

from __future__ import annotations

import json
import os
import unicodedata
import wave
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from squtr.dataset import read_dataset
from squtr.errors import UserError
from tests.building import (
    CHINESE,
    ENGLISH,
    build,
    files,
    manifest,
    write_both,
    write_collection,
    write_recipe,
    write_trial,
)

HOSTILE = [
    "../../etc/x", "/etc/x", "a/../../b", "..\\..\\x", "a/b", "a_b", "a:b", "A_B", "a b", "con", ".", "..",
    "-rf", "é", "e\u0301", "C:\\x", "%2e%2e", "a" * 300, "🙂", "$(ls)", "*",
]  # fmt: skip


def load(root: Path, language: str, subset: str, snr: int | None) -> dict[str, dict[str, object]]:
    """Read one condition of one subset: documents, queries, judgements and samples by query id."""
    place = root / language / subset

    def lines(name: str) -> list[dict[str, object]]:
        return [json.loads(line) for line in (place / name).open(encoding="utf-8")]

    corpus = {row["_id"]: (row["title"], row["text"]) for row in lines("corpus.jsonl")}
    texts = {row["_id"]: row["text"] for row in lines("queries.jsonl")}
    judged: dict[object, dict[object, object]] = {}
    for row in lines("qrels/test.jsonl"):
        judged.setdefault(row["query-id"], {})[row["corpus-id"]] = row["score"]
    condition = "clean" if snr is None else f"noise_snr_{snr}"
    found = {}
    for number, row in enumerate(lines(f"queries_with_audio_{condition}.jsonl"), 1):
        assert row["audio"] == (f"{number}.wav" if snr is None else f"noise_snr{snr}_{number}.wav")
        assert set(row) == {"_id", "text", "audio"} | (set() if snr is None else {"snr_db", "noise_id"})
        assert row.get("snr_db") == snr
        assert row["text"] == texts[row["_id"]]
        with wave.open(str(place / f"audio_{condition}" / str(row["audio"])), "rb") as file:
            assert (file.getframerate(), file.getsampwidth(), file.getnchannels()) == (24000, 2, 1)
            samples = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
        found[str(row["_id"])] = {
            "text": row["text"],
            "samples": samples,
            "documents": {corpus[name]: grade for name, grade in judged[row["_id"]].items()},
        }
    assert set(found) == set(texts) == set(judged)
    return found


def test_a_loader_from_the_description_reads_it(tmp_path):
    build(write_both(tmp_path, mix={"snrs_db": [20, 10, 0]}), tmp_path / "out")
    gains = {
        (row["query_id"], row["requested_snr_db"]): row["common_gain"] for row in manifest(tmp_path / "out")
    }
    for language, queries in (("en", ENGLISH), ("zh", CHINESE)):
        clean = load(tmp_path / "out", language, "trial", None)
        assert {name: row["text"] for name, row in clean.items()} == queries
        for name, row in clean.items():
            assert row["documents"] == {("", f"about {queries[name]}"): 1}
        for snr in (20, 10, 0):
            noisy = load(tmp_path / "out", language, "trial", snr)
            assert list(noisy) == list(clean)
            for name, row in noisy.items():
                speech, mixed = clean[name]["samples"].astype(float), row["samples"].astype(float)
                gain = gains[name, snr]
                rest = mixed - gain * (speech - speech.mean())
                realised = 20 * np.log10(gain * speech.std() / rest.std())
                assert realised == pytest.approx(snr, abs=0.01)


def test_files_are_those_of_the_description_and_no_others(tmp_path):
    build(write_both(tmp_path), tmp_path / "out")
    expected = {"README.md", "build.json", "manifest.jsonl", "manifest.parquet", "rejected.jsonl"}
    for language, count in (("en", 4), ("zh", 2)):
        place = f"{language}/trial"
        expected |= {f"{place}/{name}" for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.jsonl")}
        for folder, start in (
            ("clean", ""),
            ("noise_snr_0", "noise_snr0_"),
            ("noise_snr_10", "noise_snr10_"),
        ):
            expected.add(f"{place}/queries_with_audio_{folder}.jsonl")
            expected |= {f"{place}/audio_{folder}/{start}{n}.wav" for n in range(1, count + 1)}
    assert set(files(tmp_path / "out")) == expected


def test_snr_names(tmp_path):
    build(write_trial(tmp_path, mix={"snrs_db": [-2.5, 7]}), tmp_path / "out")
    place = tmp_path / "out" / "en" / "trial"
    assert (place / "audio_noise_snr_-2.5" / "noise_snr-2.5_1.wav").is_file()
    assert (place / "audio_noise_snr_7" / "noise_snr7_4.wav").is_file()
    row = json.loads((place / "queries_with_audio_noise_snr_7.jsonl").read_text().splitlines()[0])
    assert row["snr_db"] == 7
    assert isinstance(row["snr_db"], int)


def test_json_is_strict_utf_8_and_parquet_says_the_same(tmp_path):
    build(write_both(tmp_path), tmp_path / "out")

    def refuse(word: str) -> None:
        raise AssertionError(word)

    text = (tmp_path / "out" / "manifest.jsonl").read_bytes().decode("utf-8")
    assert "北京的人口是多少" in text
    read = [json.loads(line, parse_constant=refuse) for line in text.splitlines()]
    assert pq.read_table(tmp_path / "out" / "manifest.parquet").to_pylist() == read


def test_c09_c52_hostile_ids_give_distinct_files_inside_the_folder(tmp_path):
    inside = tmp_path / "deep" / "deeper"
    inside.mkdir(parents=True)
    queries = {name: f"which number is {place}" for place, name in enumerate(HOSTILE)}
    build(write_trial(inside, queries), inside / "out")
    before = {path for path in tmp_path.rglob("*") if inside not in path.parents and path != inside}
    assert before == {tmp_path / "deep"}
    assert {path.name for path in inside.iterdir()} == {"en-trial", "speakers.jsonl", "recipe.yaml", "out"}
    clean = [row for row in manifest(inside / "out") if row["condition"] == "clean"]
    assert [row["query_id"] for row in clean] == HOSTILE
    names = [unicodedata.normalize("NFC", row["file"]).lower() for row in clean]
    assert len(set(names)) == len(HOSTILE)
    assert len({row["pcm_sha256"] for row in clean}) == len(HOSTILE)
    assert list(load(inside / "out", "en", "trial", None)) == HOSTILE


@pytest.mark.parametrize("name", ["a\0b", "", "a\nb"])
def test_c09_c52_ids_no_file_can_carry_are_refused(tmp_path, name):
    with pytest.raises(UserError, match=r"queries\.jsonl:1.*id"):
        build(
            write_trial(
                tmp_path,
                {name: "who wrote hamlet"},
            ),
            tmp_path / "out",
        )
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs symbolic links")
def test_c52_a_link_in_the_output_is_replaced_not_followed(tmp_path):
    recipe = write_trial(tmp_path)
    build(recipe, tmp_path / "out")
    victim = tmp_path / "victim"
    victim.write_text("precious")
    place = tmp_path / "out" / "en" / "trial" / "audio_clean" / "1.wav"
    whole = place.read_bytes()
    place.unlink()
    place.symlink_to(victim)
    build(recipe, tmp_path / "out")
    assert victim.read_text() == "precious"
    assert not place.is_symlink()
    assert place.read_bytes() == whole


@pytest.mark.parametrize(
    "audio", ["../audio_noise_snr_0/noise_snr0_1.wav", "/etc/passwd", "..", "a/b.wav", "", 3, None]
)
def test_c52_audio_paths_out_of_their_folder_are_refused_on_reading(tmp_path, audio):
    build(write_trial(tmp_path), tmp_path / "out")
    place = tmp_path / "out" / "en" / "trial" / "queries_with_audio_clean.jsonl"
    row = json.dumps({"_id": "q1", "text": "who wrote hamlet", "audio": audio})
    place.write_text(row + "\n")
    with pytest.raises(UserError, match=r"queries_with_audio_clean\.jsonl:1: audio is .* plain file name"):
        read_dataset(tmp_path / "out")


def test_read_dataset_agrees(tmp_path):
    build(write_both(tmp_path, mix={"snrs_db": [0, 20, -5]}), tmp_path / "out")
    english, chinese = read_dataset(tmp_path / "out")
    assert (english.key, chinese.key) == ("en/trial", "zh/trial")
    assert list(english.conditions) == ["clean", "snr_20", "snr_0", "snr_-5"]
    for condition, recordings in english.conditions.items():
        assert [recording.query_id for recording in recordings] == list(ENGLISH)
        assert all(recording.facts["condition"] == condition for recording in recordings)
        assert all(recording.path.is_file() for recording in recordings)


def test_the_same_name_in_two_languages_is_two_subsets_and_in_one_an_error(tmp_path):
    write_collection(tmp_path / "en-trial", ENGLISH)
    recipe = write_recipe(tmp_path)
    recipe.write_text(recipe.read_text() + "\n")
    again = recipe.read_text().replace(
        "collections:\n", "collections:\n- {language: en, name: TRIAL, path: en-trial}\n"
    )
    recipe.write_text(again)
    with pytest.raises(UserError, match=r"recipe\.yaml:\d+: collections\.1\.name: an earlier collection"):
        build(recipe, tmp_path / "out")
