"""The same recording has the same bytes in any process, order, thread and hash seed."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from squtr.digest import digest_bytes
from squtr.noise_sources.procedural import Procedural

SECONDS = 4.0
IDS = ("synthetic_cafe_01", "synthetic_field_02", "synthetic_metro-station_01", "synthetic_reverberation_02")
SCRIPT = f"""
import sys
from squtr.digest import digest_bytes
from squtr.noise_sources.procedural import Procedural
source = Procedural(seconds={SECONDS})
for recording in sys.argv[1:]:
    print(digest_bytes(source.read(recording).samples.tobytes()))
print(source.fingerprint)
"""


def pcm_digest(source, recording):
    return digest_bytes(source.read(recording).samples.tobytes())


@pytest.fixture(scope="module")
def here():
    source = Procedural(seconds=SECONDS)
    return [pcm_digest(source, recording) for recording in IDS] + [source.fingerprint]


@pytest.mark.parametrize("hash_seed", ["0", "4242"])
def test_c33_same_bytes_in_another_process_under_any_hash_seed(here, hash_seed):
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT, *IDS], env=environment, capture_output=True, text=True, check=True
    )
    assert answer.stdout.split() == here


def test_c33_order_of_reading_and_threads_change_nothing(here):
    backwards = Procedural(seconds=SECONDS)
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda recording: pcm_digest(backwards, recording), reversed(IDS)))
    assert found[::-1] == here[:-1]


def test_c33_more_recordings_do_not_change_the_first(here):
    source = Procedural(seconds=SECONDS, recordings_per_category=9)
    assert [pcm_digest(source, recording) for recording in IDS] == here[:-1]


def test_recordings_of_a_category_differ():
    source = Procedural(seconds=SECONDS)
    for category in ("river", "kitchen", "bus"):
        takes = [source.read(f"synthetic_{category}_{number:02d}").samples for number in range(1, 5)]
        for index, take in enumerate(takes):
            for other in takes[:index]:
                assert abs(np.corrcoef(take, other)[0, 1]) < 0.5


def test_another_seed_gives_other_noise(here):
    assert pcm_digest(Procedural(seconds=SECONDS, seed=1702), IDS[1]) != here[1]


def test_memory_holds_a_few_recordings_and_they_cannot_be_spoilt():
    source = Procedural(seconds=3.0)
    first = source.read("synthetic_river_01").samples
    assert source.read("synthetic_river_01").samples is first
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1.0
    for number in range(1, 5):
        for category in ("river", "washing", "field"):
            source.read(f"synthetic_{category}_{number:02d}")
    again = source.read("synthetic_river_01").samples
    assert again is not first
    assert np.array_equal(again, first)


def test_fingerprint_covers_what_changes_the_sound(tmp_path, monkeypatch):
    from squtr.content import content

    text = content("noise_sources", "embedded.yaml").read_text(encoding="utf-8")
    louder, reworded = tmp_path / "louder.yaml", tmp_path / "reworded.yaml"
    louder.write_text(text.replace("walkers: 7", "walkers: 8"), encoding="utf-8")
    reworded.write_text("# another comment\n" + text, encoding="utf-8")
    plain = Procedural().fingerprint
    changed = [
        Procedural(seed=2).fingerprint,
        Procedural(seconds=31).fingerprint,
        Procedural(recordings_per_category=5).fingerprint,
        Procedural(preset=str(louder)).fingerprint,
    ]
    monkeypatch.setattr("squtr.noise_sources.procedural.VERSION", 0)
    changed.append(Procedural().fingerprint)
    monkeypatch.undo()
    monkeypatch.setattr("squtr.voices._espeak_library._version", lambda: "0.0")
    changed.append(Procedural().fingerprint)
    monkeypatch.undo()
    assert len({plain, *changed}) == 7
    assert Procedural(preset=str(reworded)).fingerprint == plain == Procedural(seconds=30).fingerprint
