"""TREC runs made elsewhere as systems of an evaluation, beside those that it searches with."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr.dataset import Subset
from squtr.digest import digest, digest_file
from squtr.errors import UserError
from squtr.eval.made_elsewhere import Places
from squtr.eval.runs import Run, cut, read_run

SUFFIXES = (".trec", ".run", ".trec.gz", ".run.gz")
TEXT = "text"
_EXAMPLE = "my-system=runs/{subset}.{condition}.trec"


@dataclass(frozen=True)
class GivenRuns:
    """One system and its files by (subset key, condition)."""

    name: str
    files: dict[tuple[str, str], Path]

    @functools.cached_property
    def fingerprint(self) -> str:
        """The digest of its files."""
        files = {" ".join(place): digest_file(path) for place, path in sorted(self.files.items())}
        return f"runs sha256={digest(files)}"


def find_runs(specs: Sequence[str], subsets: Sequence[Subset], taken: Sequence[str]) -> list[GivenRuns]:
    """Return the systems of each spec: `name=pattern` is one, a folder holds one a file name.

    A folder has {language}/{subset}/{condition}/{system}.trec, as evaluations write it. A system needs a run
    of each spoken condition of each subset; one on the text may be left out. Raises UserError.
    """
    found: list[GivenRuns] = []
    for spec in specs:
        for name, find in _systems(spec).items():
            if name in taken or name in {one.name for one in found}:
                raise UserError(
                    f"--runs {spec}: there is a system {name!r} already. Name it anew: NAME=PATTERN."
                )
            found.append(GivenRuns(name, _files(name, find, subsets)))
    return found


def read_given(
    system: GivenRuns, subset: Subset, known: Collection[str], depth: int
) -> tuple[dict[str, Run], dict[str, Any]]:
    """Return a system's runs by condition, cut at `depth`, and what is odd about their ids.

    A judged query that is missing scores 0; queries that the data set lacks are left out; documents that it
    lacks keep their ranks, as they do in trec_eval. Raises UserError where nothing fits.
    """
    queries = {query.id for query in subset.collection.queries}
    runs: dict[str, Run] = {}
    told: dict[str, Any] = {}
    for condition in (TEXT, *subset.conditions):
        path = system.files.get((subset.key, condition))
        if path is None:
            continue
        whole = read_run(path)
        mine = {query: ranking for query, ranking in whole.items() if query in queries}
        strangers = {document for ranking in mine.values() for document in ranking} - set(known)
        if whole and not mine:
            raise UserError(f"{path}: none of its queries is in {subset.key}, such as {list(whole)[:3]}.")
        if mine and not any(document in known for ranking in mine.values() for document in ranking):
            raise UserError(
                f"{path}: none of its documents is in {subset.key}, such as {sorted(strangers)[:3]}."
            )
        runs[condition] = {query: dict(cut(ranking, depth, query)) for query, ranking in mine.items()}
        told[condition] = {
            "file": str(path),
            "missing_queries": len(set(subset.collection.qrels) - set(mine)),
            "unknown_queries": len(whole) - len(mine),
            "unknown_documents": len(strangers),
        }
    return runs, told


Find = Callable[[str, str, str], Path | None]


def _systems(spec: str) -> dict[str, Find]:
    name, equals, pattern = spec.partition("=")
    if equals and not name.strip():
        raise UserError(f"--runs {spec}: no name before the =. Write name=pattern, as in {_EXAMPLE}.")
    if equals and "{" in pattern:
        return {name: Places(pattern, SUFFIXES, "runs").find}
    folder = Path(spec) / "runs" if (Path(spec) / "runs").is_dir() else Path(spec)
    names: dict[str, str] = {}
    for path in sorted(folder.glob("*/*/*/*")):
        suffix = next((one for one in SUFFIXES if path.name.endswith(one)), None)
        if suffix is not None:
            names.setdefault(path.name.removesuffix(suffix), suffix)
    if not names:
        raise UserError(
            f"--runs {spec}: no {{language}}/{{subset}}/{{condition}}/{{system}}.trec in it. Give a folder of"
            f" such files, or name=pattern, as in {_EXAMPLE}."
        )
    return {
        name: Places(f"{folder}/{{language}}/{{subset}}/{{condition}}/{name}{end}", (), "").find
        for name, end in names.items()
    }


def _files(name: str, find: Find, subsets: Sequence[Subset]) -> dict[tuple[str, str], Path]:
    places = [(one, condition) for one in subsets for condition in (TEXT, *one.conditions)]
    found = {(one.key, condition): find(one.language, one.name, condition) for one, condition in places}
    lacking = [" ".join(place) for place, path in found.items() if path is None and place[1] != TEXT]
    if lacking:
        more = f" and {len(lacking) - 1} others" if lacking[1:] else ""
        raise UserError(
            f"--runs: {name} has no run of {lacking[0]}{more}. A system needs one of each condition of each"
            " subset; only one on the text may be left out."
        )
    return {place: path for place, path in found.items() if path is not None}
