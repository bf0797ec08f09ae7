"""Verify: recompute what a data set claims, and name what is off."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from squtr.acoustics.render import speech_part
from squtr.audio import FULL_SCALE, from_pcm, moments, read_audio, to_pcm
from squtr.collection import read_jsonl
from squtr.collection.layout import SLICE_FILE
from squtr.data_build.card import CARD
from squtr.data_build.layout import CLEAN, channel_of, without_channel
from squtr.data_build.verify_build import check_build, read_facts
from squtr.data_build.verify_channels import check_channels
from squtr.data_build.verify_files import Fault, check_files, check_queries, check_strays, no_plain_file
from squtr.dataset import is_plain_wav
from squtr.digest import digest, digest_bytes
from squtr.errors import ItemFailure, UserError
from squtr.manifest import FIELDS, SCHEMA
from squtr.mixing import SNR_TOLERANCE_DB as MOST_ROUNDING_DB
from squtr.mixing import realised_snr_db
from squtr.records import Pcm

SNR_TOLERANCE_DB = 0.05
MANIFEST_TOLERANCE_DB = 1e-3
_TEXTS = ("language", "subset", "query_id", "condition", "file")
_REJECTED_FIELDS = {"audio", "pcm_sha256", "stage", "channel"}


@dataclass
class Verdict:
    """What was checked, and every fault found as (place, what is wrong); `noisy` counts measured SNRs."""

    recordings: int = 0
    noisy: int = 0
    largest_snr_error_db: float = 0.0
    faults: list[Fault] = field(default_factory=list)

    def fault(self, place: str, what: str) -> None:
        """Add one fault."""
        self.faults.append((place, what))


def verify(folder: Path, advance: Callable[[int], None] = lambda count: None) -> Verdict:
    """Recompute digests, realised SNRs, counts and layout of a data set built by squtr.

    Realised SNRs are measured from the written samples and must be within 0.05 dB of the setting, plus
    what rounding to 16 bit does to very quiet noise; behind a telephone line, as the manifest says.
    Files that squtr did not write, and what contradicts itself in build.json, are faults too.
    Raises UserError when the folder is no such data set, or pyroomacoustics is missing for its rooms.
    """
    if not (folder / "manifest.jsonl").is_file():
        raise UserError(f"{folder}: no manifest.jsonl, so this is not a data set built by squtr.")
    if (folder / SLICE_FILE).is_file():
        raise UserError(f"{folder}: a slice has no build.json to hold it against. Verify the whole data set.")
    verdict = Verdict()
    named: set[str] = set()
    rows = list(_rows(folder / "manifest.jsonl", set(FIELDS), verdict, named))
    rejected = list(_rows(folder / "rejected.jsonl", _REJECTED_FIELDS, verdict, named))
    _check_parquet(folder, rows, verdict)
    _check_audio(folder, rows, verdict, advance)
    for row in rejected:
        if row["audio"] is not None:
            _read_pcm(folder, row["audio"], row["pcm_sha256"], verdict)
    try:
        facts, recipe = read_facts(folder)
    except UserError as error:
        verdict.fault("build.json", str(error))
        return verdict
    files = [*recipe.data_files, CARD]
    verdict.faults += check_build(facts, recipe, rows, rejected)
    verdict.faults += check_files(folder, files, facts.get("files"))
    verdict.faults += check_strays(folder, {*files, "build.json", *named})
    verdict.faults += check_queries(folder, recipe, rows)
    verdict.faults += check_channels(rows)
    return verdict


def _rows(path: Path, fields: set[str], verdict: Verdict, named: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table that have the fields, name those that have not; `named` gets all audio."""
    try:
        for line, row in read_jsonl(path):
            named.add(str(row.get("file", row.get("audio"))))
            wrong = [name for name in _TEXTS if not isinstance(row.get(name), str) and name in fields]
            if not fields <= set(row):
                verdict.fault(f"{path.name}:{line}", f"lacks {', '.join(sorted(fields - set(row)))}")
            elif wrong:
                verdict.fault(f"{path.name}:{line}", f"{wrong[0]} is {row[wrong[0]]!r}, which is no text")
            else:
                yield row
    except UserError as error:
        verdict.fault(path.name, str(error))


