"""A transcription service on this machine: what is sent, what is kept, what a fault becomes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from squtr import plugins
from squtr.audio import from_pcm, read_audio
from squtr.errors import ItemFailure, UserError
from squtr.recognisers.openai_transcriptions import OpenAITranscriptions
from squtr.records import Transcription, Waveform
from squtr.remote import Form, ServiceUnavailable
from tests import loopback
from tests.loopback import raw, serving

PCM = (np.sin(np.arange(12000) / 9) * 9000).astype(np.int16)
AUDIO = Waveform(from_pcm(PCM), 24000)


def answers(text: object, **more: object) -> loopback.Behaviour:
    return raw(json.dumps({"text": text, **more}).encode())


GOOD = answers(" Who wrote Hamlet? ")


def made(server: loopback.Loopback, folder: Path, **options: Any) -> OpenAITranscriptions:
    limits = {"tries": 3, "backoff": 0.01, "timeout": 5.0, "state": str(folder / "state")} | options
    return OpenAITranscriptions("whisper-1", server.base_url, None, **limits)


def test_what_is_sent(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-secret-key")
    with serving(GOOD) as server:
        recogniser = plugins.load(
            "recogniser",
            f"openai-transcriptions,model=whisper-1,base_url={server.base_url},key=MY_KEY,state={tmp_path}",
        )
        recogniser.check()
        assert recogniser.transcribe(AUDIO, "zh") == Transcription("Who wrote Hamlet?", None)
    assert server.paths == ["/v1/audio/transcriptions"]
    assert server.headers[0]["Authorization"] == "Bearer sk-secret-key"
    (request,) = server.requests
    name, kind, wav = request.pop("file")
    assert request == {"model": "whisper-1", "language": "zh", "response_format": "json", "temperature": "0"}
    assert (name, kind) == ("utterance.wav", "audio/wav")
    sent = read_audio(wav)
    assert sent.sample_rate == 24000 and np.array_equal(sent.samples, AUDIO.samples)


def test_a_form_holds_any_bytes_and_is_the_same_every_time():
    form = Form({"prompt": "以下是\r\n--squtr"}, "file", "a.wav", "audio/wav", b"\r\n--squtr\r\n\x00\xff--")
    assert form.body() == form.body()
    parts = loopback._request(form.content_type, form.body())
    assert parts == {"prompt": "以下是\r\n--squtr", "file": ("a.wav", "audio/wav", form.file)}


@pytest.mark.parametrize(
    ("segments", "confidence"),
    [
        ([{"avg_logprob": -0.25}, {"avg_logprob": -0.75}], -0.5),
        ([{"avg_logprob": -0.25}, {}], None),
        ([{"avg_logprob": "low"}], None),
        ([], None),
        ("none", None),
    ],
)
def test_confidence_is_the_mean_log_probability_where_it_is_given(tmp_path, segments, confidence):
    with serving(answers("hello", segments=segments)) as server:
        recogniser = made(server, tmp_path, format="verbose_json", temperature=None)
        assert recogniser.transcribe(AUDIO, "en") == Transcription("hello", confidence)
    assert server.requests[0]["response_format"] == "verbose_json"
    assert "temperature" not in server.requests[0]


@pytest.mark.parametrize("text", ["", " \n"])
def test_c35_an_empty_text_is_a_transcript(tmp_path, text):
    with serving(answers(text)) as server:
        assert made(server, tmp_path).transcribe(AUDIO, "en").text == ""
    assert server.count == 1


@pytest.mark.parametrize(
    "first",
    [
        raw(b"{oops"),
        raw(b"<html>busy</html>", "text/html"),
        raw(b'"only a text"'),
        answers(None),
        answers(["hello"]),
        raw(b'{"task": "transcribe"}'),
        loopback.error(500),
        loopback.error(429, Retry_After="0"),
        loopback.reset,
        loopback.cut_short,
    ],
)
def test_trouble_once_costs_a_try(tmp_path, first):
    with serving(first, GOOD) as server:
        assert made(server, tmp_path).transcribe(AUDIO, "en").text == "Who wrote Hamlet?"
    assert server.count == 2


@pytest.mark.parametrize(
    ("always", "reason"),
    [
        (raw(b"<html>busy</html>", "text/html"), r"without a transcript \(<html>busy</html>\), 3 times"),
        (answers(7), "a transcript that is no text .*, 3 times"),
        (loopback.endless, "more than 4,194,304 bytes, 3 times"),
    ],
)
def test_broken_for_ever_is_the_items_failure_and_no_empty_text(tmp_path, always, reason):
    with serving(answers("fine"), always) as server:
        recogniser = made(server, tmp_path)
        recogniser.transcribe(Waveform(AUDIO.samples[:-1], AUDIO.sample_rate), "en")
        with pytest.raises(ItemFailure, match=reason):
            recogniser.transcribe(AUDIO, "en")
    assert server.count == 4


def test_busy_for_ever_is_not_kept_and_a_wrong_key_stops(tmp_path):
    with serving(loopback.error(503)) as server:
        with pytest.raises(ServiceUnavailable, match="HTTP 503"):
            made(server, tmp_path).transcribe(AUDIO, "en")
        server.does(loopback.error(401))
        with pytest.raises(UserError, match="the key is not accepted"):
            made(server, tmp_path).transcribe(AUDIO, "en")
        server.does(GOOD)
        assert made(server, tmp_path).transcribe(AUDIO, "en").text


def test_an_answer_is_kept_by_audio_language_and_settings(tmp_path):
    with serving(GOOD) as server:
        first = made(server, tmp_path).transcribe(AUDIO, "en")
        assert made(server, tmp_path, timeout=9, usd_per_minute=1).transcribe(AUDIO, "en") == first
        assert server.count == 1
        made(server, tmp_path).transcribe(AUDIO, "zh")
        made(server, tmp_path).transcribe(Waveform(AUDIO.samples, 16000), "en")
        made(server, tmp_path, format="verbose_json").transcribe(AUDIO, "en")
        made(server, tmp_path, temperature=0.5).transcribe(AUDIO, "en")
        assert server.count == 5
        plain = made(server, tmp_path).fingerprint
        assert made(server, tmp_path, tries=9, max_usd=3, usd_per_minute=1).fingerprint == plain
        assert OpenAITranscriptions("whisper-1", server.base_url + "/", "KEY").fingerprint == plain
        assert OpenAITranscriptions("whisper-2", server.base_url, None).fingerprint != plain


def test_the_price_is_by_the_minute_and_the_cap_stops(tmp_path):
    with serving(GOOD) as server:
        recogniser = made(server, tmp_path, usd_per_minute=0.6, max_usd=0.008)
        assert recogniser.price_usd(AUDIO.seconds) == pytest.approx(0.005)
        recogniser.transcribe(AUDIO, "en")
        with pytest.raises(UserError, match=r"0\.0050 USD of 0\.008 USD"):
            recogniser.transcribe(AUDIO, "zh")
        recogniser.transcribe(AUDIO, "en")
    assert server.count == 1


def test_samples_above_full_scale_are_scaled_and_no_audio_is_not_sent(tmp_path):
    with serving(GOOD) as server:
        made(server, tmp_path).transcribe(Waveform(AUDIO.samples * 8, 24000), "en")
        with pytest.raises(ItemFailure, match="no audio to transcribe"):
            made(server, tmp_path).transcribe(Waveform(np.zeros(0, np.float32), 24000), "en")
    assert server.count == 1
    sent = read_audio(server.requests[0]["file"][2]).samples
    assert np.abs(sent).max() == pytest.approx(1.0, abs=1e-3)
    assert np.corrcoef(sent, AUDIO.samples)[0, 1] > 0.9999


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "text"}, "format is 'text'. Known: json, verbose_json"),
        ({"temperature": 2}, "temperature is 2"),
        ({"usd_per_minute": -1}, "usd_per_minute is -1"),
        ({"api_key": "sk-1"}, "there is no option 'api_key'"),
        ({"key": "sk-1"}, "Never write a key into a recipe"),
    ],
)
def test_faulty_options(options, message):
    with pytest.raises(UserError, match=message):
        OpenAITranscriptions("whisper-1", **options)


def test_the_check_wants_a_key_and_prices_for_a_cap(tmp_path, monkeypatch):
    monkeypatch.delenv("NO_KEY", raising=False)
    keyless = OpenAITranscriptions("whisper-1", key="NO_KEY", state=str(tmp_path))
    assert [(need.kind, need.name, need.present) for need in keyless.needs()] == [("key", "NO_KEY", False)]
    with pytest.raises(UserError, match="NO_KEY is not set"):
        keyless.check()
    with pytest.raises(UserError, match="needs prices"):
        OpenAITranscriptions("whisper-1", key=None, state=str(tmp_path), max_usd=1).check()
