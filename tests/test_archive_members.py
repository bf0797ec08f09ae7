"""Members of a zip archive as files, and archives that would do harm."""

from __future__ import annotations

import multiprocessing
import stat
import zipfile
from pathlib import Path

import numpy as np
import pytest

from squtr.archive import is_file, is_member, member_path, open_archive, read_file
from squtr.audio import read_audio, wav_bytes
from squtr.dataset import audio_place, pack_audio
from squtr.errors import ItemFailure, UserError
from squtr.store import Audio, PackWriter, read_place

PCM = np.random.default_rng(3).integers(-9000, 9000, 700).astype("<i2")


def pack(path: Path, *members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_member_reads_like_a_file(tmp_path, method):
    archive = pack(tmp_path / "a.zip", ("in/x.wav", wav_bytes(PCM, 16000)), method=method)
    path = member_path(archive, "in/x.wav")
    assert (is_member(path), is_file(path), path.name) == (True, True, "x.wav")
    assert read_file(path) == wav_bytes(PCM, 16000)
    ref, place = audio_place(path)
    assert (ref.samples, ref.sample_rate) == (700, 16000)
    assert np.array_equal(read_place(place), PCM)
    assert np.array_equal(Audio([place]).pcm(ref), PCM)
    assert read_audio(path).sample_rate == 16000


def test_stereo_in_an_archive_is_converted(tmp_path):
    import io

    import soundfile

    file = io.BytesIO()
    soundfile.write(file, np.stack([PCM, PCM], axis=1), 24000, format="WAV", subtype="PCM_16")
    path = member_path(pack(tmp_path / "a.zip", ("x.wav", file.getvalue())), "x.wav")
    ref, place = audio_place(path)
    assert place is None
    assert pack_audio(path, PackWriter()) == ref


def test_names_that_only_look_like_members(tmp_path):
    odd = tmp_path / "b.zip!x"
    odd.mkdir()
    (odd / "f").write_bytes(b"plain")
    assert not is_member(odd / "f")
    assert read_file(odd / "f") == b"plain"


def test_a_missing_member_is_a_missing_file(tmp_path):
    archive = pack(tmp_path / "a.zip", ("x", b"1"))
    path = member_path(archive, "y.wav")
    assert not is_file(path)
    with pytest.raises(FileNotFoundError):
        read_file(path)
    with pytest.raises(ItemFailure, match=r"y\.wav: missing or empty"):
        audio_place(path)
    with pytest.raises(ItemFailure, match=r"y\.wav: cannot be read"):
        read_audio(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_damaged_member_fails_by_itself(tmp_path, method):
    archive = pack(tmp_path / "a.zip", ("x", PCM.tobytes()), ("y", b"whole"), method=method)
    data = bytearray(archive.read_bytes())
    data[200] ^= 0xFF
    archive.write_bytes(bytes(data))
    with pytest.raises(ItemFailure, match=r"x: cannot be unpacked from a\.zip"):
        read_file(member_path(archive, "x"))
    assert read_file(member_path(archive, "y")) == b"whole"


def test_a_replaced_archive_is_opened_afresh(tmp_path):
    path = member_path(pack(tmp_path / "a.zip", ("x", b"one")), "x")
    assert read_file(path) == b"one"
    pack(tmp_path / "a.zip", ("x", b"another"))
    assert read_file(path) == b"another"


def _read_often(path: str, queue: multiprocessing.Queue) -> None:
    queue.put(
        all(read_file(member_path(Path(path), f"m{n % 50}")) == bytes([n % 50]) * 5000 for n in range(400))
    )


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
def test_forked_processes_do_not_share_a_position(tmp_path):
    archive = pack(tmp_path / "a.zip", *((f"m{n}", bytes([n]) * 5000) for n in range(50)))
    read_file(member_path(archive, "m0"))
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    processes = [context.Process(target=_read_often, args=(str(archive), queue)) for _ in range(3)]
    for process in processes:
        process.start()
    assert [queue.get(timeout=60) for _ in processes] == [True] * 3
    for process in processes:
        process.join()


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../x", "leads out"),
        ("a/../../x", "leads out"),
        ("a/./x", "leads out"),
        ("..", "leads out"),
        ("/etc/x", "plain relative name"),
        ("a\\..\\x", "plain relative name"),
        ("C:/x", "plain relative name"),
        (link("en/fiqa"), "is a link"),
    ],
)
def test_c52_members_that_lead_elsewhere_are_refused(tmp_path, name, message):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("good", b"x")
        archive.writestr(name, b"/etc/passwd")
    with pytest.raises(UserError, match=f"{message}.*not safe"):
        open_archive(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_stands_twice_is_refused(tmp_path):
    with pytest.raises(UserError, match="'x' stands twice"):
        open_archive(pack(tmp_path / "a.zip", ("x", b"1"), ("x", b"2")))


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path):
    bomb = pack(tmp_path / "a.zip", ("corpus.jsonl", bytes(50 << 20)))
    assert bomb.stat().st_size < 100_000
    with pytest.raises(UserError, match="over 100 times its size"):
        open_archive(bomb)


def test_members_that_share_their_bytes_are_refused(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("x", b"1" * 5000)
        twin = zipfile.ZipInfo("y")
        first = archive.infolist()[0]
        twin.CRC, twin.compress_size, twin.file_size, twin.header_offset = first.CRC, 5000, 5000, 0
        archive.filelist.append(twin)
        archive.NameToInfo["y"] = twin
    with pytest.raises(UserError, match="share their bytes"):
        open_archive(path)


def test_an_encrypted_member_and_another_method_are_refused(tmp_path):
    path = pack(tmp_path / "a.zip", ("x", b"1"))
    data = path.read_bytes()
    central = data.rindex(b"PK\x01\x02")
    path.write_bytes(data[: central + 8] + b"\x01" + data[central + 9 :])
    with pytest.raises(UserError, match="encrypted"):
        open_archive(path)
    with pytest.raises(UserError, match="another method"):
        open_archive(pack(tmp_path / "b.zip", ("x", b"1"), method=zipfile.ZIP_LZMA))


@pytest.mark.parametrize("data", [b"", b"no zip at all", b"PK\x03\x04 cut"])
def test_what_is_no_archive(tmp_path, data):
    path = tmp_path / "a.zip"
    path.write_bytes(data)
    with pytest.raises(UserError, match="not a whole zip archive"):
        open_archive(path)
