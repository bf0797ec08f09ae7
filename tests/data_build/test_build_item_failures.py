"""An item that fails is recorded with its reason; the others go on."""

from __future__ import annotations

import errno
from pathlib import Path

import numpy as np
import pytest

from squtr.data_build import mix as mix_module
from squtr.data_build.speak import joined
from squtr.errors import ItemFailure, UserError
from squtr.records import Waveform
from tests.building import (
    ENGLISH,
    JUDGE,
    RECOGNISER,
    VOICE,
    build,
    command,
    files,
    manifest,
    rows,
    write_trial,
)
from tests.doubles import ToneVoice, hiss

FAULTS = {
    "refused": "this cannot be said",
    "broken": "RuntimeError: the voice broke down",
    "silent": "the voice gave silence",
    "nothing": "the voice gave no audio",
    "empty": "the voice gave no audio",
    "undefined": "the voice gave NaN or infinite samples",
    "stereo": "not float samples of shape (n,)",
}


def rejected(out: Path) -> dict[str, dict[str, object]]:
    return {row["query_id"]: row for row in rows(out / "rejected.jsonl")}


def test_c05_faults_of_a_voice_are_recorded_and_the_run_goes_on(tmp_path):
    faulty = {f"f-{word}": f"what is a {word} sound" for word in FAULTS}
    summary = build(write_trial(tmp_path, {**faulty, **ENGLISH}), tmp_path / "out")
    assert summary.queries == len(faulty) + 4
    assert (summary.accepted, summary.rejected) == (4, {"speak": len(faulty)})
    assert summary.crashed == {"speak": 2}
    found = rejected(tmp_path / "out")
    for word, reason in FAULTS.items():
        row = found[f"f-{word}"]
        assert row["reason"] == "; ".join(row["failed_takes"])
        assert [text.partition(": ")[0] for text in row["failed_takes"]] == ["take 1", "take 2"]
        assert all(reason in text for text in row["failed_takes"])
        assert (row["stage"], row["audio"], row["transcript"], row["error_rate"]) == ("speak", None, "", None)
        assert row["qrels"]
    assert {row["query_id"] for row in manifest(tmp_path / "out")} == set(ENGLISH)


def test_c05_only_what_crashed_is_tried_again(tmp_path):
    recipe = write_trial(tmp_path, {f"f-{word}": f"what is a {word} sound" for word in FAULTS})
    assert build(recipe, tmp_path / "out").computed["speak"] == 2 * len(FAULTS)
    assert build(recipe, tmp_path / "out").computed["speak"] == 2


def test_c05_summary_says_what_will_be_tried_again(tmp_path):
    recipe = write_trial(tmp_path, {**ENGLISH, "q9": "what is a broken sound"})
    done = command("build", recipe, "--out", tmp_path / "out", "--workers", 1)
    assert done.returncode == 0
    assert "4 of 5 queries accepted, 1 rejected (speak 1; see rejected.jsonl)" in done.stdout
    assert "2 items crashed a model (speak 2) and are tried again at the next run" in done.stdout


def test_c41_pieces_are_joined_in_order(tmp_path):
    text = "what is said in pieces"
    build(write_trial(tmp_path, {"q1": text}), tmp_path / "out")
    row = manifest(tmp_path / "out")[0]
    assert row["transcript"] == text
    assert row["samples"] == 960 * len(text)


def test_c41_three_chunks_are_1_75_seconds():
    chunks = [
        Waveform(hiss(seconds, hertz), 24000) for seconds, hertz in ((1, 500), (0.5, 900), (0.25, 1300))
    ]
    whole = joined(iter(chunks), 24000)
    assert whole.seconds == 1.75
    assert np.array_equal(whole.samples, np.concatenate([chunk.samples for chunk in chunks]))


def test_c41_chunks_of_other_rates_are_resampled():
    whole = joined([Waveform(hiss(1), 24000), Waveform(hiss(1)[::2].copy(), 12000)], 24000)
    assert whole.seconds == pytest.approx(2, abs=1e-4)


def test_c41_no_chunk_is_a_failure():
    with pytest.raises(ItemFailure, match="no audio"):
        joined(iter([]), 24000)


def test_c41_too_much_sound_is_flagged_and_kept(tmp_path):
    queries = {"q1": "what is endless", "q2": "what is padded", "q3": "what is plain"}
    build(write_trial(tmp_path, queries), tmp_path / "out")
    clean = {row["query_id"]: row for row in manifest(tmp_path / "out") if row["condition"] == "clean"}
    assert clean["q1"]["take_flags"] == ["too long for its text"]
    assert clean["q1"]["seconds"] > 30
    assert clean["q2"]["take_flags"] == ["long silence at the ends"]
    assert clean["q2"]["trimmed_seconds"] == pytest.approx(2.9)
    assert clean["q3"]["take_flags"] == []


def test_one_failed_take_is_no_failed_query(tmp_path, monkeypatch):
    speak = ToneVoice.speak

    def fails_on_odd_seeds(voice, text, speaker, seed):
        if seed % 2:
            raise ItemFailure("hoarse")
        return speak(voice, text, speaker, seed)

    monkeypatch.setattr(ToneVoice, "speak", fails_on_odd_seeds)
    recipe = write_trial(tmp_path, {f"q{n}": f"which number is {n}" for n in range(6)}, speak={"takes": 4})
    build(recipe, tmp_path / "out")
    clean = [row for row in manifest(tmp_path / "out") if row["condition"] == "clean"]
    assert any(row["failed_takes"] for row in clean)
    for row in clean:
        assert row["takes"] == 4 == len(row["failed_takes"]) + len(row["take_error_rates"])
        assert all(text.endswith(": hoarse") for text in row["failed_takes"])
        assert f"take {row['take']}: hoarse" not in row["failed_takes"]


