"""Paraformer's adapter against a stand-in with FunASR's own interface: what is called, what comes of it."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from squtr import plugins
from squtr.errors import ItemFailure, UserError
from squtr.hub import pinned_model
from squtr.recognisers import funasr, model_files
from squtr.recognisers.funasr import Paraformer
from squtr.records import Waveform
from squtr.transcribe import Transcribe
from tests.hub_server import serving_hub

REVISION = "c" * 40
SECOND = Waveform(np.zeros(24000, np.float32), 24000)
HALF = Waveform(np.zeros(8000, np.float32), 16000)
FILES = ("config.yaml", "configuration.json", "model.pt", "am.mvn", "tokens.json", "seg_dict")
STAND_IN = """
import json, os
import numpy as np

def note(**what):
    with open(os.environ["STAND_IN_LOG"], "a") as log:
        log.write(json.dumps(what) + "\\n")

class AutoModel:
    def __init__(self, **kwargs):
        print("funasr version: 1.4.16.")
        note(init=kwargs)
        if not os.path.isfile(os.path.join(kwargs["model"], "model.pt")):
            raise AssertionError("init_param does not exist")
        self.kwargs = dict(kwargs)
        if kwargs["device"].startswith("cuda"):
            self.kwargs["device"] = "cpu"

    def generate(self, input, input_len=None, progress_callback=None, **cfg):
        assert all(isinstance(one, np.ndarray) and one.dtype == np.float32 for one in input)
        note(lengths=[len(one) for one in input], cfg=cfg)
        answers = json.loads(os.environ.get("STAND_IN_ANSWERS", "null"))
        return answers or [{"key": "rand_key", "text": f" {len(one)} "} for one in input]
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A stand-in for the package on the search path, and a folder with the files of a model."""
    packages, model = tmp_path / "packages", tmp_path / "model"
    for name, text in {
        "funasr/__init__.py": STAND_IN,
        "torch/__init__.py": "",
        "torchaudio/__init__.py": "",
        "funasr-1.4.16.dist-info/METADATA": "Name: funasr\nVersion: 1.4.16\n",
    }.items():
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        (packages / name).write_text(text)
    model.mkdir()
    for name in FILES:
        (model / name).write_text(name)
    monkeypatch.setenv("STAND_IN_LOG", str(tmp_path / "log"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.syspath_prepend(str(packages))
    _forget(monkeypatch)
    yield model
    _forget(monkeypatch)


def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] in ("funasr", "torch", "torchaudio")]:
        monkeypatch.delitem(sys.modules, name)
    funasr._model.cache_clear()
    model_files._fetched.cache_clear()
    model_files.folder_digest.cache_clear()


def log(tmp_path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]


def test_the_calls_of_one_recording(stand_in: Path, tmp_path: Path, capsys) -> None:
    recogniser = plugins.load("recogniser", f"paraformer,model={stand_in},threads=2")
    assert recogniser.transcribe(SECOND, "zh").text == "16000"
    assert recogniser.transcribe(HALF, "zh").text == "8000"
    loaded, first, second = log(tmp_path)
    assert loaded["init"] == {
        "model": str(stand_in),
        "device": "cpu",
        "ncpu": 2,
        "disable_update": True,
        "disable_pbar": True,
        "log_level": "ERROR",
        "frontend_conf": {"dither": 0.0},
    }
    assert capsys.readouterr().out == ""
    assert first == {"lengths": [16000], "cfg": {"batch_size": 1}} and second["lengths"] == [8000]


def test_many_recordings_are_one_call_in_order(stand_in: Path, tmp_path: Path) -> None:
    heard = Paraformer(str(stand_in)).transcribe_many([SECOND, HALF, SECOND], "zh")
    assert [one.text for one in heard] == ["16000", "8000", "16000"]
    assert log(tmp_path)[1] == {"lengths": [16000, 8000, 16000], "cfg": {"batch_size": 3}}
    assert Transcribe(f"paraformer,model={stand_in}").fingerprint == Paraformer(str(stand_in)).fingerprint


@pytest.mark.parametrize("answers", [[{"key": "a", "text": "x"}] * 2, [{"key": "a"}]])
def test_answers_that_do_not_fit_cost_the_item(stand_in: Path, monkeypatch, answers) -> None:
    monkeypatch.setenv("STAND_IN_ANSWERS", json.dumps(answers))
    with pytest.raises(ItemFailure, match="answers to 1 recordings, or no text"):
        Paraformer(str(stand_in)).transcribe(SECOND, "zh")


def test_another_language_is_an_error_of_the_recipe(stand_in: Path) -> None:
    with pytest.raises(UserError, match=r"told to know 'zh', not 'en'.*by language in the recipe"):
        Paraformer(str(stand_in)).transcribe(SECOND, "en")


def test_a_device_that_is_not_there_is_not_replaced_unseen(stand_in: Path) -> None:
    with pytest.raises(UserError, match="FunASR runs on cpu: there is no cuda:0"):
        Paraformer(str(stand_in), device="cuda:0").transcribe(SECOND, "zh")


def test_a_changed_model_file_changes_the_fingerprint(stand_in: Path) -> None:
    before = Paraformer(str(stand_in)).fingerprint
    (stand_in / "model.pt").write_text("other weights")
    model_files.folder_digest.cache_clear()
    assert Paraformer(str(stand_in)).fingerprint != before
    prints = {Paraformer("a/b", revision=digit * 40).fingerprint for digit in "12"}
    assert len(prints | {before}) == 3 and Paraformer(str(stand_in), threads=4).fingerprint not in prints


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": "org/name"}, "no revision is pinned"),
        ({"model": "org/name", "revision": "v2.0.4"}, "'v2.0.4' can move"),
        ({"model": "nowhere"}, "nowhere: no such folder, and a model on the hub is organisation/name"),
        ({"device": 1.5}, "device is 1.5"),
        ({"threads": 0}, "threads is 0"),
    ],
)
def test_faulty_options(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        Paraformer(**options)


def test_what_is_missing_is_said_before_work(stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recogniser = Paraformer(str(stand_in))
    recogniser.check()
    (stand_in / "tokens.json").unlink()
    with pytest.raises(UserError, match=r"no Paraformer model; tokens\.json missing"):
        recogniser.check()
    for lacking, named in (("torch",), "torch"), (funasr._FEATURES, "kaldi_native_fbank"):
        monkeypatch.setattr(funasr, "is_installed", lambda module, lacking=lacking: module not in lacking)
        with pytest.raises(UserError, match=f"needs the package {named}"):
            recogniser.check()

    def none(package: str) -> str:
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(funasr.importlib.metadata, "version", none)
    with pytest.raises(UserError, match=r"needs the package funasr\. pip install 'squtr\[funasr\]'"):
        recogniser.check()


def test_needs_name_packages_and_model_and_load_nothing(stand_in: Path) -> None:
    needs = Paraformer().needs()
    assert [(need.kind, need.present) for need in needs if need.kind != "package"] == [("model", False)]
    assert {need.name for need in needs} >= {"funasr", "torch"} and "funasr" not in sys.modules
    assert all(need.present for need in Paraformer(str(stand_in)).needs())


def test_a_pinned_model_is_fetched_once_and_handed_over_as_a_folder(stand_in, tmp_path, monkeypatch) -> None:
    pytest.importorskip("huggingface_hub", reason="needs the hub's client")
    files = {name: name.encode() for name in (*FILES, "README.md", "example/asr_example.wav")}
    with serving_hub({f"models/org/name@{REVISION}": files}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        recogniser = Paraformer("org/name", revision=REVISION)
        recogniser.check()
        assert sorted(hub.fetched) == sorted(FILES)
    assert recogniser.transcribe(SECOND, "zh").text == "16000"
    assert log(tmp_path)[0]["init"]["model"] == str(pinned_model("org/name", REVISION).snapshot)
    assert all(need.present for need in recogniser.needs())
