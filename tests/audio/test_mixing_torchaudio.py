"""The mix beside torchaudio's add_noise, where torchaudio imports (2.11 does not beside torch 2.13)."""

from __future__ import annotations

import numpy as np
import pytest

from squtr.audio import from_pcm, to_pcm
from squtr.levels import mean_removed
from squtr.mixing import mix

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("snr_db", [20.0, 10.0, 0.0, -5.0])
def test_it_agrees_with_add_noise(snr_db: float) -> None:
    torch = pytest.importorskip("torch")
    functional = pytest.importorskip("torchaudio.functional", exc_type=(ImportError, OSError))
    rng = np.random.default_rng(2602)
    speech, noise = (rng.standard_normal(48_000) * level for level in (0.05, 0.02))
    speech = from_pcm(to_pcm(speech.astype(np.float32)))
    speech, noise = mean_removed(speech), mean_removed(noise.astype(np.float32))
    sounds = (torch.from_numpy(each.astype(np.float64))[None] for each in (speech, noise))
    theirs = functional.add_noise(*sounds, torch.tensor([snr_db], dtype=torch.float64))[0].numpy()
    found = mix(speech, noise, snr_db, sample_rate=16_000)
    assert found.common_gain == 1.0
    assert np.abs(speech + found.noise_gain * noise.astype(np.float64) - theirs).max() < 1e-6
    assert np.abs(found.pcm / 32768 - theirs).max() <= 0.5 / 32768 + 1e-6
