"""Plain functions as parts: a retriever, a recogniser or an embedder of two parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from squtr.digest import digest_file
from squtr.errors import UserError, did_you_mean
from squtr.records import Document, Transcription, Waveform

Function = Callable[..., Any]


class FunctionRetriever:
    """`search(corpus, queries)` gives {query id: {document id: score}}, higher is better.

    corpus: {document id: {"title": ..., "text": ...}}, the same object at every call; queries: {query id:
    text}. All distinct texts of all conditions come in one call, so query ids are numbers of texts and not
    the collection's. Parameters named `k` and `language` are given the depth and the language.
    """

    def __init__(self, function: Function, name: str, options: Mapping[str, Any]) -> None:
        self._function, self.name, self._options = function, name, dict(options)
        self.fingerprint = _fingerprint(function, name, options)

    def index(self, documents: Sequence[Document], language: str) -> None:
        self._corpus = {one.id: {"title": one.title, "text": one.text} for one in documents}
        self._language = language

    def search(self, queries: Sequence[str], k: int) -> list[dict[str, float]]:
        asked = {str(number): text for number, text in enumerate(queries)}
        told = _told(self._function, self._options, k=k, language=self._language)
        found = self._function(self._corpus, asked, **self._options, **told)
        if not isinstance(found, Mapping) or not all(isinstance(one, Mapping) for one in found.values()):
            raise _wrong(self.name, found, "{query id: {document id: score}}")
        if strangers := [name for name in found if name not in asked]:
            raise UserError(
                f"{self.name} returned a query {strangers[0]!r}, which was not among its queries."
            )
        return [dict(found.get(name, {})) for name in asked]


class FunctionRecogniser:
    """`hear(audio, language)` gives the text, or a Transcription; audio is a squtr.records.Waveform."""

    def __init__(self, function: Function, name: str, options: Mapping[str, Any]) -> None:
        self._function, self._name, self._options = function, name, dict(options)
        self.fingerprint = _fingerprint(function, name, options)

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        found = self._function(audio, language, **self._options)
        if isinstance(found, str):
            return Transcription(found)
        if not isinstance(found, Transcription):
            raise _wrong(self._name, found, "a text")
        return found


class FunctionEmbedder:
    """`embed(inputs, kind)` gives an array (n, d), one row an input.

    kind is "audio" (inputs are Waveforms), "document" or "query" (texts). A parameter named `language` is
    given the language of the audio, None for texts.
    """

    def __init__(self, function: Function, name: str, options: Mapping[str, Any]) -> None:
        self._function, self._name, self._options = function, name, dict(options)
        self.fingerprint = _fingerprint(function, name, options)

    def embed_audio(self, audio: Waveform, language: str) -> Any:
        return self._rows([audio], "audio", language)[0]

    def embed_documents(self, documents: Sequence[Document]) -> Any:
        return self._rows([one.full_text for one in documents], "document", None)

    def embed_queries(self, texts: Sequence[str]) -> Any:
        return self._rows(list(texts), "query", None)

    def _rows(self, inputs: list[Any], kind: str, language: str | None) -> Any:
        told = _told(self._function, self._options, language=language)
        found = self._function(inputs, kind, **self._options, **told)
        try:
            rows = np.asarray(found, dtype=np.float32)
        except (TypeError, ValueError):
            raise _wrong(self._name, found, "an array of numbers, a row an input") from None
        if rows.ndim != 2 or len(rows) != len(inputs):
            raise UserError(
                f"{self._name} returned an array of shape {rows.shape} for {len(inputs)} inputs of kind"
                f" {kind!r}; ({len(inputs)}, d) is needed."
            )
        return rows


_PARTS: dict[str, tuple[type[Any], str, tuple[str, ...]]] = {
    "retriever": (FunctionRetriever, "(corpus, queries)", ("k", "language")),
    "recogniser": (FunctionRecogniser, "(audio, language)", ()),
    "embedder": (FunctionEmbedder, "(inputs, kind)", ("language",)),
}


def function_part(kind: str, name: str, found: Any, options: Mapping[str, Any]) -> Any | None:
    """Return a function as the part that it is; None where it is a class or a factory of parts.

    A function with two parameters that the options leave open is the part itself, options and all; one
    with none left open is a factory. Raises UserError for any other number.
    """
    if kind not in _PARTS or not inspect.isroutine(found):
        return None
    cls, form, told = _PARTS[kind]
    needed = _needed(found, {*options, *told})
    if not needed:
        return None
    parameters = inspect.signature(found).parameters
    takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    if unknown := [key for key in options if key not in parameters and not takes_any]:
        hint = did_you_mean(unknown[0], [key for key in parameters if key not in needed]) or " It takes none."
        raise UserError(f"{kind} {name!r} has no option {unknown[0]!r}.{hint}")
    if len(needed) != 2:
        raise UserError(
            f"{kind} {name!r}: a function takes {form}, and this one ({', '.join(needed)}). One that makes a"
            f" {kind} gets its parameters as options: {name},{needed[0]}=..."
        )
    return cls(found, name, options)


def part_name(part: Any) -> str:
    """Return what a message calls a part: a function by its own name, an object by its class."""
    if isinstance(part, FunctionRetriever):
        return part.name
    return f"{type(part).__module__}:{type(part).__qualname__}"


def _needed(function: Function, given: set[str]) -> list[str]:
    return [
        name
        for name, one in inspect.signature(function).parameters.items()
        if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
        and one.default is one.empty
        and name not in given
    ]


def _told(function: Function, options: Mapping[str, Any], **offered: Any) -> dict[str, Any]:
    """Return of what is offered that which the function asks for by name."""
    asked = inspect.signature(function).parameters
    return {name: value for name, value in offered.items() if name in asked and name not in options}


def _fingerprint(function: Function, name: str, options: Mapping[str, Any]) -> str:
    """Return name, options, and the function's own `fingerprint` or the digest of its file."""
    asked = ",".join([name, *(f"{key}={value!r}" for key, value in sorted(options.items()))])
    own = getattr(function, "fingerprint", None)
    if isinstance(own, str):
        return f"{asked} {own}"
    try:
        return f"{asked} file sha256={digest_file(Path(inspect.getfile(function)))}"
    except (TypeError, OSError):
        return f"{asked} file unknown"


def _wrong(name: str, found: Any, wanted: str) -> UserError:
    said = " ".join(repr(found).split())
    shown = said if len(said) <= 60 else f"{said[:57]}..."
    return UserError(f"{name} returned {shown} ({type(found).__name__}); {wanted} is needed.")
