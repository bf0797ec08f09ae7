"""A data set read back, whoever wrote it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from squtr.audio import wav_bytes
from squtr.dataset import audio_place, pack_audio, read_dataset
from squtr.digest import digest_bytes
from squtr.errors import ItemFailure, UserError
from squtr.records import AudioRef
from squtr.store import PackWriter, read_place
from tests.building import write_lines

PCM = np.random.default_rng(1).integers(-20000, 20000, 500).astype("<i2")


def foreign(folder: Path, **rows: list[dict[str, object]]) -> Path:
    """Write a data set as others might: no manifest, two conditions."""
    place = folder / "en" / "other"
    write_lines(place / "corpus.jsonl", [{"_id": "d", "text": "x"}])
    write_lines(place / "queries.jsonl", [{"_id": "q", "text": "who"}, {"_id": 7, "text": "when"}])
    write_lines(place / "qrels" / "test.jsonl", [{"query-id": "q", "corpus-id": "d", "score": 1}])
    for name, found in rows.items():
        write_lines(place / f"queries_with_audio_{name}.jsonl", found)
    return folder


def test_a_foreign_data_set_without_a_manifest(tmp_path):
    clean = [{"_id": "q", "text": "who", "audio": "a.wav"}, {"_id": 7, "text": "when", "audio": "b.flac"}]
    noisy = [{"_id": "q", "text": "who", "audio": "c.wav", "snr_db": 5}]
    (subset,) = read_dataset(foreign(tmp_path, clean=clean, noise_snr_5=noisy))
    assert (subset.key, list(subset.conditions)) == ("en/other", ["clean", "snr_5"])
    assert [row.query_id for row in subset.conditions["clean"]] == ["q", "7"]
    assert subset.conditions["snr_5"][0].path == tmp_path / "en/other/audio_noise_snr_5/c.wav"
    assert subset.conditions["snr_5"][0].snr_db == 5.0
    assert subset.conditions["clean"][0].facts == {}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"_id": "ghost", "audio": "a.wav"}], r"clean\.jsonl:1: query 'ghost' is not in queries\.jsonl"),
        ([{"_id": "q", "audio": "a.wav", "snr_db": "5"}], r"clean\.jsonl:1: snr_db is '5'; a number"),
        ([{"_id": "q", "audio": "a.wav", "snr_db": True}], r"clean\.jsonl:1: snr_db is True"),
        ([{"_id": "q", "audio": "a.wav", "snr_db": 5}, {"_id": "q", "audio": "b.wav"}], "different snr_db"),
        ([{"_id": "q", "audio": "..\\a.wav/"}], "plain file name"),
        ([], "no recording in it"),
    ],
)
def test_rows_that_cannot_be_read(tmp_path, rows, message):
    with pytest.raises(UserError, match=message):
        read_dataset(foreign(tmp_path, clean=rows))


def test_two_files_of_one_snr_are_refused(tmp_path):
    rows = [{"_id": "q", "audio": "a.wav", "snr_db": 5}]
    with pytest.raises(UserError, match="snr_5 twice"):
        read_dataset(foreign(tmp_path, noise_snr_5=rows, noise_snr_05=rows))


def test_folders_that_are_no_data_set(tmp_path):
    with pytest.raises(UserError, match="no such data set folder"):
        read_dataset(tmp_path / "nowhere")
    with pytest.raises(UserError, match=r"no SQuTR data set\. squtr build makes one"):
        read_dataset(tmp_path)


def test_plain_wav_is_read_in_place(tmp_path):
    path = tmp_path / "a.wav"
    path.write_bytes(wav_bytes(PCM, 16000))
    ref, place = audio_place(path)
    assert ref == AudioRef(digest_bytes(PCM.tobytes()), 500, 16000)
    assert place is not None
    assert np.array_equal(read_place(place), PCM)


@pytest.mark.parametrize(
    "written",
    [
        {"subtype": "PCM_24"},
        {"subtype": "FLOAT"},
        {"format": "FLAC"},
        {"format": "WAVEX", "subtype": "PCM_16"},
    ],
    ids=str,
)
def test_c01_c03_other_formats_give_the_same_samples(tmp_path, written):
    path = tmp_path / "a.audio"
    soundfile.write(path, PCM / 32768, 16000, **{"format": "WAV", **written})
    ref, place = audio_place(path)
    assert place is None
    assert ref == AudioRef(digest_bytes(PCM.tobytes()), 500, 16000)
    assert pack_audio(path, PackWriter()) == ref


def whole() -> bytes:
    return wav_bytes(PCM, 16000)


@pytest.mark.parametrize(
    "data",
    [
        None,
        b"",
        wav_bytes(PCM, 16000)[:44],
        b"<html>",
        whole()[:500],
        whole() + whole(),
        whole()[:24] + bytes(4) + whole()[28:],
    ],
    ids=["missing", "empty", "no frames", "no audio", "cut", "two glued", "rate 0"],
)
def test_c05_c06_what_is_no_whole_audio_is_a_failure(tmp_path, data):
    path = tmp_path / "a.wav"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(ItemFailure, match=r"a\.wav"):
        audio_place(path)


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ("", r"manifest\.jsonl: no row in it\. Restore it, or remove it to go without"),
        (
            '{"file": "en/other/audio_clean/b.wav"}\n',
            r"clean\.jsonl:1: manifest\.jsonl has no row of en/other/audio_clean/a\.wav\. Run squtr verify",
        ),
    ],
)
def test_a_manifest_that_is_cut_short(tmp_path, manifest, said):
    folder = foreign(tmp_path, clean=[{"_id": "q", "text": "who", "audio": "a.wav"}])
    (folder / "manifest.jsonl").write_text(manifest)
    with pytest.raises(UserError, match=said):
        read_dataset(folder)
