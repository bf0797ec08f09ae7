"""One registry: a kind and a spec give an object (built in, entry point, or dotted path)."""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
import itertools
import json
import math
import re
from collections.abc import Mapping
from typing import Any

import yaml

from squtr.errors import ItemFailure, NotHere, UserError, did_you_mean, raised, raised_at
from squtr.functions import function_part

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_PLACEHOLDER = re.compile(r" *\{\w+\}")  # a pattern of paths, which YAML would take for a mapping
_ABOUT_KEYS = " A key is never written out: key=NAME names the environment variable that holds it."

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
        "transcripts": "squtr.recognisers.transcripts:Transcripts",
        "transformers": "squtr.recognisers.transformers:Transformers",
    },
    "channel": {
        "clean+fillers": "squtr.channels.operators.clean_fillers:CleanFillers",
        "clean+homophone": "squtr.channels.operators.clean_homophone:CleanHomophone",
        "clean+numwords": "squtr.channels.operators.clean_numwords:CleanNumwords",
        "clean-case/punct": "squtr.channels.operators.clean_case_punct:CleanCasePunct",
        "clean-func-words": "squtr.channels.operators.clean_func_words:CleanFuncWords",
        "connected-key": "squtr.channels.operators.connected_key:ConnectedKey",
        "context-swap": "squtr.channels.operators.context_swap:ContextSwap",
        "disfluent": "squtr.channels.operators.disfluent:Disfluent",
        "key-swap": "squtr.channels.operators.key_swap:KeySwap",
        "keyboard-neighbor": "squtr.channels.operators.keyboard_neighbor:KeyboardNeighbor",
        "missed-space": "squtr.channels.operators.missed_space:MissedSpace",
        "option-permutation": "squtr.channels.operators.option_permutation:OptionPermutation",
        "random-replace": "squtr.channels.operators.random_replace:RandomReplace",
        "repeated-key": "squtr.channels.operators.repeated_key:RepeatedKey",
        "spoken-casual": "squtr.channels.operators.spoken_casual:SpokenCasual",
        "spoken-clean": "squtr.channels.operators.spoken_clean:SpokenClean",
        "spoken-filler-stripped": "squtr.channels.operators.spoken_filler_stripped:SpokenFillerStripped",
        "spoken-formal": "squtr.channels.operators.spoken_formal:SpokenFormal",
        "spoken-succinct": "squtr.channels.operators.spoken_succinct:SpokenSuccinct",
        "typos": "squtr.channels.operators.typos:Typos",
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
        "mteb": "squtr.retrievers.mteb:mteb_model",
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
    "channel": ("change", "fingerprint", "languages"),
    "noise": ("recordings", "read", "fingerprint"),
    "retriever": ("index", "search"),
    "normaliser": ("raw", "clean", "fluent", "version", "unit"),
    "reading": ("spoken", "fingerprint"),
    "analyser": ("tokens", "fingerprint"),
}


def split_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """Split `name,key=value,...` into a name and options; values are read as YAML.

    A value that begins with a placeholder such as `{subset}` is a text. Commas within a quoted value, and
    within a list or mapping such as `key=[a, b]`, part nothing.
    """
    name, comma, rest = spec.partition(",")
    options: dict[str, Any] = {}
    for pair in _pairs(rest) if comma else ():
        key, sep, value = pair.partition("=")
        if not sep or not key.strip():
            raise UserError(f"{spec!r}: {pair!r} is not key=value. Write name,key=value,key=value.")
        if (key := key.strip()) in options:
            raise UserError(f"{spec!r}: {key} stands twice. Keep one.")
        options[key] = _scalar(spec, value)
    return name.strip(), options


def join_spec(name: str, options: Mapping[str, Any]) -> str:
    """Write a name and options so that `split_spec` reads them as they are."""
    return ",".join([name, *(f"{key}={_written(value)}" for key, value in options.items())])


