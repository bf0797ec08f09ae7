"""Files and members of archives, side by side."""

from __future__ import annotations

import zipfile

import pytest
from noise_archives import write_zip

from squtr.errors import ItemFailure, UserError
from squtr.noise_sources.tree import list_tree, open_entry


def paths(root):
    return [entry.path for entry in list_tree(root)]


def test_archives_read_as_if_unpacked_beside_themselves(tmp_path):
    write_zip(tmp_path / "x" / "SCAFE_48k.zip", {"SCAFE/ch02.wav": b"22", "SCAFE/ch01.wav": b"1"})
    (tmp_path / "x" / "a.wav").write_bytes(b"123")
    entries = list_tree(tmp_path)
    assert [(entry.path, entry.bytes, entry.member) for entry in entries] == [
        ("x/SCAFE_48k/SCAFE/ch01.wav", 1, "SCAFE/ch01.wav"),
        ("x/SCAFE_48k/SCAFE/ch02.wav", 2, "SCAFE/ch02.wav"),
        ("x/a.wav", 3, ""),
    ]
    read = []
    for entry in entries:
        with open_entry(entry) as stream:
            read.append(stream.read())
    assert read == [b"1", b"22", b"123"]
    assert entries[0].place.endswith("SCAFE_48k.zip: SCAFE/ch01.wav")


def test_a_single_archive_is_a_root(tmp_path):
    path = write_zip(tmp_path / "SCAFE_48k.zip", {"SCAFE/ch01.wav": b"1"})
    assert paths(path) == ["SCAFE/ch01.wav"]


def test_folders_and_junk_are_passed_over(tmp_path):
    write_zip(
        tmp_path / "a.zip", {"A/": b"", "A/ch01.wav": b"1", "__MACOSX/A/._ch01.wav": b"2", "A/.x.wav": b""}
    )
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "b.wav").write_bytes(b"")
    (tmp_path / "._c.wav").write_bytes(b"")
    assert paths(tmp_path) == ["a/A/ch01.wav"]


def test_links_are_followed_once(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.wav").write_bytes(b"1")
    (tmp_path / "deep" / "up").symlink_to(tmp_path)
    outside = tmp_path.parent / f"{tmp_path.name}-else"
    outside.mkdir()
    (outside / "b.wav").write_bytes(b"2")
    (tmp_path / "linked").symlink_to(outside)
    assert paths(tmp_path) == ["deep/a.wav", "linked/b.wav"]


@pytest.mark.parametrize(
    "name", ["../a.wav", "SCAFE/../../a.wav", "/etc/a.wav", "..\\a.wav", "C:\\a.wav", "C:/a.wav", "\\a.wav"]
)
def test_names_that_point_outside_are_refused(tmp_path, name):
    write_zip(tmp_path / "evil.zip", {"SCAFE/ch01.wav": b"1", name: b"2"})
    with pytest.raises(UserError, match=r"evil\.zip: .*(leads out of its folder|no plain relative name)"):
        list_tree(tmp_path)


@pytest.mark.parametrize("cut", [0, 10, -30])
def test_damaged_archives_are_named(tmp_path, cut):
    path = write_zip(tmp_path / "SCAFE.zip", {"SCAFE/ch01.wav": b"1" * 100})
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(UserError, match=r"SCAFE\.zip: not a whole zip archive"):
        list_tree(tmp_path)
    refused: list[UserError] = []
    assert list_tree(tmp_path, refused) == []
    assert len(refused) == 1


def test_encrypted_members_are_named(tmp_path):
    path = write_zip(tmp_path / "a.zip", {"a.wav": b"1"}, zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    data[data.rfind(b"PK\1\2") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(UserError, match=r"'a\.wav' is encrypted"):
        list_tree(tmp_path)


def test_a_member_whose_bytes_are_not_those_packed_is_an_item_failure(tmp_path):
    path = write_zip(tmp_path / "a.zip", {"a.wav": b"1" * 5000}, zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"1" * 5000, b"1" * 4999 + b"2"))
    [entry] = list_tree(tmp_path)
    with pytest.raises(ItemFailure, match="damaged"), open_entry(entry) as stream:
        stream.read()


def test_a_file_that_went_away_is_an_item_failure(tmp_path):
    (tmp_path / "a.wav").write_bytes(b"1")
    [entry] = list_tree(tmp_path)
    entry.file.unlink()
    with pytest.raises(ItemFailure, match="cannot be read"), open_entry(entry):
        pass
