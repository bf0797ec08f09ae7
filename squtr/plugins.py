"""One registry: a kind and a spec give an object (built in, entry point, or dotted path)."""

from __future__ import annotations

import importlib
import importlib.metadata
import itertools
from typing import Any

import yaml

from squtr.errors import NotHere, UserError, did_you_mean

BUILT_IN: dict[str, dict[str, str]] = {
    "voice": {
        "kokoro": "squtr.voices.kokoro:Kokoro",
        "espeak": "squtr.voices.espeak:Espeak",
        "cosyvoice": "squtr.voices.cosyvoice:CosyVoice",
        "openai": "squtr.voices.openai_speech:OpenAISpeech",
        "piper": "squtr.voices.piper:Piper",
    },
    "recogniser": {
        "whisper-base": "squtr.recognisers.whisper:WhisperBase",
        "faster-whisper": "squtr.recognisers.whisper:FasterWhisper",
        "fun-asr": "squtr.recognisers.fun_asr:FunAsr",
        "openai-transcriptions": "squtr.recognisers.openai_transcriptions:OpenAITranscriptions",
        "openai-whisper": "squtr.recognisers.openai_whisper:OpenAIWhisper",
        "paraformer": "squtr.recognisers.funasr:Paraformer",
        "pocketsphinx": "squtr.recognisers.pocketsphinx:PocketSphinx",
        "sensevoice": "squtr.recognisers.sensevoice:SenseVoice",
        "transformers": "squtr.recognisers.transformers:Transformers",
    },
    "embedder": {
        "omni-embed": "squtr.embedders.sentence_transformers:OmniEmbed",
        "sentence-transformers-audio": "squtr.embedders.sentence_transformers:SentenceTransformersAudio",
        "squtr-e2e": "squtr.embedders.squtr_e2e:SqutrE2e",
    },
    "judge": {
        "dictation": "squtr.judges.dictation:Dictation",
        "dnsmos": "squtr.judges.dnsmos:Dnsmos",
        "audio-llm": "squtr.judges.audio_llm:AudioLlm",
    },
    "noise": {
        "demand": "squtr.noise_sources.recordings:demand",
        "folder": "squtr.noise_sources.folder:Folder",
        "noisex15": "squtr.noise_sources.recordings:noisex15",
        "noisex92": "squtr.noise_sources.recordings:noisex92",
        "procedural": "squtr.noise_sources.procedural:Procedural",
        "recordings": "squtr.noise_sources.recordings:Recordings",
        "squtr17": "squtr.noise_sources.recordings:squtr17",
    },
    "retriever": {
        "adaptive": "squtr.retrievers.adaptive:Adaptive",
        "bm25": "squtr.retrievers.bm25:Bm25",
        "dense": "squtr.retrievers.dense:Dense",
        "hybrid": "squtr.retrievers.hybrid:Hybrid",
        "late-interaction": "squtr.retrievers.late_interaction:LateInteraction",
        "openai-embeddings": "squtr.retrievers.openai_embeddings:OpenAIEmbeddings",
        "rerank": "squtr.retrievers.rerank:Rerank",
        "rerank-by-vectors": "squtr.retrievers.rerank_by_vectors:RerankByVectors",
        "sentence-transformers": "squtr.retrievers.sentence_transformers:SentenceTransformers",
        "sparse": "squtr.retrievers.sparse:Sparse",
    },
    "normaliser": {
        "chinese": "squtr.text.normalise:chinese",
        "english": "squtr.text.normalise:english",
        "japanese": "squtr.text.normalise:japanese",
        "plain": "squtr.text.plain:plain",
    },
    "reading": {
        "chinese": "squtr.text.readers:chinese",
        "english": "squtr.text.readers:english",
        "japanese": "squtr.text.readers:japanese",
        "plain": "squtr.text.plain:PlainReader",
    },
    "analyser": {
        "bigrams": "squtr.retrievers.analyser:Bigrams",
        "chinese": "squtr.retrievers.analyser:Chinese",
        "english": "squtr.retrievers.analyser:English",
        "snowball": "squtr.retrievers.analyser:Snowball",
    },
}

