"""Paraformer through FunASR, and what every model of FunASR shares.

What is called: `funasr.AutoModel(model=FOLDER, device=..., ncpu=..., disable_update=True, ...)` and its
`generate(input=[arrays at 16 kHz], batch_size=n)`, which gives a list of {"key", "text"} in order. FunASR
itself passes no revision on to the Hugging Face hub, so the model is fetched here at its pinned revision and
handed over as a folder. Its front end adds random dither unless told not to; here it adds none, so that a
transcript depends on the recording alone. No voice activity detection and no punctuation model: utterances
are short, and error rates are counted without punctuation.

Seen with FunASR 1.4.16 and a tiny Paraformer of random weights: a recording gives the same text alone, in a
batch, and in any order. Not reached: the model itself, the recogniser of the published Chinese half.
"""

from __future__ import annotations

import abc
import contextlib
import functools
import importlib
import importlib.metadata
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from squtr.audio import RESAMPLER, resample
from squtr.digest import digest
from squtr.errors import ItemFailure, UserError
from squtr.hub import pinned_model
from squtr.needs import HOW_TORCH, HOW_TORCH_EXTRA, Need, device, is_installed, packages
from squtr.options import number_option, text_option
from squtr.recognisers.model_files import FilesOf, ModelFiles
from squtr.recognisers.model_files import model_files as find_files
from squtr.records import Samples, Transcription, Waveform

_CODE_VERSION = 1
_SAMPLE_RATE = 16000
_FEATURES = ("kaldi_native_fbank", "torchaudio")
_HOW_PACKAGE = "pip install 'squtr[funasr]'"
_LEAST_SAMPLES = 400
_FILES = FilesOf(
    "Paraformer",
    "FunASR",
    ("config.yaml", "configuration.json", "model.pt", "am.mvn", "tokens.json", "seg_dict"),
    ("config.yaml", "model.pt", "tokens.json"),
)
_PINNED = pinned_model("funasr/paraformer-zh", "5ed094cdfc8f6a9b6b022bd08bc904ef862bc79e")


class FunAsrModel(abc.ABC):
    """What FunASR's models have in common: packages, files, loading, and one call for many recordings.

    Subclasses say what the model is called, which packages' versions decide a transcript, and what
    `generate` is told for a language.
    """

    name: ClassVar[str]
    decided_by: ClassVar[tuple[str, ...]] = ("funasr", "torch", "kaldi-native-fbank", "torchaudio")
    modules: ClassVar[tuple[str, ...]] = ()
    names_or_paths = ("model",)

    def __init__(self, files: ModelFiles, device: str, threads: int) -> None:
        self._files = files
        self._device = text_option("device", device)
        self._threads = int(number_option("threads", threads, 1, 1024))

    @property
    def fingerprint(self) -> str:
        parts = (self._files.identity, self._device, self._versions(), RESAMPLER, *self.settings())
        return digest(self.name.lower(), _CODE_VERSION, *parts)

    def settings(self) -> tuple[Any, ...]:
        """Return what else decides a transcript."""
        return ()

    def needs(self) -> list[Need]:
        """Return the packages and the model."""
        features = Need("package", "kaldi_native_fbank", any(map(is_installed, _FEATURES)), _HOW_PACKAGE)
        found = [*packages(_HOW_PACKAGE, "funasr"), features, *packages(HOW_TORCH, "torch")]
        found += packages(HOW_TORCH_EXTRA, *self.modules)
        return [*found, *device(self._device), *self._files.needs()]

    def check(self) -> None:
        """Fetch the model if need be. Raises UserError for a package or model that is not there."""
        self._versions()
        single = (((module,), HOW_TORCH_EXTRA) for module in self.modules)
        for names, how in ((("torch",), HOW_TORCH), (_FEATURES, _HOW_PACKAGE), *single):
            if not any(map(is_installed, names)):
                raise UserError(f"{self.name} needs the package {names[0]}. {how} brings it.")
        self._files.place()

    def check_language(self, language: str) -> None:
        """Raise UserError for a language that the model does not know."""
        self.asked(language)

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        """Transcribe one recording. Raises UserError in a language the model does not know."""
        return self._heard([audio], language)[0]

    def _heard(self, audios: Sequence[Waveform], language: str) -> list[Transcription]:
        """Raises ItemFailure when there are not as many answers as recordings, or one has no text."""
        asked = self.asked(language)
        model = _model(self._files.place(), self._device, self._threads)
        samples = [self.input(_framed(audio)) for audio in audios]
        heard = model.generate(input=samples, batch_size=len(samples), **asked)
        texts = [one.get("text") for one in heard]
        if len(texts) != len(audios) or not all(isinstance(text, str) for text in texts):
            raise ItemFailure(f"FunASR gave {len(texts)} answers to {len(audios)} recordings, or no text")
        return [Transcription(self.text(text), None) for text in texts]

    @abc.abstractmethod
    def asked(self, language: str) -> dict[str, Any]:
        """Return what `generate` is told. Raises UserError for a language the model does not know."""

    def input(self, samples: Samples) -> Any:
        """Return one recording, shape (n,), 16 kHz, as the model takes it."""
        return samples

    def text(self, given: str) -> str:
        """Return the transcript in what the model gave."""
        return given.strip()

    def _versions(self) -> dict[str, str | None]:
        """Return the versions of what decides a transcript. Raises UserError when FunASR is missing."""
        found = {name: _version(name) for name in self.decided_by}
        if found["funasr"] is None:
            raise UserError(f"{self.name} needs the package funasr. {_HOW_PACKAGE} brings it.")
        return found


