"""Models of sentence-transformers: where they lie, what identifies them, how they are loaded."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
from pathlib import Path
from typing import Any

from squtr.digest import digest, digest_file
from squtr.errors import NotHere, UserError, did_you_mean
from squtr.hub import Pinned, fetch, hub_needs, list_files, pinned_model
from squtr.needs import Need, device, packages
from squtr.options import number_option, switch_option, text_option

HOW = "pip install 'squtr[torch]'"
DTYPES = ("float32", "float16", "bfloat16")
_WEIGHTS = (".safetensors", ".bin")
_OTHER_FORMATS = ("onnx/", "openvino/", "coreml/", "original/", "runs/", ".git")
_OTHER_FILES = (".onnx", ".h5", ".msgpack", ".ot", ".pb", ".tflite", ".gguf", ".ckpt", ".png", ".jpg", ".pdf")


class TextModel:
    """One model for texts: a folder, or a repository on the hub at a commit, and how it is run.

    device: cpu or cuda:0. dtype: of weights and activations; scores are float32 and better in any case.
    max_length: tokens read of a text, at most what the model can; None: the model's own. trust_code lets a
    repository bring code of its own, which runs on this machine. Raises UserError for a faulty option.
    """

    def __init__(
        self,
        model: object,
        revision: object = None,
        device: object = "cpu",
        dtype: object = "float32",
        max_length: object = None,
        trust_code: object = False,
    ) -> None:
        self.name = text_option("model", model)
        self.pin = _pin(self.name, revision)
        self.device = text_option("device", device)
        self.dtype = text_option("dtype", dtype)
        if self.dtype not in DTYPES:
            raise UserError(f"dtype is {dtype!r}.{did_you_mean(self.dtype, DTYPES)}")
        self.max_length = None if max_length is None else int(number_option("max_length", max_length, 2, 1e6))
        self.trust_code = switch_option("trust_code", trust_code)

    @property
    def identity(self) -> str:
        """The repository and commit, or the digest of the folder's files."""
        return str(self.pin) if self.pin else f"sha256={_folder_digest(Path(self.name))}"

    @property
    def description(self) -> str:
        """What of the model decides a score: identity, how it is run, versions."""
        length = self.max_length or "the model's"
        return f"{self.identity} {self.dtype} on {self.device} max_length={length} {versions()}"

    @property
    def folder(self) -> Path:
        """The folder of the model's files; a repository is fetched first. Raises UserError."""
        if self.pin is not None:
            return _fetched(self.pin)
        return _whole(Path(self.name))

    def needs(self, package: str = "sentence_transformers", how: str = HOW) -> list[Need]:
        """Return the packages, the device and the model."""
        found = [*packages(how, package, "torch"), *device(self.device)]
        if self.pin is not None:
            return [*found, *hub_needs(self.pin, "model", _has_weights(self.pin.snapshot))]
        there = _has_weights(Path(self.name))
        how = "name a folder with the model's files, or pin a repository of the hub with revision="
        return [*found, Need("model", self.name, there, how)]

    def loaded(self, kind: str, **further: Any) -> Any:
        """Return the model as `SentenceTransformer` or as `module:Class`, loaded once. Raises UserError."""
        place = str(self.folder)
        options = tuple(sorted(further.items()))
        return _loaded(kind, place, self.device, self.dtype, self.max_length, self.trust_code, options)


def versions(*names: str) -> str:
    """Return the versions of the packages that decide a model's output. Raises NotHere for a missing one."""
    return " ".join(
        f"{name}-{_version(name)}" for name in ("torch", "transformers", "sentence-transformers", *names)
    )


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        raise NotHere(f"This retriever needs the package {name}. {HOW} brings it.") from None


def _pin(model: str, revision: object) -> Pinned | None:
    if Path(model).is_dir():
        if revision is not None:
            raise UserError(f"{model}: is a folder, so revision says nothing. Leave it out.")
        return None
    return pinned_model(model, "" if revision is None else text_option("revision", revision))


def _has_weights(folder: Path) -> bool:
    return folder.is_dir() and any(path.suffix in _WEIGHTS for path in folder.rglob("*"))


def _whole(folder: Path) -> Path:
    if not _has_weights(folder):
        raise UserError(
            f"{folder}: no model; it holds no file of weights ({' or '.join(_WEIGHTS)}). Name the folder that"
            " the model was saved in, or a repository of the hub with revision=."
        )
    return folder


@functools.cache
def _fetched(pin: Pinned) -> Path:
    offered = [name for name in list_files(pin) if not name.startswith(_OTHER_FORMATS)]
    wanted = [name for name in offered if not name.endswith(_OTHER_FILES)]
    if any(name.endswith(".safetensors") for name in wanted):
        wanted = [name for name in wanted if not name.endswith(".bin")]
    return _whole(fetch(pin, wanted))


@functools.cache
def _folder_digest(folder: Path) -> str:
    files = sorted(path for path in _whole(folder).rglob("*") if path.is_file())
    return digest({path.relative_to(folder).as_posix(): digest_file(path) for path in files})


@functools.cache
def _loaded(
    kind: str,
    folder: str,
    device: str,
    dtype: str,
    max_length: int | None,
    trust_code: bool,
    further: tuple[tuple[str, Any], ...],
) -> Any:
    try:
        torch = importlib.import_module("torch")
        module, _, name = kind.rpartition(":")
        cls = getattr(importlib.import_module(module or "sentence_transformers"), name)
    except (ImportError, AttributeError) as error:
        raise NotHere(f"{kind} cannot be imported ({error}). {HOW} brings sentence-transformers.") from error
    options: dict[str, Any] = dict(further)
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise UserError(f"There is no {device} on this machine. Give device=cpu.")
    try:
        model = cls(
            folder,
            device=device,
            trust_remote_code=trust_code,
            local_files_only=True,
            model_kwargs={"torch_dtype": getattr(torch, dtype)},
            **options,
        )
    except Exception as error:  # whatever the package raises over a folder that it cannot read
        said = " ".join(str(error).split())[:300]
        raise UserError(
            f"{folder}: cannot be loaded as a {kind} ({type(error).__name__}: {said})."
        ) from error
    _limit(model, max_length, folder)
    model.eval()
    return model


def _limit(model: Any, max_length: int | None, folder: str) -> None:
    """Set how many tokens are read. Raises UserError for more than the model knows places for."""
    if max_length is None:
        return
    config = getattr(model, "config", None) or getattr(getattr(model[0], "auto_model", None), "config", None)
    most = getattr(config, "max_position_embeddings", None)
    if most is not None and max_length > most:
        raise UserError(f"{folder}: max_length is {max_length}, and the model knows {most} places at most.")
    if hasattr(model, "max_seq_length"):
        model.max_seq_length = max_length
    else:
        model.tokenizer.model_max_length = max_length
