"""Any speech recogniser of the transformers library: Whisper and its kin, CTC models, other encoder-decoders.

What is called: `pipeline("automatic-speech-recognition", model=FOLDER, ...)`, greedily: one beam, no
sampling, for Whisper temperature 0 and the language. The pipeline's own default is five beams, and what a
model's generation_config.json says of beams and sampling wins over the call; both are set right at loading.
A CTC model's best path is greedy by itself; a language model that comes with one is not taken. Code that
comes with a model is not run.

Whisper pads every recording to 30 s, so several recordings in one call have the same shapes as one alone, and
batches are offered for it only. Padding changes what CTC models hear: where group normalisation pools over
time, and because the pipeline decodes the padding's frames as well. They run one by one.

Seen with transformers 4.57 and tiny models of random weights. The pipeline gives no confidence.
"""

from __future__ import annotations

import functools
import importlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from squtr.audio import RESAMPLER, resample
from squtr.digest import digest
from squtr.errors import ItemFailure, UserError, did_you_mean
from squtr.needs import HOW_TORCH_EXTRA, Need, device, packages, versions
from squtr.options import number_option, text_option
from squtr.recognisers.model_files import FilesOf, model_files
from squtr.records import Transcription, Waveform

_CODE_VERSION = 1
_DTYPES = ("float32", "float16", "bfloat16")
_WHISPER_SECONDS = 30
_FILES = FilesOf(
    "transformers",
    "transformers",
    ("*.json", "*.txt", "*.model"),
    ("config.json", "preprocessor_config.json"),
    ("model.safetensors", "model-*-of-*.safetensors", "pytorch_model.bin", "pytorch_model-*.bin"),
)


class Transformers:
    """The Recogniser protocol on a model of the transformers library.

    model: a folder as save_pretrained writes it, or a repository on the Hugging Face hub with `revision`, a
    commit of 40 hexadecimal digits. language: the one that a model knows which cannot be told any; Whisper
    is told. dtype: float32, float16 or bfloat16. device: cpu or cuda:0; threads: on the CPU. Raises
    UserError for a faulty option.
    """

    names_or_paths = ("model",)

    def __init__(
        self,
        model: str,
        revision: str | None = None,
        language: str | None = None,
        dtype: str = "float32",
        device: str = "cpu",
        threads: int = 1,
    ) -> None:
        if dtype not in _DTYPES:
            raise UserError(f"dtype is {dtype!r}.{did_you_mean(str(dtype), _DTYPES)}")
        self._files = model_files(model, revision, _FILES, None)
        self._language = None if language is None else text_option("language", language)
        self._dtype = dtype
        self._device = text_option("device", device)
        self._threads = int(number_option("threads", threads, 1, 1024))

    @property
    def fingerprint(self) -> str:
        how = (
            self._dtype,
            self._device,
            versions("transformers", HOW_TORCH_EXTRA, "transformers", "torch"),
            RESAMPLER,
        )
        return digest("transformers", _CODE_VERSION, self._files.identity, *how)

    def needs(self) -> list[Need]:
        """Return the packages and the model."""
        found = packages(HOW_TORCH_EXTRA, "transformers", "torch")
        return [*found, *device(self._device), *self._files.needs()]

    def check(self) -> None:
        """Fetch the model if need be. Raises UserError for what is missing, or a language left open."""
        versions("transformers", HOW_TORCH_EXTRA, "transformers", "torch")
        folder = self._files.place()
        if self._language is None and not _is_whisper(folder):
            raise UserError(
                f"{folder}: this model cannot be told a language. Say which one it knows, as language=en."
            )

    def check_language(self, language: str) -> None:
        """Raise UserError for another language than the one that the model is told to know."""
        if self._language not in (None, language):
            raise self._unknown(language, f"told to know {self._language!r}")

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        """Transcribe one recording. Raises UserError in a language that the model does not know."""
        return self.transcribe_many([audio], language)[0]

    def transcribe_many(self, audios: Sequence[Waveform], language: str) -> list[Transcription]:
        """Transcribe several recordings, in one call where that gives the same text."""
        model = _pipeline(self._files.place(), self._device, self._dtype, self._threads)
        asked = self._asked(model, language)
        if model.type != "seq2seq_whisper" or max(audio.seconds for audio in audios) > _WHISPER_SECONDS:
            return [_heard(model, [audio], asked)[0] for audio in audios]
        return _heard(model, audios, asked)

    def _asked(self, model: Any, language: str) -> dict[str, Any]:
        """Return what decoding is told."""
        if model.type != "seq2seq_whisper":
            if language != self._language:
                raise self._unknown(language, f"told to know {self._language!r}")
            return {}
        greedy = {"temperature": 0.0}
        settings = _generation(model)
        known = getattr(settings, "lang_to_id", None)
        if not getattr(settings, "is_multilingual", known is not None):
            if language != "en":
                raise self._unknown(language, "a model for English")
            return greedy
        if f"<|{language}|>" not in (known or {}):
            raise self._unknown(language, f"a model of {len(known or {})} languages")
        return {**greedy, "language": language, "task": "transcribe"}

    def _unknown(self, language: str, what: str) -> UserError:
        return UserError(
            f"{self._files.folder} is {what}, not {language!r}. Give the recogniser by language in the"
            " recipe, as {en: ..., zh: ...}."
        )


def _heard(model: Any, audios: Sequence[Waveform], asked: dict[str, Any]) -> list[Transcription]:
    rate = int(model.feature_extractor.sampling_rate)
    inputs = [{"raw": resample(audio, rate).samples, "sampling_rate": rate} for audio in audios]
    is_long = model.type == "seq2seq_whisper" and max(audio.seconds for audio in audios) > _WHISPER_SECONDS
    more = {"return_timestamps": True} if is_long else {}
    found = model(inputs, batch_size=len(inputs), generate_kwargs=asked, **more)
    texts = [one.get("text") for one in found]
    if len(texts) != len(audios) or not all(isinstance(text, str) for text in texts):
        raise ItemFailure(f"transformers gave {len(texts)} answers to {len(audios)} recordings, or no text")
    return [Transcription(text.strip(), None) for text in texts]


def _is_whisper(folder: Path) -> bool:
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        return bool(config.get("model_type") == "whisper")
    except (OSError, ValueError, AttributeError) as error:
        raise UserError(f"{folder}/config.json cannot be read ({error}).") from None


@functools.cache
def _pipeline(folder: Path, device: str, dtype: str, threads: int) -> Any:
    torch = importlib.import_module("torch")
    library = importlib.import_module("transformers")
    torch.set_num_threads(threads)
    library.logging.set_verbosity_error()
    try:
        features = library.AutoFeatureExtractor.from_pretrained(folder)
        features._processor_class = None  # or the pipeline takes a language model along
        loaded = library.pipeline(
            "automatic-speech-recognition",
            model=str(folder),
            feature_extractor=features,
            device=device,
            dtype=getattr(torch, dtype),
            trust_remote_code=False,
        )
    except Exception as error:  # whatever the library or torch raises over a folder or a device
        said = " ".join(str(error).split())[:300]
        raise UserError(
            f"transformers cannot load {folder} on {device}: {type(error).__name__}: {said}."
        ) from error
    for config in (getattr(loaded.model, "generation_config", None), _generation(loaded)):
        if config is not None:
            config.do_sample, config.num_beams, config.temperature = False, 1, 1.0
    return loaded


def _generation(loaded: Any) -> Any:
    """Return a pipeline's own generation settings; from transformers 5 on they are its model's."""
    own = getattr(loaded, "generation_config", None)
    return getattr(loaded.model, "generation_config", None) if own is None else own
