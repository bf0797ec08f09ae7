"""Published audio evaluated straight from its archive, and what is said of one that is not the official."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import squtr.publish.official
from squtr.commands.eval import run_eval
from squtr.commands.export import run_import, show_import
from squtr.dataset import read_dataset
from squtr.digest import digest_file
from squtr.errors import UserError
from squtr.publish.wav import wav_format
from tests.building import command, rows
from tests.publish.published_zip import ANY_RATE, LOW_RATE, SUBSETS, members, write_folder, write_zip


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_zip(tmp_path_factory.mktemp("zip") / "source_data.zip", members())


def files_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_scores_are_those_of_the_unpacked_data_set(published, tmp_path):
    run_import("squtr", published, tmp_path / "data", False)
    from_zip, place = run_eval(tmp_path / "data", ANY_RATE, ["bm25"], tmp_path / "a", 1, None)
    folder = write_folder(tmp_path / "unpacked", members())
    from_folder, other = run_eval(folder / "source_data", ANY_RATE, ["bm25"], tmp_path / "b", 1, None)
    for part in ("scores", "recognition", "macro", "worst_queries"):
        assert from_zip[part] == from_folder[part]
    assert list(from_zip["scores"]) == ["en/fiqa", "zh/DuRetrieval"]
    assert from_zip["conditions"] == ["text", "clean", "snr_20", "snr_10", "snr_0"]
    assert from_zip["recognition"]["en/fiqa"]["clean"]["clean"]["rate"] == 0.0
    assert from_zip["recognition"]["en/fiqa"]["snr_0"]["clean"]["rate"] > 0.1
    for name in ("transcripts/en/fiqa/clean.jsonl", "runs/zh/DuRetrieval/snr_10/bm25.trec", "scores.jsonl"):
        assert (place / name).read_bytes() == (other / name).read_bytes()


def test_nothing_is_unpacked_but_the_tables(published, tmp_path):
    run_import("squtr", published, tmp_path / "data", False)
    wanted = {name.removeprefix("source_data/") for name in members() if not name.endswith(".wav")}
    assert files_below(tmp_path / "data") == wanted | {"import.json"}
    before = files_below(tmp_path)
    run_eval(tmp_path / "data", ANY_RATE, ["bm25"], tmp_path / "out", 1, None)
    assert not [name for name in files_below(tmp_path) - before if name.endswith((".wav", ".pcm"))]


def test_two_workers_read_the_same_archive(published, tmp_path):
    run_import("squtr", published, tmp_path / "data", False)
    found = []
    for workers in (1, 2):
        _, out = run_eval(tmp_path / "data", ANY_RATE, ["bm25"], tmp_path / f"out{workers}", workers, None)
        found.append(rows(out / "transcripts/en/fiqa/snr_20.jsonl"))
        assert [row["reason"] for row in found[-1]] == [None] * 4
    assert found[0] == found[1]


def test_recordings_lead_into_the_archive(published, tmp_path):
    run_import("squtr", published, tmp_path / "data", False)
    english, chinese = read_dataset(tmp_path / "data")
    recording = english.conditions["snr_10"][1]
    assert str(recording.path) == f"{published}!source_data/en/fiqa/audio_noise_snr_10/noise_snr10_2.wav"
    assert recording.file == "en/fiqa/audio_noise_snr_10/noise_snr10_2.wav"
    assert (recording.snr_db, recording.noise_id) == (10.0, "demand_SCAFE_ch07")
    assert english.collection.qrels["q1"] == {"d-0": 1}
    assert chinese.collection.qrels["z2"] == {"d-1": 1}


def test_what_is_said_of_another_data_set(published, tmp_path, capsys):
    imported = run_import("squtr", published, tmp_path / "data", True)
    assert show_import(imported, published, tmp_path / "data", True, False) == 1
    said = capsys.readouterr().out
    assert "en/fiqa: 4 queries, 4 judgements (string), 16 recordings" in said
    assert f"4 x {LOW_RATE} Hz, 16 bit, 1 channel; 12 x 24000 Hz, 16 bit, 1 channel" in said
    assert "not as published: bytes of the archive" in said
    assert "not as published: SHA-256 of the archive" in said
    assert "not as published: en/fiqa queries: 4 (published: 648)" in said
    assert "no hindrance" in said
    kept = json.loads((tmp_path / "data" / "import.json").read_text())
    assert kept["official"] is False
    assert kept["sha256"] == digest_file(published)
    assert kept["subsets"]["zh/DuRetrieval"]["scores"] == ["integer"]
    assert kept["subsets"]["zh/DuRetrieval"]["recordings"] == {
        "clean": 2,
        "snr_20": 2,
        "snr_10": 2,
        "snr_0": 2,
    }


def facts_of(archive: Path) -> dict[str, object]:
    """Return what published.yaml would say if this were the official archive."""
    sizes = {name: len(data) for name, data in members().items()}
    scores = {"en/fiqa": "string", "zh/DuRetrieval": "integer"}
    return {
        "archive": {"bytes": archive.stat().st_size, "sha256": digest_file(archive)},
        "files": {
            "unpacked_bytes": sum(sizes.values()),
            "jsonl": sum(name.endswith(".jsonl") for name in sizes),
            "wav": sum(name.endswith(".wav") for name in sizes),
        },
        "conditions": ["clean", "snr_20", "snr_10", "snr_0"],
        "subsets": {
            key: {"queries": len(queries), "judgements": len(queries), "scores": scores[key]}
            for key, queries in SUBSETS.items()
        },
    }


def test_the_official_data_set_is_known_by_all_its_facts(published, tmp_path, monkeypatch, capsys):
    facts = facts_of(published)
    monkeypatch.setattr(squtr.publish.official, "published", lambda: facts)
    imported = run_import("squtr", published, tmp_path / "a", True)
    assert imported.differences == []
    assert show_import(imported, published, tmp_path / "a", True, False) == 0
    assert "the official SQuTR, by its SHA-256" in capsys.readouterr().out
    quick = run_import("squtr", published, tmp_path / "b", False)
    assert quick.sha256 is None
    show_import(quick, published, tmp_path / "b", False, False)
    assert "by size and counts" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda files: files.pop("source_data/en/fiqa/audio_clean/2.wav"), "en/fiqa audio missing"),
        (
            lambda files: files.update({"source_data/en/fiqa/audio_clean/9.wav": b"x"}),
            "en/fiqa audio that no query names",
        ),
        (lambda files: files.pop("source_data/en/fiqa/queries_with_audio_clean.jsonl"), "en/fiqa recordings"),
        (
            lambda files: files.update(
                {
                    name: data.replace(b'"1"', b"1")
                    for name, data in files.items()
                    if name.endswith("test.jsonl")
                }
            ),
            "en/fiqa scores",
        ),
    ],
)
def test_each_departure_is_named(published, tmp_path, monkeypatch, change, what):
    facts = facts_of(published)
    monkeypatch.setattr(squtr.publish.official, "published", lambda: facts)
    files = members()
    change(files)
    imported = run_import("squtr", write_zip(tmp_path / "a.zip", files), tmp_path / "data", False)
    assert what in {one.what for one in imported.differences}


def test_the_facts_of_the_official_data_set():
    official = squtr.publish.official.published()
    assert official["files"] == {"unpacked_bytes": 28_422_366_590, "jsonl": 42, "wav": 149_268}
    assert sum(one["queries"] for one in official["subsets"].values()) == 37_317
    assert official["files"]["wav"] == 4 * 37_317
    assert official["files"]["jsonl"] == 7 * len(official["subsets"])
    assert sum(one["judgements"] for one in official["subsets"].values()) == 150_488


def test_a_folder_is_imported_by_reference_too(tmp_path):
    source = write_folder(tmp_path / "unpacked", members())
    imported = run_import("squtr", source, tmp_path / "data", True)
    assert imported.sha256 is None
    assert imported.subsets["en/fiqa"].missing_audio == 0
    (english, _) = read_dataset(tmp_path / "data")
    assert english.conditions["clean"][0].path == source / "source_data/en/fiqa/audio_clean/1.wav"


def test_moved_together_it_is_found_and_another_archive_is_refused(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    archive = write_zip(home / "source_data.zip", members())
    run_import("squtr", archive, home / "data", False)
    home.rename(tmp_path / "moved")
    data = tmp_path / "moved" / "data"
    (english, _) = read_dataset(data)
    assert str(english.conditions["clean"][0].path).startswith(str(tmp_path / "moved/source_data.zip!"))
    write_zip(tmp_path / "moved/source_data.zip", members() | {"source_data/more": b"x"})
    with pytest.raises(UserError, match=r"is not the archive that .* was imported from"):
        read_dataset(data)
    (tmp_path / "moved/source_data.zip").unlink()
    with pytest.raises(UserError, match=r"its audio is not at .* any more"):
        read_dataset(data)


def test_a_lost_member_is_a_failed_recording_and_no_empty_transcript(tmp_path):
    files = members()
    del files["source_data/en/fiqa/audio_clean/2.wav"]
    run_import("squtr", write_zip(tmp_path / "a.zip", files), tmp_path / "data", False)
    found, out = run_eval(tmp_path / "data", ANY_RATE, ["bm25"], tmp_path / "out", 1, None)
    assert found["recognition"]["en/fiqa"]["clean"]["failed"] == 1
    lost = rows(out / "transcripts/en/fiqa/clean.jsonl")[1]
    assert (lost["status"], lost["reason"]) == ("failed", "2.wav: missing or empty")


def test_extra_folders_of_other_systems_are_passed_over(tmp_path):
    files = members("") | {"__MACOSX/en/fiqa/._corpus.jsonl": b"\0", "en/fiqa/.DS_Store": b"\0"}
    run_import("squtr", write_zip(tmp_path / "a.zip", files), tmp_path / "data", False)
    assert [subset.key for subset in read_dataset(tmp_path / "data")] == list(SUBSETS)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda place: place / "no.zip", "no such folder or archive"),
        (lambda place: _touch(place / "a.tar"), r"no folder and no \.zip"),
        (lambda place: write_zip(place / "a.zip", {"x/y.txt": b""}), "not SQuTR's layout"),
        (lambda place: write_zip(place / "a.zip", members("a/") | members("b/")), "below a and b"),
        (lambda place: write_zip(place / "a.zip", _renamed("en fiqa")), "may hold only letters"),
        (lambda place: write_zip(place / "a.zip", members() | {"../x": b""}), "not safe"),
    ],
)
def test_bad_sources_are_one_message_and_leave_nothing(tmp_path, make, message):
    with pytest.raises(UserError, match=message):
        run_import("squtr", make(tmp_path), tmp_path / "data", False)
    assert not (tmp_path / "data").exists()
    assert not list(tmp_path.glob(".data*"))


def test_a_damaged_table_is_a_damaged_archive(tmp_path):
    archive = write_zip(tmp_path / "a.zip", members())
    data = archive.read_bytes()
    at = data.index(b"source_data/en/fiqa/queries.jsonl") + 60
    archive.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
    with pytest.raises(UserError, match="damaged"):
        run_import("squtr", archive, tmp_path / "data", False)
    assert not (tmp_path / "data").exists()


def test_an_import_file_that_is_no_such_file(published, tmp_path):
    run_import("squtr", published, tmp_path / "data", False)
    (tmp_path / "data" / "import.json").write_text('{"audio": {"source": 1}}')
    with pytest.raises(UserError, match=r"import\.json: cannot be read"):
        read_dataset(tmp_path / "data")


def test_on_the_command_line(published, tmp_path):
    done = command("import", "squtr", published, "--out", tmp_path / "data", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["subsets"]["en/fiqa"]["formats"] == {
        "16000 Hz, 16 bit, 1 channel": 4,
        "24000 Hz, 16 bit, 1 channel": 12,
    }
    again = command("import", "squtr", published, "--out", tmp_path / "data")
    assert again.returncode == 2
    assert "is there already" in again.stderr
    other = command("import", "beir", published, "--out", tmp_path / "other")
    assert (other.returncode, other.stdout) == (2, "")
    shutil.rmtree(tmp_path / "data")


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (b"", "no WAV"),
        (b"<html>", "no WAV"),
        (b"RIFF\0\0\0\0WAVE", "no format stated"),
        (b"RIFF\0\0\0\0WAVELIST\x04\0\0\0abcdfmt \x10\0\0\0\1\0\2\0\x80\x3e\0\0\0\xfa\0\0\4\0\x10\0", None),
    ],
)
def test_headers(start, kind):
    assert wav_format(start)[0] == (kind or "16000 Hz, 16 bit, 2 channels")


def _touch(path: Path) -> Path:
    path.write_bytes(b"x")
    return path


def _renamed(name: str) -> dict[str, bytes]:
    return {key.replace("fiqa", name): data for key, data in members().items()}
