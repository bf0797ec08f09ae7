"""CosyVoice 3, zero-shot: the voice of the published data set, from prompt recordings and their transcripts.

The package `cosyvoice` is not on PyPI: it is a checkout of its repository, and the model is a folder on
disk. What is called: `AutoModel(model_dir=...)`, its `sample_rate`, `inference_zero_shot(tts_text,
prompt_text, prompt_wav, stream=False, speed=..., text_frontend=...)`, which yields {"tts_speech": tensor
(1, n)} once a sentence, and `cosyvoice.utils.common.set_all_random_seed`. CosyVoice 3 wants the prompt's
transcript after an instruction that ends in <|endofprompt|>.

Not reached: this adapter has been run against a stand-in with that interface only, never with the model;
neither the sound, nor the time it takes, nor that a seed repeats a take has been seen.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from squtr.digest import digest, digest_file
from squtr.errors import ItemFailure, UserError
from squtr.needs import HOW_TORCH, Need, is_installed, packages
from squtr.options import number_option, switch_option, text_option
from squtr.records import Samples, Speaker, Waveform
from squtr.voices.prompts import PromptPath, place_prompts

_CODE_VERSION = 1
_END_OF_PROMPT = "<|endofprompt|>"
_MODEL_FILES = (
    "cosyvoice3.yaml",
    "llm.pt",
    "flow.pt",
    "hift.pt",
    "campplus.onnx",
    "speech_tokenizer_v3.onnx",
)
_LANGUAGE_MODEL = (".json", ".txt", ".safetensors")
_HOW_PACKAGE = (
    "Clone CosyVoice's repository with its submodules, install its requirements.txt, and name the checkout"
    " with repository=FOLDER."
)
_HOW_MODEL = "Download Fun-CosyVoice3-0.5B as CosyVoice's README says, and name its folder with model=FOLDER."
_HOW_PROMPTS = (
    'A speaker of CosyVoice has settings {"prompt": "prompts/en-001.wav", "transcript": "What is said."}'
    ", the path counted from the table's own folder. Record or choose 3 to 30 s of clean speech a speaker,"
    " and name the table in speak.speakers."
)


class CosyVoice:
    """The Voice protocol on CosyVoice 3.

    model: folder of Fun-CosyVoice3-0.5B. repository: a checkout of CosyVoice, unless the package can be
    imported already. instruction: what stands before <|endofprompt|>. text_frontend: let the package split
    long texts into sentences (it also normalises, which finds nothing left to do). speed, fp16: as there.
    """

    sample_rate = 24000
    paths = ("model", "repository")
    speaker_settings = ("prompt", "transcript")

    def __init__(
        self,
        model: str,
        repository: str | None = None,
        instruction: str = "You are a helpful assistant.",
        text_frontend: bool = True,
        speed: float = 1.0,
        fp16: bool = False,
    ) -> None:
        self._folder = Path(text_option("model", model))
        self._repository = None if repository is None else Path(text_option("repository", repository))
        self._instruction = text_option("instruction", instruction)
        self._speed = number_option("speed", speed, 0.5, 2.0)
        self._text_frontend = switch_option("text_frontend", text_frontend)
        self._fp16 = switch_option("fp16", fp16)

    @property
    def fingerprint(self) -> str:
        return digest(
            "cosyvoice",
            _CODE_VERSION,
            _model_digest(self._folder),
            _package_digest(self._repository),
            self._instruction,
            self._text_frontend,
            self._speed,
            self._fp16,
        )

    how_speakers = _HOW_PROMPTS

    def needs(self) -> list[Need]:
        """Return the package, torch and the model's folder."""
        checkout = self._repository
        there = is_installed("cosyvoice") if checkout is None else (checkout / "cosyvoice").is_dir()
        package = Need("package", "cosyvoice" if checkout is None else str(checkout), there, _HOW_PACKAGE)
        whole = all((self._folder / name).is_file() for name in _MODEL_FILES)
        model = Need("model", str(self._folder), whole, _HOW_MODEL)
        return [package, *packages(HOW_TORCH, "torch"), model]

    def check(self) -> None:
        """Raise UserError for a package or model that is not there; neither is loaded."""
        _find_package(self._repository)
        if importlib.util.find_spec("torch") is None:
            raise UserError(f"CosyVoice needs the package torch. {_HOW_PACKAGE}")
        _model_files(self._folder)

    def place_speakers(self, speakers: list[Speaker], folder: Path) -> list[Speaker]:
        """Return the speakers with their prompts found in the table's folder. Raises UserError."""
        return place_prompts(speakers, folder, _HOW_PROMPTS)

    def speak(self, text: str, speaker: Speaker, seed: int) -> Waveform:
        """Speak `text` with the voice of the speaker's prompt; all chunks joined.

        Raises ItemFailure when nothing was said or the text holds control marks of the model.
        """
        if "<|" in text or "|>" in text:
            raise ItemFailure("the text holds <| or |>, which CosyVoice takes for control marks")
        prompt = speaker.settings["prompt"]
        file = prompt.file if isinstance(prompt, PromptPath) else Path(prompt)
        model = _model(self._folder, self._repository, self._fp16)
        importlib.import_module("cosyvoice.utils.common").set_all_random_seed(seed)
        chunks = model.inference_zero_shot(
            text,
            f"{self._instruction}{_END_OF_PROMPT}{speaker.settings['transcript'].strip()}",
            str(file),
            stream=False,
            speed=self._speed,
            text_frontend=self._text_frontend,
        )
        pieces = [_samples(chunk["tts_speech"]) for chunk in chunks]
        if not any(len(piece) for piece in pieces):
            raise ItemFailure("CosyVoice gave no audio")
        return Waveform(np.concatenate(pieces), int(model.sample_rate))


