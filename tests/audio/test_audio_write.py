from __future__ import annotations

import io
import wave
from pathlib import Path

import numpy as np
import pytest

from squtr.audio import read_audio, wav_bytes, write_wav

PCM16 = np.arange(-32768, 32768, 7, dtype=np.int16)


def test_the_bytes_are_those_of_the_standard_library() -> None:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(24000)
        writer.writeframes(PCM16.astype("<i2").tobytes())
    data = wav_bytes(PCM16, 24000)
    assert data == file.getvalue()
    assert len(data) == 44 + 2 * len(PCM16)


def test_written_files_are_equal_byte_for_byte_and_read_back_exactly(tmp_path: Path) -> None:
    for name in ("a.wav", "b.wav"):
        write_wav(tmp_path / name, PCM16, 24000)
    assert (tmp_path / "a.wav").read_bytes() == (tmp_path / "b.wav").read_bytes() == wav_bytes(PCM16, 24000)
    audio = read_audio(tmp_path / "a.wav")
    assert audio.sample_rate == 24000
    assert (audio.samples * 32768 == PCM16).all()


def test_a_file_is_replaced_whole_and_no_temporary_file_stays(tmp_path: Path) -> None:
    write_wav(tmp_path / "q.wav", PCM16, 24000)
    write_wav(str(tmp_path / "q.wav"), PCM16[:5], 16000)
    assert [path.name for path in tmp_path.iterdir()] == ["q.wav"]
    assert (tmp_path / "q.wav").read_bytes() == wav_bytes(PCM16[:5], 16000)


def test_strided_and_big_endian_arrays_give_the_same_bytes() -> None:
    expected = wav_bytes(PCM16[::2].copy(), 8000)
    assert wav_bytes(PCM16[::2], 8000) == expected
    assert wav_bytes(PCM16[::2].astype(">i2"), 8000) == expected


@pytest.mark.parametrize(
    "wrong",
    [
        np.array([40000], dtype=np.int32),
        np.array([0.5], dtype=np.float32),
        np.array([1], dtype=np.uint16),
        np.zeros((4, 2), dtype=np.int16),
        np.zeros(0, dtype=np.int16),
    ],
    ids=["int32", "float", "uint16", "stereo", "empty"],
)
def test_what_is_not_pcm_is_refused_and_leaves_no_file(wrong: np.ndarray, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="int16 vector"):
        write_wav(tmp_path / "q.wav", wrong, 24000)
    assert not list(tmp_path.iterdir())


def test_rate_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="sample rate"):
        wav_bytes(PCM16, 0)
