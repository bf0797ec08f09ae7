"""squtr check."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from pathlib import Path

from squtr.errors import UserError
from squtr.eval.references import REPLAYS, needs_of_reference, read_reference, reference_names
from squtr.eval.replay import FAIL, OK, SKIPPED, Replayed, replay, worst
from squtr.progress import reporter


def run_check(names: list[str] | None, data: Path | None) -> list[Replayed]:
    """Replay references, all that are stored without names. Raises UserError if none of them could be."""
    chosen = list(dict.fromkeys(names or reference_names(REPLAYS)))
    for name in chosen:
        read_reference(name)
    found: list[Replayed] = []
    with tempfile.TemporaryDirectory() as folder, reporter() as progress:
        progress.total("check", len(chosen))
        for number, name in enumerate(chosen):
            work = Path(folder, str(number))
            work.mkdir()
            found.append(replay(name, data, work, Path(folder, "cache")))
            progress.advance("check", 1)
    if all(one.verdict == SKIPPED for one in found):
        said = "\n".join(f"  {one.name}: {one.reason}" for one in found)
        raise UserError(f"nothing could be replayed on this machine:\n{said}")
    return found


def show_check(found: list[Replayed], as_json: bool) -> int:
    """Print every reference and what is not OK in it; return the exit code."""
    verdict = worst([one.verdict for one in found])
    if as_json:
        plain = {"verdict": verdict, "references": [dataclasses.asdict(one) for one in found]}
        print(json.dumps(plain, ensure_ascii=False, allow_nan=False))
        return int(verdict == FAIL)
    for one in found:
        print(_line(one))
        for figure in one.figures:
            if figure.verdict != OK:
                told = "not in the output" if figure.found is None else f"{figure.found:.6g}"
                print(f"    {figure.verdict}: {figure.name}: {told}, expected {figure.expected:.6g}")
    return int(verdict == FAIL)


def list_references(data: Path | None, as_json: bool) -> None:
    """Print what there is, and what this machine lacks for it."""
    rows = []
    for name in reference_names(REPLAYS):
        reference, here = read_reference(name)
        lacking = [need.name for need in needs_of_reference(reference, here, data) if not need.present]
        rows.append({"name": name, "what": reference.what, "lacking": lacking})
    if as_json:
        print(json.dumps(rows, ensure_ascii=False))
        return
    for row in rows:
        lacks = f" (lacking here: {', '.join(row['lacking'])})" if row["lacking"] else ""
        print(f"{row['name']}: {row['what']}{lacks}")


def _line(one: Replayed) -> str:
    if one.verdict == SKIPPED:
        return f"{SKIPPED:<8}{one.name}: {one.reason}."
    if one.reason is not None:
        return f"{one.verdict:<8}{one.name}: {one.reason}"
    verdicts = [figure.verdict for figure in one.figures]
    counted = ", ".join(f"{verdicts.count(name)} {name}" for name in dict.fromkeys(verdicts))
    return f"{one.verdict:<8}{one.name}: {counted}, {one.seconds:.0f} s. {one.what}"
