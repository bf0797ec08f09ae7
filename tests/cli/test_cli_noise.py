"""squtr noise list, fetch and check, as a person or a script calls them."""

from __future__ import annotations

import io
import json
import sys
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import soundfile

from squtr.commands.noise import told
from squtr.draw import draw
from squtr.noise_sources.catalogue import Archive
from squtr.progress import Silent
from tests.building import command


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQUTR_NOISE", str(tmp_path / "usual-place"))
    monkeypatch.setenv("SQUTR_NOISE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[str]:
    """A mirror with a catalogue's two archives of one second each."""
    for code in ("SCAFE", "TBUS"):
        buffer = io.BytesIO()
        soundfile.write(buffer, draw(1, "mirror", code).normal(0, 0.1, 48000), 48000, format="WAV")
        (tmp_path / "served").mkdir(exist_ok=True)
        with zipfile.ZipFile(tmp_path / "served" / f"{code}_48k.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{code}/ch01.wav", buffer.getvalue())
    (tmp_path / "mine.yaml").write_text(
        "name: mine\ntitle: Mine\nlicence: CC0-1.0\nid: mine_{category}_{stem}\n"
        "expect: {seconds: 1, sample_rates: [48000], files: 1}\nfiles: ['**/{category}/ch0[1-9].wav']\n"
        "categories: {SCAFE: {title: cafe}, TBUS: {title: bus}}\ndownload:\n  url: http://nowhere.invalid/{file}\n"
        "  archives:\n    - {file: SCAFE_48k.zip, category: SCAFE, rate: 48k}\n"
        "    - {file: TBUS_48k.zip, category: TBUS, rate: 48k}\n"
    )
    handler = partial(_Quiet, directory=str(tmp_path / "served"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_list_names_every_source_its_licence_and_how_to_get_it(run, tmp_path):
    code, out, _ = run("noise", "list")
    assert code == 0
    for words in (
        "procedural: ",
        "demand: DEMAND",
        "CC BY-SA 3.0",
        "CC BY 4.0",
        "noisex92: ",
        "squtr17: ",
        "noisex15: ",
    ):
        assert words in out
    assert f"squtr noise fetch demand --to {tmp_path / 'usual-place' / 'demand'}" in out
    assert "never redistribute it" in out


def test_list_for_machines(run):
    code, out, _ = run("noise", "list", "--json")
    offers = {offer["name"]: offer for offer in json.loads(out)}
    assert code == 0
    assert list(offers) == ["procedural", "demand", "noisex15", "noisex92", "squtr17"]
    assert offers["procedural"]["recordings"] == 68
    assert [len(offer["categories"]) for offer in offers.values()] == [17, 18, 15, 15, 17]
    assert offers["squtr17"]["categories"]["reverberation"]["readings"] == ["synthetic", "none"]
    assert offers["demand"]["where"] is None
    assert "not on this machine" in offers["squtr17"]["problem"]
    assert (offers["demand"]["redistribute"], offers["noisex92"]["redistribute"]) == (True, False)


def test_fetch_check_and_list(run, mirror, tmp_path):
    source, to = tmp_path / "mine.yaml", tmp_path / "to"
    code, out, _ = run("noise", "fetch", source, "--to", to, "--base-url", mirror, "--json")
    assert code == 0
    fetched = json.loads(out)
    assert fetched["licence"] == "CC0-1.0"
    assert [row["status"] for row in fetched["archives"]] == ["fetched", "fetched"]
    code, out, _ = run("noise", "check", to, "--source", source)
    assert (code, "2 recordings of mine, 0.00 h; nothing is wrong." in out) == (0, True)
    code, out, _ = run("noise", "list", f"recordings,source={source},path={to}")
    assert (code, out) == (0, "SCAFE: mine_SCAFE_ch01\nTBUS: mine_TBUS_ch01\n")
    code, out, _ = run("noise", "fetch", source, "--to", to, "--base-url", mirror)
    assert code == 0
    assert "SCAFE_48k.zip: kept" in out and "Licence: CC0-1.0" in out


def test_environments_are_listed_or_repeated(run, mirror, tmp_path, monkeypatch):
    monkeypatch.setenv("SQUTR_NOISE_URL", mirror)
    source = tmp_path / "mine.yaml"
    run("noise", "fetch", source, "--to", tmp_path / "a", "--environments", "scafe,TBUS")
    run("noise", "fetch", source, "--to", tmp_path / "b", "--environments", "SCAFE", "--environments", "TBUS")
    run("noise", "fetch", source, "--to", tmp_path / "c", "--environments", "TBUS")
    found = [sorted(path.name for path in (tmp_path / name).glob("*.zip")) for name in "abc"]
    assert found == [["SCAFE_48k.zip", "TBUS_48k.zip"]] * 2 + [["TBUS_48k.zip"]]


def test_check_exits_1_and_names_what_is_wrong(run, mirror, tmp_path):
    source, to = tmp_path / "mine.yaml", tmp_path / "to"
    run("noise", "fetch", source, "--to", to, "--base-url", mirror)
    (to / "TBUS_48k.zip").unlink()
    for name in ("ch03.wav", "stray.wav"):
        soundfile.write(to / name, np.zeros(100), 8000)
    code, out, _ = run("noise", "check", to, "--source", source)
    assert code == 1
    assert "TBUS: no recording of it" in out
    assert "ch03.wav: wrong name: no recording of mine is called ch03.wav here." in out
    assert f"note: {to}: not of mine, passed over: stray.wav" in out
    assert "1 recording of mine, 0.00 h; 2 faults." in out
    code, out, _ = run("noise", "check", to, "--source", source, "--json")
    assert code == 1
    assert [place for place, _ in json.loads(out)["faults"]] == ["TBUS", str(to / "ch03.wav")]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "nowhere"], "no such folder"),
        (["check", ".", "--source", "demnad"], "Did you mean 'demand'"),
        (["fetch", "noisex92", "--to", "x"], "noisex92 has no download"),
        (["fetch", "demand", "--to", "x", "--rate", "44k"], "no rate '44k'"),
        (["fetch", "demand", "--to", "x", "--environments", "SCAFFE"], "Did you mean 'SCAFE'"),
        (
            ["fetch", "demand", "--to", "x", "--base-url", "ftp://here", "--environments", "SCAFE"],
            "not an http",
        ),
        (["list", "demnad"], "Unknown noise 'demnad'. Did you mean 'demand'"),
        (["list", "demand"], "not on this machine"),
    ],
)
def test_bad_calls_exit_2_with_one_message(run, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("noise", *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1


def test_a_download_without_an_address_says_how_to_name_one(run, mirror, tmp_path):
    source, to = tmp_path / "mine.yaml", tmp_path / "to"
    source.write_text(source.read_text().replace("url: http://nowhere.invalid/{file}", "url: ''"))
    code, out, error = run("noise", "fetch", source, "--to", to)
    assert (code, out) == (2, "") and not to.exists()
    assert "mine: its catalogue has no address for the archives. Name one: --base-url takes" in error
    assert run("noise", "fetch", source, "--to", to, "--base-url", mirror)[0] == 0


def test_what_a_catalogue_of_one_s_own_lacks_is_fetched_by_its_file(run, mirror, tmp_path):
    source, to = tmp_path / "mine.yaml", tmp_path / "to"
    run("noise", "fetch", source, "--to", to, "--base-url", mirror, "--environments", "SCAFE")
    code, _, error = run("noise", "list", f"recordings,source={source},path={to}")
    assert code == 2
    assert f"squtr noise fetch {source} --to {to} --environments TBUS brings it." in error
    assert f"No file below {to} matches TBUS: **/TBUS/ch0[1-9].wav. Correct these globs." in error


def test_a_missing_option_exits_2(run):
    assert run("noise", "fetch", "demand")[0] == 2


def test_progress_is_told_in_megabytes():
    said: list[tuple[str, str, int]] = []

    class Told(Silent):
        def total(self, stage: str, count: int) -> None:
            said.append(("total", stage, count))

        def advance(self, stage: str, count: int) -> None:
            said.append(("advance", stage, count))

    tell = told(Told(), Archive(file="a.zip", category="a"))
    for there in (0, 400_000, 1_200_000, 2_500_000):
        tell(there, 2_500_000)
    assert said == [
        ("total", "a.zip, MB", 0),
        ("total", "a.zip, MB", 3),
        ("advance", "a.zip, MB", 1),
        ("advance", "a.zip, MB", 2),
    ]


def test_in_a_process_of_its_own(tmp_path, mirror):
    to = tmp_path / "to"
    done = command("noise", "fetch", tmp_path / "mine.yaml", "--to", to, SQUTR_NOISE_URL=mirror)
    assert done.returncode == 0
    assert "SCAFE_48k.zip: fetched, 0.1 MB" in done.stdout
    assert command("noise", "check", to, "--source", tmp_path / "mine.yaml").returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="the limit is for the machines that run the tests")
def test_the_command_line_stays_light():
    code = "import sys, squtr.cli; print(sorted({'numpy', 'scipy', 'yaml', 'pydantic'} & set(sys.modules)))"
    import subprocess

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("source", [[], ["--source", "demand"]])
def test_a_file_that_is_no_whole_archive(tmp_path: Path, source: list[str]) -> None:
    (tmp_path / "copy").mkdir()
    for name, data in (("plain.txt", b"hello"), ("copy/SCAFE_48k.zip", b"PK\x03\x04"), ("empty.zip", b"")):
        (tmp_path / name).write_bytes(data)
    for asked, named in (("plain.txt",) * 2, ("copy", "copy/SCAFE_48k.zip"), ("empty.zip",) * 2):
        done = command("noise", "check", tmp_path / asked, *source)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"squtr: {tmp_path / named}: not a whole zip archive (")