def test_c35_a_recogniser_that_crashes_gives_no_empty_transcript(tmp_path):
    broken = tmp_path / "broken"
    broken.touch()
    recogniser = {"recogniser": f"{RECOGNISER},broken={broken}"}
    recipe = write_trial(tmp_path, {"q9": "what is a crash", **ENGLISH}, choose=recogniser, screen=recogniser)
    first = build(recipe, tmp_path / "out")
    assert (first.accepted, first.rejected, first.crashed) == (4, {"speak": 1}, {"transcribe": 2})
    row = rejected(tmp_path / "out")["q9"]
    assert row["reason"] == "; ".join(f"take {n}: RuntimeError: the recogniser broke down" for n in (1, 2))
    assert (row["error_rate"], row["take_error_rates"]) == (None, [])
    broken.unlink()
    second = build(recipe, tmp_path / "out")
    assert (second.accepted, second.rejected, second.crashed) == (5, {}, {})
    assert second.computed == {"speak": 0, "transcribe": 2, "judge": 1, "mix": 15}
    build(recipe, tmp_path / "fresh")
    assert files(tmp_path / "out") == files(tmp_path / "fresh")


def test_an_empty_transcript_is_no_failure(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.doubles.read_tones", lambda samples: "")
    build(write_trial(tmp_path, {"q1": "who wrote hamlet"}), tmp_path / "out")
    row = rejected(tmp_path / "out")["q1"]
    assert (row["stage"], row["error_rate"], row["reason"]) == ("screen", 1.0, "WER 100.0% is above 30%")


@pytest.mark.parametrize(
    ("error", "told"),
    [(OSError(errno.ENOSPC, "No space left on device"), UserError), (MemoryError(), MemoryError)],
)
def test_a_fault_of_the_machine_stops_the_run(tmp_path, monkeypatch, error, told):
    """A full disk must not decide which queries a data set holds."""
    recipe = write_trial(tmp_path)
    write_wav = mix_module.write_wav

    def fails_on_the_third(path, pcm, sample_rate):
        if path.name == "3.wav":
            raise error
        write_wav(path, pcm, sample_rate)

    monkeypatch.setattr(mix_module, "write_wav", fails_on_the_third)
    with pytest.raises(told, match=r"out: No space left on device\. What" if told is UserError else None):
        build(recipe, tmp_path / "out")
    assert not (tmp_path / "out" / "build.json").exists()
    monkeypatch.undo()
    build(recipe, tmp_path / "out")
    build(recipe, tmp_path / "whole")
    assert files(tmp_path / "out") == files(tmp_path / "whole")


def test_a_judge_that_gives_no_number_passes_nobody(tmp_path):
    build(write_trial(tmp_path, {"q1": "what is undefinable", "q2": "what is plain"}), tmp_path / "out")
    row = rejected(tmp_path / "out")["q1"]
    assert row["stage"] == "judge"
    assert row["reason"] == f"judge {JUDGE} failed (gave a score of nan)"


def test_mix_failure_rejects_all_conditions_of_the_query(tmp_path):
    """At 60 dB the noise under quiet speech drowns in the rounding to 16 bit."""
    recipe = write_trial(tmp_path, speak={"voice": VOICE}, mix={"snrs_db": [60, 0]})
    table = tmp_path / "speakers.jsonl"
    table.write_text(table.read_text().replace("0.25", "0.002").replace("0.2}", "0.3}"))
    summary = build(recipe, tmp_path / "out")
    quiet = rejected(tmp_path / "out")
    assert summary.rejected == {"mix": len(quiet)}
    assert 0 < len(quiet) < 4
    assert all("rounding to 16 bit" in row["reason"] and row["audio"] is None for row in quiet.values())
    kept = {row["query_id"] for row in manifest(tmp_path / "out")}
    assert kept == set(ENGLISH) - set(quiet)
    assert len(list((tmp_path / "out").rglob("*.wav"))) == 3 * len(kept)


def test_nothing_accepted_is_still_a_data_set(tmp_path):
    summary = build(write_trial(tmp_path, {"q1": "what is silent"}), tmp_path / "out")
    assert (summary.accepted, summary.recordings) == (0, 0)
    assert manifest(tmp_path / "out") == []


def test_unreadable_text_is_rejected_at_reading(tmp_path):
    build(write_trial(tmp_path, {"q1": "who wrote hamlet", "q2": "???"}), tmp_path / "out")
    row = rejected(tmp_path / "out")["q2"]
    assert (row["stage"], row["reason"]) == ("read", "nothing in the text can be read aloud")


def test_broken_characters_in_a_text_name_the_query(tmp_path):
    recipe = write_trial(tmp_path)
    place = tmp_path / "en-trial" / "queries.jsonl"
    place.write_text(place.read_text().replace("hamlet", "haml\\ud800et"))
    with pytest.raises(UserError, match=r"query 'q1'.*broken character"):
        build(recipe, tmp_path / "out")
    assert not (tmp_path / "out").exists()
