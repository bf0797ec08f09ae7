"""squtr mix: any two files, and what it says of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from squtr.audio import read_audio
from squtr.commands.mix import run_mix, show_mix
from squtr.digest import digest_bytes
from squtr.errors import UserError
from squtr.mixing import realised_snr_db
from tests.changes import check

RATE = 16_000
Ran = tuple[int, str, str]


@pytest.fixture
def sounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with speech.wav, noise.wav, hum.flac and troublesome files, which is where commands run."""
    rng = np.random.default_rng(0)
    speech = 0.2 * rng.standard_normal(2 * RATE) * (np.sin(np.arange(2 * RATE) / 1500) > 0)
    soundfile.write(tmp_path / "speech.wav", speech.clip(-0.9, 0.9), RATE, subtype="PCM_16")
    soundfile.write(
        tmp_path / "noise.wav", 0.1 * rng.standard_normal((44_100 * 3, 2)), 44_100, subtype="PCM_24"
    )
    soundfile.write(tmp_path / "hum.flac", 0.1 * rng.standard_normal(11_025), 11_025)
    soundfile.write(tmp_path / "silent.wav", np.zeros(RATE), RATE)
    soundfile.write(tmp_path / "one.wav", np.full(1, 0.5), RATE)
    (tmp_path / "text.wav").write_text("no sound")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def mixed(**options: Any) -> dict[str, Any]:
    return run_mix(Path("speech.wav"), Path("noise.wav"), 10.0, Path("out.wav"), **options)


def test_the_file_is_what_the_answer_says(sounds: Path) -> None:
    facts = mixed()
    heard = read_audio("out.wav")
    assert (heard.sample_rate, len(heard.samples)) == (RATE, 2 * RATE)
    assert soundfile.info("out.wav").subtype == "PCM_16"
    measured = realised_snr_db(read_audio("speech.wav").samples, heard.samples, facts["common_gain"])
    assert measured == pytest.approx(10, abs=0.01)
    assert facts["realised_snr_db"] == pytest.approx(measured, abs=1e-5)
    pcm = soundfile.read("out.wav", dtype="int16")[0]
    assert facts["pcm_sha256"] == digest_bytes(pcm.astype("<i2").tobytes())
    assert facts["peak"] == pytest.approx(np.abs(pcm.astype(int)).max() / 32768, abs=1e-6)
    assert facts["acoustics"] == {}


@pytest.mark.parametrize("subtype", ["PCM_U8", "PCM_24", "FLOAT", "ULAW"])
@pytest.mark.parametrize(("rate", "channels"), [(8000, 1), (22_050, 2), (48_000, 1)])
def test_any_rate_width_and_number_of_channels(sounds: Path, subtype: str, rate: int, channels: int) -> None:
    data = 0.1 * np.random.default_rng(3).standard_normal((rate * 3, channels))
    soundfile.write("odd.wav", data, rate, subtype=subtype)
    facts = run_mix(Path("speech.wav"), Path("odd.wav"), 0.0, Path("out.wav"))
    assert facts["realised_snr_db_before_quantisation"] == pytest.approx(0, abs=0.01)
    assert facts["realised_snr_db"] == pytest.approx(0, abs=0.05)
    assert facts["loops"] == 0


def test_everything_at_once_and_the_seed_decides(sounds: Path) -> None:
    pytest.importorskip("pyroomacoustics", reason="rooms need squtr[rooms]")
    options = {"room": "0.2-0.4", "telephone": "mu", "bursts": "0.4", "second_noise": Path("hum.flac")}
    first = mixed(seed=1, **options)
    data = Path("out.wav").read_bytes()
    assert set(first["acoustics"]) == {"room", "telephone", "bursts", "second_noise"}
    assert first["acoustics"]["second_noise"]["noise_id"] == "hum.flac"
    assert first["acoustics"]["second_noise"]["relative_db"] == -6
    assert mixed(seed=1, **options) == first and Path("out.wav").read_bytes() == data
    assert mixed(seed=2, **options)["pcm_sha256"] != first["pcm_sha256"]


def test_the_rate_of_the_result_can_be_chosen_and_folders_are_made(sounds: Path) -> None:
    facts = run_mix(Path("speech.wav"), Path("hum.flac"), 5, Path("a/b/out.wav"), sample_rate=24_000)
    assert facts["sample_rate"] == 24_000 == soundfile.info("a/b/out.wav").samplerate
    assert facts["loops"] >= 1
    assert facts["realised_snr_db"] == pytest.approx(5, abs=0.05)


def test_loud_speech_is_scaled_not_clipped(sounds: Path) -> None:
    data = read_audio("speech.wav").samples
    soundfile.write("loud.wav", 4 * data, RATE, subtype="FLOAT")
    facts = run_mix(Path("loud.wav"), Path("noise.wav"), 0.0, Path("out.wav"))
    assert facts["common_gain"] < 0.4
    assert facts["peak"] == pytest.approx(0.99, abs=1e-4)
    assert facts["realised_snr_db"] == pytest.approx(0, abs=0.01)


