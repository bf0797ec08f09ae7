"""squtr verify names what squtr did not write, and every entry of build.json that the rest contradicts."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from squtr.commands.verify import show_verify
from squtr.data_build.seal import sealed
from squtr.data_build.verify import verify
from tests.building import build, write_trial
from tests.data_build.test_verify_damage import QUERIES, SUBSET, edited, facts_changed

FACTS = "build.json"
EDITED = "was edited after the build: its digest is not that of what it says"
Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contradictions")
    build(write_trial(folder, QUERIES, mix={"snrs_db": [0]}), folder / "out")
    return folder / "out"


@pytest.fixture
def out(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "out"))


def put(place: Path, data: bytes = b"x") -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)


@pytest.mark.parametrize(
    "name", ["notes.txt", f"{SUBSET}/audio_clean/extra.wav", "en/notes.txt", ".DS_Store"]
)
def test_a_stray_file_is_named(out, name):
    put(out / name)
    assert verify(out).faults == [(name, "does not belong to the data set")]


@pytest.mark.parametrize("place", ["en/other", "fr", "audio", f"{SUBSET}/audio_noise_snr_5"])
def test_a_foreign_folder_is_named_once(out, place):
    for name in ("queries_with_audio_clean.jsonl", "audio_clean/1.wav"):
        put(out / place / name)
    assert verify(out).faults == [(place, "a folder of 2 files that does not belong to the data set")]


def test_empty_folders_and_the_work_folder_are_passed_over(out):
    (out / "en" / "other").mkdir()
    put(out / ".squtr" / "publish" / "staged.json")
    assert verify(out).faults == []


@pytest.mark.parametrize(
    "name", ["rejected.jsonl", "README.md", f"{SUBSET}/corpus.jsonl", f"{SUBSET}/audio_clean/2.wav"]
)
def test_what_stands_in_a_file_s_place_is_told(out, name):
    away = out / ".squtr" / "away"
    shutil.move(out / name, away)
    assert (name, "missing") in verify(out).faults
    (out / name).symlink_to(away)
    assert (name, f"is a link to {away}") in verify(out).faults
    away.unlink()
    assert (name, f"is a link to {away}, where nothing is") in verify(out).faults
    (out / name).unlink()
    (out / name).mkdir()
    assert (name, "is a folder") in verify(out).faults


def test_links_that_do_not_belong(out, tmp_path):
    put(tmp_path / "elsewhere" / "x.wav")
    (out / "en" / "more").symlink_to(tmp_path / "elsewhere")
    assert verify(out).faults == [("en/more", "a link that does not belong to the data set")]


def test_a_folder_behind_a_link_inside_is_told(out):
    shutil.move(out / "en", out / ".squtr" / "en")
    (out / "en").symlink_to(out / ".squtr" / "en")
    assert verify(out).faults == [("en", f"is a link to {out / '.squtr' / 'en'}")]


@pytest.mark.parametrize(
    ("cut", "what"),
    [
        (lambda size: size - 5, "it is cut short, its last line has no end"),
        (lambda size: 0, "it is empty (0 bytes)"),
    ],
)
def test_a_cut_table_is_called_cut(out, cut, what):
    name = f"{SUBSET}/corpus.jsonl"
    os.truncate(out / name, cut((out / name).stat().st_size))
    assert verify(out).faults == [(name, f"its SHA-256 is not the one in build.json: {what}")]


def test_the_card_is_held_against_its_digest(out):
    edited("README.md", lambda text: text.replace("accepted queries", "excellent queries"))(out)
    assert verify(out).faults == [("README.md", "its SHA-256 is not the one in build.json")]
    (out / "README.md").unlink()
    assert verify(out).faults == [("README.md", "missing")]


def finding(kind: str, count: int) -> dict[str, object]:
    return {"kind": kind, "count": count, "message": "", "examples": []}


CHANGES: dict[str, tuple[Change, str]] = {
    "accepted": (lambda facts: facts["counts"].update(accepted=9), "counts.accepted: says 9, found 2"),
    "recordings": (lambda facts: facts["counts"].update(recordings=9), "counts.recordings: says 9, found 4"),
    "rejected": (
        lambda facts: facts["counts"].update(rejected={"screen": 1}),
        "counts.rejected: says {'screen': 1}, found {'judge': 1}",
    ),
    "seconds": (
        lambda facts: facts["counts"].update(seconds_of_audio=1.5),
        "counts.seconds_of_audio: says 1.5, found",
    ),
    "SNR": (
        lambda facts: facts["counts"].update(largest_snr_error_db=0),
        "counts.largest_snr_error_db: says 0, found",
    ),
    "other counts": (lambda facts: facts["counts"].update(speakers=3), "counts.speakers: says 3, found None"),
    "no counts": (lambda facts: facts.pop("counts"), "cannot be held against the rest: counts is missing"),
    "unjudged": (
        lambda facts: facts["left_out"][SUBSET].update(unjudged=4),
        f"left_out.{SUBSET}.unjudged: says 4, found 0",
    ),
    "findings": (
        lambda facts: facts["findings"].update({SUBSET: [finding("query-without-positive", 2)]}),
        f"left_out.{SUBSET}.without_positive: says 0, found 2",
    ),
    "subsets": (lambda facts: facts["left_out"].update({"en/x": {}}), "left_out: says ['en/trial', 'en/x']"),
    "noise gone": (lambda facts: facts.pop("noise"), "noise: says [], found ['licence', 'redistribute']"),
    "categories": (
        lambda facts: facts.update(noise_categories=["car"]),
        "noise_categories: says ['car'], found",
    ),
    "name": (lambda facts: facts["identity"].update(name="x"), "identity.name: says x, found trial"),
    "files": (lambda facts: facts["files"].update(more="0"), "files: says"),
    "no files": (lambda facts: facts.update(files=[]), "files: says []"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_edit_of_build_json_contradicts_the_rest(out, change):
    act, what = CHANGES[change]
    facts_changed(act, sealed)(out)
    found = [reason for place, reason in verify(out).faults if place == FACTS]
    assert len(found) == 1
    assert found[0].startswith(what)


@pytest.mark.parametrize(
    "change",
    [
        lambda facts: facts["noise"].update(licence="CC0-1.0", redistribute=True),
        lambda facts: facts["findings"].update({SUBSET: [finding("blank-line", 9)]}),
        lambda facts: facts["environment"].update(python="2.7"),
        lambda facts: facts["stages"].update(mix="0"),
        lambda facts: facts.pop("digest"),
        lambda facts: facts.update(more=1),
    ],
)
def test_what_cannot_be_counted_again_is_held_against_the_digest(out, change):
    facts_changed(change)(out)
    assert verify(out).faults == [(FACTS, EDITED)]


def test_noise_known_by_its_ids_contradicts_free_terms(out):
    for name in ("manifest.jsonl", f"{SUBSET}/queries_with_audio_noise_snr_0.jsonl"):
        edited(name, lambda text: re.sub(r'(?<="noise_id":")\w+', "noisex_volvo", text))(out)
    told = [what for place, what in verify(out).faults if place == FACTS]
    assert told == ["noise.redistribute: says None, found False"]


def test_without_a_noisy_recording_no_snr_is_claimed(tmp_path, capsys):
    build(write_trial(tmp_path, {"q1": "who wrote hamlet"}, mix={"snrs_db": []}), tmp_path / "out")
    verdict = verify(tmp_path / "out")
    assert (verdict.faults, verdict.noisy) == ([], 0)
    assert show_verify(verdict, tmp_path / "out", False) == 0
    said = capsys.readouterr().out
    assert said.endswith(
        "1 recording as the manifest says; no noisy recording was there, so no SNR was measured.\n"
    )


def test_one_fault_is_one_fault(out, capsys):
    put(out / "notes.txt")
    assert show_verify(verify(out), out, False) == 1
    assert capsys.readouterr().out.endswith(": 1 fault; 4 recordings looked at.\n")
    assert json.loads(json.dumps(vars(verify(out))))["noisy"] == 2


def test_faults_of_one_kind_are_told_three_times_and_counted(out, capsys):
    rows = [json.loads(line) for line in (out / "manifest.jsonl").read_text().splitlines()]
    for row in rows:
        del row["acoustics"], row["spoken_text"]
    (out / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    put(out / "notes.txt")
    verdict = verify(out)
    assert len(rows) == 4 and sum("lacks" in what for _, what in verdict.faults) == len(rows)
    assert show_verify(verdict, out, False) == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown[:4] == [
        *(f"manifest.jsonl:{line}: lacks acoustics, spoken_text" for line in (1, 2, 3)),
        f"  and {len(rows) - 3} more like this",
    ]
    assert "notes.txt: does not belong to the data set" in shown and len(shown) < 20
    show_verify(verdict, out, True)
    assert len(json.loads(capsys.readouterr().out)["faults"]) == len(verdict.faults)
