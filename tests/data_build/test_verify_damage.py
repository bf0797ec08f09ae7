"""squtr verify names every kind of damage and passes a data set that has none."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import soundfile

from squtr.audio import wav_bytes
from squtr.commands.verify import run_verify, show_verify
from squtr.data_build.seal import sealed
from squtr.data_build.verify import verify
from squtr.digest import digest_bytes, digest_file
from squtr.errors import UserError
from squtr.line_file import canonical_json_ordered
from tests.building import build, manifest, rows, write_trial

SUBSET = "en/trial"
NOISY = f"{SUBSET}/audio_noise_snr_0/noise_snr0_2.wav"
CUT_WAV = wav_bytes(np.arange(500, dtype=np.int16), 24000)[:-9]
QUERIES = {"q1": "who wrote hamlet", "q2": "where is the tallest tree", "q3": "who is clumsy"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verify")
    build(write_trial(folder, QUERIES), folder / "out")
    return folder / "out"


@pytest.fixture
def out(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "out"))


Action = Callable[[Path], object]


def gone(name: str) -> Action:
    return lambda out: (out / name).unlink()


def put(name: str, data: bytes) -> Action:
    return lambda out: (out / name).write_bytes(data)


def edited(name: str, change: Callable[[str], str]) -> Action:
    def act(out: Path) -> None:
        before = (out / name).read_text(encoding="utf-8")
        (out / name).write_text(change(before), encoding="utf-8")
        assert change(before) != before

    return act


def replaced(name: str, old: str, new: str) -> Action:
    return edited(name, lambda text: text.replace(old, new))


def first_line_gone(name: str) -> Action:
    return edited(name, lambda text: text.partition("\n")[2])


def rows_changed(name: str, change: Callable[[list[dict[str, object]]], object]) -> Action:
    def act(out: Path) -> None:
        found = rows(out / name)
        change(found)
        lines = [canonical_json_ordered(row) + "\n" for row in found]
        (out / name).write_text("".join(lines), encoding="utf-8")

    return act


def row_changed(**values: object) -> Action:
    """Change the second row of the manifest."""
    return rows_changed("manifest.jsonl", lambda found: found[1].update(values))


Facts = dict[str, Any]


def facts_changed(
    change: Callable[[Facts], object], seal: Callable[[Facts], Facts] = lambda facts: facts
) -> Action:
    """Change build.json; its digest stays as it was unless `seal` makes it anew."""

    def act(out: Path) -> None:
        facts = json.loads((out / "build.json").read_text(encoding="utf-8"))
        change(facts)
        (out / "build.json").write_text(json.dumps(seal(facts)), encoding="utf-8")

    return act


def flipped(name: str) -> Action:
    """Change one bit of a sample."""

    def act(out: Path) -> None:
        data = bytearray((out / name).read_bytes())
        data[1001] ^= 1
        (out / name).write_bytes(data)

    return act


def rewritten(name: str, divisor: int, sample_rate: int) -> Action:
    def act(out: Path) -> None:
        samples, _ = soundfile.read(out / name, dtype="int16")
        soundfile.write(out / name, samples // divisor, sample_rate)

    return act


def parquet_row_gone(out: Path) -> None:
    table = pq.read_table(out / "manifest.parquet")
    pq.write_table(table.slice(1), out / "manifest.parquet")


FIRST_NOISY = f"{SUBSET}/audio_noise_snr_10/noise_snr10_1.wav"
REFUSED = f"{SUBSET}/audio_rejected/1.wav"
TEXTS, GRADES, CORPUS = f"{SUBSET}/queries.jsonl", f"{SUBSET}/qrels/test.jsonl", f"{SUBSET}/corpus.jsonl"
SPOKEN = f"{SUBSET}/queries_with_audio_noise_snr_0.jsonl"
TABLE, COLUMNS, FACTS = "manifest.jsonl", "manifest.parquet", "build.json"
DAMAGES: dict[str, tuple[Action, str, str]] = {
    "sample changed": (flipped(NOISY), NOISY, "the samples' SHA-256 is not the recorded one"),
    "recording missing": (gone(NOISY), NOISY, "missing"),
    "recording cut": (put(NOISY, CUT_WAV), NOISY, "cut short"),
    "recording empty": (put(NOISY, b""), NOISY, "is empty"),
    "rate changed": (rewritten(NOISY, 1, 16000), NOISY, "16000 Hz, the manifest says 24000"),
    "level changed": (rewritten(NOISY, 2, 24000), NOISY, "realised SNR"),
    "clean missing": (gone(f"{SUBSET}/audio_clean/2.wav"), NOISY, "its clean recording is missing or broken"),
    "stray recording": (
        put(f"{SUBSET}/audio_clean/9.wav", b"x"),
        f"{SUBSET}/audio_clean/9.wav",
        "not belong",
    ),
    "stray file": (put(f"{SUBSET}/notes.txt", b"x"), f"{SUBSET}/notes.txt", "does not belong"),
    "clean cut": (
        put(f"{SUBSET}/audio_clean/2.wav", CUT_WAV),
        NOISY,
        "its clean recording is missing or broken",
    ),
    "rejected audio missing": (gone(REFUSED), REFUSED, "missing"),
    "rejected audio changed": (flipped(REFUSED), REFUSED, "SHA-256"),
    "rejected row removed": (
        put("rejected.jsonl", b""),
        FACTS,
        "counts.rejected: says {'judge': 1}, found {}",
    ),
    "rejected missing": (gone("rejected.jsonl"), "rejected.jsonl", "missing"),
    "manifest value edited": (
        replaced(TABLE, "hamlet", "macbeth"),
        TABLE,
        "SHA-256 is not the one in build.json",
    ),
    "manifest row removed": (
        rows_changed(TABLE, lambda found: found.pop()),
        FACTS,
        "counts.recordings: says 6, found 5",
    ),
    "manifest field removed": (
        rows_changed(TABLE, lambda found: found[1].pop("peak")),
        f"{TABLE}:2",
        "lacks peak",
    ),
    "manifest torn": (edited(TABLE, lambda text: text[:-9]), TABLE, "manifest.jsonl:6: not JSON"),
    "manifest points outside": (
        row_changed(file="../../x.wav"),
        "../../x.wav",
        "points outside the data set",
    ),
    "manifest with wrong types": (row_changed(file=7), f"{TABLE}:2", "file is 7, which is no text"),
    "manifest gain edited": (row_changed(common_gain=None), FIRST_NOISY, "cannot be measured"),
    "manifest SNR edited": (row_changed(realised_snr_db=10.2), FIRST_NOISY, "the manifest says 10.2000"),
    "parquet differs": (parquet_row_gone, COLUMNS, "does not hold the same rows"),
    "parquet broken": (put(COLUMNS, b"PAR1"), COLUMNS, "cannot be read"),
    "parquet missing": (gone(COLUMNS), COLUMNS, "missing"),
    "query removed": (first_line_gone(TEXTS), TEXTS, "has 1 row, not the manifest's 2 in order"),
    "query text edited": (
        replaced(TEXTS, "tallest", "oldest"),
        TEXTS,
        "has 2 rows, not the manifest's 2 in order",
    ),
    "queries emptied": (put(TEXTS, b""), TEXTS, "has 0 rows"),
    "spoken queries turned": (
        rows_changed(SPOKEN, lambda found: found.reverse()),
        SPOKEN,
        "not the manifest's",
    ),
    "spoken queries missing": (gone(SPOKEN), SPOKEN, "missing"),
    "grade edited": (replaced(GRADES, ":1}", ":2}"), GRADES, "its SHA-256"),
    "judgement removed": (first_line_gone(GRADES), GRADES, "judges other queries"),
    "judgement of a list": (replaced(GRADES, '"q1"', '["q1"]'), GRADES, "judges other queries"),
    "document removed": (first_line_gone(CORPUS), CORPUS, "its SHA-256"),
    "corpus missing": (gone(CORPUS), CORPUS, "missing"),
    "recipe changed": (facts_changed(lambda facts: facts["recipe"].update(seed=8)), FACTS, "recipe: says"),
    "recipe nameless": (facts_changed(lambda facts: facts["recipe"].pop("name")), FACTS, "name is missing"),
    "inputs changed": (
        facts_changed(lambda facts: facts["inputs"].update(speakers="0")),
        FACTS,
        "inputs: says",
    ),
    "build.json broken": (put(FACTS, b"{"), FACTS, "cannot be read: no JSON, "),
    "build.json missing": (gone(FACTS), FACTS, "cannot be read"),
    "build.json a list": (put(FACTS, b"[]"), FACTS, "cannot be read: no recipe in it"),
}


def test_an_untouched_data_set_passes(built, capsys):
    verdict = run_verify(built)
    assert verdict.faults == []
    assert verdict.recordings == 6
    assert 0 < verdict.largest_snr_error_db < 0.05
    assert show_verify(verdict, built, False) == 0
    assert "6 recordings as the manifest says" in capsys.readouterr().out


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_named(out, damage, capsys):
    act, place, what = DAMAGES[damage]
    act(out)
    verdict = run_verify(out)
    named = [reason for where, reason in verdict.faults if where == place]
    assert any(what in reason for reason in named), verdict.faults
    assert show_verify(verdict, out, False) == 1
    assert place in capsys.readouterr().out


def test_damage_as_json(out, capsys):
    flipped(NOISY)(out)
    assert show_verify(verify(out), out, True) == 1
    assert json.loads(capsys.readouterr().out)["faults"][0][0] == NOISY


def test_an_snr_that_is_off_is_measured_not_believed(out):
    """Noise 1 dB too soft, with every digest made to agree."""
    by_file = {row["file"]: row for row in manifest(out)}
    clean, row = by_file[f"{SUBSET}/audio_clean/2.wav"], by_file[NOISY]
    speech, _ = soundfile.read(out / clean["file"], dtype="int16")
    mixed, rate = soundfile.read(out / NOISY, dtype="int16")
    voice = row["common_gain"] * (speech - speech.mean())
    softer = np.rint(voice + 10**-0.05 * (mixed - voice)).astype("<i2")
    soundfile.write(out / NOISY, softer, rate, subtype="PCM_16")
    replaced(TABLE, row["pcm_sha256"], digest_bytes(softer.tobytes()))(out)
    facts_changed(lambda facts: facts["files"].update({TABLE: digest_file(out / TABLE)}), sealed)(out)
    faults = dict(verify(out).faults)
    assert faults[NOISY] == "realised SNR 1.000 dB, asked 0 dB"
    assert set(faults) == {NOISY, COLUMNS}


def test_a_recording_behind_a_link_out_of_the_folder_is_not_followed(out, tmp_path):
    shutil.move(out / SUBSET / "audio_clean", tmp_path / "elsewhere")
    (out / SUBSET / "audio_clean").symlink_to(tmp_path / "elsewhere")
    assert (f"{SUBSET}/audio_clean/1.wav", "points outside the data set") in verify(out).faults


def test_very_quiet_noise_is_no_fault(tmp_path):
    """Rounding to 16 bit alone moves the ratio by more than the tolerance, and that is foreseen."""
    recipe = write_trial(tmp_path, QUERIES, mix={"snrs_db": [48]})
    table = tmp_path / "speakers.jsonl"
    table.write_text(re.sub(r"0\.\d+", "0.01", table.read_text()))
    build(recipe, tmp_path / "out")
    verdict = verify(tmp_path / "out")
    assert verdict.faults == []
    assert 0.2 < verdict.largest_snr_error_db < 0.5


def test_another_folder_is_no_data_set(tmp_path):
    with pytest.raises(UserError, match=r"no manifest\.jsonl"):
        run_verify(tmp_path)


@pytest.mark.parametrize(("subtype", "channels"), [("PCM_24", 1), ("PCM_16", 2), ("FLOAT", 1)])
def test_the_same_samples_in_another_format_are_a_fault(tmp_path, subtype, channels):
    build(write_trial(tmp_path), tmp_path / "out")
    path = tmp_path / "out" / "en" / "trial" / "audio_clean" / "1.wav"
    samples, rate = soundfile.read(path, dtype="float32")
    soundfile.write(path, np.stack([samples] * channels, axis=1), rate, subtype=subtype)
    faults = verify(tmp_path / "out").faults
    assert ("en/trial/audio_clean/1.wav", "is not a plain WAV file of 16-bit mono samples") in faults
