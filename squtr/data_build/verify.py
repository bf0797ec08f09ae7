"""Verify: recompute what a data set claims, and name what is off."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from squtr.audio import read_audio, to_pcm
from squtr.collection import read_jsonl
from squtr.data_build.layout import audio_file, audio_folder, queries_file
from squtr.digest import digest, digest_bytes
from squtr.errors import ItemFailure, UserError
from squtr.manifest import SCHEMA, read_manifest
from squtr.mixing import realised_snr_db
from squtr.recipe import check_recipe
from squtr.records import Pcm

SNR_TOLERANCE_DB = 0.05
MANIFEST_TOLERANCE_DB = 1e-3


@dataclass
class Verdict:
    """What was checked, and every fault found as (place, what is wrong)."""

    recordings: int = 0
    largest_snr_error_db: float = 0.0
    faults: list[tuple[str, str]] = field(default_factory=list)

    def fault(self, place: str, what: str) -> None:
        """Add one fault."""
        self.faults.append((place, what))


def verify(folder: Path, advance: Callable[[int], None] = lambda count: None) -> Verdict:
    """Recompute digests, realised SNRs, counts and layout of a data set built by squtr.

    Realised SNRs are measured from the written samples and must be within 0.05 dB of the setting.
    Raises UserError when the folder is no such data set.
    """
    verdict = Verdict()
    rows = list(read_manifest(folder))
    _check_build(folder, rows, verdict)
    _check_parquet(folder, rows, verdict)
    clean: dict[tuple[str, str, str], Pcm] = {}
    for row in rows:
        key = (row["language"], row["subset"], row["query_id"])
        pcm = _check_recording(folder, row, verdict)
        if row["condition"] == "clean":
            clean = {key: pcm} if pcm is not None else {}
        elif pcm is not None:
            _check_snr(row, clean.get(key), pcm, verdict)
        verdict.recordings += 1
        advance(1)
    _check_layout(folder, rows, verdict)
    return verdict


def _check_build(folder: Path, rows: list[dict[str, Any]], verdict: Verdict) -> None:
    path = folder / "build.json"
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        identity, counts = facts["identity"], facts["counts"]
        recipe = check_recipe(facts["recipe"], "build.json: recipe")
    except (OSError, ValueError, KeyError, TypeError, UserError) as error:
        verdict.fault("build.json", f"cannot be read: {error}")
        return
    if recipe.digest != identity["recipe"]:
        verdict.fault("build.json", "the recipe's digest is not the one it names")
    if digest(facts["inputs"]) != identity["inputs"]:
        verdict.fault("build.json", "the inputs' digest is not the one it names")
    if counts["recordings"] != len(rows):
        verdict.fault("build.json", f"counts {counts['recordings']} recordings, the manifest {len(rows)}")
    rejected = folder / "rejected.jsonl"
    found = [row for _, row in read_jsonl(rejected)] if rejected.is_file() else []
    if len(found) != sum(counts["rejected"].values()):
        verdict.fault("rejected.jsonl", f"holds {len(found)} rows, build.json counts {counts['rejected']}")
    for row in found:
        if row["audio"] is not None and not (folder / row["audio"]).is_file():
            verdict.fault(row["audio"], "missing, though rejected.jsonl names it")


def _check_parquet(folder: Path, rows: list[dict[str, Any]], verdict: Verdict) -> None:
    try:
        table = pq.read_table(folder / "manifest.parquet")
    except (OSError, ValueError) as error:
        verdict.fault("manifest.parquet", f"cannot be read: {error}")
        return
    if not table.schema.equals(SCHEMA):
        verdict.fault("manifest.parquet", "has other columns than this version writes")
    elif digest(table.to_pylist()) != digest(rows):
        verdict.fault("manifest.parquet", "does not hold the same rows as manifest.jsonl")


def _check_recording(folder: Path, row: dict[str, Any], verdict: Verdict) -> Pcm | None:
    place = row["file"]
    path = folder / place
    if ".." in Path(place).parts or Path(place).is_absolute():
        verdict.fault(place, "points outside the data set")
        return None
    try:
        waveform = read_audio(path)
        pcm = to_pcm(waveform.samples)
    except (ItemFailure, ValueError) as error:
        verdict.fault(place, str(error))
        return None
    if waveform.sample_rate != row["sample_rate"] or len(pcm) != row["samples"]:
        verdict.fault(
            place,
            f"{len(pcm)} samples at {waveform.sample_rate} Hz, the manifest says {row['samples']} at"
            f" {row['sample_rate']}",
        )
    if digest_bytes(np.ascontiguousarray(pcm, dtype="<i2").tobytes()) != row["pcm_sha256"]:
        verdict.fault(place, "the samples' SHA-256 differs from the manifest")
    return pcm


def _check_snr(row: dict[str, Any], clean: Pcm | None, pcm: Pcm, verdict: Verdict) -> None:
    place, asked = row["file"], row["requested_snr_db"]
    if clean is None:
        verdict.fault(place, "its clean recording is missing, so the SNR cannot be measured")
        return
    try:
        realised = realised_snr_db(clean.astype(np.float32), pcm.astype(np.float32), row["common_gain"])
    except ItemFailure as failure:
        verdict.fault(place, str(failure))
        return
    if not abs(realised - asked) <= SNR_TOLERANCE_DB:
        verdict.fault(place, f"realised SNR {realised:.3f} dB, asked {asked:g} dB")
    elif not abs(realised - row["realised_snr_db"]) <= MANIFEST_TOLERANCE_DB:
        verdict.fault(
            place, f"realised SNR {realised:.4f} dB, the manifest says {row['realised_snr_db']:.4f}"
        )
    else:
        verdict.largest_snr_error_db = max(verdict.largest_snr_error_db, abs(realised - asked))


def _check_layout(folder: Path, rows: list[dict[str, Any]], verdict: Verdict) -> None:
    subsets = dict.fromkeys((row["language"], row["subset"]) for row in rows)
    for language, subset in subsets:
        members = [row for row in rows if (row["language"], row["subset"]) == (language, subset)]
        place = folder / language / subset
        queries = _ids(place / "queries.jsonl", "_id", folder, verdict)
        judged = _ids(place / "qrels" / "test.jsonl", "query-id", folder, verdict)
        documents = _ids(place / "corpus.jsonl", "_id", folder, verdict)
        expected = list(dict.fromkeys(row["query_id"] for row in members))
        if queries is not None and queries != expected:
            verdict.fault(
                f"{language}/{subset}/queries.jsonl", "does not hold the manifest's queries in order"
            )
        if judged is not None and set(judged) != set(expected):
            verdict.fault(
                f"{language}/{subset}/qrels/test.jsonl", "judges other queries than the manifest holds"
            )
        if documents is not None and len(set(documents)) != len(documents):
            verdict.fault(f"{language}/{subset}/corpus.jsonl", "holds a document id twice")
        for snr in dict.fromkeys(row["requested_snr_db"] for row in members):
            _check_condition(
                folder, place, [row for row in members if row["requested_snr_db"] == snr], snr, verdict
            )


def _check_condition(
    folder: Path, place: Path, members: list[dict[str, Any]], snr: float | None, verdict: Verdict
) -> None:
    path = place / queries_file(snr)
    listed = [(row["_id"], row["audio"]) for row in _rows(path, folder, verdict)]
    expected = [(row["query_id"], Path(row["file"]).name) for row in members]
    if listed != expected:
        verdict.fault(path.relative_to(folder).as_posix(), "does not list the manifest's recordings in order")
    audio = place / audio_folder(snr)
    present = {entry.name for entry in audio.iterdir()} if audio.is_dir() else set()
    for stray in sorted(present - {name for _, name in expected}):
        verdict.fault((audio / stray).relative_to(folder).as_posix(), "is not in the manifest")
    for number, (_, name) in enumerate(expected, 1):
        if name != audio_file(int("".join(filter(str.isdigit, name.rpartition("_")[2])) or number), snr):
            verdict.fault((audio / name).relative_to(folder).as_posix(), "is not named as the layout asks")


def _ids(path: Path, field_name: str, folder: Path, verdict: Verdict) -> list[str] | None:
    rows = list(_rows(path, folder, verdict))
    return [row.get(field_name) for row in rows] if rows else None  # type: ignore[misc]


def _rows(path: Path, folder: Path, verdict: Verdict) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        verdict.fault(path.relative_to(folder).as_posix(), "missing")
        return
    try:
        for _, row in read_jsonl(path):
            yield row
    except UserError as error:
        verdict.fault(path.relative_to(folder).as_posix(), str(error))
