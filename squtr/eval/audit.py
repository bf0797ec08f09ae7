"""The audit: what was configured beside what was realised."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from squtr.collection import read_jsonl
from squtr.data_build.layout import condition_name, without_channel
from squtr.dataset import Subset
from squtr.eval.channel_audit import audit_recordings
from squtr.manifest import read_build


def audit_dataset(folder: Path, subsets: Sequence[Subset], seed: int = 0) -> dict[str, Any]:
    """Compare a data set's settings with its manifest. Parts without a manifest are None.

    `channels` is None where nothing was spoken behind a channel; `seed` is that of its intervals.
    """
    rows = [
        recording.facts
        for subset in subsets
        for recordings in (*subset.conditions.values(), subset.unpaired)
        for recording in recordings
        if recording.facts
    ]
    build = read_build(folder)
    recipe = build.get("recipe")
    return {
        "recipe": recipe,
        "snr": _snr(rows) if rows else None,
        "mixing": _mixing(rows, build.get("noise_categories", [])) if rows else None,
        "speech": _speech(rows, recipe) if rows else None,
        "screening": _screening(rows, folder, recipe) if rows else None,
        "channels": audit_recordings(subsets, seed),
    }


def _snr(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row a condition and SNR: plain noise by falling SNR, then conditions with a name of their own."""
    groups: dict[tuple[bool, float, str], list[dict[str, Any]]] = {}
    for row in rows:
        requested, name = row["requested_snr_db"], row["condition"]
        if requested is not None:
            groups.setdefault((name != condition_name(requested), -requested, name), []).append(row)
    table = []
    for (_, negated, name), members in sorted(groups.items()):
        requested = -negated + 0.0
        errors = [row["realised_snr_db"] - requested for row in members]
        active = [row["active_snr_db"] - requested for row in members]
        table.append(
            {
                "condition": name,
                "requested_db": requested,
                "recordings": len(members),
                "realised_db": _spread(row["realised_snr_db"] for row in members),
                "largest_error_db": max(abs(error) for error in errors),
                "active_minus_requested_db": _spread(active),
            }
        )
    return table


def _mixing(rows: Sequence[dict[str, Any]], offered: Sequence[str]) -> dict[str, Any]:
    """Count what mixing did; categories that the noise source offers and no utterance drew count 0."""
    noisy = [row for row in rows if row["requested_snr_db"] is not None]
    categories: dict[str, set[tuple[str, str, str]]] = {name: set() for name in offered}
    for row in noisy:
        utterance = (row["language"], row["subset"], row["query_id"])
        categories.setdefault(row["noise_category"], set()).add(utterance)
    return {
        "noisy_recordings": len(noisy),
        "scaled_down": sum(row["common_gain"] < 1 for row in noisy),
        "looped": sum(row["loops"] > 0 for row in noisy),
        "redrawn": sum(row["redraws"] > 0 for row in noisy),
        "largest_peak": max((row["peak"] for row in rows), default=None),
        "synthetic_noise": sum(bool(row["noise_synthetic"]) for row in noisy),
        "utterances_by_category": {name: len(members) for name, members in sorted(categories.items())},
    }


def _speech(rows: Sequence[dict[str, Any]], recipe: dict[str, Any] | None) -> dict[str, Any]:
    clean = [row for row in rows if without_channel(row["condition"]) == "clean"]
    takes = [row["take"] for row in clean]
    return {
        "utterances": len(clean),
        "speakers": {
            language: len({row["speaker"] for row in clean if row["language"] == language})
            for language in sorted({row["language"] for row in clean})
        },
        "takes_asked": recipe and recipe["speak"]["takes"],
        "chosen_take": {str(number): takes.count(number) for number in sorted(set(takes))},
        "seconds": _spread(row["seconds"] for row in clean),
        "level_dbfs": _spread(row["level_dbfs"] for row in clean),
        "trimmed_seconds": _spread(row["trimmed_seconds"] for row in clean),
        "sample_rates": sorted({row["sample_rate"] for row in clean}),
        "flagged": sum(bool(row["take_flags"]) for row in clean),
        "read_differently": sum(row["text"] != row["spoken_text"] for row in clean),
    }


def _screening(rows: Sequence[dict[str, Any]], folder: Path, recipe: dict[str, Any] | None) -> dict[str, Any]:
    clean = [row for row in rows if without_channel(row["condition"]) == "clean"]
    rejected = _rejected(folder)
    judges = sorted({judged["judge"] for row in clean for judged in row["judges"]})
    return {
        "accepted": len(clean),
        "rejected": {
            stage: sum(row["stage"] == stage for row in rejected)
            for stage in sorted({row["stage"] for row in rejected})
        },
        "max_error_rate": recipe and recipe["screen"]["max_error_rate"],
        "error_rate": _spread(row["error_rate"] for row in clean),
        "judges": {
            judge: {
                "min_score_asked": recipe and _min_score(recipe["screen"]["judges"], judge),
                "score": _spread(j["score"] for row in clean for j in row["judges"] if j["judge"] == judge),
            }
            for judge in judges
        },
    }


def _min_score(rules: list[dict[str, Any]], judge: str) -> float | None:
    """Return what a build's recipe asks of the judge that its manifest calls so."""
    return next((rule["min_score"] for rule in rules if judge == (rule.get("name") or rule["judge"])), None)


def _rejected(folder: Path) -> list[dict[str, Any]]:
    path = folder / "rejected.jsonl"
    return [row for _, row in read_jsonl(path)] if path.is_file() else []


def _spread(values: Iterable[float | None]) -> dict[str, float] | None:
    """Return minimum, median, mean and maximum, or None of nothing."""
    known = np.array([value for value in values if value is not None], dtype=np.float64)
    if not len(known):
        return None
    return {
        "min": float(known.min()),
        "median": float(np.median(known)),
        "mean": float(known.mean()),
        "max": float(known.max()),
    }
