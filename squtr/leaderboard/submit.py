"""Pack one system of an evaluation as a submission: the same evaluation gives the same bytes."""

from __future__ import annotations

import functools
import json
import re
import shlex
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from squtr.collection import read_jsonl
from squtr.data_build.layout import file_form
from squtr.digest import digest, digest_file
from squtr.errors import UserError, did_you_mean
from squtr.eval.hearing import recognition_by_spec
from squtr.eval.runs import Run, cut, file_name, read_run, write_run
from squtr.leaderboard.lines import pack
from squtr.leaderboard.ranking import ranking_digest
from squtr.leaderboard.schema import (
    MOST_DOCUMENTS,
    SCHEMA_VERSION,
    SUBMISSION_FILE,
    SYSTEM_FILE,
    TEXT,
    Submission,
    System,
    run_name,
    transcript_name,
)
from squtr.local_paths import without_local_paths
from squtr.publish.fresh import fresh_folder
from squtr.recipe_file import line_of, plain_yaml
from squtr.section import check_section
from squtr.store import write_atomic

_LONGEST_ID = 80


def submit(evaluation: Path, system_file: Path, out: Path, name: str | None = None) -> Submission:
    """Write a submission of the evaluation's system `name` to the new folder `out`.

    Raises UserError for a folder that holds no evaluation, a system.yaml that says too little, and a system
    that is not in the evaluation.
    """
    described = read_system(system_file)
    results = read_results(evaluation)
    system = _chosen(results, name)
    heard_by = None if described.family == "oracle-text" else _recogniser_of(results, system)
    _refuse_contradiction(described, system_file, system, heard_by)
    with fresh_folder(out) as place:
        (place / SYSTEM_FILE).write_bytes(system_file.read_bytes())
        scores = _pack_runs(evaluation, results, system, described, place)
        if heard_by is not None:
            _pack_transcripts(evaluation, results, heard_by, scores, place)
        files = {
            path.relative_to(place).as_posix(): digest_file(path)
            for path in sorted(place.rglob("*"))
            if path.is_file()
        }
        plain = _plain(results, described, system, heard_by) | {"scores": scores, "files": files}
        found = check_section(Submission, plain, str(evaluation / "results.json"))
        text = json.dumps(found.model_dump(), ensure_ascii=False, indent=1, allow_nan=False)
        write_atomic(place / SUBMISSION_FILE, f"{text}\n")
    return found


def read_system(path: Path) -> System:
    """Read system.yaml. Raises UserError with the line of every fault."""
    try:
        plain, tree = plain_yaml(path)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}). Write it as the README shows.") from None
    except RecursionError:
        raise UserError(f"{path}: is nested too deeply. Write it as the README shows.") from None
    if tree is None or not isinstance(plain, dict):
        raise UserError(f"{path}: no settings in it. Write at least name, authors and family.")
    return check_section(System, plain, str(path), functools.partial(line_of, tree))


def read_results(evaluation: Path) -> dict[str, Any]:
    """Return results.json of an evaluation. Raises UserError."""
    path = evaluation / "results.json"
    if not path.is_file():
        raise UserError(f"{evaluation}: no results.json, so this is no evaluation. squtr eval makes one.")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["schema"] != 1 or not found["scores"]:
            raise KeyError("schema")
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path}: cannot be read ({error!r}). Run squtr eval again.") from None
    return dict(found)


