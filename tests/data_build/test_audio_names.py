"""The names of a data set's audio: what was added is in it, and nothing that only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.data_build.audio_names import AudioNames, remove_leftovers
from squtr.data_build.layout import audio_file, audio_folder

CONDITIONS = st.sampled_from(["clean", "snr_10", "snr_-2.5", "phone", "room2"])
PATHS = st.builds(
    lambda subset, condition, number: f"{subset}/{audio_folder(condition)}/{audio_file(number, condition)}",
    st.sampled_from(["en/nq", "zh/2wiki", "en/a.1"]),
    CONDITIONS,
    st.integers(1, 300),
)


@given(st.sets(PATHS), PATHS)
def test_a_set_of_paths(added, other):
    names = AudioNames()
    for path in added:
        names.add(path)
    assert all(path in names for path in added)
    assert (other in names) == (other in added)


@pytest.mark.parametrize(
    "path",
    [
        "en/nq/audio_clean/01.wav",
        "en/nq/audio_clean/2.wav",
        "en/nq/audio_clean/11.wav",
        "en/nq/audio_clean/1.WAV",
        "en/nq/audio_clean/1.wav.wav",
        "en/nq/audio_clean/x1.wav",
        "en/nq/audio_rejected/1.wav",
        "en/nq/audio_clean/99999999999999999999.wav",
        "en/nq/audio_clean/one.wav",
    ],
)
def test_what_only_looks_like_it(path):
    names = AudioNames()
    names.add("en/nq/audio_clean/1.wav")
    assert path not in names


@pytest.mark.parametrize("path", ["en/nq/audio_clean/one.wav", "en/nq/audio_clean/0.wav", "1.flac", ""])
def test_a_path_without_a_number_is_refused(path):
    with pytest.raises(ValueError, match="number"):
        AudioNames().add(path)


def test_leftovers_go_and_nothing_else(tmp_path):
    subset = tmp_path / "en" / "nq"
    (subset / "audio_clean").mkdir(parents=True)
    (subset / "audio_notes").write_text("a file")
    for name in ("1.wav", "2.wav", "notes.txt"):
        (subset / "audio_clean" / name).touch()
    (subset / "3.wav").touch()
    names = AudioNames()
    names.add("en/nq/audio_clean/2.wav")
    remove_leftovers(tmp_path, subset, names)
    left = sorted(path.relative_to(subset).as_posix() for path in subset.rglob("*") if path.is_file())
    assert left == ["3.wav", "audio_clean/2.wav", "audio_clean/notes.txt", "audio_notes"]