def _samples(speech: Any) -> Samples:
    """Return a chunk, a tensor of shape (1, n) on any device, as float32 of shape (n,)."""
    array = speech.detach().cpu().numpy() if hasattr(speech, "detach") else speech
    samples: Samples = np.asarray(array, dtype=np.float32)
    if samples.ndim != 2 or samples.shape[0] != 1:
        raise ItemFailure(f"CosyVoice gave a chunk of shape {samples.shape}, not (1, n)")
    return samples.reshape(-1)


@functools.cache
def _model(folder: Path, repository: Path | None, fp16: bool) -> Any:
    _model_files(folder)
    _find_package(repository)
    return importlib.import_module("cosyvoice.cli.cosyvoice").AutoModel(model_dir=str(folder), fp16=fp16)


def _model_files(folder: Path) -> list[Path]:
    lacking = [name for name in _MODEL_FILES if not (folder / name).is_file()]
    if lacking:
        raise UserError(f"{folder}: no CosyVoice 3 model; {', '.join(lacking)} missing. {_HOW_MODEL}")
    return [folder / name for name in _MODEL_FILES] + sorted(_language_model(folder))


def _language_model(folder: Path) -> Iterator[Path]:
    return (file for file in folder.glob("CosyVoice-BlankEN/*") if file.suffix in _LANGUAGE_MODEL)


@functools.cache
def _model_digest(folder: Path) -> str:
    files = _model_files(folder)
    return digest([(file.relative_to(folder).as_posix(), digest_file(file)) for file in files])


def _find_package(repository: Path | None) -> Path:
    """Return the package's folder; a checkout is put at the end of the search path, with its submodule."""
    if repository is not None:
        if not (repository / "cosyvoice").is_dir():
            raise UserError(f"{repository}: no folder `cosyvoice` in it. {_HOW_PACKAGE}")
        places = (repository.resolve(), repository.resolve() / "third_party" / "Matcha-TTS")
        sys.path.extend(str(place) for place in places if str(place) not in sys.path)
    spec = importlib.util.find_spec("cosyvoice")
    if spec is None or not spec.submodule_search_locations:
        raise UserError(f"CosyVoice: no package `cosyvoice`. {_HOW_PACKAGE}")
    return Path(next(iter(spec.submodule_search_locations)))


@functools.cache
def _package_digest(repository: Path | None) -> str:
    package = _find_package(repository)
    code = sorted(package.rglob("*.py"))
    return digest([(file.relative_to(package).as_posix(), digest_file(file)) for file in code])