def identifier(name: str) -> str:
    """Return a system's name as the id of its submission, which is a folder's name too."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    words = re.sub(r"[^a-z0-9.]+", "-", plain.lower()).strip("-.")
    lossless = len(words) >= len(name) / 2 and len(words) <= _LONGEST_ID
    return words if lossless and words else f"system-{digest(name)[:12]}"


def _chosen(results: Mapping[str, Any], name: str | None) -> str:
    names = list(dict.fromkeys(system for systems in results["scores"].values() for system in systems))
    if name is None and len(names) == 1:
        return str(names[0])
    if name is None:
        raise UserError(f"The evaluation has {len(names)} systems: {', '.join(names)}. Choose one: --name.")
    if name not in names:
        raise UserError(f"--name {name}: no such system in the evaluation.{did_you_mean(name, names)}")
    return name


def _recogniser_of(results: Mapping[str, Any], system: str) -> str | None:
    """Return whose transcripts a system searched with; None for one that hears for itself, or elsewhere."""
    if _hears_itself(results, system):
        return None
    specs = list(recognition_by_spec({"other_recognisers": {}, **results}))
    if system in (results.get("made_elsewhere") or {}).get("runs", {}):
        return specs[0] if specs[0].startswith("transcripts") else None
    return next((spec for spec in specs if system.endswith(f" | {spec}")), specs[0])


def _hears_itself(results: Mapping[str, Any], system: str) -> bool:
    return any(system in found for found in (results.get("end_to_end") or {}).values())


def _refuse_contradiction(described: System, path: Path, system: str, heard_by: str | None) -> None:
    if described.recogniser is not None and heard_by is None:
        raise UserError(
            f"{path}: recogniser: {system} has no transcripts in this evaluation. Leave it out for a"
            " system that hears for itself; score runs made elsewhere with --asr transcripts,path=..., so"
            " that theirs go along."
        )
    if described.recogniser is None and heard_by is not None:
        raise UserError(f"{path}: recogniser: {system} searched what {heard_by} heard. Name that.")


def _pack_runs(
    evaluation: Path, results: Mapping[str, Any], system: str, described: System, place: Path
) -> dict[str, dict[str, Any]]:
    depth = min(results["settings"]["depth"], MOST_DOCUMENTS)
    asked = _judged_queries(evaluation, system)
    scores: dict[str, dict[str, Any]] = {}
    for key, systems in results["scores"].items():
        for condition, cell in systems.get(system, {}).items():
            if described.family == "oracle-text" and condition != TEXT:
                continue
            source = evaluation / "runs" / key / file_form(condition) / f"{file_name(system)}.trec"
            run = {query: dict(cut(found, depth, query)) for query, found in read_run(source).items()}
            write_run(place / run_name(key, condition), run, identifier(described.name), depth)
            scores.setdefault(key, {})[condition] = _cell(cell, run, asked[key])
    return scores


def _cell(cell: Mapping[str, Any], run: Run, judged: set[str]) -> dict[str, Any]:
    return {
        "measures": {measure: found["mean"] for measure, found in cell["measures"].items()},
        "queries": cell["queries"],
        "no_response": cell["no_response"],
        "unanswered": sorted(judged - set(run)),
        "ranking": ranking_digest(run),
    }


def _judged_queries(evaluation: Path, system: str) -> dict[str, set[str]]:
    """Return the judged queries by subset, from the scores by query."""
    found: dict[str, set[str]] = {}
    for _, row in read_jsonl(evaluation / "scores.jsonl"):
        if row["system"] == system:
            found.setdefault(row["subset"], set()).add(row["query_id"])
    return found


def _pack_transcripts(
    evaluation: Path, results: Mapping[str, Any], heard_by: str, scores: Mapping[str, Any], place: Path
) -> None:
    first = results["settings"]["recogniser"]
    for key, conditions in scores.items():
        folder = evaluation / "transcripts" / key
        folder = folder if heard_by == first else folder / file_name(heard_by)
        for condition in conditions:
            if condition != TEXT:
                target = place / transcript_name(key, condition)
                target.parent.mkdir(parents=True, exist_ok=True)
                write_atomic(target, pack((folder / f"{file_form(condition)}.jsonl").read_bytes()))


def _plain(
    results: Mapping[str, Any], described: System, system: str, heard_by: str | None
) -> dict[str, Any]:
    dataset, settings, timing = results["dataset"], results["settings"], results["timing"]
    fingerprints = {settings["recogniser"]: settings["recogniser_fingerprint"]} | {
        spec: found["fingerprint"] for spec, found in results.get("other_recognisers", {}).items()
    }
    retriever = system.removesuffix(f" | {heard_by}")
    facts = {
        key: {name: found.get(name) for name in ("fingerprint", "qrels", "audio")}
        for key, found in dataset["subsets"].items()
        if system in results["scores"].get(key, {})
    }
    return {
        "schema_version": SCHEMA_VERSION,
        "id": identifier(described.name),
        "dataset": {"name": dataset["name"], "slice": bool(dataset.get("slice")), "subsets": facts},
        "depth": min(settings["depth"], MOST_DOCUMENTS),
        "measures": results["measures"],
        "main_measure": results["main_measure"],
        "made": without_local_paths(
            {
                "system": system,
                "fingerprint": settings["retrievers"].get(system, retriever),
                "recogniser": heard_by,
                "recogniser_fingerprint": fingerprints.get(heard_by) if heard_by else None,
                "command": _command(results, system, retriever, heard_by),
                "seed": settings["seed"],
                "normalisers": settings["normalisers"],
                "wall_seconds": described.wall_seconds or timing["wall_seconds"],
            }
        ),
        "environment": results["environment"],
    }


def _command(results: Mapping[str, Any], system: str, retriever: str, heard_by: str | None) -> str:
    """Return what makes this system's runs again, by itself."""
    start = f"squtr eval {results['dataset']['name']}"
    if system in (results.get("made_elsewhere") or {}).get("runs", {}):
        return f"{start} --runs {_quoted(f'{system}=...')}"
    if _hears_itself(results, system):
        return f"{start} --end-to-end {_quoted(system)}"
    heard = f" --asr {_quoted(heard_by)}" if heard_by else ""
    return f"{start}{heard} --retriever {_quoted(retriever)}"


def _quoted(spec: str) -> str:
    return shlex.quote(spec) if "'" in spec else f"'{spec}'"
