"""All 17 categories are there, and each is a sound that a mixer can use."""

import numpy as np
import pytest

from squtr.errors import UserError
from squtr.noise_sources.generators import GENERATORS
from squtr.noise_sources.generators.spectra import SAMPLE_RATE, band, coloured, unit_active
from squtr.noise_sources.procedural import Procedural

SLUGS = (
    *("metro-station", "living-room", "park", "hallway", "river", "square", "train-station", "meeting-room"),
    *("field", "washing", "cafeteria", "restaurant", "street-traffic", "cafe", "kitchen", "bus"),
    "reverberation",
)
REQUIRED = {"noise": {"curve": ((100.0, 0.0), (1000.0, -6.0))}}
SMOOTH = ("motor", "noise", "stream", "trains", "vehicles", "wind")


@pytest.fixture(scope="module")
def source():
    return Procedural(seconds=8.0)


def test_all_17_categories_with_four_recordings_each(source):
    recordings = source.recordings()
    assert [recording.category for recording in recordings] == [slug for slug in SLUGS for _ in range(4)]
    assert [recording.id for recording in recordings[:2]] == [
        "synthetic_metro-station_01",
        "synthetic_metro-station_02",
    ]
    assert all(recording.synthetic for recording in recordings)
    assert len({recording.id for recording in recordings}) == 68


@pytest.mark.parametrize("slug", SLUGS)
def test_level_peak_mean_length_and_gaps(source, slug):
    noise = source.read(f"synthetic_{slug}_03")
    samples = noise.samples.astype(np.float64)
    assert noise.sample_rate == 24_000
    assert noise.samples.dtype == np.float32
    assert samples.shape == (8 * 24_000,)
    assert np.isfinite(samples).all()
    assert np.max(np.abs(samples)) == 0.5
    assert np.array_equal(samples * 2**15, np.round(samples * 2**15))
    rms = np.sqrt(np.mean(samples**2))
    assert abs(samples.mean()) < 1e-3 * rms
    assert 10 < 20 * np.log10(0.5 / rms) < 24
    frames = np.sqrt(np.mean(samples[: len(samples) // 7200 * 7200].reshape(-1, 7200) ** 2, axis=1))
    assert frames.min() > rms * 10 ** (-60 / 20)


def test_shortest_recordings_render():
    source = Procedural(seconds=3, recordings_per_category=1)
    for recording in source.recordings():
        assert np.max(np.abs(source.read(recording.id).samples)) == 0.5


@pytest.mark.parametrize("name", GENERATORS)
def test_every_generator_sounds_at_its_level_by_default(name):
    count = 6 * SAMPLE_RATE
    layer = GENERATORS[name](**REQUIRED.get(name, {}), level_db=-6.0, vary_db=0.0)
    sound = layer.sound(np.random.default_rng(5), count)
    assert sound.shape == (count,)
    assert np.isfinite(sound).all()
    assert np.allclose(unit_active(sound) * 10 ** (-6 / 20), sound)
    assert sound.any()


def sharpest_bend(sound):
    """The largest curvature against that of the 60 ms around it: a click stands far above the noise."""
    bend = np.diff(band(sound, None, 9000), 2)[500:-500]
    frames = bend[: len(bend) // 240 * 240].reshape(-1, 240)
    level = np.sqrt(np.mean(frames**2, axis=1))
    around = np.median(np.stack([np.roll(level, shift) for shift in (-3, -2, -1, 1, 2, 3)]), axis=0)
    return np.max(np.max(np.abs(frames), axis=1) / around)


@pytest.mark.parametrize("name", SMOOTH)
def test_steady_generators_do_not_click(name):
    layer = GENERATORS[name](**REQUIRED.get(name, {}))
    assert sharpest_bend(layer.render(np.random.default_rng(9), 20 * SAMPLE_RATE)) < 12


def test_the_seam_of_a_plain_loop_counts_as_a_click():
    noise = coloured(np.random.default_rng(9), 20 * SAMPLE_RATE, ((40, 0), (120, 0), (500, -20), (3000, -60)))
    assert sharpest_bend(noise) < 12 < sharpest_bend(np.roll(noise[:-1000], 7 * SAMPLE_RATE))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seconds": 0}, "seconds"),
        ({"seconds": float("nan")}, "seconds"),
        ({"seconds": "30"}, "seconds"),
        ({"recordings_per_category": 0}, "recordings_per_category"),
        ({"seed": -1}, "seed"),
        ({"seed": True}, "seed"),
        ({"preset": "embeded"}, "Did you mean 'embedded'"),
    ],
)
def test_options_out_of_range_are_user_errors(options, words):
    with pytest.raises(UserError, match=words):
        Procedural(**options)


def test_unknown_recording_is_a_user_error_with_the_nearest(source):
    with pytest.raises(UserError, match="Did you mean 'synthetic_cafe_01'"):
        source.read("synthetic_caffe_01")
