"""Archives of submissions: accepted when harmless; nothing of a hostile one lands outside its folder."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from squtr.errors import UserError
from squtr.leaderboard import unpack as unpacking
from squtr.leaderboard.validate import validate
from tests.leaderboard.making import refusals

KINDS = ["zip", "tar.gz"]
CLIMBING = ["../evil", "/tmp/evil-squtr", "a/../../evil", "..\\evil", "C:\\evil", "a//evil"]


def pack_folder(folder: Path, archive: Path, inside: str = "") -> Path:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return pack_files(archive, {f"{inside}{path.relative_to(folder)}": path.read_bytes() for path in files})


def pack_files(archive: Path, files: dict[str, bytes]) -> Path:
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, data in files.items():
                packed.writestr(name, data)
        return archive
    with tarfile.open(archive, "w:gz") as packed_tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            packed_tar.addfile(info, io.BytesIO(data))
    return archive


def reason(archive: Path, data: Path) -> str:
    verdict = validate(archive, data)
    assert not verdict.accepted
    found = refusals(verdict)
    assert list(found) == ["files"]
    return found["files"][0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("inside", ["", "my-system/"])
def test_an_archive_is_as_good_as_its_folder(
    kind: str, inside: str, submission: Path, data: Path, tmp_path: Path
) -> None:
    archive = pack_folder(submission, tmp_path / f"s.{kind}", inside)
    verdict = validate(archive, data)
    assert verdict.accepted, refusals(verdict)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CLIMBING)
def test_c52_a_member_that_climbs_out_is_refused(kind: str, name: str, data: Path, tmp_path: Path) -> None:
    target = tmp_path / "in" / "target"
    target.mkdir(parents=True)
    archive = pack_files(tmp_path / f"s.{kind}", {name: b"evil"})
    assert "no plain relative name" in (said := reason(archive, data)) or "leads out" in said
    with pytest.raises(unpacking.Refused):
        unpacking.unpack(archive, target)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [archive]


def test_links_in_archives_are_refused(data: Path, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "s.tar.gz", "w:gz") as packed:
        link = tarfile.TarInfo("runs")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc"
        packed.addfile(link)
    assert "is a link or no plain file" in reason(tmp_path / "s.tar.gz", data)
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as packed_zip:
        info = zipfile.ZipInfo("runs")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed_zip.writestr(info, "/etc")
    assert "is a link or no plain file" in reason(tmp_path / "s.zip", data)


@pytest.mark.parametrize("kind", KINDS)
def test_a_bomb_is_not_unpacked_to_its_end(kind: str, data: Path, tmp_path: Path) -> None:
    archive = pack_files(tmp_path / f"s.{kind}", {"runs/a": bytes(30_000_000), "runs/b": bytes(30_000_000)})
    assert archive.stat().st_size < 100_000
    assert "was not unpacked further" in reason(archive, data)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_archive_and_what_is_cut_short(
    kind: str, data: Path, submission: Path, tmp_path: Path
) -> None:
    broken = tmp_path / f"a.{kind}"
    broken.write_bytes(b"<html>not found</html>")
    assert "cannot be unpacked" in reason(broken, data)
    whole = pack_folder(submission, tmp_path / f"b.{kind}")
    whole.write_bytes(whole.read_bytes()[:-200])
    assert "cannot be unpacked" in reason(whole, data)


def test_a_member_twice_and_too_many(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "stands twice" in reason(pack_files(tmp_path / "a.zip", {"Runs/x": b"1", "runs/x": b"2"}), data)
    monkeypatch.setattr(unpacking, "MOST_MEMBERS", 3)
    many = pack_files(tmp_path / "b.tar.gz", {f"runs/{number}": b"" for number in range(5)})
    assert "more than 3 members" in reason(many, data)


def test_what_is_neither_folder_nor_archive_is_a_bad_call(data: Path, tmp_path: Path) -> None:
    for name in ("missing", "missing.zip"):
        with pytest.raises(UserError, match="no such folder, and no archive"):
            validate(tmp_path / name, data)


@pytest.mark.parametrize("kind", KINDS)
def test_what_lies_beside_the_folder_is_named(
    kind: str, submission: Path, data: Path, tmp_path: Path
) -> None:
    """The usual archive of a Mac has a second folder."""
    files = {f"mine/{path.name}": path.read_bytes() for path in submission.glob("*.*")}
    archive = pack_files(tmp_path / f"a.{kind}", {"__MACOSX/._mine": b"", **files})
    assert "holds '__MACOSX' and 'mine', not the files of one folder" in reason(archive, data)
