"""What of a published data set cannot be used is left out or told, all of it; what is right is imported."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from squtr.commands.eval import run_eval
from squtr.commands.export import run_export, run_import, show_import
from squtr.dataset import read_dataset
from squtr.errors import UserError
from squtr.imported import import_verdict
from squtr.publish.gaps import (
    BROKEN,
    GAPS_FILE,
    MISSING,
    ROW,
    SUBSET,
    TABLE,
    UNASKED,
    UNFOUND,
    UNHEARD,
    UNJUDGED,
    UNNAMED,
)
from tests.building import command, rows
from tests.publish.published_zip import ANY_RATE, members, write_folder, write_zip

Files = dict[str, bytes]
PLACE = "source_data/en/fiqa"
CLEAN, SNR = f"{PLACE}/queries_with_audio_clean.jsonl", f"{PLACE}/queries_with_audio_noise_snr_10.jsonl"
FIRST, QRELS = f"{PLACE}/audio_clean/1.wav", f"{PLACE}/qrels/test.jsonl"
WAV, TABLE_CLEAN, TABLE_SNR, TABLE_QRELS = (
    name.removeprefix("source_data/") for name in (FIRST, CLEAN, SNR, QRELS)
)


def changed(name: str, change: Callable[[bytes], bytes]) -> Callable[[Files], object]:
    def act(files: Files) -> None:
        before = files[name]
        files[name] = change(before)
        assert files[name] != before

    return act


def replaced(name: str, old: str, new: str) -> Callable[[Files], object]:
    return changed(name, lambda data: data.replace(old.encode(), new.encode(), 1))


def twice(files: Files) -> None:
    files[CLEAN] += files[CLEAN].splitlines(keepends=True)[0]


def other_table(files: Files) -> None:
    files[SNR.replace("snr_10", "snr_10.0")] = files[SNR]


def no_rows(files: Files) -> None:
    files[CLEAN] = b"\n"


NAME_7, NAME_UP = '"audio": 7', '"audio": "../../../1.wav"'
GAPS: dict[str, tuple[Callable[[Files], object], str, str, str]] = {
    "lost": (lambda files: files.pop(FIRST), MISSING, WAV, "is not there"),
    "empty": (lambda files: files.update({FIRST: b""}), BROKEN, WAV, "is empty (0 bytes)"),
    "cut": (changed(FIRST, lambda data: data[:-9]), BROKEN, WAV, "is cut short: "),
    "text": (lambda files: files.update({FIRST: b"<html>"}), BROKEN, WAV, "not audio that"),
    "header alone": (changed(FIRST, lambda data: data[:40] + bytes(4)), BROKEN, WAV, "holds no"),
    "rate of 0": (
        changed(FIRST, lambda data: data[:24] + bytes(4) + data[28:]),
        BROKEN,
        WAV,
        "not audio that",
    ),
    "unknown judgement": (
        replaced(QRELS, '"q2"', '"q9"'),
        UNASKED,
        f"{TABLE_QRELS}:2",
        "query 'q9' is not in",
    ),
    "no judgement": (replaced(QRELS, '"q2"', '"q9"'), UNJUDGED, "en/fiqa/queries.jsonl", "query 'q2' has no"),
    "no document": (
        replaced(QRELS, '"d-1"', '"d-9"'),
        UNFOUND,
        "en/fiqa/qrels",
        "1 judgement named a document",
    ),
    "extra": (
        lambda files: files.update({f"{PLACE}/audio_clean/x.wav": b""}),
        UNNAMED,
        "en/fiqa/audio_clean/x.wav",
        "stands in no row",
    ),
    "number as name": (replaced(CLEAN, '"audio": "1.wav"', NAME_7), ROW, f"{TABLE_CLEAN}:1", "audio is 7"),
    "name leads up": (replaced(CLEAN, '"audio": "1.wav"', NAME_UP), ROW, f"{TABLE_CLEAN}:1", "audio is '../"),
    "unknown query": (
        replaced(CLEAN, '"_id": "q2"', '"_id": "q9"'),
        ROW,
        f"{TABLE_CLEAN}:2",
        "query 'q9' is not",
    ),
    "no row": (replaced(CLEAN, '"_id": "q2"', '"_id": "q9"'), UNHEARD, TABLE_CLEAN, "no row for query 'q2'"),
    "twice": (twice, ROW, f"{TABLE_CLEAN}:5", "query 'q1' stands in an earlier row"),
    "no JSON": (replaced(CLEAN, '{"_id": "q3"', '{"_id: "q3"'), ROW, f"{TABLE_CLEAN}:3", "no JSON"),
    "a list": (changed(CLEAN, lambda data: b"[]\n" + data), ROW, f"{TABLE_CLEAN}:1", "list where"),
    "no UTF-8": (changed(CLEAN, lambda data: b"\xff\n" + data), ROW, f"{TABLE_CLEAN}:1", "no JSON"),
    "SNR of text": (replaced(SNR, '"snr_db": 10', '"snr_db": "10"'), ROW, f"{TABLE_SNR}:1", "snr_db is '10'"),
    "SNR NaN": (replaced(SNR, '"snr_db": 10', '"snr_db": NaN'), ROW, f"{TABLE_SNR}:1", "snr_db is nan"),
    "first SNR of five": (
        replaced(SNR, '"snr_db": 10', '"snr_db": 5'),
        ROW,
        f"{TABLE_SNR}:1",
        "snr_db is 5, that of most rows 10",
    ),
    "two files of one": (other_table, TABLE, TABLE_SNR, "is of snr_10 too"),
    "no rows": (no_rows, TABLE, TABLE_CLEAN, "no row that can be used"),
    "no corpus": (lambda files: files.pop(f"{PLACE}/corpus.jsonl"), SUBSET, "en/fiqa", "no corpus found"),
    "broken queries": (
        replaced(f"{PLACE}/queries.jsonl", '{"_id": "q2"', '{"_id: "q2"'),
        SUBSET,
        "en/fiqa",
        "en/fiqa/queries.jsonl:2: not JSON",
    ),
}


@pytest.mark.parametrize("gap", GAPS)
def test_each_gap_is_told_and_the_rest_is_evaluated(tmp_path, gap, capsys):
    change, kind, place, what = GAPS[gap]
    files = members()
    change(files)
    source = write_zip(tmp_path / "a.zip", files)
    imported = run_import("squtr", source, tmp_path / "data", False)
    told = rows(tmp_path / "data" / GAPS_FILE)
    assert any(what in one["what"] for one in told if (one["kind"], one["place"]) == (kind, place))
    assert show_import(imported, source, tmp_path / "data", False, False) == 0
    said, noted = capsys.readouterr()
    assert f"{source}: {kind}: 1, such as {place} (" in noted
    assert f"{GAPS_FILE} has {len(told)} gap{'' if len(told) == 1 else 's'}, one a line." in said
    assert import_verdict(tmp_path / "data")["gaps"] == len(told)
    results, _ = run_eval(tmp_path / "data", ANY_RATE, ["bm25"], tmp_path / "out", 1, None)
    assert list(results["scores"]) == (
        ["zh/DuRetrieval"] if kind == SUBSET else ["en/fiqa", "zh/DuRetrieval"]
    )


def test_an_unknown_language_is_left_out(tmp_path):
    files = {name.replace("/zh/", "/qq/"): data for name, data in members().items()}
    run_import("squtr", write_zip(tmp_path / "a.zip", files), tmp_path / "data", False)
    (gap,) = rows(tmp_path / "data" / GAPS_FILE)
    assert (gap["kind"], gap["place"]) == (SUBSET, "qq/DuRetrieval")
    assert gap["what"].startswith("No language 'qq'. Known: ")
    assert [subset.key for subset in read_dataset(tmp_path / "data")] == ["en/fiqa"]
    assert not (tmp_path / "data" / "qq" / "DuRetrieval").exists()


def test_a_damaged_recording_in_an_archive_is_one_gap(tmp_path):
    files = members()
    source = write_zip(tmp_path / "a.zip", files)
    with zipfile.ZipFile(source) as archive:
        info = next(one for one in archive.infolist() if one.filename == FIRST)
    data = bytearray(source.read_bytes())
    at = info.header_offset + 30 + len(FIRST)
    data[at : at + 40] = bytes(40)
    source.write_bytes(data)
    imported = run_import("squtr", source, tmp_path / "data", False)
    assert imported.gaps.counts == {BROKEN: 1}


def test_a_link_is_told(tmp_path):
    source = write_folder(tmp_path / "unpacked", members())
    (source / FIRST).rename(tmp_path / "1.wav")
    (source / FIRST).symlink_to(tmp_path / "1.wav")
    run_import("squtr", source, tmp_path / "data", False)
    assert rows(tmp_path / "data" / GAPS_FILE) == [{"kind": MISSING, "place": WAV, "what": "is a link"}]


def test_without_gaps_there_is_no_file(tmp_path):
    imported = run_import("squtr", write_zip(tmp_path / "a.zip", members()), tmp_path / "data", False)
    assert imported.gaps.found == []
    assert not (tmp_path / "data" / GAPS_FILE).exists()
    assert json.loads((tmp_path / "data" / "import.json").read_text())["gaps"] == {}


@pytest.mark.parametrize(
    ("keep", "message"),
    [
        (lambda name, data: not name.endswith(".wav") and {name: data}, "of 24 recordings, none can be read"),
        (lambda name, data: "corpus" not in name and {name: data}, "nothing in it can be imported. 2 gaps"),
        (lambda name, data: {name: b"" if "queries_with" in name else data}, "nothing in it can be imported"),
        (lambda name, data: {re.sub("/(en|zh)/", "/qq/", name): data}, "No language 'qq'"),
    ],
)
def test_nothing_right_is_one_message_and_leaves_nothing(tmp_path, keep, message):
    files: Files = {}
    for name, data in members().items():
        files |= keep(name, data) or {}
    found = command("import", "squtr", write_zip(tmp_path / "a.zip", files), "--out", tmp_path / "data")
    assert (found.returncode, found.stdout) == (2, "")
    assert message in found.stderr
    assert not (tmp_path / "data").exists()


def test_what_has_gaps_is_not_given_away(tmp_path):
    files = members()
    files[FIRST] = files[FIRST][:-9]
    run_import("squtr", write_zip(tmp_path / "a.zip", files), tmp_path / "data", False)
    with pytest.raises(UserError, match=r"1\.wav: is cut short.*Nothing broken is given away"):
        run_export("squtr", tmp_path / "data", tmp_path / "out")


def test_other_formats_and_trailing_chunks_are_no_gap(tmp_path):
    files = members()
    files[FIRST] += b"LIST\x04\0\0\0abcd"
    imported = run_import("squtr", write_zip(tmp_path / "a.zip", files), tmp_path / "data", False)
    assert imported.gaps.found == []
    assert Path(tmp_path / "data" / "import.json").is_file()