def _check_audio(
    folder: Path, rows: list[dict[str, Any]], verdict: Verdict, advance: Callable[[int], None]
) -> None:
    clean: dict[tuple[str | None, ...], Pcm | None] = {}
    for row in rows:
        key = (row["language"], row["subset"], row["query_id"], channel_of(row["condition"]))
        pcm = _check_recording(folder, row, verdict)
        if without_channel(row["condition"]) == CLEAN:
            clean = {key: pcm}
        elif key not in clean:
            verdict.fault(row["file"], "the manifest has no clean recording before it to measure its SNR by")
        elif pcm is not None:
            _check_snr(row, clean[key], pcm, verdict)
        verdict.recordings += 1
        advance(1)


def _check_parquet(folder: Path, rows: list[dict[str, Any]], verdict: Verdict) -> None:
    if no_plain_file(folder / "manifest.parquet"):
        return
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
    pcm = _read_pcm(folder, row["file"], row["pcm_sha256"], verdict, row["sample_rate"])
    if pcm is not None and len(pcm) != row["samples"]:
        verdict.fault(row["file"], f"{len(pcm)} samples, the manifest says {row['samples']}")
    return pcm


def _read_pcm(
    folder: Path, place: Any, sha256: Any, verdict: Verdict, sample_rate: int | None = None
) -> Pcm | None:
    """Return a recording's samples; name what is off about them."""
    path = folder / str(place)
    if not path.resolve().is_relative_to(folder.resolve()):
        verdict.fault(str(place), "points outside the data set")
        return None
    if oddity := no_plain_file(path):
        verdict.fault(str(place), oddity)
        return None
    try:
        waveform = read_audio(path)
        pcm = to_pcm(waveform.samples)
    except (ItemFailure, ValueError) as error:
        verdict.fault(str(place), str(error))
        return None
    if not is_plain_wav(path.read_bytes()):
        verdict.fault(place, "is not a plain WAV file of 16-bit mono samples")
    if sample_rate not in (None, waveform.sample_rate):
        verdict.fault(place, f"{waveform.sample_rate} Hz, the manifest says {sample_rate}")
    if digest_bytes(np.ascontiguousarray(pcm, dtype="<i2").data) != sha256:
        verdict.fault(place, "the samples' SHA-256 is not the recorded one")
    return pcm


def _check_snr(row: dict[str, Any], clean: Pcm | None, pcm: Pcm, verdict: Verdict) -> None:
    place, asked, gain = row["file"], row["requested_snr_db"], row["common_gain"]
    if clean is None:
        verdict.fault(place, "its clean recording is missing or broken, so the SNR cannot be measured")
        return
    try:
        acoustics = json.loads(row["acoustics"] or "{}")
        speech = FULL_SCALE * speech_part(from_pcm(clean), row["sample_rate"], acoustics)
        realised = realised_snr_db(speech, pcm.astype(np.float32), gain)
        told = acoustics["telephone"]["line_snr_db"] if "telephone" in acoustics else row["realised_snr_db"]
        off = abs((row["realised_snr_db"] if "telephone" in acoustics else realised) - asked)
        drift = abs(realised - told)
    except (ItemFailure, TypeError, ValueError, KeyError) as error:
        verdict.fault(place, f"the SNR cannot be measured: {error}")
        return
    verdict.noisy += 1
    if not off <= SNR_TOLERANCE_DB + _rounding_db(moments(speech).deviation * gain, realised):
        verdict.fault(place, f"realised SNR {realised:.3f} dB, asked {asked:g} dB")
    elif not drift <= MANIFEST_TOLERANCE_DB:
        verdict.fault(place, f"realised SNR {realised:.4f} dB, the manifest says {told:.4f}")
    else:
        verdict.largest_snr_error_db = max(verdict.largest_snr_error_db, off)


def _rounding_db(speech_steps: float, realised_db: float) -> float:
    """Return by how much rounding alone lowers the ratio: its error has a power of 1/12 step."""
    power = speech_steps**2 / 10 ** (realised_db / 10)
    lowered = 10 * math.log10(power / (power - 1 / 12)) if power > 1 / 12 else math.inf
    return min(lowered, MOST_ROUNDING_DB)
