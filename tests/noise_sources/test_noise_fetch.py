"""Archives of a catalogue, fetched from a server on loopback: checked, locked, and never half there."""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path
from typing import Any

import filelock
import pytest
from noise_archives import ENVIRONMENTS, write_environment, write_zip
from noise_server import Server

from squtr.errors import UserError
from squtr.noise_sources.catalogue import Catalogue, built_in, read_catalogue
from squtr.noise_sources.download import Patience
from squtr.noise_sources.fetch import LOCK_FILE, Fetched, fetch, url_of, wanted_archives
from squtr.plugins import load

QUICK = Patience(attempts=3, pause=0.001, timeout=5)
DEMAND = read_catalogue(built_in()["demand"])


@pytest.fixture
def data(tmp_path: Path) -> bytes:
    return write_environment(tmp_path / "source", "SCAFE", (1,), 0.3).read_bytes()


@pytest.fixture
def get(server: Server, tmp_path: Path, data: bytes, written: Any) -> Any:
    """Fetch SCAFE_48k.zip as a catalogue of the test's own describes it."""
    server.files["/SCAFE_48k.zip"] = data

    def run(**known: Any) -> list[Fetched]:
        known = {"bytes": None, "md5": None, "sha256": None} | known
        row = json.dumps({"file": "SCAFE_48k.zip", "category": "SCAFE", "rate": "48k"} | known)
        catalogue = read_catalogue(
            written(
                "name: demand\nlicence: [CC BY-SA 3.0, CC BY 4.0]\ncategories: {SCAFE: x.wav}\n"
                f"download: {{url: '{server.url}/{{file}}', archives: [{row}]}}\n"
            )
        )
        return fetch(catalogue, wanted_archives(catalogue, [], "48k"), tmp_path / "to", "", QUICK)

    return run


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".noise-fetch.lock")


def test_the_first_fetch_takes_the_checksum_down(get, tmp_path, data):
    sha256 = hashlib.sha256(data).hexdigest()
    [fetched] = get()
    assert fetched == Fetched("SCAFE_48k.zip", "SCAFE", "48k", len(data), sha256, "fetched")
    assert (tmp_path / "to" / "SCAFE_48k.zip").read_bytes() == data
    assert names(tmp_path / "to") == ["SCAFE_48k.zip", LOCK_FILE]
    lock = json.loads((tmp_path / "to" / LOCK_FILE).read_text())
    assert lock["licence"] == ["CC BY-SA 3.0", "CC BY 4.0"]
    facts = lock["archives"]["SCAFE_48k.zip"]
    assert (facts["sha256"], facts["bytes"]) == (sha256, len(data))
    assert facts["url"].endswith("/SCAFE_48k.zip")


def test_a_second_fetch_keeps_what_is_there(get, server):
    get()
    server.requests.clear()
    assert [fetched.status for fetched in get()] == ["kept"]
    assert server.requests == []


def test_known_sums_are_held_against_the_download(get, data):
    good = {"md5": hashlib.md5(data).hexdigest(), "sha256": hashlib.sha256(data).hexdigest()}
    assert get(bytes=len(data), **good)[0].status == "fetched"


@pytest.mark.parametrize("known", [{"sha256": "0" * 64}, {"md5": "0" * 32}], ids=["sha256", "md5"])
def test_a_wrong_checksum_is_tried_twice_and_thrown_away(get, server, tmp_path, known):
    with pytest.raises(UserError, match=r"is [0-9a-f]+, the catalogue says 0+ .*thrown away.*--base-url"):
        get(**known)
    assert len(server.requests) == 2
    assert names(tmp_path / "to") == []


def test_bytes_spoilt_on_the_way_are_fetched_once_more(get, server, tmp_path, data):
    class Spoilt(dict[str, bytes]):
        def __getitem__(self, path: str) -> bytes:
            sent = super().__getitem__(path)
            return sent if len(server.requests) > 1 else b"x" + sent[1:]

    server.files = Spoilt(server.files)
    get(sha256=hashlib.sha256(data).hexdigest())
    assert (tmp_path / "to" / "SCAFE_48k.zip").read_bytes() == data


def test_an_archive_that_changed_since_the_first_fetch_is_refused(get, server, tmp_path):
    get()
    (tmp_path / "to" / "SCAFE_48k.zip").unlink()
    server.files["/SCAFE_48k.zip"] = write_environment(tmp_path / "new", "SCAFE", (2,), 0.3).read_bytes()
    with pytest.raises(UserError, match=rf"{LOCK_FILE} says"):
        get()


