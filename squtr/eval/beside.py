"""A result beside published tables: same language, condition and family, and why the two may differ."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from squtr.eval.hearing import recognition_by_spec
from squtr.eval.measures import parse_measure
from squtr.eval.references import Language, Published, cells
from squtr.plugins import split_spec

DENSE = {"dense", "sentence-transformers", "openai-embeddings"}
END_TO_END = "end-to-end"
CLEAN, LOSS = "clean", "loss"
_FEW_QUERIES = 200


@dataclass(frozen=True, slots=True)
class Beside:
    """One figure beside what is printed: one number, or the range of a family's rows.

    `difference` is to the number, or to the nearer end of the range and 0 within it. Condition `loss` is the
    relative loss from clean to the last condition printed, which alone compares between collections.
    """

    system: str
    family: str
    beside: str
    condition: str
    measure: str
    value: float
    low: float
    high: float
    difference: float


@dataclass(frozen=True)
class Part:
    """One language: the subsets that were taken of the result, the printed ones, and the figures."""

    language: str
    subsets: tuple[str, ...]
    over: tuple[str, ...]
    figures: tuple[Beside, ...]
    error_rates: tuple[Beside, ...]
    without: tuple[str, ...]
    cautions: tuple[str, ...]
    doubts: tuple[str, ...]


def beside(results: Mapping[str, Any], published: Published) -> list[Part]:
    """Return a part for each language that both have."""
    languages = dict.fromkeys(facts["language"] for facts in results["dataset"]["subsets"].values())
    return [_part(results, published, language) for language in languages if language in published.languages]


def singles(results: Mapping[str, Any], published: Published) -> list[Beside]:
    """Return the figures printed outside the tables that are of a system and subset of this result."""
    found = []
    for single in published.singles:
        names = (single.subset,) if single.subset else published.languages[single.language].over
        taken = tuple(f"{single.language}/{name}" for name in names)
        if not set(taken) <= results["dataset"]["subsets"].keys():
            continue
        for system in results["scores"][taken[0]]:
            value = _mean(results, taken, system, single.condition, parse_measure(single.measure).full_name)
            if value is not None and plain(single.system) in plain(_told(results, system)):
                where = ", ".join(filter(None, (single.system, single.subset, single.recogniser)))
                family = _family(results, system)
                found.append(
                    _beside(system, family, where, single.condition, single.measure, value, [single.value])
                )
    return found


def cautions(results: Mapping[str, Any]) -> list[str]:
    """Return why a result may differ from published figures whatever the language."""
    dataset, said = results["dataset"], []
    if found := dataset["slice"]:
        said.append(f"A slice of {found['of']}: {found['warning']}")
    imported = dataset["imported"]
    if imported is None:
        said.append("The audio is not the published one: other voices, noise, takes and screening.")
    elif not imported["official"]:
        said.append("The imported audio was not found to be the published one.")
    return said


def _part(results: Mapping[str, Any], published: Published, language: str) -> Part:
    table = published.languages[language]
    mine = [key for key, facts in results["dataset"]["subsets"].items() if facts["language"] == language]
    shared = [key for key in mine if key.partition("/")[2] in table.over]
    taken = tuple(shared or mine)
    figures: list[Beside] = []
    without: list[str] = []
    for system in dict.fromkeys(name for key in taken for name in results["scores"][key]):
        family = _family(results, system)
        rows = _rows(table, family, _told(results, system))
        if rows:
            figures += _figures(results, published, table, taken, system, family, rows)
        else:
            without.append(f"{system} ({family})")
    named = {row for one in figures for row in (one.beside, one.system)}
    systems = {
        name for name in table.systems if name in named or any("rows" in one.beside for one in figures)
    }
    return Part(
        language,
        taken,
        table.over,
        tuple(figures),
        tuple(_error_rates(results, published, table, taken)),
        tuple(without),
        (*_differences(results, table, taken, bool(shared)), *_other_models(results, figures)),
        tuple(
            f"{', '.join(doubt.systems)}: {doubt.says}" if doubt.systems else doubt.says
            for doubt in published.doubts
            if (not doubt.languages or language in doubt.languages)
            and (not doubt.systems or systems.intersection(doubt.systems))
        ),
    )


def _differences(
    results: Mapping[str, Any], table: Language, taken: tuple[str, ...], shared: bool
) -> Iterator[str]:
    names = [key.partition("/")[2] for key in taken]
    over = ", ".join(table.over)
    if not shared:
        yield f"Another collection ({', '.join(names)}): only losses compare with the means over {over}."
    elif set(names) != set(table.over):
        yield f"Only {', '.join(names)}; what is printed is the mean over {over}."
    heard_by = list(recognition_by_spec(results))
    if [plain(spec) for spec in heard_by] != [plain(table.recogniser)]:
        yield f"Heard by {', '.join(heard_by)}; what is printed, by {table.recogniser}."
    queries = sum(results["dataset"]["subsets"][key]["judged_queries"] for key in taken)
    if queries < _FEW_QUERIES:
        yield f"{queries} queries: chance alone moves a mean by several points."


def _other_models(results: Mapping[str, Any], figures: Sequence[Beside]) -> Iterator[str]:
    for system, where in dict.fromkeys((one.system, one.beside) for one in figures):
        if plain(where) not in plain(_told(results, system)):
            yield f"{system} itself is not printed; it stands beside {where}."


def _figures(
    results: Mapping[str, Any],
    published: Published,
    table: Language,
    taken: tuple[str, ...],
    system: str,
    family: str,
    rows: list[str],
) -> Iterator[Beside]:
    where = rows[0] if len(rows) == 1 else f"{len(rows)} {family} rows"
    lines = [cells(table.systems[row].printed) for row in rows]
    for at, condition in enumerate(published.conditions):
        for number, measure in enumerate(published.measures):
            value = _mean(results, taken, system, condition, parse_measure(measure).full_name)
            printed = [cell[number] for line in lines if (cell := line[at]) is not None]
            if value is not None and printed:
                yield _beside(system, family, where, condition, measure, value, printed)
    clean, last = published.conditions.index(CLEAN), len(published.conditions) - 1
    for number, measure in enumerate(published.measures):
        pairs = [(line[clean], line[last]) for line in lines]
        printed = [1 - after[number] / before[number] for before, after in pairs if before and after]
        name = parse_measure(measure).full_name
        before, after = (
            _mean(results, taken, system, one, name) for one in (CLEAN, published.conditions[last])
        )
        if before and after is not None and printed:
            yield _beside(system, family, where, LOSS, measure, 1 - after / before, printed)


def _error_rates(
    results: Mapping[str, Any], published: Published, table: Language, taken: tuple[str, ...]
) -> Iterator[Beside]:
    spoken = [condition for condition in published.conditions if condition != "text"]
    for spec, found in recognition_by_spec(results).items():
        rows = [row for row in table.recognisers if plain(row) in plain(spec)] or [table.recogniser]
        printed = [float(rate) / 100 for rate in table.recognisers[rows[0]].split()]
        for condition, rate in zip(spoken, printed, strict=True):
            rates = [found[key][condition]["clean"]["rate"] for key in taken if condition in found[key]]
            if rates and None not in rates:
                mean = math.fsum(rates) / len(rates)
                yield _beside(spec, "recogniser", rows[0], condition, table.error_rate, mean, [rate])


def _beside(
    system: str, family: str, where: str, condition: str, measure: str, value: float, printed: list[float]
) -> Beside:
    low, high = min(printed), max(printed)
    difference = value - min(max(value, low), high)
    return Beside(system, family, where, condition, measure, value, low, high, difference)


def _rows(table: Language, family: str, told: str) -> list[str]:
    """The row of the very model where there is one, else all rows of the family."""
    of_family = [name for name, row in table.systems.items() if row.family == family]
    exact = [name for name in of_family if plain(name) in plain(told)]
    return sorted(exact, key=len)[-1:] or of_family


def _family(results: Mapping[str, Any], system: str) -> str:
    if any(system in systems for systems in results["end_to_end"].values()):
        return END_TO_END
    if system in results.get("made_elsewhere", {}).get("runs", {}):
        return "run made elsewhere"
    name, _ = split_spec(system.partition(" | ")[0])
    return "dense" if name in DENSE else name


def _told(results: Mapping[str, Any], system: str) -> str:
    return f"{system} {results['settings']['retrievers'].get(system, '')}"


def _mean(
    results: Mapping[str, Any], taken: tuple[str, ...], system: str, condition: str, measure: str
) -> float | None:
    found = [results["scores"][key].get(system, {}).get(condition) for key in taken]
    if None in found:
        return None
    means = [cell["measures"].get(measure, {}).get("mean") for cell in found]
    return None if None in means else math.fsum(means) / len(means)


def plain(name: str) -> str:
    """Return a name by its letters and digits alone, so that bge_m3 is BGE-M3."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
