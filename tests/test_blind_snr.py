"""Ratios estimated from samples alone, against mixtures of known ratio."""

from __future__ import annotations

import math

import numpy as np
import pytest

from squtr.blind_snr import _AMPLITUDE_SPREAD, estimate_snr_db
from squtr.draw import draw
from squtr.estimate_snr import EstimateSnr
from squtr.records import Waveform
from squtr.store import PackWriter, Store

RATE = 16000


def speechlike(item, seconds=6.0):
    """Gamma amplitudes of random sign, as the method takes speech to be; RMS 0.05."""
    generator = draw(11, "test-snr", item)
    count = round(seconds * RATE)
    samples = generator.gamma(0.4, 1.0, count) * generator.choice([-1.0, 1.0], count)
    return samples * 0.05 / math.sqrt((samples**2).mean())


def mixed(item, snr_db):
    clean = speechlike(item)
    noise = draw(11, "test-snr-noise", item).standard_normal(len(clean))
    return Waveform((clean + noise * 0.05 * 10 ** (-snr_db / 20)).astype(np.float32), RATE)


@pytest.mark.parametrize("snr_db", [-4, 0, 5, 10, 20, 30])
def test_known_ratios_are_found(snr_db):
    errors = [estimate_snr_db(mixed(f"{snr_db}-{at}", snr_db)) - snr_db for at in range(5)]
    assert abs(float(np.median(errors))) < (1.0 if snr_db >= 0 else 2.5)


def test_the_table_is_that_of_the_model():
    """Drawn anew with 400,000 samples; the closed form behind the table is exact."""
    assert list(_AMPLITUDE_SPREAD) == sorted(_AMPLITUDE_SPREAD)
    for place, ratio in ((5, 0), (10, 10), (15, 20)):
        amplitudes = np.abs(np.concatenate([mixed(f"t{at}", ratio).samples for at in range(4)]))
        drawn = math.log(amplitudes.mean(dtype=np.float64)) - np.log(amplitudes.astype(np.float64)).mean()
        assert _AMPLITUDE_SPREAD[place] == pytest.approx(drawn, abs=0.01)


def test_more_noise_is_a_lower_estimate():
    estimates = [estimate_snr_db(mixed("one", ratio)) for ratio in (40, 20, 10, 5, 0, -5)]
    assert estimates == sorted(estimates, reverse=True)


def test_level_and_offset_do_not_matter():
    plain = mixed("level", 10)
    quieter = Waveform(plain.samples * np.float32(0.25) + np.float32(0.1), RATE)
    assert estimate_snr_db(quieter) == pytest.approx(estimate_snr_db(plain), abs=0.3)


def test_noise_alone_is_at_the_bottom_and_silence_has_no_ratio():
    noise = draw(11, "test-snr", "noise").standard_normal(RATE * 3).astype(np.float32) * np.float32(0.05)
    assert estimate_snr_db(Waveform(noise, RATE)) < -3
    for silence in (np.zeros(RATE, dtype=np.float32), np.empty(0, dtype=np.float32)):
        assert estimate_snr_db(Waveform(silence, RATE)) is None


def test_digital_silence_between_words_keeps_the_estimate_in_bounds():
    samples = speechlike("pauses").astype(np.float32)
    samples[: len(samples) // 2] = 0
    assert 40 <= estimate_snr_db(Waveform(samples, RATE)) <= 60


def test_the_stage_reads_pcm_from_the_store(tmp_path):
    store = Store(tmp_path)
    pack = PackWriter()
    ref = pack.add((mixed("stage", 10).samples * 32768).clip(-32768, 32767).astype(np.int16), RATE)
    store.commit("take", {}, pack.write(store.packs))
    stage = EstimateSnr()
    record = stage.run(ref, store.audio(stage.audio_of(ref)), PackWriter())
    assert record["snr_db"] == pytest.approx(10, abs=1.5)
    store.close()
