"""Any folder of recordings as a noise source."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from squtr.audio import write_wav
from squtr.errors import UserError
from squtr.noise_sources.folder import Folder
from squtr.plugins import load


def noise(path: Path, samples: int = 4000, sample_rate: int = 16000, seed: int = 1) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    soundfile.write(path, rng.uniform(-0.3, 0.3, samples), sample_rate)
    return path


def test_sub_folders_are_categories(tmp_path):
    for name in ("cafe/b.wav", "cafe/a.flac", "street/deep/down/c.ogg", "loose.WAV"):
        noise(tmp_path / "mine" / name)
    source = Folder(str(tmp_path / "mine"))
    source.check()
    assert [(row.id, row.category, row.synthetic) for row in source.recordings()] == [
        ("cafe/a.flac", "cafe", False),
        ("cafe/b.wav", "cafe", False),
        ("loose.WAV", "mine", False),
        ("street/deep/down/c.ogg", "street", False),
    ]
    for row in source.recordings():
        waveform = source.read(row.id)
        assert (len(waveform.samples), waveform.sample_rate) == (4000, 16000)


def test_other_files_are_passed_over(tmp_path):
    noise(tmp_path / "a.wav")
    (tmp_path / "LICENCE.txt").write_text("free")
    (tmp_path / "folder.wav").mkdir()
    (tmp_path / "._a.wav").write_bytes(b"\0\5\x16\7")
    (tmp_path / ".cache").mkdir()
    noise(tmp_path / ".cache" / "old.wav")
    source = Folder(str(tmp_path))
    source.check()
    assert [row.id for row in source.recordings()] == ["a.wav"]


def test_the_order_of_creation_does_not_matter(tmp_path):
    for folder, names in (("x", "abc"), ("y", "cba")):
        for name in names:
            noise(tmp_path / folder / "n" / f"{name}.wav", seed=ord(name))
    one, other = (Folder(str(tmp_path / name / "n")) for name in "xy")
    assert one.recordings() == other.recordings()
    assert one.fingerprint == other.fingerprint


@pytest.mark.parametrize("change", ["content", "name", "one more"])
def test_c51_the_fingerprint_follows_names_and_bytes(tmp_path, change):
    noise(tmp_path / "x" / "a.wav")
    noise(tmp_path / "y" / ("b.wav" if change == "name" else "a.wav"), seed=2 if change == "content" else 1)
    if change == "one more":
        noise(tmp_path / "y" / "z.wav")
    assert Folder(str(tmp_path / "x")).fingerprint != Folder(str(tmp_path / "y")).fingerprint


def test_c06_each_file_keeps_its_own_rate(tmp_path):
    noise(tmp_path / "a.wav", 8000, 8000)
    noise(tmp_path / "b.wav", 44100, 44100)
    source = Folder(str(tmp_path))
    assert [source.read(name).sample_rate for name in ("a.wav", "b.wav")] == [8000, 44100]
    assert [source.read(name).seconds for name in ("a.wav", "b.wav")] == [1, 1]


@pytest.mark.parametrize(
    ("samples", "what"),
    [(np.zeros(4000, np.int16), "silent"), (np.full(4000, 9000, np.int16), "silent")],
    ids=["zeros", "constant"],
)
def test_c29_silence_is_refused_before_the_work(tmp_path, samples, what):
    write_wav(tmp_path / "quiet.wav", samples, 16000)
    with pytest.raises(UserError, match=rf"quiet\.wav: the noise is {what} .*Take quiet\.wav out"):
        Folder(str(tmp_path)).check()


@pytest.mark.parametrize(("samples", "is_enough"), [(3184, False), (3200, True)])
def test_too_little_to_loop_is_refused_before_the_work(tmp_path, samples, is_enough):
    noise(tmp_path / "click.wav", samples)
    if is_enough:
        Folder(str(tmp_path)).check()
        return
    with pytest.raises(UserError, match=r"click\.wav: 0\.199 s long; noise takes 0\.2 s at least"):
        Folder(str(tmp_path)).check()


@pytest.mark.parametrize("content", [b"", b"<html>404</html>", b"RIFF\x10\0\0\0WAVE"])
def test_c05_files_that_are_no_audio_are_refused_before_the_work(tmp_path, content):
    (tmp_path / "bad.wav").write_bytes(content)
    with pytest.raises(UserError, match=r"bad\.wav: .*Take it out of the noise folder or replace it"):
        Folder(str(tmp_path)).check()


def test_missing_and_empty_folders(tmp_path):
    with pytest.raises(UserError, match="no such folder"):
        Folder(str(tmp_path / "nowhere"))
    with pytest.raises(UserError, match="no audio file"):
        Folder(str(tmp_path))


def test_through_the_registry(tmp_path):
    noise(tmp_path / "a.wav")
    assert load("noise", f"folder,path={tmp_path}").recordings()[0].id == "a.wav"
    with pytest.raises(UserError, match="path"):
        load("noise", "folder")
    with pytest.raises(UserError, match="path is 2024, not text"):
        load("noise", "folder,path=2024")


def test_an_unknown_recording_is_named(tmp_path):
    noise(tmp_path / "a.wav")
    with pytest.raises(UserError, match=r"no recording 'b\.wav'\. Did you mean 'a\.wav'"):
        Folder(str(tmp_path)).read("b.wav")
