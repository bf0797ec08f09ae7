"""Names in SQuTR's own layout."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

CLEAN = "clean"
_NAMED_TABLE = re.compile(r"queries_with_audio_noise_(?P<name>(?!snr)[a-z][a-z0-9_]*)\.jsonl")
TOP_FILES = ("manifest.jsonl", "manifest.parquet", "rejected.jsonl")


def snr_name(snr_db: float) -> str:
    """Return an SNR as it stands in names: 10.0 is `10`, -2.5 is `-2.5`."""
    return f"{snr_db:g}"


def condition_name(snr_db: float | None) -> str:
    """Return `clean` or `snr_10`."""
    return CLEAN if snr_db is None else f"snr_{snr_name(snr_db)}"


def table_condition(table: str, snr_db: float | None) -> str:
    """Return the condition that a query file is about: by its SNR, or by its name where that is no SNR."""
    named = _NAMED_TABLE.fullmatch(table)
    return named["name"] if named and snr_db is not None else condition_name(snr_db)


def audio_folder(condition: str) -> str:
    """Return `audio_clean`, `audio_noise_snr_10` or `audio_noise_phone`."""
    return "audio_clean" if condition == CLEAN else f"audio_noise_{condition}"


def audio_file(number: int, condition: str) -> str:
    """Return `1.wav`, `noise_snr10_1.wav` or `noise_phone_1.wav`; numbers count from 1 within a subset."""
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
