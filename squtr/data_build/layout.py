"""Names in SQuTR's own layout."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from squtr.digest import digest

CLEAN = "clean"
_NAMED_TABLE = re.compile(r"queries_with_audio_noise_(?P<name>(?!snr)[a-z][a-z0-9_]*)\.jsonl")
_CHANNEL_TABLE = re.compile(r"queries_with_audio_[^_]+__(?P<name>.+)\.jsonl")
_LONGEST_CHANNEL = 100
TOP_FILES = ("manifest.jsonl", "manifest.parquet", "rejected.jsonl")


def snr_name(snr_db: float) -> str:
    """Return an SNR as it stands in names: 10.0 is `10`, -2.5 is `-2.5`."""
    return f"{snr_db:g}"


def condition_name(snr_db: float | None) -> str:
    """Return `clean` or `snr_10`."""
    return CLEAN if snr_db is None else f"snr_{snr_name(snr_db)}"


def behind(channel: str | None, condition: str) -> str:
    """Return a condition behind a channel: `disfluent@0.5/snr_10`; without a channel as it is."""
    return f"{channel}/{condition}" if channel else condition


def without_channel(condition: str) -> str:
    """Return `snr_10` for `disfluent@0.5/snr_10`."""
    return condition.rpartition("/")[2]


def channel_of(condition: str) -> str | None:
    """Return `disfluent@0.5` for `disfluent@0.5/snr_10`, None for a condition without a channel."""
    return condition.rpartition("/")[0] or None


def file_form(condition: str) -> str:
    """Return a condition as it stands in file names: itself, or `disfluent@0.5__snr_10` behind a channel.

    In a channel what is no letter, digit or one of `@+=.-~` becomes % and its code, so no `_` is left in it;
    one that gets too long for a file name becomes its digest. Each row of such a file names the channel.
    """
    channel = channel_of(condition)
    if channel is None:
        return condition
    written = quote(channel, safe="@+=").replace("_", "%5F")
    if len(written) > _LONGEST_CHANNEL:
        written = f"channel-{digest(channel)[:16]}"
    return f"{written}__{without_channel(condition)}"


def table_condition(table: str, snr_db: float | None, channel: str | None = None) -> str:
    """Return the condition that a query file is about: by its SNR, or by its name where that is no SNR.

    `channel` is what its rows name.
    """
    found = _CHANNEL_TABLE.fullmatch(table) if channel else None
    if found:
        return behind(channel, found["name"])
    named = _NAMED_TABLE.fullmatch(table)
    return named["name"] if named and snr_db is not None else condition_name(snr_db)


def audio_folder(condition: str) -> str:
    """Return `audio_clean`, `audio_noise_snr_10`, `audio_noise_phone` or `audio_disfluent@0.5__snr_10`.

    The condition may be in its file form already.
    """
    form = file_form(condition)
    return f"audio_{form}" if form == CLEAN or "__" in form else f"audio_noise_{form}"


def audio_file(number: int, condition: str) -> str:
    """Return `1.wav`, `noise_snr10_1.wav` or `noise_phone_1.wav`, behind a channel too.

    Numbers count from 1 within a subset and channel.
    """
    condition = without_channel(condition)
    if condition == CLEAN:
        return f"{number}.wav"
    name = f"snr{condition.removeprefix('snr_')}" if condition.startswith("snr_") else condition
    return f"noise_{name}_{number}.wav"


def queries_file(condition: str) -> str:
    """Return the name of the query file that points to a condition's audio."""
    return f"queries_with_{audio_folder(condition)}.jsonl"


def data_files(subsets: Iterable[str], conditions: Iterable[str]) -> list[str]:
    """Return the names of a data set's files but audio, README.md and build.json, relative to its folder."""
    audio_queries = [queries_file(condition) for condition in conditions]
    names = ["corpus.jsonl", "queries.jsonl", "qrels/test.jsonl", *audio_queries]
    return [*TOP_FILES, *(f"{subset}/{name}" for subset in subsets for name in names)]


def subset_folder(out: Path, language: str, subset: str) -> Path:
    """Return the folder of a subset."""
    return out / language / subset