class Paraformer(FunAsrModel):
    """The Recogniser protocol on a Paraformer model of FunASR.

    model: a folder with config.yaml, model.pt and tokens.json, or a repository on the Hugging Face hub with
    `revision`, a commit of 40 hexadecimal digits; the default is Paraformer-large. language: the one that
    the model knows. device: cpu or cuda:0; threads: on the CPU. Raises UserError for a faulty option.
    """

    name = "Paraformer"

    def __init__(
        self,
        model: str = _PINNED.repository,
        revision: str | None = None,
        language: str = "zh",
        device: str = "cpu",
        threads: int = 1,
    ) -> None:
        super().__init__(find_files(model, revision, _FILES, _PINNED), device, threads)
        self._language = text_option("language", language)

    def transcribe_many(self, audios: Sequence[Waveform], language: str) -> list[Transcription]:
        """Transcribe several recordings in one call of the model, which masks what it pads."""
        return self._heard(audios, language)

    def asked(self, language: str) -> dict[str, Any]:
        """Return nothing: the model knows one language."""
        if language != self._language:
            raise UserError(
                f"Paraformer {self._files.folder} is told to know {self._language!r}, not {language!r}. Give"
                " the recogniser by language in the recipe, as {en: ..., zh: ...}."
            )
        return {}


def _framed(audio: Waveform) -> Samples:
    """Return a recording at 16 kHz. Raises ItemFailure for one without a frame of 25 ms."""
    samples = resample(audio, _SAMPLE_RATE).samples
    if len(samples) < _LEAST_SAMPLES:
        raise ItemFailure(f"the recording is {audio.seconds * 1000:.0f} ms short, less than a frame of 25 ms")
    return samples


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


@functools.cache
def _model(folder: Path, device: str, threads: int) -> Any:
    try:
        with contextlib.redirect_stdout(sys.stderr):  # FunASR prints; standard output is for results
            model = importlib.import_module("funasr").AutoModel(
                model=str(folder),
                device=device,
                ncpu=threads,
                disable_update=True,
                disable_pbar=True,
                log_level="ERROR",
                frontend_conf={"dither": 0.0},
            )
    except Exception as error:  # whatever the package raises over a folder that it cannot read
        raise UserError(f"FunASR cannot load {folder}: {type(error).__name__}: {error}.") from error
    if model.kwargs.get("device") != device:
        raise UserError(f"FunASR runs on {model.kwargs.get('device')}: there is no {device} on this machine.")
    return model