def _written(value: Any) -> str:
    if isinstance(value, str):
        return yaml.safe_dump(value, default_style='"', allow_unicode=True, width=math.inf).rstrip("\n")
    return json.dumps(value, ensure_ascii=False, default=str)


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
    if _PLACEHOLDER.match(value):
        return value
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
    name = split_spec(spec)[0]
    cls = resolve(kind, name)
    if (part := function_part(kind, name, cls, options)) is not None:
        return part
    _check_options(kind, name, cls, options)
    try:
        found = cls(**options)
    except (UserError, ItemFailure):
        raise
    except (Exception, SystemExit) as error:
        said = error if isinstance(error, (TypeError, ValueError)) and str(error) else raised(error)
        raise UserError(f"{kind} {name!r} cannot be set up: {said}.") from error
    if (part := function_part(kind, spec, found, {})) is not None:
        return part
    missing = [member for member in PROTOCOLS.get(kind, ()) if member not in dir(found)]
    if missing:
        raise UserError(f"{kind} {spec!r} has no {' and no '.join(missing)}; see docs/plugins.md.")
    return found


def check(kind: str, spec: str, found: Any) -> None:
    """Let a part check itself, where it can. Raises UserError for whatever goes wrong in it."""
    try:
        getattr(found, "check", lambda: None)()
    except (UserError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        raise UserError(f"{kind} {spec!r} cannot be set up: {raised_at(error)}.") from error


def _check_options(kind: str, name: str, cls: Any, options: dict[str, Any]) -> None:
    """Raise UserError for an option that the class has not, or that is missing; values are never shown."""
    if not callable(cls) or inspect.isabstract(cls):
        found = "an abstract class" if callable(cls) else f"a {type(cls).__name__}, not a class"
        raise UserError(f"{kind} {name!r} is {found}. Write package.module:Class.")
    try:
        parameters = _parameters(cls)
    except (TypeError, ValueError):  # a class in C that does not tell
        return
    named = [key for key, one in parameters.items() if one.kind in _NAMED]
    takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    unknown = [] if takes_any else [key for key in options if key not in named]
    if unknown:
        hint = did_you_mean(unknown[0], named) or " It takes none."
        about_keys = _ABOUT_KEYS if "key" in named and "key" in unknown[0].lower() else ""
        raise UserError(f"{kind} {name!r} has no option {unknown[0]!r}.{hint}{about_keys}")
    lacking = [
        key for key in named if parameters[key].default is inspect.Parameter.empty and key not in options
    ]
    if lacking:
        raise UserError(f"{kind} {name!r} needs the option {lacking[0]}. Write {name},{lacking[0]}=...")


def _parameters(cls: Any) -> dict[str, inspect.Parameter]:
    """Return what a class takes; `**limits` stands for what squtr.remote.Service takes."""
    found = dict(inspect.signature(cls).parameters)
    if "limits" in found and found["limits"].kind is inspect.Parameter.VAR_KEYWORD:
        from squtr.remote.service import Service

        del found["limits"]
        service = inspect.signature(Service).parameters
        found.update((key, one) for key, one in service.items() if one.kind is one.KEYWORD_ONLY)
    return found


def _by_path(kind: str, name: str, path: str) -> type[Any]:
    module_name, _, attribute = path.partition(":")
    if not module_name or not attribute:
        raise UserError(f"{kind} {name!r}: a name is missing. Write package.module:Class or module:function.")
    try:
        found = getattr(importlib.import_module(module_name), attribute)
    except AttributeError:
        raise UserError(f"{kind} {name!r}: module {module_name} has no {attribute!r}.") from None
    except (Exception, SystemExit) as error:
        hint = (
            "Write package.module:Class, with the package installed or its folder in PYTHONPATH."
            if ":" in name
            else "pip install 'squtr[embedded]' brings the embedded engines."
        )
        reason = str(error) if isinstance(error, ImportError) else raised(error)
        kind_of_error = NotHere if isinstance(error, ImportError) else UserError
        raise kind_of_error(f"{kind} {name!r} cannot be imported: {reason}. {hint}") from error
    return found  # type: ignore[no-any-return]
