"""The audit's tables: what was configured beside what was realised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scipy.stats import binom

from squtr.audio import CEILING
from squtr.data_build.layout import snr_name
from squtr.eval.report.table import Cell, Table, missing, table, words
from squtr.eval.report.words import (
    DASH,
    Label,
    amount,
    condition_label,
    count,
    label,
    language_name,
    listed,
    number,
    percent,
)

_SPREAD = ["least", "median", "mean", "most"]


@dataclass(frozen=True, slots=True)
class AuditPart:
    """One part of the audit: what it is about, a sentence, and its tables."""

    title: str
    says: str
    tables: tuple[Table, ...]


def audit_parts(audit: dict[str, Any] | None) -> list[AuditPart]:
    """Return the parts the audit has; a data set without a manifest has none."""
    found = audit or {}
    recipe = found.get("recipe")
    parts = []
    if found.get("snr"):
        parts.append(_snr(found["snr"]))
    if found.get("mixing"):
        parts.append(_mixing(found["mixing"], recipe))
    if found.get("speech"):
        parts.append(_speech(found["speech"], recipe))
    if found.get("screening"):
        parts.append(_screening(found["screening"]))
    return parts


def _snr(rows: list[dict[str, Any]]) -> AuditPart:
    measured = ["realised: least", "median", "most", "largest error", "active speech: offset"]
    columns = ["recordings", "asked, dB", *measured]
    cells = {
        condition_label(row["condition"]): [
            Cell(count(row["recordings"])),
            Cell(snr_name(row["requested_db"]).replace("-", "\u2212")),
            *(Cell(number(row["realised_db"][name], 3)) for name in ("min", "median", "max")),
            Cell(_tiny(row["largest_error_db"])),
            _offset(row["active_minus_requested_db"]),
        ]
        for row in rows
    }
    largest = max(row["largest_error_db"] for row in rows)
    says = (
        f"The largest error of any recording is {_tiny(largest)} dB. Levels are of the whole utterance;"
        " the last column is how much higher the SNR is over active speech alone, pauses left out."
    )
    caption = "SNR asked for and realised, in dB; the offset is a median over its range."
    return AuditPart("Signal-to-noise ratio", says, (table(caption, "condition", columns, cells),))


def _mixing(mixing: dict[str, Any], recipe: dict[str, Any] | None) -> AuditPart:
    noisy = mixing["noisy_recordings"]
    peak = mixing["largest_peak"]
    rows = {
        "noise": [words(_of(recipe, "mix", "noise")), words(_made(mixing))],
        "peak, full scale 1": [
            words(f"at most {CEILING}"),
            words(DASH if peak is None else number(peak, 3)),
        ],
        "turned down to keep the peak": [words("as needed"), _share(mixing["scaled_down"], noisy)],
        "noise looped, shorter than the speech": [words("as needed"), _share(mixing["looped"], noisy)],
        "noise drawn anew for silence": [words("as needed"), _share(mixing["redrawn"], noisy)],
    }
    per = recipe and recipe["mix"]["draw_per"]
    says = f"{amount(noisy, 'noisy recording')}" + (f", the noise drawn once for each {per}." if per else ".")
    tables = [table("Mixing.", "", ["asked", "realised"], rows)]
    if mixing["utterances_by_category"]:
        tables.append(_categories(mixing["utterances_by_category"], recipe))
    return AuditPart("Noise and mixing", says, tuple(tables))


def _categories(drawn: dict[str, int], recipe: dict[str, Any] | None) -> Table:
    """Categories drawn, beside the mean and the middle 95 % of a uniform draw, which is binomial."""
    asked = recipe["mix"]["categories"] if recipe else []
    counts = {**dict.fromkeys(asked, 0), **drawn}
    total = sum(counts.values())
    low, high = map(int, binom.interval(0.95, total, 1 / len(counts)))
    most = max(counts.values())
    rows = tuple(
        (
            label(name),
            (Cell(count(found), "" if low <= found <= high else "outside the range", bar=found / most),),
        )
        for name, found in sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    )
    expected = number(total / len(counts), 1)
    which = "asked for" if asked else "on offer"
    caption = (
        f"Utterances by noise category. A uniform draw over the {len(counts)} {which} gives {expected} each,"
        f" {low} to {high} in 95\u202f%."
    )
    return Table(caption, "category", (Label("utterances"),), rows)


def _speech(speech: dict[str, Any], recipe: dict[str, Any] | None) -> AuditPart:
    utterances = speech["utterances"]
    chosen = (f"take {take}: {count(found)}" for take, found in speech["chosen_take"].items())
    asked = speech["takes_asked"]
    voices = (f"{count(found)} {language_name(name)}" for name, found in speech["speakers"].items())
    rate = f"{number(recipe['mix']['sample_rate'], 0)} Hz" if recipe else DASH
    rates = listed(f"{number(found, 0)} Hz" for found in speech["sample_rates"])
    rows = {
        "speakers": [words(_of(recipe, "speak", "speakers")), words(listed(voices))],
        "takes": [
            words(DASH if asked is None else f"{asked} a query, the best kept"),
            words(", ".join(chosen)),
        ],
        "sample rate": [words(rate), words(rates)],
        "takes with a flag": [words("none"), _share(speech["flagged"], utterances)],
        "texts read differently from how they are written": [
            words("as needed"),
            _share(speech["read_differently"], utterances),
        ],
    }
    spreads = {
        "length, s": _spread(speech["seconds"], 2),
        "level, dBFS": _spread(speech["level_dbfs"], 1),
        "silence trimmed, s": _spread(speech["trimmed_seconds"], 2),
    }
    return AuditPart(
        "Speech",
        f"{amount(utterances, 'utterance')} by voice engine {_of(recipe, 'speak', 'voice')}.",
        (
            table("Speech.", "", ["asked", "realised"], rows),
            table("Clean recordings.", "", _SPREAD, spreads),
        ),
    )


def _screening(screening: dict[str, Any]) -> AuditPart:
    limit = screening["max_error_rate"]
    rates = screening["error_rate"]
    rows = [
        (
            Label("error rate"),
            (
                missing("no recipe") if limit is None else Cell(f"at most {percent(limit, 0)}"),
                *(_spread_percent(rates)),
            ),
        )
    ]
    for judge, facts in screening["judges"].items():
        least = facts["min_score_asked"]
        asked = missing("no threshold") if least is None else Cell(f"at least {number(least, 1)}")
        rows.append((label(judge), (asked, *_spread(facts["score"], 2))))
    rejected = screening["rejected"]
    by_stage = ", ".join(f"{label(stage).text}: {count(found)}" for stage, found in rejected.items())
    lost = f"{count(sum(rejected.values()))} rejected ({by_stage})" if rejected else "none rejected"
    says = f"{amount(screening['accepted'], 'utterance')} accepted, {lost}."
    columns = tuple(Label(name) for name in ("asked", *_SPREAD))
    caption = "Scores of the accepted utterances beside their thresholds."
    return AuditPart("Screening", says, (Table(caption, "", columns, tuple(rows)),))


def _made(mixing: dict[str, Any]) -> str:
    made, of = mixing["synthetic_noise"], mixing["noisy_recordings"]
    return f"synthetic in {count(made)} of {amount(of, 'recording')}"


def _of(recipe: dict[str, Any] | None, section: str, field: str) -> str:
    return label(str(recipe[section][field])).text if recipe else DASH


def _tiny(value: float) -> str:
    return "below 0.0001" if 0 < value < 0.0001 else number(value, 4)


def _offset(spread: dict[str, float] | None) -> Cell:
    if spread is None:
        return missing("not measured")
    low, high = number(spread["min"], 2), number(spread["max"], 2)
    return Cell(number(spread["median"], 2), under=f"{low} to {high}")


def _share(value: int, of: int) -> Cell:
    return words(f"{count(value)} of {count(of)}")


def _spread(spread: dict[str, float] | None, digits: int) -> list[Cell]:
    if spread is None:
        return [missing("nothing measured")] * 4
    return [Cell(number(spread[name], digits)) for name in ("min", "median", "mean", "max")]


def _spread_percent(spread: dict[str, float] | None) -> list[Cell]:
    if spread is None:
        return [missing("nothing measured")] * 4
    return [Cell(percent(spread[name])) for name in ("min", "median", "mean", "max")]
