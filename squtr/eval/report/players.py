"""Recordings as players: MP3 inside the page, few enough for the page to stay small."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from markupsafe import Markup

from squtr.audio import read_audio, resample
from squtr.errors import ItemFailure
from squtr.eval.results import SubsetRuns
from squtr.records import Waveform

QUERIES_A_SUBSET = 6
MOST_SECONDS = 20
MOST_BYTES = 5_500_000
_MP3_RATES = (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000)
_OTHER_RATES = 24000

Place = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Clip:
    """A recording as a data URI; without one, `note` says why. `note` also tells of a cut."""

    source: Markup | None
    note: str = ""


def embedded_clips(results: dict[str, Any], runs: Sequence[SubsetRuns]) -> dict[Place, Clip]:
    """Return clips by subset, query and condition: the hardest queries of every subset first.

    A query gets the players of all its conditions or none; it ends where the page would grow too large.
    """
    paths = _paths(results, runs)
    clips: dict[Place, Clip] = {}
    left = MOST_BYTES
    for wanted in _in_turn(results):
        made = {place: _clip(paths.get(place)) for place in wanted}
        left -= sum(len(clip.source or "") for clip in made.values())
        if left < 0:
            break
        clips.update(made)
    return clips


def mp3(path: Path) -> tuple[bytes, bool]:
    """Return a recording as MP3, mono, at most MOST_SECONDS long, and whether it was cut.

    Raises ItemFailure for a file that cannot be read, or where libsndfile writes no MP3.
    """
    if "MP3" not in soundfile.available_formats():
        raise ItemFailure("this libsndfile writes no MP3")
    whole = read_audio(path)
    end = MOST_SECONDS * whole.sample_rate
    waveform = Waveform(np.clip(whole.samples[:end], -1.0, 1.0), whole.sample_rate)
    if waveform.sample_rate not in _MP3_RATES:
        waveform = resample(waveform, _OTHER_RATES)
    file = io.BytesIO()
    soundfile.write(file, waveform.samples, waveform.sample_rate, format="MP3", subtype="MPEG_LAYER_III")
    return file.getvalue(), len(whole.samples) > end


def _in_turn(results: dict[str, Any]) -> Iterator[list[Place]]:
    for rank in range(QUERIES_A_SUBSET):
        for subset, queries in results["worst_queries"].items():
            if rank < len(queries):
                query = queries[rank]
                yield [(subset, query["query_id"], condition) for condition in query["heard"]]


def _paths(results: dict[str, Any], runs: Sequence[SubsetRuns]) -> dict[Place, Path]:
    wanted = {
        subset: {query["query_id"] for query in queries}
        for subset, queries in results["worst_queries"].items()
    }
    return {
        (one.subset.key, heard.recording.query_id, condition): heard.recording.path
        for one in runs
        for condition, transcripts in one.heard.items()
        for heard in transcripts
        if heard.recording.query_id in wanted.get(one.subset.key, ())
    }


def _clip(path: Path | None) -> Clip:
    if path is None:
        return Clip(None, "no recording")
    try:
        data, was_cut = mp3(path)
    except ItemFailure as failure:
        return Clip(None, f"cannot be played: {failure}")
    source = Markup("data:audio/mpeg;base64,") + base64.b64encode(data).decode("ascii")
    return Clip(source, f"first {MOST_SECONDS} s" if was_cut else "")
