"""squtr verify."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from squtr.counted import counted
from squtr.data_build.verify import Verdict, verify
from squtr.data_build.verify_files import Fault
from squtr.errors import UserError
from squtr.progress import reporter

_SHOWN_KINDS, _SHOWN = 15, 3
_NUMBER_OR_NAME = re.compile(r"-?\d[\d.]*|'[^']*'")


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
        for line in _fault_lines(verdict.faults):
            print(line)
        faults, recordings = counted(len(verdict.faults), "fault"), counted(verdict.recordings, "recording")
        print(f"{dataset}: {faults}; {recordings} looked at.")
    return 1 if verdict.faults else 0


def _fault_lines(faults: list[Fault]) -> Iterator[str]:
    """Yield the first faults of each kind, and how many more of it there are; --json names all.

    Faults are of one kind that differ in numbers and names alone.
    """
    kinds: dict[str, list[Fault]] = {}
    for fault in faults:
        kinds.setdefault(_NUMBER_OR_NAME.sub("#", fault[1]), []).append(fault)
    for kind in list(kinds.values())[:_SHOWN_KINDS]:
        for place, what in kind[:_SHOWN]:
            yield f"{place}: {what}"
        if kind[_SHOWN:]:
            yield f"  and {len(kind) - _SHOWN:,} more like this"
    if (hidden := len(kinds) - _SHOWN_KINDS) > 0:
        yield f"and {counted(hidden, 'other kind')} of fault; --json names all"
