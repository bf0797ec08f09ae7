"""Builds with voices that are no double: a speech service on this machine, and prompts of a speaker table."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from squtr.audio import to_pcm, wav_bytes
from tests import loopback
from tests.building import ENGLISH, build, command, manifest, rows, write_lines, write_trial
from tests.doubles import RATE, tones
from tests.loopback import serving

STAND_IN = """
import numpy as np
from tests.doubles import tones

class CosyVoice3:
    sample_rate = 24000

    def inference_zero_shot(self, tts_text, prompt_text, prompt_wav, stream=False, **options):
        open(prompt_wav, "rb").close()
        assert prompt_text.startswith("You are a helpful assistant.<|endofprompt|>")
        half = len(tts_text) // 2
        leak = "me " if "leak" in tts_text else ""
        for part in (leak + tts_text[:half], tts_text[half:]):
            yield {"tts_speech": tones(part)[np.newaxis]}

def AutoModel(model_dir, fp16=False):
    return CosyVoice3()
"""
MODEL_FILES = ("cosyvoice3.yaml", "llm.pt", "flow.pt", "hift.pt", "campplus.onnx", "speech_tokenizer_v3.onnx")


def speak(handler: BaseHTTPRequestHandler, request: Any) -> None:
    """Answer with the text in tones; `page` gets a page instead."""
    if "page" in request["input"]:
        loopback.raw(b"<html>", "text/html")(handler, request)
    else:
        sound = wav_bytes(to_pcm(tones(request["input"])), RATE)
        loopback.raw(sound, "audio/wav")(handler, request)


def table(folder: Path, voice: str, settings: dict[str, Any]) -> None:
    write_lines(folder / "speakers.jsonl", [{"id": "a", "language": "en", "voices": {voice: settings}}])


def test_a_speech_service(tmp_path):
    with serving(speak) as server:
        limits = f"tries=2,backoff=0.01,state={tmp_path / 'state'}"
        spec = f"openai,model=tts,base_url={server.base_url},key=,{limits}"
        recipe = write_trial(tmp_path, {**ENGLISH, "p": "what is a page"}, speak={"voice": spec, "takes": 2})
        table(tmp_path, "openai", {"voice": "alloy"})
        summary = build(recipe, tmp_path / "out")
    assert (summary.accepted, summary.rejected) == (4, {"speak": 1})
    assert server.count == 2 * 4 + 2 * 2
    assert {request["voice"] for request in server.requests} == {"alloy"}
    (row,) = rows(tmp_path / "out" / "rejected.jsonl")
    assert "an answer of type text/html instead of audio" in row["reason"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A stand-in for CosyVoice's repository, with a model folder in it."""
    folder = tmp_path / "checkout"
    seeds = "def set_all_random_seed(seed):\n    pass\n"
    for name, text in {"cli/cosyvoice": STAND_IN, "utils/common": seeds, "__init__": ""}.items():
        file = folder / "cosyvoice" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (folder / "torch.py").write_text("raise ImportError('a stand-in')\n")
    (folder / "model").mkdir()
    for name in MODEL_FILES:
        (folder / "model" / name).write_text(name)
    return folder


def zero_shot(folder: Path, checkout: Path, queries: dict[str, str]) -> Path:
    """Write a trial whose one speaker has a prompt beside the table."""
    folder.mkdir(exist_ok=True)
    spec = f"cosyvoice,model={checkout / 'model'},repository={checkout}"
    recipe = write_trial(folder, queries, speak={"voice": spec, "takes": 1})
    table(folder, "cosyvoice", {"prompt": "prompts/a.wav", "transcript": "even better than me"})
    (folder / "prompts").mkdir()
    tone = (np.sin(np.arange(4 * RATE) / 9) * 9000).astype(np.int16)
    (folder / "prompts" / "a.wav").write_bytes(wav_bytes(tone, RATE))
    return recipe


def test_prompts_of_the_speaker_table_reach_workers_and_leave_no_path_behind(tmp_path, checkout):
    queries = {**ENGLISH, "leaking": "where does the big leak come from"}
    recipe = zero_shot(tmp_path / "mine", checkout, queries)
    out = tmp_path / "out"
    done = command("build", recipe, "--out", out, "--workers", 2, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["accepted"] == 5
    found = {row["query_id"]: row for row in manifest(out) if row["condition"] == "clean"}
    assert found["q1"]["transcript"] == ENGLISH["q1"]
    assert found["q1"]["take_flags"] == []
    assert found["leaking"]["take_flags"] == ["speaks its prompt"]
    settings = json.loads(found["q1"]["speaker_settings"])
    assert settings["prompt"] == "prompts/a.wav"
    assert set(settings) == {"prompt", "transcript", "prompt_sha256"}
    for name in ("manifest.jsonl", "rejected.jsonl"):
        assert str(tmp_path / "mine") not in (out / name).read_text()
    assert "prompts" in json.loads((out / "build.json").read_text())["inputs"]


def test_a_moved_table_speaks_nothing_anew_and_a_changed_prompt_does(tmp_path, checkout):
    first = zero_shot(tmp_path / "first", checkout, ENGLISH)
    second = zero_shot(tmp_path / "second", checkout, ENGLISH)
    cache = ("--cache", tmp_path / "cache", "--workers", 1, "--json")
    done = [command("build", recipe, "--out", recipe.parent / "out", *cache) for recipe in (first, second)]
    assert [json.loads(one.stdout)["computed"]["speak"] for one in done] == [4, 0]
    tone = (np.sin(np.arange(5 * RATE) / 9) * 9000).astype(np.int16)
    (tmp_path / "second" / "prompts" / "a.wav").write_bytes(wav_bytes(tone, RATE))
    refused = command("build", second, "--out", tmp_path / "second" / "out", *cache)
    assert (refused.returncode, "differs in inputs" in refused.stderr) == (2, True)
    changed = command("build", second, "--out", tmp_path / "second" / "out2", *cache)
    assert json.loads(changed.stdout)["computed"]["speak"] == 4


def test_a_missing_prompt_is_found_before_any_work(tmp_path, checkout):
    recipe = zero_shot(tmp_path / "mine", checkout, ENGLISH)
    (tmp_path / "mine" / "prompts" / "a.wav").unlink()
    done = command("build", recipe, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "1 of 1 speakers have no usable prompt" in done.stderr
    assert not (tmp_path / "out").exists()
