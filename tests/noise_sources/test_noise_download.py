"""Downloads that break off, are refused, change on the way, and resume."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from noise_server import Server

from squtr.draw import draw
from squtr.errors import UserError
from squtr.noise_sources.download import Patience, download

DATA = draw(1, "download", "data").bytes(1_000_003)
QUICK = Patience(attempts=3, pause=0.001, timeout=5)


def get(
    server: Server, part: Path, name: str = "/a.zip", size: int | None = None
) -> list[tuple[int, int | None]]:
    told: list[tuple[int, int | None]] = []
    download(server.url + name, part, size, QUICK, lambda there, total: told.append((there, total)))
    return told


@pytest.fixture
def part(tmp_path: Path, server: Server) -> Path:
    server.files["/a.zip"] = DATA
    return tmp_path / "a.zip.part"


def test_a_whole_download(server, part):
    told = get(server, part, size=len(DATA))
    assert part.read_bytes() == DATA
    assert told[0] == (0, len(DATA)) and told[-1] == (len(DATA), len(DATA))
    assert server.requests == [("/a.zip", None)]
    assert [path.name for path in part.parent.glob("a.zip*")] == ["a.zip.part"]


def test_a_dropped_connection_is_resumed_where_it_ended(server, part):
    server.troubles = [("drop", 400_000), ("drop", 300_000)]
    get(server, part)
    assert part.read_bytes() == DATA
    assert server.requests == [("/a.zip", None), ("/a.zip", "bytes=400000-"), ("/a.zip", "bytes=700000-")]


def test_progress_counts_as_patience(server, part):
    server.troubles = [("drop", 100_000)] * 8
    get(server, part)
    assert part.read_bytes() == DATA


def test_a_later_run_goes_on(server, part):
    server.troubles = [("drop", 600_000), *[("status", 503, {})] * 3]
    with pytest.raises(UserError, match=r"503.*3 times in a row.*goes on from there"):
        get(server, part)
    assert part.stat().st_size == 600_000
    server.requests.clear()
    told = get(server, part)
    assert server.requests == [("/a.zip", "bytes=600000-")]
    assert told[0] == (600_000, len(DATA))
    assert part.read_bytes() == DATA


def test_a_download_that_is_whole_already_ends_at_once(server, part):
    server.troubles = [("drop", 600_000)]
    get(server, part)
    part.with_name(part.name + ".json").write_text(
        json.dumps({"url": f"{server.url}/a.zip", "validator": ""})
    )
    get(server, part)
    assert server.requests[-1] == ("/a.zip", f"bytes={len(DATA)}-")
    assert part.read_bytes() == DATA


@pytest.mark.parametrize("etags", [True, False])
def test_a_server_without_range_begins_anew(server, part, etags):
    server.etags = etags
    server.troubles = [("drop", 600_000), ("no range",)]
    get(server, part)
    assert part.read_bytes() == DATA


def test_a_file_that_changed_between_two_runs_is_fetched_anew(server, part):
    server.troubles = [("drop", 600_000), *[("status", 500, {})] * 3]
    with pytest.raises(UserError):
        get(server, part)
    server.files["/a.zip"] = DATA[::-1]
    get(server, part)
    assert part.read_bytes() == DATA[::-1]


def test_another_address_does_not_go_on_from_these_bytes(server, part):
    server.etags = False
    server.files["/b.zip"] = DATA[::-1]
    server.troubles = [("drop", 600_000), *[("status", 500, {})] * 3]
    with pytest.raises(UserError):
        get(server, part)
    get(server, part, "/b.zip")
    assert part.read_bytes() == DATA[::-1]


def test_bytes_of_unknown_origin_are_not_gone_on_from(server, part):
    part.write_bytes(b"x" * 1000)
    get(server, part)
    assert part.read_bytes() == DATA


def test_a_piece_that_begins_elsewhere_is_not_joined(server, part):
    server.troubles = [("drop", 600_000), ("shifted",)]
    get(server, part)
    assert part.read_bytes() == DATA


def test_redirects_are_followed_with_the_range(server, part):
    server.redirects["/old.zip"] = "/a.zip"
    server.troubles = [("none",), ("drop", 600_000)]
    get(server, part, "/old.zip")
    assert part.read_bytes() == DATA
    assert server.requests[-1] == ("/a.zip", "bytes=600000-")


@pytest.mark.parametrize("code", [401, 403, 404, 410])
def test_a_refusal_ends_at_once_and_leaves_nothing(server, part, code):
    server.troubles = [("status", code, {})]
    with pytest.raises(UserError, match=rf"a\.zip: the server answers {code} .*--base-url"):
        get(server, part)
    assert len(server.requests) == 1
    assert not list(part.parent.glob("a.zip*"))


@pytest.mark.parametrize("code", [408, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again(server, part, code):
    server.troubles = [("status", code, {"Retry-After": "0"})] * 2
    get(server, part)
    assert part.read_bytes() == DATA


def test_the_server_says_how_long_to_wait(server, part, monkeypatch):
    slept: list[float] = []
    monkeypatch.setattr("squtr.noise_sources.download.time.sleep", slept.append)
    server.troubles = [("status", 429, {"Retry-After": "7"}), ("status", 503, {"Retry-After": "100000"})]
    get(server, part)
    assert slept == [7, 60]


def test_pauses_double(server, part, monkeypatch):
    slept: list[float] = []
    monkeypatch.setattr("squtr.noise_sources.download.time.sleep", slept.append)
    server.troubles = [("status", 500, {})] * 5
    download(f"{server.url}/a.zip", part, None, Patience(6, 0.5, 5), lambda there, total: None)
    assert slept == [0.5, 1, 2, 4, 8]


def test_another_length_than_expected_is_refused(server, part):
    with pytest.raises(UserError, match=rf"{len(DATA)} bytes, 5 are expected"):
        get(server, part, size=5)
    assert not part.exists()


def test_nobody_there(tmp_path):
    with Server() as gone:
        url = gone.url
    with pytest.raises(UserError, match=r"no connection .*3 times in a row\. --base-url names a mirror"):
        download(f"{url}/a.zip", tmp_path / "a.part", None, QUICK, lambda there, total: None)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x/a.zip", "a.zip", ""])
def test_only_http_is_spoken(tmp_path, url):
    with pytest.raises(UserError, match="not an http or https address"):
        download(url, tmp_path / "a.part", None, QUICK, lambda there, total: None)


def test_a_full_disk_is_seen_before(server, part, monkeypatch):
    usage = shutil.disk_usage(part.parent)._replace(free=1000)
    monkeypatch.setattr("squtr.noise_sources.download.shutil.disk_usage", lambda path: usage)
    with pytest.raises(UserError, match="are free"):
        get(server, part)


def test_a_write_error_is_no_fault_of_the_connection(server, part):
    part.mkdir()
    with pytest.raises(IsADirectoryError):
        get(server, part)
    assert len(server.requests) == 1
