from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from wav_builder import A_LAW, FLOAT, MU_LAW, PCM, extensible, int16, wav

from squtr.audio import read_audio
from squtr.errors import UserError

HALVES = [0.0, 0.5, -0.5]


def test_c01_24_bit_is_divided_by_2_to_the_23() -> None:
    steps = (0, 4194304, -4194304, 8388607)
    data = b"".join(step.to_bytes(3, "little", signed=True) for step in steps)
    audio = read_audio(wav(PCM, 24, data))
    assert audio.samples.tolist() == [*HALVES, np.float32(0.99999988)]
    assert audio.samples.dtype == np.float32 and audio.sample_rate == 16000


def test_c02_8_bit_is_unsigned() -> None:
    assert read_audio(wav(PCM, 8, bytes([128, 192, 64, 255]))).samples.tolist() == [*HALVES, 0.9921875]
    assert not read_audio(wav(PCM, 8, bytes([128] * 100))).samples.any()


@pytest.mark.parametrize(
    "data",
    [
        extensible(PCM, 16, 16, int16(0, 16384, -16384, 32767)),
        extensible(FLOAT, 32, 32, struct.pack("<4f", *HALVES, 0.99999)),
        extensible(PCM, 32, 24, struct.pack("<4i", 0, 1 << 30, -(1 << 30), 0x7FFFFF00)),
        wav(FLOAT, 32, struct.pack("<4f", *HALVES, 0.99999)),
        wav(FLOAT, 64, struct.pack("<4d", *HALVES, 0.99999)),
    ],
    ids=["extensible-16", "extensible-float", "extensible-24-in-32", "float", "double"],
)
def test_c03_extensible_and_float(data: bytes) -> None:
    samples = read_audio(data).samples
    assert samples[:3].tolist() == HALVES
    assert samples[3] == pytest.approx(1.0, abs=4e-5)


def test_c04_mu_law() -> None:
    audio = read_audio(wav(MU_LAW, 8, bytes([0xFF, 0x80, 0x00, 0x7F]), rate=8000))
    assert audio.samples == pytest.approx([0, 0.98035, -0.98035, 0], abs=1e-5)
    assert audio.sample_rate == 8000


def test_c04_a_law() -> None:
    audio = read_audio(wav(A_LAW, 8, bytes([0xD5, 0x55, 0xAA, 0x2A]), rate=8000))
    assert audio.samples.tolist() == [8 / 32768, -8 / 32768, 0.984375, -0.984375]


def test_float_beyond_full_scale_is_not_clipped() -> None:
    assert read_audio(wav(FLOAT, 32, struct.pack("<2f", 1.5, -2.0))).samples.tolist() == [1.5, -2.0]


@pytest.mark.parametrize("rate", [8000, 11025, 19980, 44056, 44100, 192000])
def test_c06_the_rate_of_the_header_is_kept(rate: int) -> None:
    audio = read_audio(wav(PCM, 16, int16(*[100] * 50), rate=rate))
    assert audio.sample_rate == rate
    assert audio.seconds == 50 / rate


def test_stereo_is_averaged_or_one_channel_is_picked() -> None:
    data = wav(PCM, 16, int16(16384, 0, -16384, 8192), channels=2)
    assert read_audio(data).samples.tolist() == [0.25, -0.125]
    assert read_audio(data, channel=0).samples.tolist() == [0.5, -0.5]
    assert read_audio(data, channel=1).samples.tolist() == [0.0, 0.25]
    for channel in (2, -1):
        with pytest.raises(UserError, match=f"no channel {channel}, it has 2"):
            read_audio(data, channel)


def test_path_and_bytes_give_the_same(tmp_path: Path) -> None:
    data = wav(PCM, 16, int16(1, 2, 3))
    path = tmp_path / "q1.wav"
    path.write_bytes(data)
    assert (
        read_audio(path).samples.tolist()
        == read_audio(data).samples.tolist()
        == [n / 32768 for n in (1, 2, 3)]
    )
    assert read_audio(str(path)).sample_rate == 16000
