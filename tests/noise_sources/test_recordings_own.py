"""Recordings of one's own, by a catalogue."""

from __future__ import annotations

import numpy as np
import pytest
from noise_archives import (
    ids,
    noise,
    put,
    wav,
)

from squtr.content import content
from squtr.errors import UserError
from squtr.plugins import load

MINE = """name: my-noise
licence: recorded by us, CC0-1.0
categories:
  rain: [rain/*.wav, storms/**/rain_*.wav]
  fan: fan.wav
"""


def test_any_folder_with_a_ten_line_catalogue(tmp_path):
    for name in ("rain/b.wav", "rain/a.wav", "storms/2024/may/rain_1.wav", "storms/2024/dry.wav", "fan.wav"):
        put(tmp_path / name)
    (tmp_path / "my-noise.yaml").write_text(MINE)
    source = load("noise", f"recordings,source={tmp_path / 'my-noise.yaml'}")
    source.check()
    assert [(one.id, one.category, one.synthetic) for one in source.recordings()] == [
        ("rain/a.wav", "rain", False),
        ("rain/b.wav", "rain", False),
        ("storms/2024/may/rain_1.wav", "rain", False),
        ("fan.wav", "fan", False),
    ]
    assert source.licence == "my-noise: recorded by us, CC0-1.0"
    assert source.read("fan.wav").sample_rate == 16000


def test_a_catalogue_names_its_folder_channels_ids_and_that_it_is_synthetic(tmp_path, written):
    path = tmp_path / "audio" / "Street.wav"
    path.parent.mkdir()
    both = np.stack([noise("left", 1, 8000), noise("right", 1, 8000)], axis=1)
    path.write_bytes(wav(both, 8000))
    file = written(
        "name: m\nlicence: x\nsynthetic: true\npath: audio\nid: 'm_{category}_{stem}'\n"
        "categories:\n  each: {files: ['*.wav'], channels: [1, 2]}\n"
    )
    source = load("noise", f"recordings,source={file}")
    assert ids(source) == ["m_each_street_ch01", "m_each_street_ch02"]
    assert all(one.synthetic for one in source.recordings())
    assert np.array_equal(source.read("m_each_street_ch02").samples, both[:, 1])
    file.write_text(file.read_text().replace("[1, 2]", "[3]"))
    with pytest.raises(UserError, match=r"Street\.wav: has no channel 3, it has 2"):
        load("noise", f"recordings,source={file}").check()


def test_files_and_other_sources_mix(tmp_path, written, demand):
    put(tmp_path / "rain.wav")
    file = written(
        "name: m\nlicence: x\ncategories:\n  rain: rain.wav\n  cafe: {sources: {demand: [SCAFE]}}\n"
    )
    source = load("noise", f"recordings,source={file},demand={demand}")
    assert [(one.id, one.category) for one in source.recordings()] == [
        ("rain.wav", "rain"),
        ("demand_SCAFE_ch01", "cafe"),
        ("demand_SCAFE_ch07", "cafe"),
    ]
    assert source.read("rain.wav").sample_rate == 16000
    assert source.read("demand_SCAFE_ch07").sample_rate == 48000


def test_a_catalogue_beside_a_preset_is_one_of_its_sources(tmp_path, written):
    put(tmp_path / "fan.wav")
    (tmp_path / "office.yaml").write_text("name: office\nlicence: x\ncategories: {fan: fan.wav}\n")
    file = written("name: m\nlicence: y\ncategories: {hum: {sources: {office: [fan]}}}\n")
    source = load("noise", f"recordings,source={file}")
    assert [(one.id, one.category) for one in source.recordings()] == [("fan.wav", "hum")]
    assert source.licence == "m: y; office: x"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "categories: {a: [nothing.wav, 'rain/*.wav']}",
            r"has no recording of a\. No file below .* matches a: nothing\.wav rain/\*\.wav\. Correct",
        ),
        ("path: nowhere\ncategories: {a: a.wav}", "path 'nowhere': no such folder"),
        ("categories: {a: '*.wav', b: 'fan.*'}", r"fan\.wav and .*fan\.wav are both 'fan\.wav' \(b, a\)"),
        ("id: '{stem}'\ncategories: {a: '**/*.wav'}", "are both 'fan'.*Ids have to differ"),
        ("categories: {a: {sources: {mine: [a]}}}", "mine is a preset itself"),
        ("categories: {a: {sources: {squtr17: [cafe]}}}", "squtr17 is a preset itself"),
        ("categories: {a: {sources: {demnad: [SCAFE]}}}", "Unknown noise 'demnad'"),
        ("categories: {a: {sources: {procedural: [cafee]}}}", "no category 'cafee'. Did you mean 'cafe'"),
    ],
)
def test_catalogues_that_fit_no_file_are_user_errors(tmp_path, written, text, words):
    put(tmp_path / "fan.wav")
    put(tmp_path / "deep" / "fan.wav")
    with pytest.raises(UserError, match=words):
        load("noise", f"recordings,source={written(f'name: mine{chr(10)}licence: x{chr(10)}{text}')}")


def test_two_sources_with_the_same_id_are_refused(tmp_path, written):
    put(tmp_path / "synthetic_cafe_01")
    text = "name: m\nlicence: x\ncategories:\n  a: synthetic_cafe_01\n  b: {sources: {procedural: [cafe]}}\n"
    with pytest.raises(UserError, match="two of its sources have a recording 'synthetic_cafe_01'"):
        load("noise", f"recordings,source={written(text)}")


def test_c29_what_is_no_use_is_found_before_the_work(tmp_path, written):
    file = written("name: m\nlicence: x\ncategories: {a: '*.wav'}\n")
    put(tmp_path / "fine.wav")
    load("noise", f"recordings,source={file}").check()
    (tmp_path / "dc.wav").write_bytes(wav(np.full(16000, 9000, np.int16), 16000))
    with pytest.raises(UserError, match=r"dc\.wav: the noise is silent .*Take dc\.wav out"):
        load("noise", f"recordings,source={file}").check()
    (tmp_path / "dc.wav").write_bytes(b"RIFF")
    with pytest.raises(UserError, match=r"dc\.wav: .*Take it out of the noise folder or replace it"):
        load("noise", f"recordings,source={file}").check()


def test_what_was_measured_is_remembered_until_the_file_changes(tmp_path, written, monkeypatch):
    file = written("name: m\nlicence: x\ncategories: {a: '*.wav'}\n")
    path = put(tmp_path / "fan.wav")
    load("noise", f"recordings,source={file}").check()
    with monkeypatch.context() as patched:
        patched.setattr("squtr.noise_sources.tracks.measure", lambda *args: pytest.fail("measured again"))
        load("noise", f"recordings,source={file}").check()
    path.write_bytes(wav(np.zeros(16000, np.int16), 16000))
    with pytest.raises(UserError, match="silent"):
        load("noise", f"recordings,source={file}").check()


def test_a_preset_of_ones_own_out_of_a_copy_of_squtr17(tmp_path, written, demand):
    text = content("noise_sources", "squtr17.yaml").read_text(encoding="utf-8")
    text = text.replace("name: squtr17", "name: mine").replace("demand: [SCAFE]", "demand: [SCAFE, PCAFETER]")
    source = load("noise", f"recordings,source={written(text)},demand={demand}")
    assert len([one for one in source.recordings() if one.category == "cafe"]) == 4
