"""CosyVoice's adapter against a stand-in with the package's own interface: what is called, in which order."""

from __future__ import annotations

import importlib.util
import json
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from squtr import plugins
from squtr.audio import wav_bytes
from squtr.data_build.speak import joined
from squtr.digest import canonical_json, digest, digest_file
from squtr.errors import ItemFailure, UserError
from squtr.records import Speaker
from squtr.voices import cosyvoice
from squtr.voices.cosyvoice import CosyVoice
from squtr.voices.prompts import PromptPath
from squtr.voices.speakers import read_speakers
from tests.building import write_lines

TRANSCRIPT = "I hope that you will do it even better than me."
TONE = (np.sin(np.arange(4 * 24000) / 9) * 9000).astype(np.int16)
STAND_IN = """
import json, os
import numpy as np
try:
    import torch
except ImportError:
    torch = None

def note(**what):
    with open(os.environ["STAND_IN_LOG"], "a") as log:
        log.write(json.dumps(what) + "\\n")

class CosyVoice3:
    def __init__(self, model_dir, load_trt=False, load_vllm=False, fp16=False, trt_concurrent=1):
        note(model_dir=model_dir, fp16=fp16)
        self.sample_rate = 24000

    def inference_zero_shot(self, tts_text, prompt_text, prompt_wav, zero_shot_spk_id="", stream=False,
                            speed=1.0, text_frontend=True):
        note(tts_text=tts_text, prompt_text=prompt_text, prompt_wav=prompt_wav, stream=stream, speed=speed,
             text_frontend=text_frontend)
        assert os.path.isfile(prompt_wav)
        for sentence in [part for part in tts_text.split(".") if part.strip()]:
            speech = np.random.normal(0, 0.1, (1, 480 * len(sentence))).astype(np.float32)
            shape = os.environ.get("STAND_IN_SHAPE")
            speech = speech.reshape(json.loads(shape)) if shape else speech
            yield {"tts_speech": torch.from_numpy(speech) if torch else speech}

def AutoModel(**kwargs):
    return CosyVoice3(**kwargs)
"""
SEEDS = """
import random
import numpy as np
from cosyvoice.cli.cosyvoice import note

def set_all_random_seed(seed):
    note(seed=seed)
    random.seed(seed)
    np.random.seed(seed)
"""


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """A checkout with the stand-in for the package, and a folder with the files of a model."""
    checkout, model = tmp_path / "checkout", tmp_path / "model"
    for name, text in {
        "__init__": "",
        "cli/__init__": "",
        "cli/cosyvoice": STAND_IN,
        "utils/__init__": "",
        "utils/common": SEEDS,
    }.items():
        file = checkout / "cosyvoice" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    model.mkdir()
    for name in cosyvoice._MODEL_FILES:
        (model / name).write_text(name)
    monkeypatch.setenv("STAND_IN_LOG", str(tmp_path / "log"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    _forget(monkeypatch)
    yield checkout, model
    _forget(monkeypatch)


def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "cosyvoice"]:
        monkeypatch.delitem(sys.modules, name)
    for cached in (cosyvoice._model, cosyvoice._model_digest, cosyvoice._package_digest):
        cached.cache_clear()


def table(folder: Path, **changes: Any) -> Path:
    """Write a speaker table with one speaker and its prompt in a folder beside it."""
    (folder / "prompts").mkdir(parents=True, exist_ok=True)
    (folder / "prompts" / "a.wav").write_bytes(wav_bytes(TONE, 24000))
    settings = {"prompt": "prompts/a.wav", "transcript": TRANSCRIPT} | changes
    settings = {name: value for name, value in settings.items() if value is not None}
    return write_lines(
        folder / "speakers.jsonl", [{"id": "en-1", "language": "en", "voices": {"cosyvoice": settings}}]
    )


def placed(voice: CosyVoice, path: Path) -> Speaker:
    (speaker,) = voice.place_speakers(read_speakers(path, "cosyvoice", "en"), path.parent)
    return speaker


def log(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]


def made(stand_in: tuple[Path, Path], **options: Any) -> CosyVoice:
    checkout, model = stand_in
    return CosyVoice(str(model), str(checkout), **options)


def test_what_is_called(stand_in, tmp_path):
    voice = made(stand_in)
    speaker = placed(voice, table(tmp_path / "mine"))
    sound = voice.speak("Who wrote hamlet", speaker, 7)
    assert sound.sample_rate == voice.sample_rate == 24000
    assert sound.samples.dtype == np.float32
    assert sound.samples.shape == (480 * 16,)
    loaded, seeded, asked = log(tmp_path)
    assert loaded == {"model_dir": str(stand_in[1]), "fp16": False}
    assert seeded == {"seed": 7}
    assert asked == {
        "tts_text": "Who wrote hamlet",
        "prompt_text": f"You are a helpful assistant.<|endofprompt|>{TRANSCRIPT}",
        "prompt_wav": str(tmp_path / "mine" / "prompts" / "a.wav"),
        "stream": False,
        "speed": 1.0,
        "text_frontend": True,
    }


def test_all_chunks_are_joined(stand_in, tmp_path):
    voice = made(stand_in)
    speaker = placed(voice, table(tmp_path))
    sound = voice.speak("one.twofold.three and more", speaker, 1)
    assert len(sound.samples) == 480 * (3 + 7 + 14)
    assert len(joined(sound, 24000).samples) == len(sound.samples)


def test_the_seed_is_set_before_each_call_and_the_model_is_loaded_once(stand_in, tmp_path):
    voice = made(stand_in)
    speaker = placed(voice, table(tmp_path))
    first, second = voice.speak("one. two", speaker, 1), voice.speak("one. two", speaker, 2)
    assert np.array_equal(voice.speak("one. two", speaker, 1).samples, first.samples)
    assert not np.array_equal(first.samples, second.samples)
    assert ["model_dir" in line for line in log(tmp_path)] == [True] + [False] * 6
    assert [line["seed"] for line in log(tmp_path) if "seed" in line] == [1, 2, 1]


def test_options_reach_the_package(stand_in, tmp_path):
    voice = made(stand_in, instruction="Read plainly.", text_frontend=False, speed=1.2, fp16=True)
    voice.speak("who", placed(voice, table(tmp_path)), 1)
    loaded, _, asked = log(tmp_path)
    assert loaded["fp16"] is True
    assert (asked["speed"], asked["text_frontend"]) == (1.2, False)
    assert asked["prompt_text"] == f"Read plainly.<|endofprompt|>{TRANSCRIPT}"


@pytest.mark.parametrize("text", ["", ".."])
def test_no_chunk_is_a_failure(stand_in, tmp_path, text):
    voice = made(stand_in)
    with pytest.raises(ItemFailure, match="no audio"):
        voice.speak(text, placed(voice, table(tmp_path)), 1)


@pytest.mark.parametrize("shape", ["[2, -1]", "[-1]", "[1, 1, -1]"])
def test_a_chunk_of_another_shape_is_a_failure(stand_in, tmp_path, monkeypatch, shape):
    monkeypatch.setenv("STAND_IN_SHAPE", shape)
    voice = made(stand_in)
    with pytest.raises(ItemFailure, match="chunk of shape"):
        voice.speak("hamlet", placed(voice, table(tmp_path)), 1)


def test_control_marks_in_a_text_are_not_passed_on(stand_in, tmp_path):
    voice = made(stand_in)
    with pytest.raises(ItemFailure, match="control marks"):
        voice.speak("say <|endofprompt|> twice", placed(voice, table(tmp_path)), 1)
    assert not (tmp_path / "log").exists()


def test_a_prompt_is_known_by_its_bytes_and_not_by_where_it_lies(stand_in, tmp_path):
    voice = made(stand_in)
    here, there = placed(voice, table(tmp_path / "here")), placed(voice, table(tmp_path / "there"))
    assert here.settings["prompt"].file != there.settings["prompt"].file
    assert here.settings["prompt_sha256"] == digest_file(tmp_path / "here" / "prompts" / "a.wav")
    assert digest(here) == digest(there)
    assert str(tmp_path) not in canonical_json(here)
    (tmp_path / "there" / "prompts" / "a.wav").write_bytes(wav_bytes(TONE[::-1], 24000))
    assert digest(placed(voice, tmp_path / "there" / "speakers.jsonl")) != digest(here)


def test_a_prompt_goes_to_workers_whole(tmp_path):
    path = pickle.loads(pickle.dumps(PromptPath("prompts/a.wav", str(tmp_path))))
    assert (path, path.file) == ("prompts/a.wav", tmp_path / "prompts" / "a.wav")
    assert json.dumps(path) == '"prompts/a.wav"'


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prompt": None}, "en-1: no prompt"),
        ({"prompt": 7}, "en-1: no prompt"),
        ({"transcript": None}, "en-1: no transcript"),
        ({"transcript": "  "}, "en-1: no transcript"),
        ({"prompt": "prompts/b.wav"}, "b.wav: cannot be read"),
        ({"prompt": "prompts"}, "cannot be read"),
    ],
)
def test_prompts_that_are_not_there(stand_in, tmp_path, changes, message):
    with pytest.raises(UserError, match=message) as caught:
        placed(made(stand_in), table(tmp_path, **changes))
    assert str(caught.value).startswith("1 of 1 speakers have no usable prompt:")
    assert "the path counted from the table's own folder" in str(caught.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"no audio at all", "not audio"),
        (wav_bytes(TONE[: int(2.9 * 24000)], 24000), r"has 2\.9 s, not 3 to 30"),
        (wav_bytes(np.tile(TONE, 8), 24000), r"has 32\.0 s"),
        (wav_bytes(TONE, 8000), "has 8000 Hz; 16000 is the least"),
        (wav_bytes(np.zeros_like(TONE), 24000), "is silent"),
        (wav_bytes(TONE, 24000)[:-4000], "cut short"),
    ],
)
def test_prompts_that_cannot_be_used(stand_in, tmp_path, data, message):
    path = table(tmp_path)
    (tmp_path / "prompts" / "a.wav").write_bytes(data)
    with pytest.raises(UserError, match=message):
        placed(made(stand_in), path)


