"""Compare: two builds, query by query, condition by condition, field by field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from squtr.diff.explain import explain
from squtr.diff.settings import SettingChanges, setting_changes
from squtr.diff.sorted_rows import REJECTED, QueryRows, query_rows
from squtr.diff.stages import ORDER, stage_of
from squtr.manifest import table_rows

MOST_EXAMPLES = 3
_SHARED = ("text", "spoken_text", "speaker", "take_error_rates", "transcript", "error_rate", "pcm_sha256")
_KEYS = ("language", "subset", "query_id", "condition")


@dataclass
class FieldChanges:
    """How often a field differs, the stage that writes it, and the first cases as (place, a, b)."""

    stage: str
    count: int = 0
    examples: list[tuple[str, Any, Any]] = field(default_factory=list)

    def add(self, place: str, a: Any, b: Any) -> None:
        """Count one case."""
        self.count += 1
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append((place, a, b))


@dataclass
class OnlyIn:
    """Queries that only one build accepted: how often by what the other says of them, and the first ones."""

    count: int = 0
    other: dict[str, int] = field(default_factory=dict)
    examples: list[str] = field(default_factory=list)

    def add(self, place: str, other: str) -> None:
        """Count one case."""
        self.count += 1
        self.other[other] = self.other.get(other, 0) + 1
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append(f"{place}: {other}")


@dataclass
class Comparison:
    """What differs. `stages` counts queries by the first stage they differ at; `causes` explains each.

    `recordings` are those of queries that both accepted, `both_recordings` those that both have.
    """

    settings: SettingChanges
    queries: int = 0
    recordings: int = 0
    both_recordings: int = 0
    same_samples: int = 0
    same_recordings: int = 0
    fields: dict[str, FieldChanges] = field(default_factory=dict)
    stages: dict[str, int] = field(default_factory=dict)
    only_a: OnlyIn = field(default_factory=OnlyIn)
    only_b: OnlyIn = field(default_factory=OnlyIn)
    causes: dict[str, str] = field(default_factory=dict)

    @property
    def same(self) -> bool:
        """True when both hold the same data from the same recipe and inputs, whatever versions made them."""
        settings = self.settings
        records = self.fields or self.only_a.count or self.only_b.count
        return not (records or settings.files or settings.recipe or settings.inputs)

    def plain(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"same": self.same, **asdict(self)}


def compare(a: Path, b: Path) -> Comparison:
    """Compare two data sets built by squtr; memory does not grow with them.

    PCM is compared by the digests in the manifests, which `squtr verify` holds against the files. Raises
    UserError when one of them is no such data set.
    """
    comparison = Comparison(setting_changes(a, b))
    for built in (a, b):
        table_rows(built)
    with TemporaryDirectory(prefix="squtr-diff-") as scratch:
        folders = [Path(scratch) / name for name in "ab"]
        for folder in folders:
            folder.mkdir()
        for one, other in _side_by_side(query_rows(a, folders[0]), query_rows(b, folders[1])):
            _compare_query(one, other, comparison)
    comparison.stages = {name: comparison.stages[name] for name in ORDER if name in comparison.stages}
    comparison.causes = explain(comparison.stages, comparison.settings)
    return comparison


def _side_by_side(
    a: Iterator[QueryRows], b: Iterator[QueryRows]
) -> Iterator[tuple[QueryRows | None, QueryRows | None]]:
    """Yield the queries of two sorted builds in pairs; None where one has it not."""
    one, other = next(a, None), next(b, None)
    while one is not None or other is not None:
        if other is None or (one is not None and one.key < other.key):
            yield one, None
            one = next(a, None)
        elif one is None or other.key < one.key:
            yield None, other
            other = next(b, None)
        else:
            yield one, other
            one, other = next(a, None), next(b, None)


def _compare_query(one: QueryRows | None, other: QueryRows | None, comparison: Comparison) -> None:
    comparison.queries += 1
    if one is None or other is None:
        lone, side = (one, comparison.only_a) if other is None else (other, comparison.only_b)
        if lone is not None:
            kind = (
                "not among its queries" if lone.rejected is None else "not among its queries (rejected here)"
            )
            side.add(" ".join(lone.key), kind)
            _count_stage("select", comparison)
        return
    place = " ".join(one.key)
    if one.rejected is not None or other.rejected is not None:
        _compare_rejections(place, one, other, comparison)
        return
    changed = [
        stage
        for condition in dict.fromkeys([*one.rows, *other.rows])
        for stage in _compare_rows(
            place, condition, one.rows.get(condition), other.rows.get(condition), comparison
        )
    ]
    if changed:
        _count_stage(min(changed, key=ORDER.index), comparison)


def _compare_rejections(place: str, one: QueryRows, other: QueryRows, comparison: Comparison) -> None:
    """Compare a query that one build or both rejected; its first difference may lie before its rejection."""
    if one.rejected is not None and other.rejected is not None:
        changed = list(
            _changed_fields(f"{place} {REJECTED}", REJECTED, one.rejected, other.rejected, comparison)
        )
        if changed:
            _count_stage(min(changed, key=ORDER.index), comparison)
        return
    accepted, side = (one, comparison.only_a) if one.rejected is None else (other, comparison.only_b)
    rejected = other.rejected if one.rejected is None else one.rejected
    stage = str((rejected or {}).get("stage"))
    side.add(place, f"rejected at {stage}")
    clean, row = accepted.rows.get("clean", {}), rejected or {}
    earlier = [
        stage_of(name, "clean")
        for name in _SHARED
        if row.get(name) is not None and row[name] != clean.get(name)
    ]
    _count_stage(min([stage if stage in ORDER else "screen", *earlier], key=ORDER.index), comparison)


def _compare_rows(
    place: str, condition: str, a: dict[str, Any] | None, b: dict[str, Any] | None, comparison: Comparison
) -> Iterator[str]:
    """Count what differs between two recordings; yield the stages."""
    comparison.recordings += 1
    where = f"{place} {condition}"
    if a is None or b is None:
        changes = comparison.fields.setdefault("condition", FieldChanges("mix"))
        changes.add(where, "there" if a else None, "there" if b else None)
        yield "mix"
        return
    comparison.both_recordings += 1
    comparison.same_samples += a.get("pcm_sha256") == b.get("pcm_sha256")
    if a == b:
        comparison.same_recordings += 1
        return
    yield from _changed_fields(where, condition, a, b, comparison)


def _changed_fields(
    where: str, condition: str, a: dict[str, Any], b: dict[str, Any], comparison: Comparison
) -> Iterator[str]:
    for name in dict.fromkeys([*a, *b]):
        if name not in _KEYS and a.get(name) != b.get(name):
            stage = stage_of(name, "clean" if condition == REJECTED else condition, a.get("channel"))
            comparison.fields.setdefault(name, FieldChanges(stage)).add(where, a.get(name), b.get(name))
            yield stage


def _count_stage(stage: str, comparison: Comparison) -> None:
    comparison.stages[stage] = comparison.stages.get(stage, 0) + 1
