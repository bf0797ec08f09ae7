"""Recordings in the page: small, whole enough to hear, never too many."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from report_data import Page, evaluated, report, write_dataset

from squtr.errors import ItemFailure
from squtr.eval.report import players as module
from squtr.eval.report.players import MOST_SECONDS, embedded_clips, mp3


def _tone(path: Path, rate: int, seconds: float, **options: Any) -> Path:
    samples = 0.3 * np.sin(2 * np.pi * 440 * np.arange(round(rate * seconds)) / rate)
    soundfile.write(path, samples, rate, **options)
    return path


def _decoded(data: bytes) -> tuple[np.ndarray, int]:
    return soundfile.read(io.BytesIO(data))


@pytest.mark.parametrize("rate", [8000, 16000, 24000, 44100, 48000])
def test_a_clip_is_the_recording(tmp_path: Path, rate: int) -> None:
    data, was_cut = mp3(_tone(tmp_path / "a.wav", rate, 2.0))
    samples, found = _decoded(data)
    assert (found, was_cut) == (rate, False)
    assert abs(len(samples) / rate - 2.0) < 0.1
    spectrum = np.abs(np.fft.rfft(samples))
    assert abs(np.argmax(spectrum) * rate / len(samples) - 440) < 2


def test_four_seconds_of_speech_rate_stay_under_50_kb(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).normal(0, 0.1, 4 * 24000)
    soundfile.write(tmp_path / "a.wav", noise, 24000)
    assert len(mp3(tmp_path / "a.wav")[0]) < 50_000


@pytest.mark.parametrize("rate", [7350, 44056, 96000])
def test_rates_that_mp3_lacks_are_resampled(tmp_path: Path, rate: int) -> None:
    samples, found = _decoded(mp3(_tone(tmp_path / "a.wav", rate, 1.0))[0])
    assert found == 24000
    assert np.argmax(np.abs(np.fft.rfft(samples))) == pytest.approx(440 * len(samples) / 24000, abs=3)


def test_other_formats_and_overs_are_clips_too(tmp_path: Path) -> None:
    stereo = np.stack([np.full(4800, 1.5), np.full(4800, 1.5)], axis=1)
    soundfile.write(tmp_path / "a.wav", stereo, 16000, subtype="FLOAT")
    samples, _ = _decoded(mp3(tmp_path / "a.wav")[0])
    assert samples.ndim == 1 and samples.max() < 1.4


def test_a_long_recording_is_cut_and_says_so(tmp_path: Path) -> None:
    data, was_cut = mp3(_tone(tmp_path / "a.wav", 8000, MOST_SECONDS + 5))
    assert was_cut
    assert abs(len(_decoded(data)[0]) / 8000 - MOST_SECONDS) < 0.2


def test_the_shortest_recording_is_a_clip(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.full(2, 0.1), 16000)
    assert mp3(tmp_path / "a.wav")[0]


@pytest.mark.parametrize("content", [b"", b"<html>not found</html>"])
def test_c05_what_is_no_audio_fails_with_a_reason(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.wav").write_bytes(content)
    with pytest.raises(ItemFailure, match=r"a\.wav"):
        mp3(tmp_path / "a.wav")


def test_without_mp3_in_the_library_there_is_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soundfile, "available_formats", lambda: {"WAV": "WAV"})
    with pytest.raises(ItemFailure, match="writes no MP3"):
        mp3(_tone(tmp_path / "a.wav", 16000, 0.1))


def test_a_missing_file_is_told_in_its_place(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "data", ["en/tiny"])
    results, runs = evaluated(folder)
    first = results["worst_queries"]["en/tiny"][0]
    (folder / first["heard"]["snr_0"]["audio"]).unlink()
    page = Page(report(tmp_path, results, runs))
    assert len(page.all("audio")) == 3 * len(results["worst_queries"]["en/tiny"]) - 1
    told = [text for text in page.texts("p") if "cannot be played" in text]
    assert len(told) == 1 and first["heard"]["snr_0"]["audio"] in told[0]


def test_the_hardest_queries_of_every_subset_come_first(
    small: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    results, runs = small
    everything = embedded_clips(results, runs)
    sizes = [len(clip.source or "") for clip in everything.values()]
    firsts = {(key, queries[0]["query_id"]) for key, queries in results["worst_queries"].items()}
    assert len(firsts) == 2
    monkeypatch.setattr(module, "MOST_BYTES", sum(sizes[:6]) + 1)
    few = embedded_clips(results, runs)
    assert {(subset, query) for subset, query, _ in few} == firsts
    assert len(few) == 6
    page = Page(report(tmp_path, results, runs))
    assert len(page.all("audio")) == 6
    assert any("not embedded, to keep this page small" in text for text in page.texts("p"))


def test_no_more_than_six_queries_a_subset(tmp_path: Path) -> None:
    texts = {"en": [f"{word} is the question" for word in "who what why how when where which".split()]}
    folder = write_dataset(tmp_path / "data", ["en/tiny"], texts=texts)
    results, runs = evaluated(folder, ["a"])
    rows = results["worst_queries"]["en/tiny"]
    results["worst_queries"]["en/tiny"] = [{**rows[0], "query_id": f"q{number}"} for number in range(7)]
    assert {query for _, query, _ in embedded_clips(results, runs)} == {f"q{number}" for number in range(6)}


def test_the_page_holds_the_same_clips(page: Page, small: Any) -> None:
    wanted = {str(clip.source) for clip in embedded_clips(*small).values()}
    assert {attributes["src"] for attributes, _ in page.all("audio")} == wanted
    samples, rate = _decoded(base64.b64decode(next(iter(wanted)).partition(",")[2]))
    assert rate == 16000 and len(samples) >= 4000