def test_three_and_thirty_seconds_are_enough(stand_in, tmp_path):
    path = table(tmp_path)
    for seconds in (3, 30):
        tone = np.resize(TONE, seconds * 16000)
        (tmp_path / "prompts" / "a.wav").write_bytes(wav_bytes(tone, 16000))
        assert placed(made(stand_in), path).id == "en-1"


def test_many_missing_prompts_are_one_message(stand_in, tmp_path):
    speakers = [Speaker(f"s{n:02}", "en", {"prompt": f"{n}.wav", "transcript": "x"}) for n in range(20)]
    with pytest.raises(UserError) as caught:
        made(stand_in).place_speakers(speakers, tmp_path)
    lines = str(caught.value).splitlines()
    assert lines[0] == "20 of 20 speakers have no usable prompt:"
    assert (lines[1].strip()[:4], lines[9], len(lines)) == ("s00:", "  and 12 more", 11)


def test_the_fingerprint_is_of_model_package_and_options(stand_in, monkeypatch):
    checkout, model = stand_in
    seen = {
        made(stand_in).fingerprint,
        made(stand_in, speed=1.1).fingerprint,
        made(stand_in, fp16=True).fingerprint,
    }
    assert made(stand_in).fingerprint in seen
    for file in (model / "llm.pt", checkout / "cosyvoice" / "cli" / "cosyvoice.py"):
        file.write_text(file.read_text() + "# changed")
        _forget(monkeypatch)
        seen.add(made(stand_in).fingerprint)
    (model / "CosyVoice-BlankEN").mkdir()
    (model / "CosyVoice-BlankEN" / "config.json").write_text("{}")
    _forget(monkeypatch)
    seen.add(made(stand_in).fingerprint)
    assert len(seen) == 6


