"""eSpeak as a pure function: what was said before changes nothing."""

import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from squtr.digest import digest_bytes
from squtr.errors import ItemFailure, UserError
from squtr.voices import _espeak_library
from squtr.voices._espeak_library import EspeakLibrary

CALLS = [
    ("Silence, please.", "en-us+whisper", {}),
    ("今天天气很好。", "cmn+m3", {"pitch": 70}),
    ("Good morning to you all.", "en+f3", {"rate": 220, "volume": 40}),
    ("Good morning to you all.", "en+klatt2", {}),
    ("Good morning to you all.", "en+croak", {"word_gap": 20, "pitch_range": 90}),
    ("Good morning to you all.", "en", {}),
]


def spoken(call):
    text, voice, settings = call
    samples, rate = EspeakLibrary().speak(text, voice, **settings)
    assert rate == 22_050
    assert samples.dtype == np.int16
    return digest_bytes(samples.tobytes())


def test_order_of_calls_and_threads_change_nothing():
    alone = [spoken(call) for call in CALLS]
    assert len(set(alone)) == len(CALLS)
    order = list(range(len(CALLS))) * 3
    random.Random(3).shuffle(order)
    assert [spoken(CALLS[index]) for index in order] == [alone[index] for index in order]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(spoken, [CALLS[index] for index in order])) == [alone[index] for index in order]


def test_same_samples_in_another_process():
    script = (
        "from squtr.digest import digest_bytes\nfrom squtr.voices._espeak_library import EspeakLibrary\n"
        "print(digest_bytes(EspeakLibrary().speak('Good morning to you all.', 'en')[0].tobytes()))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    answer = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == spoken(CALLS[-1])


def test_settings_do_what_they_say():
    plain, _ = EspeakLibrary().speak("A long way to go.", "en")
    fast, _ = EspeakLibrary().speak("A long way to go.", "en", rate=350)
    soft, _ = EspeakLibrary().speak("A long way to go.", "en", volume=25)
    assert len(fast) < 0.75 * len(plain)
    assert np.abs(soft).max() < 0.5 * np.abs(plain).max()


def test_seed_changes_breath_only():
    text = "A long way to go."
    breathy = [EspeakLibrary().speak(text, "en+f3", seed=seed)[0] for seed in (1, 2)]
    plain = [EspeakLibrary().speak(text, "en+klatt2", seed=seed)[0] for seed in (1, 2)]
    assert not np.array_equal(*breathy)
    assert np.array_equal(*plain)


def test_many_calls_leave_nothing_behind():
    EspeakLibrary().speak("Hello.", "en")
    descriptors = Path("/proc/self/fd")
    if not descriptors.is_dir():
        descriptors = Path("/dev/fd")
    before = len(list(descriptors.iterdir()))
    for _ in range(60):
        EspeakLibrary().speak("Hello.", "en")
    assert len(list(descriptors.iterdir())) <= before + 2


def test_the_private_copy_is_made_again_when_it_was_removed():
    first = spoken(CALLS[-1])
    shutil.rmtree(_espeak_library._folder_of(os.getpid()).name)
    assert spoken(CALLS[-1]) == first


@pytest.mark.parametrize(
    ("voice", "words"),
    [
        ("eng", "Did you mean 'en'"),
        ("en+f9", "no variant 'f9'"),
        ("../en", "not a name"),
        ("en+" + "x" * 500, "not a name"),
        ("", "not a name"),
    ],
)
def test_unknown_voices_are_user_errors(voice, words):
    with pytest.raises(UserError, match=words.replace("+", r"\+")):
        EspeakLibrary().speak("Hello.", voice)


@pytest.mark.parametrize(
    "settings", [{"rate": 79}, {"pitch": 100}, {"volume": -1}, {"rate": 175.0}, {"word_gap": True}]
)
def test_settings_out_of_range_are_user_errors(settings):
    with pytest.raises(UserError, match=f"{next(iter(settings))} is"):
        EspeakLibrary().speak("Hello.", "en", **settings)


@pytest.mark.parametrize("text", ["", " \n", "a\0b", "…"])
def test_nothing_said_is_an_item_failure(text):
    with pytest.raises(ItemFailure):
        EspeakLibrary().speak(text, "en")


def test_version_is_a_version():
    assert EspeakLibrary().version.split(".")[0].isdigit()
