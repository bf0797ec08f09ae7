"""The embedded engines at small size: what the voices say is what the recogniser hears."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import numpy as np
import pytest

from squtr.audio import resample
from squtr.digest import digest_bytes
from squtr.errors import ItemFailure
from squtr.recognisers.whisper import WhisperBase
from squtr.records import Speaker, Waveform
from squtr.text import count_errors
from squtr.voices.espeak import Espeak
from squtr.voices.kokoro import Kokoro
from squtr.voices.phonemes import phonemes

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("engines")]

ENGLISH, CHINESE = "how do plants make food from sunlight", "今天北京的天气怎么样"
KOKORO = {"blend": {"jm_kumo": 1.0}, "speed": 1.0, "size": 1.0, "accent": "en-us"}
ESPEAK = {"voice": "en-us", "rate": 150, "pitch": 50, "range": 50}
LONG = (
    "When the river rises in spring, the farmers of the valley move their cattle to the hills, and they "
    "wait for the water to fall. Their children carry bread and milk up the steep path every morning; the "
    "oldest of them sing, because the way is long and the fog is cold. Nobody in the village remembers "
    "who built the first hut, but its door still faces the church. In May the grass grows high, the bees "
    "come back to the orchards, and a man with a blue cart sells salt, needles and paper, and tells the "
    "news of the town. At last, in the cool evening, the swallows return to the old stone bridge."
)


@cache
def spoken(text: str, language: str, **changes: object) -> Waveform:
    return Kokoro().speak(text, Speaker("s", language, {**KOKORO, **changes}), 1)


def rate(text: str, audio: Waveform, language: str) -> float:
    found = count_errors(text, WhisperBase().transcribe(audio, language).text, language).rate
    assert found is not None
    return found


def test_kokoro_english_is_understood():
    audio = spoken(ENGLISH, "en")
    assert (audio.sample_rate, audio.samples.dtype) == (24000, np.float32)
    assert 1.5 < audio.seconds < 5
    assert rate(ENGLISH, audio, "en") <= 0.2


def test_kokoro_chinese_is_understood():
    assert rate(CHINESE, spoken(CHINESE, "zh"), "zh") <= 0.5


def test_kokoro_gives_the_same_bytes_here_and_in_another_process():
    code = (
        "from squtr.records import Speaker; from squtr.voices.kokoro import Kokoro\n"
        f"audio = Kokoro().speak({ENGLISH!r}, Speaker('s', 'en', {KOKORO!r}), 1)\n"
        "from squtr.digest import digest_bytes; print(digest_bytes(audio.samples.tobytes()))"
    )
    spoken(CHINESE, "zh")
    again = Kokoro().speak(ENGLISH, Speaker("s", "en", KOKORO), 1)
    here = digest_bytes(again.samples.tobytes())
    assert here == digest_bytes(spoken(ENGLISH, "en").samples.tobytes())
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == here


def test_seed_and_speaker_change_kokoro():
    base = spoken(ENGLISH, "en").samples
    other_take = Kokoro().speak(ENGLISH, Speaker("s", "en", KOKORO), 2).samples
    other_voice = (
        Kokoro().speak(ENGLISH, Speaker("s", "en", {**KOKORO, "blend": {"jf_alpha": 1.0}}), 1).samples
    )
    assert len({digest_bytes(samples.tobytes()) for samples in (base, other_take, other_voice)}) == 3


def test_c41_kokoro_says_long_text_to_its_end():
    assert len(phonemes(LONG, "en", "en-us")) > 600
    audio = spoken(LONG, "en", speed=1.5)
    assert audio.seconds > 20
    ends = WhisperBase().transcribe(Waveform(audio.samples[-5 * 24000 :], 24000), "en").text.lower()
    assert "stone bridge" in ends
    assert rate(LONG, audio, "en") < 0.35


def test_kokoro_says_latin_script_in_chinese():
    with_word, without = spoken("请介绍Python语言", "zh"), spoken("请介绍语言", "zh")
    assert with_word.seconds > without.seconds + 0.2


def test_kokoro_has_nothing_to_say():
    with pytest.raises(ItemFailure, match="nothing in the text can be spoken"):
        Kokoro().speak("🙂", Speaker("s", "en", KOKORO), 1)


def test_espeak_english_is_understood_and_repeatable():
    speaker = Speaker("s", "en", ESPEAK)
    audio = Espeak().speak(ENGLISH, speaker, 1)
    assert rate(ENGLISH, audio, "en") <= 0.3
    Espeak().speak(CHINESE, Speaker("z", "zh", {**ESPEAK, "voice": "cmn+f3"}), 5)
    assert np.array_equal(Espeak().speak(ENGLISH, speaker, 1).samples, audio.samples)
    assert not np.array_equal(Espeak().speak(ENGLISH, speaker, 2).samples, audio.samples)


def test_espeak_says_long_text_to_its_end():
    audio = Espeak().speak(LONG, Speaker("s", "en", ESPEAK), 1)
    assert audio.seconds > 25
    ends = WhisperBase().transcribe(Waveform(audio.samples[-5 * 22050 :], 22050), "en").text.lower()
    assert "stone bridge" in ends


def test_whisper_is_repeatable_and_takes_any_rate():
    audio = spoken(ENGLISH, "en")
    first = WhisperBase().transcribe(audio, "en")
    assert WhisperBase().transcribe(audio, "en") == first
    assert first.confidence is not None and -0.5 < first.confidence < 0
    assert (
        count_errors(ENGLISH, WhisperBase().transcribe(resample(audio, 44100), "en").text, "en").errors == 0
    )


def test_whisper_hears_chinese_in_simplified_characters():
    heard = WhisperBase().transcribe(spoken(CHINESE, "zh"), "zh").text
    assert not set(heard) & set("麼樣氣")
