"""A speech service against a server on this machine: what is sent, what comes back, what is no audio."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from squtr import plugins
from squtr.audio import from_pcm, wav_bytes
from squtr.data_build.speak import joined
from squtr.errors import ItemFailure, UserError
from squtr.records import Speaker, Waveform
from squtr.remote import ServiceUnavailable
from squtr.voices.openai_speech import OpenAISpeech
from tests import loopback
from tests.loopback import serving

PCM = (np.sin(np.arange(24000) / 7) * 9000).astype(np.int16)
WAV = wav_bytes(PCM, 24000)
SPEAKER = Speaker("en-1", "en", {"voice": "alloy", "speed": 1.1})


def made(server: loopback.Loopback, folder: Path, **options: Any) -> OpenAISpeech:
    limits = {"tries": 2, "backoff": 0.01, "timeout": 5.0, "state": str(folder)} | options
    return OpenAISpeech("tts", server.base_url, None, **limits)


def spoken(voice: OpenAISpeech, speaker: Speaker = SPEAKER) -> Waveform:
    return voice.speak("who wrote hamlet", speaker, 1)


def encoded(kind: str, sample_rate: int = 24000) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, PCM, sample_rate, format=kind)
    return file.getvalue()


def streamed(size: int) -> bytes:
    """Return a WAV as a service streams it: it cannot know the sizes and writes something else."""
    return WAV[:4] + struct.pack("<I", size) + WAV[8:40] + struct.pack("<I", size) + WAV[44:]


def test_what_is_sent(tmp_path):
    told = Speaker("en-1", "en", SPEAKER.settings | {"instructions": "Speak calmly."})
    with serving(loopback.raw(WAV, "audio/wav")) as server:
        said = spoken(made(server, tmp_path))
        spoken(made(server, tmp_path), told)
    assert said.sample_rate == 24000
    assert np.array_equal(said.samples, from_pcm(PCM))
    assert server.paths == ["/v1/audio/speech"] * 2
    plain = {
        "model": "tts",
        "voice": "alloy",
        "input": "who wrote hamlet",
        "response_format": "wav",
        "speed": 1.1,
    }
    assert server.requests == [plain, plain | {"instructions": "Speak calmly."}]


@pytest.mark.parametrize("kind", ["audio/wav", "audio/x-wav", "audio/mpeg", "application/octet-stream", ""])
def test_audio_is_known_by_its_bytes(tmp_path, kind):
    with serving(loopback.raw(WAV, kind)) as server:
        assert len(spoken(made(server, tmp_path)).samples) == 24000


def test_a_streamed_wav_that_states_no_length(tmp_path):
    with serving(loopback.raw(streamed(0xFFFFFFFF), "audio/wav")) as server:
        assert np.array_equal(spoken(made(server, tmp_path)).samples, from_pcm(PCM))


@pytest.mark.parametrize(("kind", "rate"), [("mp3", 24000), ("mp3", 44100), ("flac", 16000)])
def test_compressed_audio_at_its_own_rate(tmp_path, kind, rate):
    with serving(loopback.raw(encoded(kind.upper(), rate), "audio/mpeg")) as server:
        said = spoken(made(server, tmp_path, format=kind))
    assert said.sample_rate == rate
    assert said.seconds == pytest.approx(24000 / rate, abs=0.1)
    assert len(joined(said, 24000).samples) == pytest.approx(24000 * 24000 / rate, abs=2500)


def test_bare_pcm(tmp_path):
    with serving(loopback.raw(PCM.astype("<i2").tobytes(), "audio/pcm")) as server:
        said = spoken(made(server, tmp_path, format="pcm", pcm_rate=16000))
    assert said.sample_rate == 16000
    assert np.array_equal(said.samples, from_pcm(PCM))


@pytest.mark.parametrize(
    ("first", "format"),
    [
        (loopback.raw(b"<html>log in</html>", "text/html"), "wav"),
        (loopback.raw(WAV, "text/html"), "wav"),
        (loopback.raw(b'{"error": {"message": "busy"}}', "application/json"), "wav"),
        (loopback.raw(b'{"error": {"message": "busy"}}', "audio/wav"), "wav"),
        (loopback.raw(b'{"error": {"message": "busy"}}', "audio/pcm"), "pcm"),
        (loopback.raw(b"", "audio/wav"), "wav"),
        (loopback.raw(b"", "audio/pcm"), "pcm"),
        (loopback.raw(b"abc", "audio/pcm"), "pcm"),
        (loopback.raw(WAV, "audio/pcm"), "pcm"),
        (loopback.raw(WAV[:44], "audio/wav"), "wav"),
        (loopback.raw(WAV[:9999], "audio/wav"), "wav"),
        (loopback.raw(WAV + WAV, "audio/wav"), "wav"),
        (loopback.raw(b"noise" * 99, "audio/mpeg"), "mp3"),
        (loopback.error(500), "wav"),
        (loopback.error(429, Retry_After="0"), "wav"),
        (loopback.reset, "wav"),
        (loopback.cut_short, "wav"),
    ],
)
def test_trouble_once_costs_a_try(tmp_path, first, format):
    good = {"wav": WAV, "pcm": PCM.tobytes(), "mp3": encoded("MP3")}[format]
    with serving(first, loopback.raw(good, "audio/x")) as server:
        assert spoken(made(server, tmp_path, format=format)).seconds == pytest.approx(1, abs=0.1)
    assert server.count == 2


def test_a_service_that_never_gave_audio_is_not_the_items_failure(tmp_path):
    page = loopback.raw(b"<html>log in</html>", "text/html; charset=utf-8")
    with serving(page) as server, pytest.raises(ServiceUnavailable, match=r"text/html.*log in.*2 times"):
        spoken(made(server, tmp_path))


def test_no_answer_for_ever_is_not(tmp_path):
    with serving(loopback.slow(20)) as server, pytest.raises(ServiceUnavailable):
        spoken(made(server, tmp_path, timeout=0.2))


def test_blank_text_is_not_sent(tmp_path):
    with serving(loopback.raw(WAV, "audio/wav")) as server, pytest.raises(ItemFailure, match="nothing"):
        made(server, tmp_path).speak(" \n", SPEAKER, 1)
    assert server.count == 0


def test_the_price_is_by_characters_and_the_cap_stops(tmp_path):
    with serving(loopback.raw(WAV, "audio/wav")) as server:
        voice = made(server, tmp_path, usd_per_1000_characters=1.0, max_usd=0.02)
        assert voice.price_usd(16) == pytest.approx(0.016)
        spoken(voice)
        with pytest.raises(UserError, match="USD are spent"):
            spoken(voice)


def test_the_fingerprint(tmp_path):
    with serving(loopback.raw(WAV)) as server:
        plain = made(server, tmp_path).fingerprint
        assert made(server, tmp_path, pcm_rate=8000, tries=9).fingerprint == plain
        assert OpenAISpeech("tts", server.base_url, "A_KEY").fingerprint == plain
        others = [
            made(server, tmp_path, format="mp3").fingerprint,
            made(server, tmp_path, format="pcm").fingerprint,
            made(server, tmp_path, format="pcm", pcm_rate=8000).fingerprint,
            OpenAISpeech("tts-2", server.base_url, None).fingerprint,
        ]
    assert len({plain, *others}) == 5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "voice is None"),
        ({"voice": 7}, "voice is 7"),
        ({"voice": ""}, "voice is ''"),
        ({"voice": "alloy", "speed": 9}, "speed is 9"),
        ({"voice": "alloy", "speed": "fast"}, "speed is 'fast'"),
        ({"voice": "alloy", "instructions": 3}, "instructions is 3"),
    ],
)
def test_speakers_it_cannot_use(settings, message):
    voice = OpenAISpeech("tts", key=None)
    with pytest.raises(UserError, match=message):
        voice.check_speaker(Speaker("s", "en", settings))
    voice.check_speaker(SPEAKER)


def test_faulty_options():
    for option, message in {"format=opus": "format is 'opus'", "pcm_rate=1": "pcm_rate is 1"}.items():
        with pytest.raises(UserError, match=message):
            plugins.load("voice", f"squtr.voices.openai_speech:OpenAISpeech,model=m,{option}")
