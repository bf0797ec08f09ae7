"""Recordings in, WAV and log out: eSpeak's agent with known silences, found by the real detector."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from squtr.audio import read_audio, resample, trim_silence
from squtr.cli import main
from squtr.commands.dialogue import run_audit, run_dialogue
from squtr.dialogue.recording import read_recording
from squtr.records import Samples, Speaker
from squtr.voices.espeak import Espeak

RATE = 16_000
SPEAKER = Speaker("agent", "en", {"voice": "en-us", "rate": 150, "pitch": 50, "range": 50})
OPENING = ["Good morning this is the parcel desk, and", "I have your shipment in front of me now"]
LONG = [
    "The parcel left the depot on Monday evening and it went by rail",
    "it reached the big sorting hall yesterday and the label was torn",
    "so it was set aside and printed again this morning by the office",
    "and the van should be with you before six or tomorrow at the latest",
]
ASKING = [
    "Would you like the driver to ring the bell or rather",
    "leave it with a neighbour who is at home then?",
]
Ran = tuple[int, str, str]


def silence(seconds: float) -> Samples:
    return np.zeros(round(seconds * RATE), np.float32)


def spoken(text: str) -> Samples:
    said = resample(Espeak().speak(text, SPEAKER, 1), RATE)
    return trim_silence(said, 0.0).samples


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """agent.wav, three turns with pauses of 350 ms, agent.jsonl, a row a phrase, and troublesome files."""
    folder = tmp_path_factory.mktemp("dialogue")
    parts, rows, at = [silence(0.5)], [], 0.5
    for turn in (OPENING, LONG, ASKING):
        for text in turn:
            said = spoken(text)
            rows.append({"start": round(at, 4), "end": round(at + len(said) / RATE, 4), "text": text})
            parts += [said, silence(0.35)]
            at += len(said) / RATE + 0.35
        parts.append(silence(1.65))
        at += 1.65
    sound = 0.5 * np.concatenate(parts)
    soundfile.write(folder / "agent.wav", sound, RATE, subtype="PCM_16")
    user = np.zeros_like(sound)
    first = round((rows[2]["end"] - 0.6) * RATE)
    answer = spoken("Yes, yes, I know all that")
    user[first : first + len(answer)] = 0.3 * answer
    soundfile.write(folder / "call.wav", np.stack([user, sound], axis=1), RATE, subtype="PCM_16")
    soundfile.write(folder / "silent.wav", np.zeros(2 * RATE), RATE)
    soundfile.write(folder / "empty-left.wav", np.stack([0 * sound, sound], axis=1), RATE)
    soundfile.write(folder / "three.wav", np.stack([sound] * 3, axis=1), RATE)
    soundfile.write(folder / "slow.wav", sound[::4], 4000)
    (folder / "text.wav").write_text("no sound")
    (folder / "late.jsonl").write_text('{"start": 90000, "end": 91000, "text": "in milliseconds"}\n')
    (folder / "agent.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return folder


@pytest.fixture
def converse(agent: Path, tmp_path: Path) -> Callable[..., list[dict[str, Any]]]:
    """Run on agent.wav, or another; the WAV is tmp_path / out.wav."""

    def call(b: float, g: float, wav: str = "agent.wav", **options: Any) -> list[dict[str, Any]]:
        options = {
            "transcript": agent / "agent.jsonl",
            "voice": "espeak",
            "cache": tmp_path / "clips",
        } | options
        return run_dialogue(agent / wav, tmp_path / "out.wav", b, g, **options)

    return call


@pytest.fixture
def run(
    agent: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
    def call(*arguments: object) -> Ran:
        monkeypatch.chdir(agent)
        monkeypatch.setattr(sys, "argv", ["squtr", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        return int(stopped.value.code or 0), *capsys.readouterr()

    return call


def of_kind(rows: list[dict[str, Any]], *kinds: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["kind"] in kinds]


def test_turns_and_pauses_are_found_where_they_are(agent: Path) -> None:
    recording = read_recording(agent / "agent.wav")
    rows = [json.loads(line) for line in (agent / "agent.jsonl").read_text().splitlines()]
    assert [len(turn.speech) for turn in recording.turns] == [2, 4, 2]
    found = [span for turn in recording.turns for span in turn.speech]
    for span, row in zip(found, rows, strict=True):
        assert span.start == pytest.approx(row["start"], abs=0.1)
        assert span.end == pytest.approx(row["end"], abs=0.1)


def test_b_and_g_of_zero_leave_the_recording_as_it_is(
    agent: Path, tmp_path: Path, converse: Callable[..., Any]
) -> None:
    rows = converse(0, 0)
    written, rate = soundfile.read(tmp_path / "out.wav", dtype="int16")
    before, _ = soundfile.read(agent / "agent.wav", dtype="int16")
    assert rate == RATE
    assert np.array_equal(written[:, 0], before)
    assert not written[:, 1].any()
    assert {row["kind"] for row in rows} == {"dialogue", "turn", "nothing"}
    assert not (tmp_path / "clips").exists()


def test_a_backchannel_starts_200_ms_into_its_pause_and_leaves_the_agent_alone(
    agent: Path, tmp_path: Path, converse: Callable[..., Any]
) -> None:
    rows = converse(0, 1.0)
    told = of_kind(rows, "backchannel")
    assert [row["turn"] for row in told] == [1, 1, 1]
    assert [row["words"] for row in told] == [13, 25, 38]
    written, _ = soundfile.read(tmp_path / "out.wav", dtype="int16")
    before, _ = soundfile.read(agent / "agent.wav", dtype="int16")
    assert np.array_equal(written[:, 0], before)
    sounding = np.zeros(len(written), bool)
    for row in told:
        first, end = (round(row["placed"][name] * RATE) for name in ("start", "end"))
        assert row["placed"]["start"] == row["time"]
        assert written[first : first + 800, 1].any()
        sounding[first : end + 1] = True
    assert not written[~sounding, 1].any()


def test_an_interruption_comes_first_and_silences_the_agent_to_the_end_of_its_turn(
    agent: Path, tmp_path: Path, converse: Callable[..., Any]
) -> None:
    rows = converse(1.0, 1.0)
    (cut_off,) = of_kind(rows, "interrupt")
    assert (cut_off["turn"], cut_off["in_turn"], cut_off["backchannel"]) == (1, 0, {})
    assert all(cut_off["interrupt"].values())
    assert not of_kind(rows, "backchannel")
    turn = of_kind(rows, "turn")[1]
    assert turn["interrupted"]
    assert turn["end"] == pytest.approx(cut_off["time"] + 0.5)
    written, _ = soundfile.read(tmp_path / "out.wav", dtype="int16")
    before, _ = soundfile.read(agent / "agent.wav", dtype="int16")
    cut, faded, end = (
        round(time * RATE) for time in (turn["end"], turn["end"] + 0.02, turn["recorded_end"] + 0.2)
    )
    assert np.array_equal(written[:cut, 0], before[:cut])
    assert not written[faded:end, 0].any()
    assert np.array_equal(written[end + RATE :, 0][: len(before)], before[end + RATE :])
    assert len(of_kind(rows, "nothing")) < len(of_kind(converse(0, 0), "nothing"))


def test_a_longer_reaction_lets_the_agent_go_on(converse: Callable[..., Any]) -> None:
    (first, second) = (of_kind(converse(1.0, 0, reaction=seconds), "turn")[1] for seconds in (0.2, 1.2))
    assert second["end"] == pytest.approx(first["end"] + 1.0)


def test_the_question_is_left_alone(converse: Callable[..., Any]) -> None:
    (asked,) = [row for row in converse(1.0, 1.0) if row.get("asks")]
    assert (asked["turn"], asked["kind"]) == (2, "nothing")
    assert not asked["backchannel"]["no_question"]


def test_without_a_transcript_words_follow_from_the_seconds(converse: Callable[..., Any]) -> None:
    rows = converse(0, 0, transcript=None)
    assert rows[0]["words_from"] == "seconds"
    assert all(
        row["words"] == int(row["seconds"] * 3) and row["heard"] is None for row in of_kind(rows, "nothing")
    )


def test_a_recogniser_by_name_hears_the_agent(converse: Callable[..., Any]) -> None:
    rows = converse(0, 1.0, transcript=None, recogniser="tests.dialogue.doubles:TwelveWords")
    assert [row["words"] for row in of_kind(rows, "nothing", "backchannel")] == [12, 12, 24, 36, 12]
    assert of_kind(rows, "backchannel")[0]["heard"].startswith("word word")


def test_the_users_own_speech_stays_and_its_pauses_are_no_opportunities(
    agent: Path, tmp_path: Path, converse: Callable[..., Any]
) -> None:
    rows = converse(1.0, 1.0, "call.wav", agent="right")
    (sounding,) = of_kind(rows, "user_sounding")
    assert (sounding["turn"], sounding["opportunity"], sounding["placed"]) == (1, None, None)
    (cut_off,) = of_kind(rows, "interrupt")
    assert cut_off["in_turn"] == 0
    assert cut_off["time"] > sounding["time"]
    written, _ = soundfile.read(tmp_path / "out.wav", dtype="int16")
    user = soundfile.read(agent / "call.wav", dtype="int16")[0][:, 0]
    until = round(cut_off["time"] * RATE)
    assert np.array_equal(written[:until, 1], user[:until])


def test_an_interruption_longer_than_the_recording_is_kept_whole(
    agent: Path, tmp_path: Path, converse: Callable[..., Any]
) -> None:
    short, turn = tmp_path / "short.wav", read_recording(agent / "agent.wav").turns[1]
    said = read_audio(agent / "agent.wav").samples[: round((turn.pauses[0] + 0.6) * RATE)]
    soundfile.write(short, said, RATE, subtype="PCM_16")
    rows = run_dialogue(
        short,
        tmp_path / "o.wav",
        1,
        0,
        transcript=agent / "agent.jsonl",
        voice="espeak",
        cache=tmp_path / "clips",
    )
    (cut_off,) = of_kind(rows, "interrupt")
    assert rows[0]["seconds"] == pytest.approx(cut_off["placed"]["end"], abs=1e-3)
    assert rows[0]["seconds"] > len(read_audio(short).samples) / RATE


def test_the_same_input_and_seed_give_the_same_bytes(
    agent: Path, tmp_path: Path, converse: Callable[..., Any]
) -> None:
    def both() -> tuple[bytes, bytes]:
        return (tmp_path / "out.wav").read_bytes(), (tmp_path / "out.jsonl").read_bytes()

    converse(0.6, 0.6)
    first = both()
    converse(0.6, 0.6, cache=tmp_path / "other")
    assert both() == first
    converse(0.6, 0.6, seed=1)
    assert both() != first


def test_the_log_is_audited_as_it_was_shown(agent: Path, tmp_path: Path, run: Callable[..., Ran]) -> None:
    common = ["--transcript", "agent.jsonl", "--voice", "espeak", "--cache", tmp_path / "clips", "--json"]
    logs = []
    for number, b in enumerate((0, 1)):
        logs.append(tmp_path / f"{number}.jsonl")
        code, out, err = run("dialogue", "agent.wav", "--b", b, "--out", tmp_path / f"{number}.wav", *common)
        assert (code, err) == (0, "")
        shown = json.loads(out)
        assert (shown["turns"], shown["interruptions"]) == (3, b)
    audited = run_audit(logs, 0)
    assert [one.interruptions for one in audited.settings] == [0, 1]
    assert audited.settings[0].opportunities > audited.settings[1].opportunities
    code, out, err = run("dialogue-audit", *logs)
    assert (code, err) == (0, "")
    assert "interruptions" in out
    code, out, _ = run("dialogue-audit", *logs, "--json")
    assert json.loads(out)["settings"][1]["interruptions_per_turn"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["silent.wav"], "silent.wav: no speech is found in it; its level is -inf dBFS"),
        (
            ["empty-left.wav"],
            "the agent's channel (left); its level is -inf dBFS. If the agent is in the other, say",
        ),
        (["agent.wav", "--agent", "right"], "is mono, and --agent right needs two channels"),
        (["agent.wav", "--agent", "middle"], "say left or right"),
        (["three.wav"], "has 3 channels"),
        (["slow.wav"], "has a rate of 4000 Hz"),
        (["missing.wav"], "missing.wav: cannot be read"),
        (["text.wav"], "text.wav: not audio that can be read"),
        (["."], "is a folder"),
        (["agent.wav", "--b", "1.2"], "b is 1.2; it must be from 0 to 1"),
        (["agent.wav", "--g", "-0.1"], "g is -0.1; it must be from 0 to 1"),
        (["agent.wav", "--b", "nan"], "b is nan"),
        (["agent.wav", "--reaction", "-1"], "A reaction of -1 s"),
        (["agent.wav", "--language", "xx"], "No backchannels are known for 'xx'"),
        (["agent.wav", "--speaker", "en-999"], "No speaker 'en-999'"),
        (["agent.wav", "--voice", "espeek"], "espeek"),
        (["agent.wav", "--transcript", "missing.jsonl"], "missing.jsonl"),
        (["agent.wav", "--transcript", "late.jsonl"], "late.jsonl: begins at 90000 s, and the WAV is"),
        (["agent.wav", "--transcript", "agent.jsonl", "--recogniser", "whisper-base"], "give one of them"),
        (["agent.wav", "--log", "agent.wav"], "is one of the inputs"),
    ],
)
def test_bad_input_is_one_message_and_nothing_is_written(
    tmp_path: Path, run: Callable[..., Ran], arguments: list[str], message: str
) -> None:
    voice = [] if "--voice" in arguments else ["--voice", "espeak"]
    out = tmp_path / "made" / "out.wav"
    code, printed, err = run("dialogue", *arguments, "--out", out, *voice)
    assert code == 2
    assert printed == ""
    assert err.startswith("squtr: ")
    assert err.count("\n") == 1
    assert message in err
    assert not out.parent.exists()


def test_an_out_that_is_no_wav_is_refused(tmp_path: Path, run: Callable[..., Ran]) -> None:
    code, _, err = run("dialogue", "agent.wav", "--out", tmp_path / "out.mp3")
    assert code == 2
    assert "has to end in .wav" in err


def test_without_the_detector_one_message_says_what_brings_it(
    tmp_path: Path, run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "faster_whisper.vad", None)
    code, _, err = run("dialogue", "agent.wav", "--out", tmp_path / "out.wav")
    assert code == 2
    assert "squtr[embedded]" in err