def test_a_changed_file_is_named_and_left_alone(get, tmp_path):
    get()
    path = tmp_path / "to" / "SCAFE_48k.zip"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(UserError, match=r"SCAFE_48k\.zip: SHA-256 is .* Delete it to have it fetched anew"):
        get()
    assert path.exists()


def test_a_broken_lock_file_is_named(get, tmp_path):
    get()
    (tmp_path / "to" / LOCK_FILE).write_text("{")
    with pytest.raises(UserError, match=LOCK_FILE):
        get()


@pytest.mark.parametrize("body", [b"", b"<html>busy</html>"], ids=["empty", "page"])
def test_what_is_no_archive_does_not_stay(get, server, tmp_path, body):
    server.files["/SCAFE_48k.zip"] = body
    with pytest.raises(UserError, match="not a whole zip archive"):
        get()
    assert names(tmp_path / "to") == []


def test_a_member_that_points_outside_is_refused(get, server, tmp_path):
    evil = write_zip(tmp_path / "evil.zip", {"SCAFE/ch01.wav": b"x", "../../evil.wav": b"x"})
    server.files["/SCAFE_48k.zip"] = evil.read_bytes()
    with pytest.raises(UserError, match=r"'\.\./\.\./evil\.wav' leads out of its folder.*thrown away"):
        get()
    assert names(tmp_path / "to") == []


def test_a_damaged_member_is_refused(get, server, tmp_path, data):
    middle = len(data) // 2
    server.files["/SCAFE_48k.zip"] = data[:middle] + bytes(16) + data[middle + 16 :]
    with pytest.raises(UserError, match="a damaged zip archive"):
        get()
    assert names(tmp_path / "to") == []


def test_two_at_a_time_are_refused(get, tmp_path):
    (tmp_path / "to").mkdir()
    holding, done = threading.Event(), threading.Event()

    def hold() -> None:
        with filelock.FileLock(tmp_path / "to" / ".noise-fetch.lock"):
            holding.set()
            done.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    holding.wait(10)
    with pytest.raises(UserError, match="another squtr noise fetch"):
        get()
    done.set()
    thread.join()


def test_a_mirror_takes_the_place_of_the_address():
    [archive] = wanted_archives(DEMAND, ["scafe"], "48k")
    assert url_of(DEMAND, archive) == "https://zenodo.org/records/1227121/files/SCAFE_48k.zip?download=1"
    assert url_of(DEMAND, archive, "http://here/") == "http://here/SCAFE_48k.zip"
    assert url_of(DEMAND, archive, "http://here/{file}?x") == "http://here/SCAFE_48k.zip?x"


def test_the_built_in_catalogue_offers_every_environment_at_48_khz():
    archives = wanted_archives(DEMAND, [], "48k")
    assert [archive.file for archive in archives] == [f"{code}_48k.zip" for code in ENVIRONMENTS]


def test_scafe_comes_at_48_khz_where_16_are_asked_for():
    files = [archive.file for archive in wanted_archives(DEMAND, [], "16k")]
    assert [name for name in files if "16k" not in name] == ["SCAFE_48k.zip"]
    assert len(files) == 18


def test_unknown_environments_rates_and_sources_are_named():
    with pytest.raises(UserError, match=r"no archive of 'SCAFFE'\. Did you mean 'SCAFE'"):
        wanted_archives(DEMAND, ["SCAFFE"], "48k")
    with pytest.raises(UserError, match="no rate '44k'"):
        wanted_archives(DEMAND, [], "44k")
    with pytest.raises(UserError, match=r"noisex92 has no download.*never redistribute"):
        wanted_archives(read_catalogue(built_in()["noisex92"]), [], "48k")


def test_what_was_fetched_is_a_noise_source(get, tmp_path):
    get()
    source = load("noise", f"demand,path={tmp_path / 'to'},only=SCAFE")
    assert [recording.id for recording in source.recordings()] == ["demand_SCAFE_ch01"]


def test_checksums_in_the_catalogue_are_whole():
    known: Catalogue = DEMAND
    assert known.download is not None
    rows = known.download.archives
    assert len(rows) == 35
    assert len({row.file for row in rows}) == 35
    sums = [value for row in rows for value in (row.md5, row.sha256) if value]
    assert len(sums) == len(set(sums))
