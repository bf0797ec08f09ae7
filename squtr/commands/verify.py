"""squtr verify."""

from __future__ import annotations

import json
from pathlib import Path

from squtr.counted import counted
from squtr.data_build.verify import Verdict, verify
from squtr.errors import UserError
from squtr.progress import reporter

_SHOWN = 50


def run_verify(dataset: Path) -> Verdict:
    """Verify a data set, with progress."""
    manifest = dataset / "manifest.jsonl"
    if not manifest.is_file():
        raise UserError(f"{dataset}: no manifest.jsonl, so this is not a data set built by squtr.")
    with reporter() as progress, manifest.open("rb") as lines:
        progress.total("verify", sum(1 for _ in lines))
        return verify(dataset, lambda count: progress.advance("verify", count))


def show_verify(verdict: Verdict, dataset: Path, as_json: bool) -> int:
    """Print the verdict; return the exit code, 1 if anything is off."""
    if as_json:
        print(json.dumps(vars(verdict), ensure_ascii=False, allow_nan=False))
    elif not verdict.faults:
        snr = f"realised SNR within {verdict.largest_snr_error_db:.4f} dB of the setting"
        told = snr if verdict.noisy else "no noisy recording was there, so no SNR was measured"
        print(f"{dataset}: {counted(verdict.recordings, 'recording')} as the manifest says; {told}.")
    else:
        for place, what in verdict.faults[:_SHOWN]:
            print(f"{place}: {what}")
        if len(verdict.faults) > _SHOWN:
            print(f"and {counted(len(verdict.faults) - _SHOWN, 'fault')} more; --json names all")
        faults, recordings = counted(len(verdict.faults), "fault"), counted(verdict.recordings, "recording")
        print(f"{dataset}: {faults}; {recordings} looked at.")
    return 1 if verdict.faults else 0
