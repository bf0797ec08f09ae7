"""Samples out of WAV of any form, .mat files and archives: the same numbers, or a reason."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from noise_archives import noise, wav, write_zip
from scipy.io import savemat

from squtr.errors import ItemFailure
from squtr.noise_sources.cache import mapped
from squtr.noise_sources.decode import Header, read_blocks, read_header
from squtr.noise_sources.measure import crc_of
from squtr.noise_sources.tree import Entry, list_tree

STEPS = noise("steps", 0.5, 8000)


def entry_of(tmp_path: Path, data: bytes, name: str = "a.wav") -> Entry:
    (tmp_path / "in").mkdir(exist_ok=True)
    (tmp_path / "in" / name).write_bytes(data)
    [entry] = list_tree(tmp_path / "in")
    return entry


def samples_of(entry: Entry, channel: int | None = None) -> np.ndarray:
    return np.concatenate(list(read_blocks(entry, read_header(entry), channel, 999)))


@pytest.mark.parametrize(
    ("options", "dtype"),
    [
        ({"subtype": "PCM_16"}, np.int16),
        ({"subtype": "PCM_24"}, np.float32),
        ({"subtype": "PCM_32"}, np.float32),
        ({"subtype": "FLOAT"}, np.float32),
        ({"subtype": "DOUBLE"}, np.float32),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_forms_of_wav(tmp_path, options, dtype, packed):
    data = wav(STEPS if dtype == np.int16 else STEPS / 32768, 8000, **options)
    if packed:
        write_zip(tmp_path / "in" / "x.zip", {"a.wav": data})
        [entry] = list_tree(tmp_path)
    else:
        entry = entry_of(tmp_path, data)
    header = read_header(entry)
    assert (header.frames, header.channels, header.sample_rate) == (4000, 1, 8000)
    samples = samples_of(entry)
    assert samples.dtype == dtype
    wanted = STEPS if dtype == np.int16 else STEPS / np.float32(32768)
    assert np.array_equal(samples, wanted)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_every_way_of_packing_gives_the_same_mapped_array(tmp_path, method):
    write_zip(tmp_path / "in" / "x.zip", {"a.wav": wav(STEPS, 8000)}, method)
    [entry] = list_tree(tmp_path / "in")
    samples = mapped(tmp_path / "cache", entry, read_header(entry), None, crc_of(entry))
    assert isinstance(samples, np.memmap)
    assert np.array_equal(samples, STEPS)


def test_plain_wav_is_mapped_where_it_lies(tmp_path):
    entry = entry_of(tmp_path, wav(STEPS, 8000))
    samples = mapped(tmp_path / "cache", entry, read_header(entry), None, 0)
    assert isinstance(samples, np.memmap)
    assert np.array_equal(samples, STEPS)
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(("kind", "suffix"), [("FLAC", "flac"), ("AIFF", "aiff"), ("OGG", "ogg")])
def test_other_formats(tmp_path, kind, suffix):
    path = tmp_path / "in" / f"a.{suffix}"
    path.parent.mkdir()
    soundfile.write(path, STEPS, 8000, format=kind)
    [entry] = list_tree(tmp_path)
    wanted = soundfile.read(path, dtype="int16" if kind != "OGG" else "float32")[0]
    assert np.array_equal(samples_of(entry), wanted)
    assert np.array_equal(mapped(tmp_path / "cache", entry, read_header(entry), None, 1), wanted)


def test_channels_are_picked_or_averaged(tmp_path):
    both = np.stack([STEPS, STEPS // 2], axis=1)
    entry = entry_of(tmp_path, wav(both, 8000))
    assert np.array_equal(samples_of(entry, 0), STEPS)
    assert np.array_equal(samples_of(entry, 1), STEPS // 2)
    header = read_header(entry)
    assert np.array_equal(mapped(tmp_path / "c", entry, header, 1, 1), STEPS // 2)
    mean = samples_of(entry)
    assert mean.dtype == np.float32
    assert np.allclose(mean, both.mean(axis=1) / 32768, atol=1e-7)
    with pytest.raises(ItemFailure, match="no channel 3, it has 2"):
        samples_of(entry, 2)


def test_chunks_before_and_after_the_samples(tmp_path):
    plain = wav(STEPS, 8000)
    odd = b"LIST" + struct.pack("<I", 5) + b"INFOx\0"
    data = plain[:12] + odd + plain[12:36] + b"JUNK" + struct.pack("<I", 40) + bytes(40) + plain[36:] + odd
    entry = entry_of(tmp_path, data)
    assert np.array_equal(samples_of(entry), STEPS)
    assert np.array_equal(mapped(tmp_path, entry, read_header(entry), None, 0), STEPS)


def test_wave_format_extensible(tmp_path):
    guid = bytes.fromhex("0100000000001000800000aa00389b71")
    form = struct.pack("<HHIIHHHHI", 0xFFFE, 1, 8000, 16000, 2, 16, 22, 16, 4) + guid
    data = (
        b"WAVEfmt "
        + struct.pack("<I", len(form))
        + form
        + b"data"
        + struct.pack("<I", 8000)
        + STEPS.tobytes()
    )
    entry = entry_of(tmp_path, b"RIFF" + struct.pack("<I", len(data)) + data)
    assert read_header(entry).pcm_offset is not None
    assert np.array_equal(samples_of(entry), STEPS)


@pytest.mark.parametrize("stated", [0xFFFFFFFF, 0x7FFFF000])
def test_c05_a_length_left_open_by_a_pipe(tmp_path, stated):
    data = bytearray(wav(STEPS, 8000))
    data[40:44] = struct.pack("<I", stated)
    assert np.array_equal(samples_of(entry_of(tmp_path, bytes(data))), STEPS)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda data: b"", "is empty"),
        (lambda data: data[:5000], r"is cut short: 4956 of 8000 bytes"),
        (lambda data: data[:44], r"is cut short: 0 of 8000 bytes"),
        (lambda data: data[:40] + bytes(4), "holds no frames"),
        (lambda data: data[:36], "without samples"),
        (lambda data: data[:24] + bytes(4) + data[28:], "sample rate of 0"),
        (lambda data: data[:12] + data[36:], "does not state its format"),
        (lambda data: b"<html>404</html>", "not audio that can be read"),
        (lambda data: bytes(1000), "not audio that can be read"),
    ],
)
def test_c05_what_is_no_whole_audio_is_refused(tmp_path, spoil, reason):
    with pytest.raises(ItemFailure, match=reason):
        read_header(entry_of(tmp_path, spoil(wav(STEPS, 8000))))


def test_samples_that_are_not_finite_are_refused(tmp_path):
    samples = np.zeros(4000, np.float32)
    samples[3000] = np.nan
    with pytest.raises(ItemFailure, match="NaN or infinite"):
        samples_of(entry_of(tmp_path, wav(samples, 8000, subtype="FLOAT")))


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({"babble": STEPS[:, None]}, STEPS),
        ({"babble": STEPS[None].astype(float)}, STEPS),
        ({"Babble": STEPS.astype(np.float32)}, STEPS),
        ({"noise": STEPS}, STEPS),
        ({"babble": STEPS, "other": STEPS[::-1], "fs": 19980}, STEPS),
        ({"babble": STEPS / 32768}, (STEPS / 32768).astype(np.float32)),
    ],
    ids=["column", "row of floats", "other case", "only one", "beside others", "within one"],
)
@pytest.mark.parametrize("form", ["4", "5"])
@pytest.mark.parametrize("packed", [False, True])
def test_mat_files(tmp_path, variables, wanted, form, packed):
    path = tmp_path / "in" / "babble.mat"
    path.parent.mkdir()
    savemat(path, variables, format=form, do_compression=form == "5")
    if packed:
        write_zip(path.with_name("x.zip"), {"babble.mat": path.read_bytes()})
        path.unlink()
    [entry] = list_tree(tmp_path / "in")
    assert read_header(entry) == Header(4000, 1, None)
    samples = mapped(tmp_path / "cache", entry, read_header(entry), None, 1)
    assert isinstance(samples, np.memmap)
    assert samples.dtype == wanted.dtype
    assert np.array_equal(samples, wanted)


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"a": STEPS, "b": STEPS}, "no vector named babble; it has a, b"),
        ({"babble": np.zeros((3, 4))}, "no vector named babble"),
        ({"babble": STEPS * 3.5}, "neither 16-bit steps nor within"),
        ({"babble": np.array([1e6, 2e6])}, "neither 16-bit steps"),
        ({"babble": np.array([1j, 2])}, "holds no plain numbers"),
        ({"babble": np.array([np.nan, 0.1])}, "NaN"),
        ({}, "it has nothing"),
    ],
)
def test_mat_files_without_the_noise_are_refused(tmp_path, variables, reason):
    path = tmp_path / "in" / "babble.mat"
    path.parent.mkdir()
    savemat(path, variables)
    [entry] = list_tree(tmp_path)
    with pytest.raises(ItemFailure, match=reason):
        samples_of(entry)


@pytest.mark.parametrize("data", [b"", b"not a mat file at all" * 20, b"MATLAB 7.3 MAT-file" + bytes(600)])
def test_what_is_no_mat_file_is_refused(tmp_path, data):
    with pytest.raises(ItemFailure):
        read_header(entry_of(tmp_path, data, "babble.mat"))


def test_the_cache_is_written_once_and_mended_when_cut(tmp_path):
    write_zip(tmp_path / "in" / "x.zip", {"a.wav": wav(STEPS, 8000)})
    [entry] = list_tree(tmp_path / "in")
    header, cache = read_header(entry), tmp_path / "cache"

    def again() -> Any:
        return mapped(cache, entry, header, None, crc_of(entry))

    again()
    [path] = cache.iterdir()
    first = path.stat().st_mtime_ns
    again()
    assert path.stat().st_mtime_ns == first
    path.write_bytes(path.read_bytes()[:-100])
    assert np.array_equal(again(), STEPS)
    path.write_bytes(b"rubbish")
    assert np.array_equal(again(), STEPS)
    np.save(path, STEPS[:100])
    assert np.array_equal(again(), STEPS)


def test_a_conversion_that_fails_leaves_nothing(tmp_path):
    path = write_zip(
        tmp_path / "in" / "x.zip", {"a.wav": wav(noise("long", 60, 8000), 8000)}, zipfile.ZIP_STORED
    )
    data = bytearray(path.read_bytes())
    data[900_000] ^= 255
    path.write_bytes(data)
    [entry] = list_tree(tmp_path / "in")
    with pytest.raises(ItemFailure, match="damaged"):
        mapped(tmp_path / "cache", entry, read_header(entry), None, 1)
    assert list((tmp_path / "cache").iterdir()) == []
