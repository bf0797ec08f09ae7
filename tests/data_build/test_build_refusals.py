"""What is found before an output folder is claimed, and where a message points to."""

from __future__ import annotations

import json

import pytest

from squtr.acoustics.condition import Condition
from squtr.commands.eval import run_eval
from squtr.data_build.acoustics import check_conditions, draw_second
from squtr.errors import UserError
from squtr.records import NoiseRecording
from tests.building import RECOGNISER, VOICE, build, write_trial
from tests.doubles import ToneVoice


class Fussy(ToneVoice):
    """A voice that looks at its speakers."""

    def check_speaker(self, speaker):
        if speaker.settings.get("level") == 0.25:
            raise UserError(f"speaker {speaker.id!r}: too loud. Choose another level.")


def test_a_speaker_s_fault_points_to_its_line(tmp_path):
    voice = f"{__name__}:Fussy"
    recipe = write_trial(tmp_path, speak={"voice": voice})
    table = tmp_path / "speakers.jsonl"
    table.write_text("\n" + table.read_text().replace(VOICE, voice))
    with pytest.raises(UserError, match=r"speakers\.jsonl:3: speaker 'en-2': too loud\. Choose another"):
        build(recipe, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_kokoro_speaker_without_a_blend_points_to_its_line(tmp_path):
    recipe = write_trial(tmp_path, speak={"voice": "kokoro"})
    rows = [{"id": n, "language": "en", "voices": {"kokoro": {"accent": "en-us"}}} for n in ("b", "a")]
    (tmp_path / "speakers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(UserError, match=r"speakers\.jsonl:[12]: speaker '[ab]': "):
        build(recipe, tmp_path / "out")


@pytest.mark.parametrize("below", ["", "inner/cache"])
def test_a_cache_that_is_a_file_leaves_no_output_behind(tmp_path, below):
    recipe, file = write_trial(tmp_path), tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(UserError, match=r"file: is a file\. A cache is a folder\."):
        build(recipe, tmp_path / "out", cache=file / below)
    build(recipe, tmp_path / "data")
    with pytest.raises(UserError, match=r"file: is a file\. A cache is a folder\."):
        run_eval(tmp_path / "data", RECOGNISER, ["bm25"], tmp_path / "out", 1, file / below)
    assert not (tmp_path / "out").exists()
    assert file.read_text() == "mine"


def test_the_second_noise_is_another_recording_than_the_first():
    """A preset may list one recording in two categories."""
    first, same, other = (NoiseRecording(*each, False) for each in (("a", "x"), ("a", "y"), ("b", "y")))
    drawn = {draw_second([first, same, other], first, 1, str(key)) for key in range(40)}
    assert drawn == {"b"}
    condition = Condition.model_validate({"name": "two", "snr_db": 5.0, "second_noise": {}})
    check_conditions([condition], [first, other])
    with pytest.raises(UserError, match="second_noise needs two recordings"):
        check_conditions([condition], [first, same])
