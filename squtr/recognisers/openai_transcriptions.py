"""Any service with OpenAI's `/v1/audio/transcriptions`: a form with a 16-bit WAV, JSON with the text back.

`format=verbose_json` also gives the segments' mean log-probabilities, where the service has them; they become
the confidence. A service is asked at temperature 0, but may draw, or change its model, all the same: what it
said is kept under the digest of the audio, so one answer stands, whatever data set asks.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from squtr.audio import limit_peak, to_pcm, wav_bytes
from squtr.digest import canonical_json, digest, digest_bytes
from squtr.errors import ItemFailure, UserError, did_you_mean
from squtr.needs import Need
from squtr.needs import key as key_need
from squtr.options import number_option
from squtr.records import Pcm, Transcription, Waveform
from squtr.remote import BrokenAnswer, Form, Reply, Service
from squtr.remote.service import error_message

_CODE_VERSION = 1
_MOST_BYTES = 4 << 20
_FORMATS = ("json", "verbose_json")


class OpenAITranscriptions:
    """The Recogniser protocol on a transcription service.

    model, base_url: as the service names them. key: the NAME of the environment variable with the key;
    empty for none. format: json, or verbose_json for a confidence. temperature: empty leaves it out.
    usd_per_minute: the price, per minute of audio. Further options: squtr.remote.Service.

    Raises UserError for a faulty option.
    """

    paths = ("state",)

    def __init__(
        self,
        model: str,
        base_url: str = "https://api.openai.com/v1",
        key: str | None = "OPENAI_API_KEY",
        format: str = "json",
        temperature: float | None = 0.0,
        usd_per_minute: float = 0.0,
        **limits: Any,
    ) -> None:
        if format not in _FORMATS:
            raise UserError(f"format is {format!r}.{did_you_mean(str(format), _FORMATS)}")
        self._service = Service(model, base_url, key, **limits)
        self._format = format
        self._temperature = None if temperature is None else number_option("temperature", temperature, 0, 1)
        self._usd = number_option("usd_per_minute", usd_per_minute, 0, 1e6)

    @property
    def fingerprint(self) -> str:
        endpoint = self._service.endpoint.base_url.rstrip("/")
        how = (self._format, self._temperature)
        return digest("openai-transcriptions", _CODE_VERSION, endpoint, self._service.model, *how)

    def price_usd(self, seconds: float) -> float:
        """Return the price of one recording of so many seconds, by the option."""
        return self._usd * seconds / 60

    def needs(self) -> list[Need]:
        """Return the key."""
        endpoint = self._service.endpoint
        return key_need(endpoint.key_variable, endpoint.host)

    def check(self) -> None:
        """Raise UserError for a missing key, a cap without prices, or a state folder that cannot be used."""
        self._service.check(has_price=self._usd > 0)

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        """Transcribe one recording. Raises ItemFailure when what comes back is never a transcript."""
        if not len(audio.samples):
            raise ItemFailure("there is no audio to transcribe")
        pcm = to_pcm(limit_peak(np.asarray(audio.samples, np.float32), 1.0)[0])
        place = (digest_bytes(pcm.astype("<i2").tobytes()), audio.sample_rate, language)
        kept_under = digest("openai-transcriptions answer", self.fingerprint, place)
        kept = self._service.state.answer(kept_under)
        if kept is None:
            kept = self._ask(pcm, audio.sample_rate, language)
            self._service.state.keep(kept_under, kept)
        said = json.loads(kept)
        return Transcription(said["text"], said["confidence"])

    def _ask(self, pcm: Pcm, sample_rate: int, language: str) -> str:
        fields = {"model": self._service.model, "language": language, "response_format": self._format}
        if self._temperature is not None:
            fields["temperature"] = f"{self._temperature:g}"
        form = Form(fields, "file", "utterance.wav", "audio/wav", wav_bytes(pcm, sample_rate))
        usd = self.price_usd(len(pcm) / sample_rate)
        return self._service.ask("audio/transcriptions", form, usd, _MOST_BYTES, _read)


def _read(reply: Reply) -> str:
    """Return text and confidence as JSON. Raises BrokenAnswer for anything but an object with a text."""
    try:
        given = json.loads(reply.text())
        text = given["text"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise BrokenAnswer(f"an answer without a transcript ({error_message(reply, 100)})") from None
    if not isinstance(text, str):
        raise BrokenAnswer(f"a transcript that is no text ({error_message(reply, 100)})")
    plain = text.encode("utf-8", "replace").decode("utf-8").strip()
    return canonical_json({"text": plain, "confidence": _confidence(given.get("segments"))})


def _confidence(segments: object) -> float | None:
    """Return the mean of the segments' avg_logprob; None where one is missing or no number."""
    if not isinstance(segments, list) or not segments:
        return None
    values = [segment.get("avg_logprob") if isinstance(segment, dict) else None for segment in segments]
    numbers = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    mean = math.fsum(numbers) / len(numbers) if len(numbers) == len(values) else math.nan
    return mean if math.isfinite(mean) else None
