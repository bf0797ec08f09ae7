"""Whisper through OpenAI's own package, as its authors run it: on torch, from their checkpoints.

What is called: `whisper.load_model` and `model.transcribe` with one temperature of 0, no beam, no earlier
text as a prompt, no timestamps, the language given, half precision on a GPU only. Fast CPUs are better
served by faster-whisper; this is the reference to hold it against.

Seen with openai-whisper 20250625 and a tiny checkpoint of random weights. Not reached: OpenAI's checkpoints.
"""

from __future__ import annotations

import functools
import importlib
import math
import os
from pathlib import Path
from typing import Any

from squtr.audio import RESAMPLER, resample
from squtr.digest import digest, digest_file
from squtr.errors import UserError
from squtr.needs import HOW_TORCH_EXTRA, Need, device, packages, versions
from squtr.options import number_option, text_option
from squtr.recognisers.whisper import prompt_of
from squtr.records import Transcription, Waveform

_CODE_VERSION = 1
_SAMPLE_RATE = 16000
_ALIASES = {"large": "large-v3", "turbo": "large-v3-turbo"}


class OpenAIWhisper:
    """The Recogniser protocol on a checkpoint of openai-whisper.

    model: a `.pt` file, a folder with one, or a name such as base or large-v3, which the package fetches
    and whose SHA-256 it knows. device: cpu or cuda:0; threads: on the CPU. Raises UserError for a faulty
    option.
    """

    names_or_paths = ("model",)

    def __init__(self, model: str, device: str = "cpu", threads: int = 1) -> None:
        self._name = text_option("model", model)
        self._file = _file(Path(self._name))
        self._device = text_option("device", device)
        self._threads = int(number_option("threads", threads, 1, 1024))

    @property
    def fingerprint(self) -> str:
        identity = _ALIASES.get(self._name, self._name) if self._file is None else _file_digest(self._file)
        decided = {
            "versions": versions("openai-whisper", HOW_TORCH_EXTRA, "openai-whisper", "torch"),
            "resampler": RESAMPLER,
            "prompt_zh": prompt_of("zh"),
        }
        return digest("openai-whisper", _CODE_VERSION, identity, self._device, decided)

    def fingerprint_in(self, language: str) -> str:
        """The prompt of a language that has one; that of Chinese is in the fingerprint."""
        return prompt_of(language) or ""

    def needs(self) -> list[Need]:
        """Return the packages and the checkpoint."""
        place = self._file or _cached(self._name)
        found = [*packages(HOW_TORCH_EXTRA, "whisper", "torch"), *device(self._device)]
        how = "name a .pt file, or let the first run fetch it"
        return [*found, Need("model", self._name, place.is_file(), how)]

    def check(self) -> None:
        """Fetch a named checkpoint that is not there. Raises UserError for what cannot be had."""
        versions("openai-whisper", HOW_TORCH_EXTRA, "openai-whisper", "torch")
        if self._file is None and not _cached(self._name).is_file():
            _load(self._name, "cpu")

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        """Transcribe one recording; confidence is the mean log-probability of its segments.

        Raises UserError in a language that the checkpoint does not know.
        """
        model = _model(str(self._file or self._name), self._device, self._threads)
        _refuse_language(model, self._name, language)
        heard = model.transcribe(
            resample(audio, _SAMPLE_RATE).samples,
            language=language,
            task="transcribe",
            temperature=0.0,
            condition_on_previous_text=False,
            without_timestamps=True,
            initial_prompt=prompt_of(language),
            fp16=self._device.startswith("cuda"),
            verbose=None,
        )
        values = [segment["avg_logprob"] for segment in heard["segments"]]
        mean = math.fsum(values) / len(values) if values else math.nan
        return Transcription(heard["text"].strip(), mean if math.isfinite(mean) else None)


def _file(path: Path) -> Path | None:
    """Return the checkpoint that a path means; None for a name. Raises UserError."""
    if path.is_file():
        return path
    if path.is_dir():
        found = sorted(path.glob("*.pt"))
        if len(found) == 1:
            return found[0]
        raise UserError(f"{path}: {len(found)} .pt files where one is expected. Name the file itself.")
    if path.suffix == ".pt" or len(path.parts) > 1:
        raise UserError(f"{path}: no such file. Name a .pt file, a folder with one, or a model such as base.")
    return None


def _cached(name: str) -> Path:
    """Return where the package keeps a named checkpoint."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    return cache / "whisper" / f"{_ALIASES.get(name, name)}.pt"


def _refuse_language(model: Any, name: str, language: str) -> None:
    known = importlib.import_module("whisper.tokenizer").LANGUAGES if model.is_multilingual else {"en": ""}
    if language not in known:
        raise UserError(
            f"Whisper {name} does not know {language!r}. It knows {', '.join(sorted(known)[:120])}. Give the"
            " recogniser by language in the recipe, as {en: ..., zh: ...}."
        )


@functools.cache
def _file_digest(file: Path) -> str:
    return digest_file(file)


@functools.cache
def _model(name: str, device: str, threads: int) -> Any:
    importlib.import_module("torch").set_num_threads(threads)
    return _load(name, device)


def _load(name: str, device: str) -> Any:
    try:
        return importlib.import_module("whisper").load_model(name, device=device)
    except Exception as error:  # whatever the package, torch or the network raises is one message
        said = " ".join(str(error).split())[:300]
        raise UserError(
            f"openai-whisper cannot load {name!r} on {device} ({type(error).__name__}: {said}). Name a .pt"
            " file of its format, or one of its models on a machine that reaches the network."
        ) from error
