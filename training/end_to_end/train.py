"""Teach squtr-e2e from nothing: texts, speech, noise, states, projection. No download, no GPU.

python -m training.end_to_end.train --out build/end_to_end --cache build/end_to_end/clips
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import platform
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from squtr import __version__
from squtr.digest import digest_bytes
from squtr.embedders.squtr_e2e import projection_bytes
from squtr.plugins import load
from squtr.recognisers.whisper import WhisperBase
from squtr.retrievers.dense import Dense
from squtr.store import write_atomic
from training.end_to_end.fit import Settings
from training.end_to_end.speech import NEW_SPEAKERS, NOISE_SEED, SNRS_DB, Clip, make_clips, speakers_of
from training.end_to_end.teach import teach
from training.end_to_end.texts import SEED, make_lists, make_phrases, make_texts

VOICES = {"en-espeak": ("en", "espeak"), "en-kokoro": ("en", "kokoro"), "zh-kokoro": ("zh", "kokoro")}
PARTS = {"questions": "questions and statements", "phrases": "phrases", "lists": "lists of words"}
SERIES = {"questions": make_texts, "phrases": make_phrases, "lists": make_lists}
SIZES = {"en-espeak": (800, 800, 1760), "en-kokoro": (120, 20, 0), "zh-kokoro": (200, 40, 100)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the options, teach, and write squtr-e2e.npz and training.json."""
    options = vars(_parser().parse_args(arguments))
    settings = Settings(**{one.name: options[one.name] for one in dataclasses.fields(Settings)})
    started = time.perf_counter()
    clips = _all_clips(options)
    projection, log = teach(clips, settings, options["pool"])
    weights = projection_bytes(projection)
    log = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "sha256": digest_bytes(weights),
        "bytes": len(weights),
        "settings": dataclasses.asdict(settings),
        "speech": _speech(options),
        "versions": {"squtr": __version__, "python": platform.python_version(), "numpy": np.__version__},
        "states": WhisperBase().fingerprint,
        "text_space": Dense().fingerprint,
        "seconds": round(time.perf_counter() - started),
        **log,
    }
    options["out"].mkdir(parents=True, exist_ok=True)
    write_atomic(options["out"] / "squtr-e2e.npz", weights)
    said = json.dumps(log, ensure_ascii=False, allow_nan=False, indent=1)
    write_atomic(options["out"] / "training.json", said + "\n")
    print(json.dumps({name: log[name] for name in ("sha256", "bytes", "held_out")}, indent=1))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder for the weights and the log")
    parser.add_argument("--cache", type=Path, help="folder of finished clips; default: OUT/clips")
    parser.add_argument("--workers", type=int, default=1, help="processes that speak and encode")
    parser.add_argument("--pool", type=int, default=1000, help="held-out texts that clips are ranked among")
    for name, sizes in SIZES.items():
        for (part, said), size in zip(PARTS.items(), sizes, strict=True):
            parser.add_argument(f"--{name}-{part}", type=int, default=size, help=f"{said} spoken")
    for one in dataclasses.fields(Settings):
        parser.add_argument(f"--{one.name}", type=type(one.default), default=one.default)
    return parser


def _all_clips(options: dict[str, Any]) -> list[Clip]:
    cache = options["cache"] or options["out"] / "clips"
    return [
        clip
        for name, (language, voice) in VOICES.items()
        for part in PARTS
        for clip in make_clips(
            SERIES[part](language, options[_option(name, part)]), voice, cache, options["workers"]
        )
    ]


def _option(name: str, part: str) -> str:
    return f"{name}-{part}".replace("-", "_")


def _speech(options: dict[str, Any]) -> dict[str, Any]:
    return {
        "texts": {f"{name} {part}": options[_option(name, part)] for name in VOICES for part in PARTS},
        "seed": SEED,
        "voices": {voice: load("voice", voice).fingerprint for _, voice in VOICES.values()},
        "speakers": {
            f"{language} {voice} {group}": len(speakers_of(language, voice, group))
            for language, voice in VOICES.values()
            for group in ("train", "held out")
        },
        "share_of_new_speakers": NEW_SPEAKERS,
        "noise": "procedural",
        "noise_seed": NOISE_SEED,
        "snrs_db": list(SNRS_DB),
    }


if __name__ == "__main__":
    main()
