"""Names in SQuTR's own layout."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

CLEAN = "clean"
TOP_FILES = ("manifest.jsonl", "manifest.parquet", "rejected.jsonl")


def snr_name(snr_db: float) -> str:
    """Return an SNR as it stands in names: 10.0 is `10`, -2.5 is `-2.5`."""
    return f"{snr_db:g}"


def condition_name(snr_db: float | None) -> str:
    """Return `clean` or `snr_10`."""
    return CLEAN if snr_db is None else f"snr_{snr_name(snr_db)}"


def audio_folder(snr_db: float | None) -> str:
    """Return `audio_clean` or `audio_noise_snr_10`."""
    return "audio_clean" if snr_db is None else f"audio_noise_snr_{snr_name(snr_db)}"


def audio_file(number: int, snr_db: float | None) -> str:
    """Return `1.wav` or `noise_snr10_1.wav`; numbers count from 1 within a subset."""
    return f"{number}.wav" if snr_db is None else f"noise_snr{snr_name(snr_db)}_{number}.wav"


def queries_file(snr_db: float | None) -> str:
    """Return the name of the query file that points to a condition's audio."""
    return f"queries_with_{audio_folder(snr_db)}.jsonl"


def data_files(subsets: Iterable[str], snrs_db: Iterable[float]) -> list[str]:
    """Return the names of a data set's files but audio, README.md and build.json, relative to its folder."""
    audio_queries = [queries_file(snr) for snr in (None, *snrs_db)]
    names = ["corpus.jsonl", "queries.jsonl", "qrels/test.jsonl", *audio_queries]
    return [*TOP_FILES, *(f"{subset}/{name}" for subset in subsets for name in names)]


def subset_folder(out: Path, language: str, subset: str) -> Path:
    """Return the folder of a subset."""
    return out / language / subset
