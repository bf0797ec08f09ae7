"""Audio LLM judge: any OpenAI-compatible chat completions service that takes audio.

The two judges of SQuTR are a Gemini and a GPT model, each asked on its own. What is sent: the instructions
(a file of data_build/judges, or one's own), the language, the written text, and the recording as 16-bit WAV.
The recogniser's transcript is not sent, so that the judge listens for itself.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np

from squtr.audio import limit_peak, peak, to_pcm, wav_bytes
from squtr.content import content
from squtr.digest import canonical_json, digest, digest_bytes
from squtr.errors import ItemFailure, UserError, did_you_mean
from squtr.judges.verdict import HIGHEST, LOWEST, REMARK, Verdict, read_answer, response_format
from squtr.languages import languages
from squtr.needs import Need
from squtr.needs import key as key_need
from squtr.options import number_option, text_option
from squtr.records import Judgement, Pcm, Waveform
from squtr.remote import Reply, Service
from squtr.remote.chat import instructions_text

_CODE_VERSION = 1
_MOST_BYTES = 1 << 20


class AudioLlm:
    """The Judge protocol on an audio LLM.

    model, base_url: as the service names them. key: the NAME of the environment variable with the key;
    empty for none. instructions: a name in data_build/judges or a path. temperature: empty leaves it out.
    format: what the service is told to answer in (text, json_object, json_schema); checked here anyhow.
    usd_per_request, usd_per_second: the price, per second of audio. Further options: squtr.remote.Service.

    A verdict is kept under the digest of audio, text, language, instructions, model and settings as soon as
    it comes, so a stopped build pays for nothing twice. Raises UserError for a faulty option.
    """

    scale = "audio LLM, 1 to 5"
    bounds = (LOWEST, HIGHEST)
    paths = ("state",)
    names_or_paths = ("instructions",)

    def __init__(
        self,
        model: str,
        base_url: str = "https://api.openai.com/v1",
        key: str | None = "OPENAI_API_KEY",
        instructions: str = "forensic",
        temperature: float | None = 0.0,
        format: str = "text",
        usd_per_request: float = 0.0,
        usd_per_second: float = 0.0,
        **limits: Any,
    ) -> None:
        self._service = Service(model, base_url, key, **limits)
        self._instructions = read_instructions(text_option("instructions", instructions))
        self._temperature = None if temperature is None else number_option("temperature", temperature, 0, 2)
        self._format = response_format(format)
        self._usd = number_option("usd_per_request", usd_per_request, 0, 1e6)
        self._usd_per_second = number_option("usd_per_second", usd_per_second, 0, 1e6)

    @property
    def fingerprint(self) -> str:
        return digest(
            "audio-llm",
            _CODE_VERSION,
            self._service.endpoint.base_url.rstrip("/"),
            self._service.model,
            self._instructions,
            self._temperature,
            self._format,
        )

    def price_usd(self, seconds: float) -> float:
        """Return the price of one request about so much audio, by the options."""
        return self._usd + self._usd_per_second * seconds

    def needs(self) -> list[Need]:
        """Return the key."""
        endpoint = self._service.endpoint
        return key_need(endpoint.key_variable, endpoint.host)

    def check(self) -> None:
        """Raise UserError for a missing key, a cap without prices, or a state folder that cannot be used."""
        self._service.check(has_price=self.price_usd(1.0) > 0)

    def judge(self, audio: Waveform, text: str, transcript: str, language: str) -> Judgement:
        """Judge the recording of `text`. Raises ItemFailure when the answers stay broken or it is refused."""
        if not len(audio.samples):
            raise ItemFailure("there is no audio to judge")
        pcm = _pcm(audio)
        place = (digest_bytes(pcm.astype("<i2").tobytes()), audio.sample_rate, text, language)
        kept_under = digest("audio-llm answer", self.fingerprint, place)
        kept = self._service.state.answer(kept_under)
        if kept is None:
            kept = self._ask(pcm, audio.sample_rate, text, language)
            self._service.state.keep(kept_under, kept)
        verdict, _, remark = kept.rpartition("\n")
        said = Verdict.model_validate_json(verdict)
        return Judgement(said.score, self.scale, said.reasons() + ((remark,) if remark else ()))

    def _ask(self, pcm: Pcm, sample_rate: int, text: str, language: str) -> str:
        """Return the verdict as one line of JSON, and a remark (or nothing) on a second line."""
        request: dict[str, Any] = {
            "model": self._service.model,
            "messages": [
                {"role": "system", "content": self._instructions},
                {"role": "user", "content": _question(pcm, sample_rate, text, language)},
            ],
        }
        if self._temperature is not None:
            request["temperature"] = self._temperature
        if self._format is not None:
            request["response_format"] = self._format
        usd = self.price_usd(len(pcm) / sample_rate)
        return self._service.ask("chat/completions", request, usd, _MOST_BYTES, _read)


def read_instructions(name: str) -> str:
    """Return a judge's instructions by built-in name or path. Raises UserError."""
    folder = content("data_build", "judges")
    built_in = folder / f"{name}.md"
    path = built_in if built_in.parent == folder and built_in.is_file() else Path(name)
    if not path.is_file():
        hint = did_you_mean(name, [file.stem for file in folder.glob("*.md")])
        raise UserError(f"instructions {name!r}: no such file and no built-in name.{hint}")
    return instructions_text(path)


def _read(reply: Reply) -> str:
    verdict, has_text_around = read_answer(reply)
    return canonical_json(verdict.model_dump()) + "\n" + (REMARK if has_text_around else "")


def _question(pcm: Pcm, sample_rate: int, text: str, language: str) -> list[dict[str, Any]]:
    row = languages().get(language)
    name = (row.spoken_name or row.name) if row else language
    asked = canonical_json({"language": name, "intended_text": text})
    data = base64.b64encode(wav_bytes(pcm, sample_rate)).decode("ascii")
    return [
        {"type": "text", "text": asked},
        {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}},
    ]


def _pcm(audio: Waveform) -> Pcm:
    samples = np.asarray(audio.samples, dtype=np.float32)
    return to_pcm(samples if peak(samples) <= 1.0 else limit_peak(samples)[0])
