"""What the results were made with: choices, definitions, versions, digests, findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from squtr.eval.report.view import SubsetView
from squtr.eval.report.words import DASH, Label, amount, condition_label, count, label, number, visible

_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Fact:
    """A name and its value; `code` values are fingerprints and specs, set in a fixed pitch."""

    name: Label
    value: Label
    code: bool = False


@dataclass(frozen=True, slots=True)
class FactList:
    """Facts under one heading, with remarks below them."""

    title: str
    facts: tuple[Fact, ...]
    remarks: tuple[str, ...] = ()


def fact_lists(results: dict[str, Any], views: list[SubsetView]) -> list[FactList]:
    """Return everything a reader needs to judge, repeat or compare the results."""
    return [
        FactList(
            "Choices made once", _plain({k.replace("_", " "): v for k, v in results["policies"].items()})
        ),
        FactList("Measures", _plain(results["measures"])),
        FactList("Settings", _settings(results["settings"])),
        *_imported(results["dataset"].get("imported")),
        *(_dataset(view) for view in views),
        FactList("Versions", _versions(results["environment"])),
        FactList("Time", _time(results["timing"])),
    ]


def _plain(facts: Mapping[str, Any], code: bool = False) -> tuple[Fact, ...]:
    return tuple(Fact(label(name), _value(value), code) for name, value in facts.items())


def _settings(settings: dict[str, Any]) -> tuple[Fact, ...]:
    return (
        *_plain({"recogniser": settings["recogniser"]}),
        *_plain({"recogniser's fingerprint": settings["recogniser_fingerprint"]}, code=True),
        *_plain(settings["retrievers"], code=True),
        *_plain({"documents kept a query": settings["depth"], "seed of the bootstrap": settings["seed"]}),
        *_plain({f"normaliser, {name}": version for name, version in settings["normalisers"].items()}),
    )


def _imported(verdict: dict[str, Any] | None) -> list[FactList]:
    if verdict is None:
        return []
    by = "SHA-256 of the archive" if verdict["sha256"] else "counts and bytes"
    differences = amount(verdict["differences"], "difference")
    said = f"yes, by {by}" if verdict["official"] else f"no, {differences} (import.json names them)"
    facts = {"the official SQuTR": said}
    if verdict["gaps"]:
        facts["could not be used"] = f"{amount(verdict['gaps'], 'gap')} (gaps.jsonl lists them)"
    return [FactList("Import", _plain(facts))]


def _dataset(view: SubsetView) -> FactList:
    facts = view.facts
    recordings = ", ".join(
        f"{condition_label(name)}: {count(found)}" for name, found in facts["recordings"].items()
    )
    return FactList(
        f"Data: {view.name.text}",
        (
            *_plain(
                {
                    "documents": count(facts["documents"]),
                    "queries": f"{count(facts['queries'])}, {count(facts['judged_queries'])} judged",
                    "recordings": ", ".join(recordings),
                }
            ),
            *_plain(
                {"collection's digest": facts["fingerprint"], "qrels' digest": facts["qrels"]}, code=True
            ),
        ),
        tuple(map(_finding, facts["findings"])) or ("The readers found nothing odd in the collection.",),
    )


def _finding(finding: dict[str, Any]) -> str:
    examples = ", ".join(label(str(example), 80).text for example in finding["examples"])
    return f"{visible(finding['message'])} {f'({examples})' if examples else ''}".strip()


def _versions(environment: dict[str, Any]) -> tuple[Fact, ...]:
    commit = environment["commit"]
    changed = " with local changes" if commit and commit["dirty"] else ""
    return _plain(
        {
            "squtr": environment["squtr"],
            "commit": f"{commit['id']}{changed}" if commit else "installed from a package",
            "Python": f"{environment['python']} on {environment['system']}, {environment['machine']}",
            **environment["packages"],
        }
    )


def _time(timing: Mapping[str, Any]) -> tuple[Fact, ...]:
    wall, workers, models = (timing.get(name) for name in ("wall_seconds", "workers", "model_seconds"))
    facts = {
        "from start to results": DASH if wall is None else f"{number(wall, 1)} s",
        "workers": DASH if workers is None else count(workers),
        "in models, over all workers": DASH if models is None else f"{number(models, 1)} s",
    }
    return _plain(facts)


def _value(value: object) -> Label:
    return label(str(value), _LONGEST)
