"""Any service with OpenAI's `/v1/audio/speech`: a named voice, a speed, audio back.

Such a service takes no seed, so takes differ only as far as its own chance makes them; what it gave is kept
in the store like any take. Speaker settings: {"voice": "alloy", "speed": 1.0, "instructions": "..."}, the
last two optional.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from squtr.audio import from_pcm, read_audio
from squtr.digest import digest
from squtr.errors import ItemFailure, UserError
from squtr.needs import Need, key
from squtr.options import number_option
from squtr.records import Speaker, Waveform
from squtr.remote import BrokenAnswer, Reply, Service
from squtr.remote.service import error_message

_CODE_VERSION = 1
_MOST_BYTES = 64 << 20
_FORMATS = ("wav", "pcm", "mp3", "flac")
_BARE_BYTES = ("", "application/octet-stream", "binary/octet-stream")
_SLOWEST, _FASTEST = 0.25, 4.0


class OpenAISpeech:
    """The Voice protocol on a speech service.

    model, base_url: as the service names them. key: the NAME of the environment variable with the key;
    empty for none. format: wav, mp3 and flac say their own sample rate; pcm is bare 16-bit little-endian
    mono at `pcm_rate` Hz. usd_per_1000_characters: the price. Further options: squtr.remote.Service.
    """

    sample_rate = 24000
    paths = ("state",)
    speaker_settings = ("voice", "speed", "instructions")

    def __init__(
        self,
        model: str,
        base_url: str = "https://api.openai.com/v1",
        key: str | None = "OPENAI_API_KEY",
        format: str = "wav",
        pcm_rate: int = 24000,
        usd_per_1000_characters: float = 0.0,
        **limits: Any,
    ) -> None:
        if format not in _FORMATS:
            raise UserError(f"format is {format!r}; it is one of {', '.join(_FORMATS)}.")
        self._service = Service(model, base_url, key, **limits)
        self._format = format
        self._pcm_rate = int(number_option("pcm_rate", pcm_rate, 4000, 192_000))
        self._usd = number_option("usd_per_1000_characters", usd_per_1000_characters, 0, 1e6)

    @property
    def fingerprint(self) -> str:
        endpoint = self._service.endpoint.base_url.rstrip("/")
        rate = self._pcm_rate if self._format == "pcm" else None
        return digest("openai speech", _CODE_VERSION, endpoint, self._service.model, self._format, rate)

    def price_usd(self, characters: int) -> float:
        """Return the price of one take of so many characters, by the option."""
        return self._usd * characters / 1000

    def needs(self) -> list[Need]:
        """Return the key."""
        endpoint = self._service.endpoint
        return key(endpoint.key_variable, endpoint.host)

    def check(self) -> None:
        """Raise UserError for a missing key, a cap without prices, or a state folder that cannot be used."""
        self._service.check(has_price=self._usd > 0)

    def check_speaker(self, speaker: Speaker) -> None:
        """Raise UserError when a speaker's settings are not what the service takes."""
        settings = speaker.settings
        where = f"speaker {speaker.id!r}"
        if not isinstance(settings.get("voice"), str) or not settings["voice"]:
            raise UserError(f"{where}: voice is {settings.get('voice')!r}. Name a voice of the service.")
        if not isinstance(settings.get("instructions", ""), str):
            raise UserError(f"{where}: instructions is {settings['instructions']!r}, not text.")
        number_option(f"{where}: speed", settings.get("speed", 1.0), _SLOWEST, _FASTEST)

    def speak(self, text: str, speaker: Speaker, seed: int) -> Waveform:
        """Speak `text`; `seed` cannot be sent. Raises ItemFailure when what comes back is never audio."""
        if not text.strip():
            raise ItemFailure("nothing in the text can be spoken")
        settings = speaker.settings
        request = {
            "model": self._service.model,
            "voice": settings["voice"],
            "input": text,
            "response_format": self._format,
            "speed": settings.get("speed", 1.0),
        }
        if settings.get("instructions"):
            request["instructions"] = settings["instructions"]
        usd = self.price_usd(len(text))
        return self._service.ask("audio/speech", request, usd, _MOST_BYTES, self._read)

    def _read(self, reply: Reply) -> Waveform:
        _refuse_text(reply)
        if self._format == "pcm":
            return _read_pcm(reply.body, self._pcm_rate)
        try:
            return read_audio(reply.body)
        except ItemFailure as failure:
            raise BrokenAnswer(f"an answer that is no whole audio ({failure})") from None


def _refuse_text(reply: Reply) -> None:
    """Refuse an answer that calls itself text, or is JSON whatever it calls itself."""
    kind = reply.content_type
    is_audio = kind.startswith("audio/") or kind in _BARE_BYTES
    if not is_audio or _is_json(reply.body):
        said = error_message(reply, 100)
        raise BrokenAnswer(f"an answer of type {kind or 'none'} instead of audio ({said})")


def _is_json(body: bytes) -> bool:
    if body[:1] not in (b"{", b"[") or len(body) > 100_000:
        return False
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def _read_pcm(body: bytes, sample_rate: int) -> Waveform:
    if not body or len(body) % 2:
        raise BrokenAnswer(f"an answer of {len(body)} bytes, which is no 16-bit PCM")
    if body[:4] in (b"RIFF", b"fLaC", b"OggS") or body[:3] == b"ID3":
        raise BrokenAnswer("an audio file instead of bare PCM; set format to what the service sends")
    return Waveform(from_pcm(np.frombuffer(body, dtype="<i2").astype(np.int16)), sample_rate)