def test_what_is_missing_and_how_to_get_it(stand_in, tmp_path):
    checkout, model = stand_in
    with pytest.raises(UserError, match=r"no folder `cosyvoice` in it\. Clone CosyVoice's repository"):
        CosyVoice(str(model), str(tmp_path / "elsewhere")).check()
    if importlib.util.find_spec("cosyvoice") is None:
        with pytest.raises(UserError, match=r"no package `cosyvoice`\. Clone"):
            CosyVoice(str(model)).check()
    if importlib.util.find_spec("torch") is None:
        with pytest.raises(UserError, match="needs the package torch"):
            CosyVoice(str(model), str(checkout)).check()
        (checkout / "torch.py").write_text("raise ImportError('a stand-in')")
    CosyVoice(str(model), str(checkout)).check()
    (model / "flow.pt").unlink()
    with pytest.raises(UserError, match=r"no CosyVoice 3 model; flow\.pt missing\. Download Fun-CosyVoice3"):
        CosyVoice(str(model), str(checkout)).check()


def test_faulty_options():
    for option, message in {
        "speed=9": "speed is 9",
        "fp16=maybe": "fp16 is 'maybe'",
        "fast=1": "fast",
    }.items():
        with pytest.raises(UserError, match=message):
            plugins.load("voice", f"squtr.voices.cosyvoice:CosyVoice,model=m,{option}")
