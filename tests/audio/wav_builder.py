"""WAV files byte by byte, and simple signals."""

from __future__ import annotations

import struct

import numpy as np

PCM, FLOAT, A_LAW, MU_LAW, EXTENSIBLE = 1, 3, 6, 7, 0xFFFE
_GUID_TAIL = bytes.fromhex("000000001000800000aa00389b71")


def wav(tag: int, bits: int, data: bytes, rate: int = 16000, channels: int = 1, extra: bytes = b"") -> bytes:
    frame = channels * bits // 8
    fmt = struct.pack("<HHIIHH", tag, channels, rate, rate * frame, frame, bits) + extra
    body = b"WAVEfmt " + struct.pack("<I", len(fmt)) + fmt + b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


def extensible(sub_format: int, bits: int, valid_bits: int, data: bytes) -> bytes:
    guid = struct.pack("<H", sub_format) + _GUID_TAIL
    return wav(EXTENSIBLE, bits, data, extra=struct.pack("<HHI", 22, valid_bits, 4) + guid)


def int16(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}h", *values)


def square(amplitude: float, half_period: int, count: int) -> np.ndarray:
    """A square wave whose mean is 0 when count is a multiple of 2 * half_period."""
    signs = np.where(np.arange(count) // half_period % 2, -1.0, 1.0)
    return (amplitude * signs).astype(np.float32)


def tone(frequency: float, rate: int, seconds: float, amplitude: float = 0.5) -> np.ndarray:
    times = np.arange(round(rate * seconds)) / rate
    return (amplitude * np.sin(2 * np.pi * frequency * times)).astype(np.float32)


def hiss(count: int, level: float = 0.1, seed: int = 0) -> np.ndarray:
    return (level * np.random.default_rng(seed).standard_normal(count)).astype(np.float32)


def loudest_frequency(samples: np.ndarray, rate: int) -> float:
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return float(np.argmax(spectrum) * rate / len(samples))