PROTOCOLS = {
    "voice": ("speak", "fingerprint"),
    "recogniser": ("transcribe", "fingerprint"),
    "embedder": ("embed_audio", "embed_documents", "fingerprint"),
    "judge": ("judge", "fingerprint"),
    "noise": ("recordings", "read", "fingerprint"),
    "retriever": ("index", "search"),
    "normaliser": ("raw", "clean", "fluent", "version", "unit"),
    "reading": ("spoken", "fingerprint"),
    "analyser": ("tokens", "fingerprint"),
}


def split_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """Split `name,key=value,...` into a name and options; values are read as YAML.

    Commas within a quoted value, and within a list or mapping such as `key=[a, b]`, part nothing.
    """
    name, comma, rest = spec.partition(",")
    options: dict[str, Any] = {}
    for pair in _pairs(rest) if comma else ():
        key, sep, value = pair.partition("=")
        if not sep or not key.strip():
            raise UserError(f"{spec!r}: {pair!r} is not key=value. Write name,key=value,key=value.")
        options[key.strip()] = _scalar(spec, value)
    return name.strip(), options


def _pairs(text: str) -> list[str]:
    """Split at the commas that are outside of quotes and brackets; both begin with the value they hold."""
    cuts, quote, closed, depth, before, escaped = [-1], "", -2, 0, "", False
    for place, mark in enumerate(text):
        begins = before == "=" or (depth and before in "[{,:")
        if quote:
            if mark == quote and not escaped:
                quote, closed = "", place
            escaped = quote == '"' and mark == "\\" and not escaped
        elif mark in "'\"" and (begins or (mark == "'" and closed == place - 1)):
            quote = mark
        elif mark in "[{" and begins:
            depth += 1
        elif mark in "]}" and depth:
            depth -= 1
        elif mark == "," and not depth:
            cuts.append(place)
        before = before if mark == " " else mark
    return [text[start + 1 : end] for start, end in itertools.pairwise([*cuts, len(text)])]


def _scalar(spec: str, value: str) -> Any:
    try:
        return yaml.safe_load(value)
    except (yaml.YAMLError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"{spec!r}: {value!r} is no plain value ({reason}). Put it in quotes.") from None


def resolve(kind: str, name: str) -> type[Any]:
    """Return the class behind a name. Raises UserError with the nearest names."""
    if ":" in name:
        return _by_path(kind, name, name)
    if name in BUILT_IN[kind]:
        return _by_path(kind, name, BUILT_IN[kind][name])
    points = {p.name: p for p in importlib.metadata.entry_points(group=f"squtr.{kind}")}
    if name in points:
        return _by_path(kind, name, points[name].value)
    hint = did_you_mean(name, [*BUILT_IN[kind], *points])
    raise UserError(f"Unknown {kind} {name!r}.{hint} A class of your own is package.module:Class.")


def load(kind: str, spec: str, **defaults: Any) -> Any:
    """Build the object that `spec` names; options in the spec win over `defaults`."""
    return build(kind, spec, {**defaults, **split_spec(spec)[1]})


def build(kind: str, spec: str, options: dict[str, Any]) -> Any:
    """Build the object that `spec` names, with these options in place of its own. Raises UserError."""
    cls = resolve(kind, split_spec(spec)[0])
    try:
        found = cls(**options)
    except (TypeError, ValueError) as error:
        raise UserError(f"{kind} {spec!r}: {error}.") from error
    missing = [member for member in PROTOCOLS.get(kind, ()) if member not in dir(found)]
    if missing:
        raise UserError(f"{kind} {spec!r} has no {' and no '.join(missing)}; see docs/plugins.md.")
    return found


def _by_path(kind: str, name: str, path: str) -> type[Any]:
    module_name, _, attribute = path.partition(":")
    try:
        found = getattr(importlib.import_module(module_name), attribute)
    except AttributeError:
        raise UserError(f"{kind} {name!r}: module {module_name} has no {attribute!r}.") from None
    except Exception as error:
        hint = (
            "Write package.module:Class, with the package installed or its folder in PYTHONPATH."
            if ":" in name
            else "pip install 'squtr[embedded]' brings the embedded engines."
        )
        reason = str(error) if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"
        kind_of_error = NotHere if isinstance(error, ImportError) else UserError
        raise kind_of_error(f"{kind} {name!r} cannot be imported: {reason}. {hint}") from error
    return found  # type: ignore[no-any-return]
