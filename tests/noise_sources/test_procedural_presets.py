"""A user's copy of the preset: changes take effect, faults are named with their lines."""

import numpy as np
import pytest

from squtr.content import content
from squtr.errors import UserError
from squtr.noise_sources.generators.scenes import read_preset
from squtr.noise_sources.procedural import Procedural
from squtr.plugins import load

HEAD = "name: mine\ntitle: Mine\nlicence: CC0-1.0\nsynthetic: true\ncategories:\n"
RAIN = HEAD + "  rain:\n    title: rain\n    layers:\n      - generator: stream\n        level_db: 0\n"


def written(tmp_path, text):
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_category_of_ones_own(tmp_path):
    source = Procedural(preset=str(written(tmp_path, RAIN)), recordings_per_category=2, seconds=3.0)
    assert [recording.id for recording in source.recordings()] == ["synthetic_rain_01", "synthetic_rain_02"]
    assert source.licence == "CC0-1.0"
    assert np.max(np.abs(source.read("synthetic_rain_02").samples)) == 0.5


def test_dropping_a_category_leaves_the_others_as_they_were(tmp_path):
    text = content("noise_sources", "embedded.yaml").read_text(encoding="utf-8")
    start, stop = text.index("  metro-station:"), text.index("  living-room:")
    path = written(tmp_path, text[:start] + text[stop:])
    fewer = load("noise", f"procedural,preset={path},seconds=3")
    assert len(fewer.recordings()) == 64
    kept = fewer.read("synthetic_river_01").samples
    assert np.array_equal(kept, Procedural(seconds=3).read("synthetic_river_01").samples)


def test_levels_are_heard(tmp_path):
    text = content("noise_sources", "embedded.yaml").read_text(encoding="utf-8")
    louder = text.replace(
        "- generator: insects\n        level_db: -4", "- generator: insects\n        level_db: 20"
    )
    assert louder != text
    source = Procedural(preset=str(written(tmp_path, louder)), seconds=4)

    def high_share(samples):
        power = np.abs(np.fft.rfft(samples)) ** 2
        return power[len(power) // 4 :].sum() / power.sum()

    plain = Procedural(seconds=4).read("synthetic_field_01").samples
    assert high_share(source.read("synthetic_field_01").samples) > 3 * high_share(plain)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("level_db: 0", "levle_db: 0", 10, "Did you mean 'level_db'"),
        ("generator: stream", "generator: streem", 9, "Did you mean 'stream'"),
        ("title: rain", "titel: rain", 7, "Did you mean 'title'"),
        ("licence: CC0", "license: CC0", 3, "Did you mean 'licence'"),
        ("level_db: 0", "level_db: loud", 10, "valid number"),
        ("level_db: 0", "level_db: .nan", 10, "finite"),
        ("level_db: 0", "level_db: yes", 10, "valid number"),
        ("level_db: 0", "rush_hz: 2", 10, "greater than or equal to 100"),
        ("level_db: 0", "room: {secconds: 1}", 10, "Did you mean 'seconds'"),
        ("level_db: 0", "low_hz: 900\n        high_hz: 300", 9, "low_hz is above high_hz"),
        ("level_db: 0", "generator: wind", 10, "stands twice"),
        ("synthetic: true", "synthetic: false", 4, "True"),
        ("  rain:", "  Rain fall:", 6, "pattern"),
        ("- generator: stream", "- vary_db: 3", 9, "no generator ''"),
        ("level_db: 0", "level_db: !!python/object/apply:os.getcwd []", 10, "only plain values"),
    ],
)
def test_c54_faults_are_named_with_file_and_line(tmp_path, old, new, line, words):
    assert old in RAIN
    path = written(tmp_path, RAIN.replace(old, new))
    with pytest.raises(UserError) as caught:
        read_preset(path)
    assert f"{path}:{line}: " in str(caught.value)
    assert words in str(caught.value)


def test_every_fault_is_reported_at_once(tmp_path):
    text = RAIN.replace("level_db: 0", "levle_db: 0") + "      - generator: wint\n"
    with pytest.raises(UserError) as caught:
        read_preset(written(tmp_path, text))
    assert len(str(caught.value).splitlines()) == 2


@pytest.mark.parametrize("text", ["", "- a\n", "a: [\n", "name: x\n", "a: &a [*a]\n"])
def test_files_that_are_no_preset_are_user_errors(tmp_path, text):
    with pytest.raises(UserError, match="mine"):
        read_preset(written(tmp_path, text))


def test_utf16_is_a_user_error(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_bytes(RAIN.encode("utf-16"))
    with pytest.raises(UserError, match="UTF-8"):
        read_preset(path)


def test_a_byte_order_mark_is_accepted(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_bytes(RAIN.encode("utf-8-sig"))
    assert read_preset(path).name == "mine"


def test_a_silent_scene_is_refused(tmp_path):
    text = RAIN.replace("generator: stream", "generator: clock").replace("level_db: 0", "per_second: 0.2")
    source = Procedural(preset=str(written(tmp_path, text)), seconds=3, recordings_per_category=9)
    faults = 0
    for recording in source.recordings():
        try:
            assert np.max(np.abs(source.read(recording.id).samples)) == 0.5
        except UserError as error:
            assert "silent" in str(error)
            faults += 1
    assert faults


def test_the_embedded_preset_says_what_it_is():
    preset = read_preset(content("noise_sources", "embedded.yaml"))
    notes = {scene.category: scene.note for scene in preset.scenes}
    assert "no recording" in preset.licence
    assert "not an additive noise" in notes["reverberation"]
    assert "TMETRO" in notes["metro-station"]
