"""The signal judge gives DNSMOS's own numbers."""

from __future__ import annotations

import numpy as np
import pytest

from squtr.audio import from_pcm, resample
from squtr.errors import ItemFailure, UserError
from squtr.judges import dnsmos
from squtr.judges.dnsmos import Dnsmos
from squtr.mixing import mix
from squtr.records import Judgement, Speaker, Waveform
from squtr.voices.espeak import Espeak

RATE = 16000


def buzz(seconds: float) -> np.ndarray:
    """Return a gliding buzz that comes and goes three times a second."""
    time = np.arange(round(seconds * RATE)) / RATE
    pitch = 2 * np.pi * 120 * time + 3 * np.sin(2 * np.pi * 0.7 * time)
    voice = sum(np.sin(n * pitch) / n for n in range(1, 25))
    return (0.15 * voice * np.maximum(np.sin(2 * np.pi * 3 * time), 0)).astype(np.float32)


def hiss(seconds: float) -> np.ndarray:
    rng = np.random.Generator(np.random.PCG64(5))
    return rng.uniform(-0.2, 0.2, round(seconds * RATE)).astype(np.float32)


def judged(samples: np.ndarray, sample_rate: int = RATE) -> Judgement:
    return Dnsmos().judge(Waveform(samples, sample_rate), "", "", "en")


@pytest.mark.engines
@pytest.mark.parametrize(
    ("samples", "overall", "p808"),
    [
        (buzz(3), 1.41394, 2.30670),
        (buzz(9.5), 1.34824, 2.37989),
        (buzz(12), 1.35011, 2.35535),
        (hiss(4), 1.10334, 2.09995),
        (buzz(5) + 0.3 * hiss(5), 1.19509, 2.48033),
    ],
    ids=["repeated to 9 s", "one window", "three windows", "noise", "both"],
)
def test_scores_are_those_of_speechmos(samples, overall, p808):
    """The numbers are what speechmos.dnsmos.run of speechmos 0.0.1.1 gives for these samples."""
    found = judged(samples)
    assert found.score == pytest.approx(overall, abs=2e-3)
    assert found.reasons == (f"OVRL {found.score:.2f}", f"P.808 {p808:.2f}")
    assert found.scale == "DNSMOS OVRL, 1 to 5"


@pytest.mark.engines
def test_scores_fall_with_the_noise():
    settings = {"voice": "en-us", "rate": 150, "pitch": 50, "range": 50}
    said = resample(
        Espeak().speak("how do plants make food from sunlight", Speaker("s", "en", settings), 1), RATE
    )
    noise = np.resize(hiss(3), len(said.samples))
    scores = [judged(said.samples).score]
    scores += [
        judged(from_pcm(mix(said.samples, noise, snr, sample_rate=RATE).pcm)).score for snr in (20, 10, 0)
    ]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[-1] + 0.5


def test_no_audio_is_a_failure_not_a_loop():
    with pytest.raises(ItemFailure, match="no audio"):
        judged(np.zeros(0, np.float32))


@pytest.mark.parametrize(
    ("samples", "count"), [(1, 7), (72080, 1), (144160, 1), (159999, 1), (176000, 2), (480000, 21)]
)
def test_windows(samples, count):
    windows = dnsmos._windows(np.ones(samples, np.float32))
    assert len(windows) == count
    assert {len(window) for window in windows} == {144160}


def test_a_changed_model_is_refused(monkeypatch):
    monkeypatch.setattr(dnsmos, "_P808", ("model_v8.onnx", "0" * 64))
    with pytest.raises(UserError, match=r"speechmos/dnsmos_models/model_v8\.onnx: the model's SHA-256"):
        Dnsmos().check()