def test_both_ways_of_printing(
    sounds: Path, run: Callable[..., Ran], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("mix", "speech.wav", "noise.wav", "--snr", 10, "--out", "out.wav", "--telephone", "a")
    code, shown, _ = run(*arguments, "--json")
    assert code == 0
    facts = json.loads(shown)
    assert facts["requested_snr_db"] == 10 and facts["acoustics"]["telephone"]["law"] == "a"
    show_mix(facts, as_json=False)
    text = capsys.readouterr().out
    assert text == run(*arguments)[1]
    assert "SNR 10 dB asked" in text and facts["pcm_sha256"] in text


def test_a_negative_ratio_can_be_asked_for(sounds: Path, run: Callable[..., Ran]) -> None:
    code, shown, error = run("mix", "speech.wav", "noise.wav", "--snr", "-5", "--out", "out.wav", "--json")
    assert code == 0, error
    assert json.loads(shown)["realised_snr_db"] == pytest.approx(-5, abs=0.01)


GOOD = {"speech": "speech.wav", "noise": "noise.wav", "--snr": "10", "--out": "out.wav"}
BAD: dict[str, tuple[dict[str, str], str]] = {
    "silent noise": ({"noise": "silent.wav"}, r"silent\.wav: the noise is silent"),
    "silent speech": ({"speech": "silent.wav"}, r"silent\.wav: the speech is silent"),
    "no audio": ({"noise": "text.wav"}, r"text\.wav: not audio that can be read"),
    "missing": ({"speech": "nowhere.wav"}, r"nowhere\.wav: cannot be read"),
    "a folder for noise": ({"noise": "folder"}, r"folder: is a folder\. Name one recording"),
    "this folder for noise": ({"noise": "."}, r"\.: is a folder\. Name one recording"),
    "speech of one sample": ({"speech": "one.wav"}, r"one\.wav: the speech is too short"),
    "another format by name": ({"--out": "out.mp3"}, r"out\.mp3: --out is written as WAV"),
    "no suffix": ({"--out": "out"}, r"out: --out is written as WAV"),
    "level without a second noise": ({"--second-db": "3"}, r"--second-db 3 is the level of --second-noise"),
    "empty room": ({"--room": ""}, r"--room '': give a number"),
    "empty law": ({"--telephone": ""}, r"telephone\.law: .*'mu' or 'a'"),
    "empty bursts": ({"--bursts": ""}, r"--bursts '': give a number"),
    "ratio in words": ({"--snr": "ten"}, r"--snr"),
    "ratio nan": ({"--snr": "nan"}, r"snr_db is nan"),
    "ratio inf": ({"--snr": "inf"}, r"snr_db is inf"),
    "ratio out of range": ({"--snr": "99"}, r"from -60 to 60"),
    "out a folder": ({"--out": "folder"}, r"folder: is a folder"),
    "out an input": ({"--out": "noise.wav"}, r"noise\.wav: is one of the inputs"),
    "out below a file": ({"--out": "text.wav/x.wav"}, r"text\.wav"),
    "room in words": ({"--room": "large"}, r"--room 'large': give a number"),
    "room too long": ({"--room": "8"}, r"room\.rt60_seconds"),
    "law": ({"--telephone": "alaw"}, r"telephone\.law: .*'mu' or 'a'"),
    "duty": ({"--bursts": "1.5"}, r"bursts\.duty: a duty cycle lies between"),
    "second missing": ({"--second-noise": "gone.wav"}, r"gone\.wav: cannot be read"),
    "second level": ({"--second-noise": "hum.flac", "--second-db": "nan"}, r"second_noise\.relative_db"),
    "rate": ({"--sample-rate": "0"}, r"--sample-rate"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_mixed_is_one_message(sounds: Path, run: Callable[..., Ran], case: str) -> None:
    changes, pattern = BAD[case]
    arguments = {**GOOD, **changes}
    words = [arguments.pop("speech"), arguments.pop("noise")]
    words += [word for pair in arguments.items() for word in pair]
    check(run("mix", *words), pattern, sounds)
    assert not list(sounds.glob("out*"))


def test_the_suffix_may_be_in_capitals(sounds: Path) -> None:
    run_mix(Path("speech.wav"), Path("noise.wav"), 5, Path("OUT.WAV"))
    assert soundfile.info("OUT.WAV").format == "WAV"


def test_rooms_need_their_package(sounds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from squtr.acoustics.response import response

    response.cache_clear()
    monkeypatch.setitem(sys.modules, "pyroomacoustics", None)
    with pytest.raises(UserError, match=r"squtr\[rooms\]"):
        mixed(room="0.3")
