"""Piper: one .onnx voice on disk with its .onnx.json, through the package `piper-tts` (GPL-3, own espeak-ng).

The sound and rhythm noise of a Piper model is drawn inside the model, by nodes that are seeded when its
session is made. So each take gets a session of its own, seeded for it: takes do not depend on what was
spoken before them, nor on the number of workers. One thread, for the same reason.
Speaker settings: {"speaker": 3} (a number, or a name of the model's own table, in models of several
speakers) and {"speed": 1.0}, both optional.
"""

from __future__ import annotations

import functools
import importlib.metadata
import json
from pathlib import Path
from typing import Any

import numpy as np

from squtr.digest import digest, digest_bytes
from squtr.errors import ItemFailure, UserError, did_you_mean
from squtr.needs import Need, packages
from squtr.options import number_option, text_option
from squtr.records import Samples, Speaker, Waveform

_CODE_VERSION = 1
_LARGEST_SEED = 2**31
_NEEDED = ("audio", "espeak", "phoneme_id_map", "num_symbols", "num_speakers")
_HOW = "pip install 'squtr[piper]' brings it."


class Piper:
    """The Voice protocol on one Piper voice. `model` is its .onnx file; `model`.json lies beside it."""

    paths = ("model",)
    speaker_settings = ("speaker", "speed")

    def __init__(self, model: str) -> None:
        self._path = Path(text_option("model", model))

    @property
    def sample_rate(self) -> int:
        return int(_config(self._path)["audio"]["sample_rate"])

    @property
    def fingerprint(self) -> str:
        model, config = _bytes(self._path), _bytes(_beside(self._path))
        versions = {name: _version(name) for name in ("piper-tts", "onnxruntime")}
        return digest("piper", _CODE_VERSION, digest_bytes(model), digest_bytes(config), versions)

    def needs(self) -> list[Need]:
        """Return the packages and the voice's two files."""
        how = "python -m piper.download_voices NAME fetches both files of a voice; name the .onnx with model="
        files = [Need("model", str(path), path.is_file(), how) for path in (self._path, _beside(self._path))]
        return [*packages("pip install 'squtr[piper]'", "piper", "onnxruntime"), *files]

    def check(self) -> None:
        """Load the model. Raises UserError when the package or a file is missing or is none of Piper's."""
        _version("piper-tts")
        names = {entry.name for entry in _session(self._path, 0).get_inputs()}
        if not {"input", "input_lengths", "scales"} <= names:
            raise UserError(
                f"{self._path}: takes {', '.join(sorted(names))}, so it is no Piper voice. Piper's models"
                " take input, input_lengths and scales."
            )

    def check_speaker(self, speaker: Speaker) -> None:
        """Raise UserError when a speaker's settings are not what the model takes."""
        number_option(f"speaker {speaker.id!r}: speed", speaker.settings.get("speed", 1.0), 0.25, 4.0)
        self._speaker_number(speaker)

    def speak(self, text: str, speaker: Speaker, seed: int) -> Waveform:
        """Speak `text`, sentence by sentence, all joined. Raises ItemFailure when nothing was said."""
        from piper import PiperConfig, PiperVoice, SynthesisConfig

        config = PiperConfig.from_dict(_config(self._path))
        how = SynthesisConfig(
            speaker_id=self._speaker_number(speaker),
            length_scale=config.length_scale / float(speaker.settings.get("speed", 1.0)),
            normalize_audio=False,
        )
        voice = PiperVoice(session=_session(self._path, seed), config=config)
        chunks = voice.synthesize(text.replace("[[", "[ ["), syn_config=how)
        pieces: list[Samples] = [np.atleast_1d(chunk.audio_float_array) for chunk in chunks]
        if not any(len(piece) for piece in pieces):
            raise ItemFailure("nothing in the text can be spoken")
        return Waveform(np.concatenate(pieces).astype(np.float32), self.sample_rate)

    def _speaker_number(self, speaker: Speaker) -> int | None:
        config = _config(self._path)
        count, table = int(config["num_speakers"]), config.get("speaker_id_map") or {}
        wanted = speaker.settings.get("speaker")
        where = f"speaker {speaker.id!r}"
        if isinstance(wanted, str):
            if wanted not in table:
                raise UserError(f"{where}: {self._path.name} has no {wanted!r}.{did_you_mean(wanted, table)}")
            return int(table[wanted])
        if wanted is None and count <= 1:
            return None
        if not isinstance(wanted, int) or isinstance(wanted, bool) or not 0 <= wanted < count:
            raise UserError(
                f"{where}: speaker is {wanted!r}; {self._path.name} has speakers 0 to {count - 1}."
            )
        return wanted


def _beside(path: Path) -> Path:
    return path.with_name(path.name + ".json")


@functools.cache
def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read ({error.strerror}). A Piper voice is two files, NAME.onnx and"
            " NAME.onnx.json; `python -m piper.download_voices NAME` fetches both."
        ) from None


@functools.cache
def _config(path: Path) -> dict[str, Any]:
    beside = _beside(path)
    try:
        config = json.loads(_bytes(beside).decode("utf-8-sig"))
        lacking = [name for name in _NEEDED if name not in config]
    except (ValueError, TypeError):
        raise UserError(f"{beside}: no JSON in UTF-8. Fetch the voice again.") from None
    if lacking or not isinstance(config, dict):
        raise UserError(f"{beside}: no Piper configuration (it lacks {', '.join(lacking)}).")
    return config


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise UserError(f"Piper needs the package {package}. {_HOW}") from None


def _session(path: Path, seed: int) -> Any:
    """Return a new session whose noise begins from `seed`."""
    model = _bytes(path)
    try:
        import onnxruntime
    except ImportError:
        raise UserError(f"Piper needs the package onnxruntime. {_HOW}") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    onnxruntime.set_seed(seed % _LARGEST_SEED)
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has no error of its own for a file that is no model
        raise UserError(f"{path}: is no ONNX model that can be loaded ({str(error)[:200]}).") from None
