from __future__ import annotations

import io
import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile
from wav_builder import FLOAT, PCM, hiss, int16, wav

from squtr.audio import read_audio, wav_bytes
from squtr.errors import ItemFailure

WHOLE = wav(PCM, 16, int16(*range(1000)))
TWO_FRAMES = wav(PCM, 16, int16(100, 200))


def with_sizes(riff: int, data: int) -> bytes:
    return WHOLE[:4] + struct.pack("<I", riff) + WHOLE[8:40] + struct.pack("<I", data) + WHOLE[44:]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "0 bytes"),
        (wav(PCM, 16, b""), "no frames"),
        (b"<html><body>502 Bad Gateway</body></html>", "not audio"),
        (TWO_FRAMES + TWO_FRAMES, "glued"),
        (wav(PCM, 16, int16(1, 2), rate=0), "not audio"),
        (wav(FLOAT, 32, struct.pack("<3f", 0, float("nan"), 1)), "NaN or infinite"),
        (wav(FLOAT, 32, struct.pack("<3f", 0, float("-inf"), 1)), "NaN or infinite"),
    ],
    ids=["a-empty", "b-no-frames", "c-html", "d-glued", "rate-0", "nan", "inf"],
)
def test_c05_not_one_whole_audio_file_is_a_failure_with_a_reason(
    data: bytes, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "q1.wav"
    path.write_bytes(data)
    for source in (path, data):
        with pytest.raises(ItemFailure, match=reason):
            read_audio(source)


@pytest.mark.parametrize("sizes", [(2, 1000), (1000, 2)])
def test_c05_glued_files_of_other_lengths(sizes: tuple[int, int]) -> None:
    first, second = (wav(PCM, 16, int16(*range(size))) for size in sizes)
    with pytest.raises(ItemFailure, match="glued"):
        read_audio(first + second)


def test_c05_glued_streaming_files_do_not_turn_headers_into_sound() -> None:
    streamed = with_sizes(0xFFFFFFFF, 0xFFFFFFFF)
    assert len(read_audio(streamed).samples) == 1000
    with pytest.raises(ItemFailure, match="glued"):
        read_audio(streamed + streamed)


def test_the_letters_riff_among_the_samples_are_no_second_file() -> None:
    audio = read_audio(wav(PCM, 16, int16(1, 2) + b"RIFF" + int16(3, 4, 5, 6)))
    assert len(audio.samples) == 8


@pytest.mark.parametrize("end", [1, 4, 11, 12, 20, 30, 36, 40, 43, 44, 45, 46, 500, len(WHOLE) - 1])
def test_a_file_cut_short_anywhere_is_refused(end: int) -> None:
    with pytest.raises(ItemFailure):
        read_audio(WHOLE[:end])


def test_the_reason_of_a_cut_counts_the_bytes() -> None:
    with pytest.raises(ItemFailure, match="cut short: 456 of 2000 bytes"):
        read_audio(WHOLE[:500])


def test_chunks_before_and_after_the_samples_are_passed_over() -> None:
    odd = b"LIST" + struct.pack("<I", 3) + b"abc\0"
    assert len(read_audio(WHOLE[:12] + odd + WHOLE[12:] + odd).samples) == 1000
    with pytest.raises(ItemFailure, match="cut short: 1999 of 2000"):
        read_audio(WHOLE[:12] + odd + WHOLE[12:-1])


def flac(samples: np.ndarray) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, samples, 16000, format="FLAC")
    return file.getvalue()


def test_flac_whole_cut_glued_and_without_a_length() -> None:
    data = flac(hiss(20000))
    assert len(read_audio(data).samples) == 20000
    with pytest.raises(ItemFailure, match="not audio"):
        read_audio(data[: len(data) // 2])
    with pytest.raises(ItemFailure, match="glued"):
        read_audio(data + data)
    unstated = data[:21] + bytes([data[21] & 0xF0]) + bytes(4) + data[26:]
    with pytest.raises(ItemFailure, match="states no length"):
        read_audio(unstated)


def test_missing_file_and_folder_are_failures_that_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(ItemFailure, match=r"^q9\.wav: cannot be read"):
        read_audio(tmp_path / "q9.wav")
    with pytest.raises(ItemFailure, match="cannot be read"):
        read_audio(tmp_path)


def test_the_reason_is_the_same_each_time_and_holds_no_path(tmp_path: Path) -> None:
    path = tmp_path / "q3.wav"
    path.write_bytes(b"no audio at all, and long enough to look for a header")
    reasons = set()
    for _ in range(3):
        with pytest.raises(ItemFailure) as caught:
            read_audio(path)
        reasons.add(str(caught.value))
    assert len(reasons) == 1
    assert reasons.pop().startswith("q3.wav: not audio")


def test_what_is_written_is_read() -> None:
    assert len(read_audio(wav_bytes(np.arange(10, dtype=np.int16), 24000)).samples) == 10
