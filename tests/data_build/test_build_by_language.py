"""Engines by language, and resources: each language meets its own engine, and no share moves a byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from squtr.commands.build import show_build
from squtr.commands.eval import run_eval
from squtr.errors import UserError
from squtr.records import Speaker, Transcription, Waveform
from tests.building import (
    CHINESE,
    ENGLISH,
    RECOGNISER,
    VOICE,
    build,
    files,
    manifest,
    write_both,
    write_collection,
    write_lines,
    write_trial,
)
from tests.doubles import ToneRecogniser, ToneVoice

DEEP, GROUPS = (f"tests.data_build.test_build_by_language:{name}" for name in ("Deep", "Groups"))
GROUP_VOICE = "tests.data_build.test_build_by_language:GroupVoice"


class Deep(ToneVoice):
    """A voice of its own fingerprint."""

    def __init__(self) -> None:
        super().__init__(version=5)


class GroupVoice(ToneVoice):
    """A voice that speaks several texts at once, and leaves the size of each group in a file."""

    def __init__(self, log: str = "") -> None:
        super().__init__()
        self.log = log

    def speak_many(self, items: list[tuple[str, Speaker, int]]) -> list[Any]:
        _note(self.log, len(items))
        return [self.speak(*item) for item in items]


class Groups(ToneRecogniser):
    """A recogniser that hears several recordings at once, and leaves the size of each group in a file."""

    def __init__(self, log: str = "") -> None:
        super().__init__()
        self.log = log

    def transcribe_many(self, audio: list[Waveform], language: str) -> list[Transcription]:
        _note(self.log, len(audio))
        return [self.transcribe(one, language) for one in audio]


def _note(log: str, size: int) -> None:
    if log:
        with Path(log).open("a") as file:
            file.write(f"{size}\n")


def speakers(folder: Path, **voices: str) -> None:
    rows = [
        {"id": f"{language}-1", "language": language, "voices": {voice: {"level": 0.25}}}
        for language, voice in voices.items()
    ]
    write_lines(folder / "speakers.jsonl", rows)


def test_each_language_has_its_own_engines(tmp_path):
    recipe = write_both(
        tmp_path,
        speak={"voice": {"en": VOICE, "zh": DEEP}},
        choose={"recogniser": {"en": RECOGNISER, "zh": f"{RECOGNISER},version=3"}},
        screen={"recogniser": {"en": f"{RECOGNISER},version=2", "zh": RECOGNISER}},
    )
    speakers(tmp_path, en=VOICE, zh=DEEP)
    summary = build(recipe, tmp_path / "out")
    assert summary.accepted == len(ENGLISH) + len(CHINESE)
    takes = 2 * summary.accepted
    assert summary.computed["speak"] == takes
    assert summary.computed["transcribe"] == takes + summary.accepted
    stages = json.loads((tmp_path / "out" / "build.json").read_text())["stages"]
    named = {name for name in stages if name.split()[0] in ("speak", "choose", "screen")}
    assert named == {
        f"{stage} {language}" for stage in ("speak", "choose", "screen") for language in ("en", "zh")
    }
    assert stages["speak en"] != stages["speak zh"]
    assert stages["choose en"] == stages["screen zh"] != stages["screen en"]


class OnlyEnglish(ToneRecogniser):
    """A recogniser that says which language it knows."""

    def check_language(self, language: str) -> None:
        if language != "en":
            raise UserError(f"knows English, not {language!r}")


def test_a_recogniser_of_another_language_is_refused_before_any_work(tmp_path):
    one = "tests.data_build.test_build_by_language:OnlyEnglish"
    recipe = write_both(tmp_path, screen={"recogniser": one})
    with pytest.raises(UserError, match="knows English, not 'zh'"):
        build(recipe, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    build(write_both(tmp_path, screen={"recogniser": {"en": one, "zh": RECOGNISER}}), tmp_path / "out")


def test_one_engine_for_both_gives_the_bytes_of_the_engine_alone(tmp_path):
    for name in ("alone", "each"):
        (tmp_path / name).mkdir()
    build(write_both(tmp_path / "alone"), tmp_path / "a")
    build(write_both(tmp_path / "each", speak={"voice": {"en": VOICE, "zh": VOICE}}), tmp_path / "b")
    one, other = manifest(tmp_path / "a"), manifest(tmp_path / "b")
    assert [row["pcm_sha256"] for row in one] == [row["pcm_sha256"] for row in other]


def test_shares_reach_the_engines_and_move_no_byte(tmp_path):
    log = tmp_path / "log"
    for name, batch in (("single", 1), ("many", 3)):
        folder = tmp_path / name
        folder.mkdir()
        recipe = write_both(
            folder,
            speak={"voice": GROUP_VOICE},
            choose={"recogniser": GROUPS},
            resources={"speak": {"batch": batch}, "transcribe": {"batch": batch, "gpus": 0.5}},
        )
        speakers(folder, en=GROUP_VOICE, zh=GROUP_VOICE)
        build(recipe, tmp_path / f"{name}-out")
    assert files(tmp_path / "single-out") == files(tmp_path / "many-out")
    assert not log.exists()
    again = tmp_path / "logged"
    again.mkdir()
    recipe = write_both(
        again,
        speak={"voice": f"{GROUP_VOICE},log={log}"},
        choose={"recogniser": f"{GROUPS},log={log}"},
        resources={"speak": {"batch": 3}, "transcribe": {"batch": 2}},
    )
    speakers(again, en=GROUP_VOICE, zh=GROUP_VOICE)
    build(recipe, tmp_path / "logged-out")
    assert set(log.read_text().split()) == {"3", "2"}


def test_a_subset_without_any_accepted_query_is_left_out_of_scores(tmp_path, capsys):
    rejecting = [{"judge": "tests.doubles:WordJudge,word=天气", "min_score": 3.0}]
    write_collection(tmp_path / "zh-trial", {"z2": "今天天气怎么样"})
    recipe = write_trial(tmp_path, screen={"judges": rejecting})
    build(recipe, tmp_path / "out")
    results, _ = run_eval(tmp_path / "out", RECOGNISER, ["bm25"], tmp_path / "eval", 1, None)
    assert list(results["scores"]) == ["en/trial"]


def test_a_data_set_without_any_accepted_query_says_so(tmp_path, capsys):
    rejecting = [{"judge": "tests.doubles:WordJudge,word=what", "min_score": 3.0}]
    recipe = write_trial(tmp_path, {"q": "what is it"}, screen={"judges": rejecting})
    show_build(build(recipe, tmp_path / "out"), tmp_path / "out", False)
    assert "Nothing was accepted" in capsys.readouterr().out
    with pytest.raises(UserError, match="no query in it was accepted"):
        run_eval(tmp_path / "out", RECOGNISER, ["bm25"], tmp_path / "eval", 1, None)
