"""The opening paragraph's facts: best systems, losses and error rates by language, and what is synthetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from squtr.data_build.layout import channel_of, without_channel
from squtr.eval.report.view import SubsetView
from squtr.eval.report.words import (
    Label,
    amount,
    condition_label,
    count,
    label,
    language_name,
    listed,
    ordered,
    percent,
    score,
    snr_of,
    visible,
)

FEW_QUERIES = 50


@dataclass(frozen=True, slots=True)
class Best:
    """The system with the highest mean under one condition; None where it is the one named before."""

    where: str
    system: Label | None
    score: str


@dataclass(frozen=True, slots=True)
class LanguageSummary:
    """One language in short; `change` is what `changed`, the best system on text, loses down to `hardest`."""

    name: str
    best: tuple[Best, ...]
    changed: Label | None
    change: str
    hardest: str
    errors: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The opening paragraph."""

    extent: str
    measure: str
    languages: tuple[LanguageSummary, ...]
    few: str
    synthetic: str


def summarise(results: dict[str, Any], views: Sequence[SubsetView]) -> Summary:
    """Return the paragraph's facts, all of them computed from the results."""
    languages = list(dict.fromkeys(view.language for view in views))
    return Summary(
        _extent(results, views),
        results["main_measure"],
        tuple(
            _language(results, language, [view for view in views if view.language == language])
            for language in languages
        ),
        _few(views),
        synthetic(results.get("audit") or {}),
    )


def synthetic(audit: dict[str, Any]) -> str:
    """Say what was made rather than recorded, or that nothing is known of it."""
    recipe, mixing = audit.get("recipe"), audit.get("mixing")
    if recipe is None and mixing is None:
        return "The data set has no manifest, so how its speech and noise were made is not known."
    said = []
    if recipe:
        voice = recipe["speak"]["voice"]
        engines = dict.fromkeys(voice.values() if isinstance(voice, dict) else [voice])
        named = listed(label(engine).text for engine in engines)
        said.append(f"The speech is synthetic (voice engine{'s' * (len(engines) > 1)} {named}).")
    if mixing and mixing["noisy_recordings"]:
        made, of = mixing["synthetic_noise"], mixing["noisy_recordings"]
        share = "all" if made == of else f"{count(made)} of the"
        whole = f"{share} {amount(of, 'noisy recording')}"
        said.append(f"The noise is synthetic in {whole}." if made else f"The noise in {whole} was recorded.")
    return " ".join(said)


def _extent(results: dict[str, Any], views: Sequence[SubsetView]) -> str:
    queries = sum(view.facts["queries"] for view in views)
    spoken = ordered(condition for view in views for condition in view.spoken)
    languages = listed(dict.fromkeys(language_name(view.language) for view in views))
    recognisers = [results["settings"]["recogniser"], *results.get("other_recognisers", ())]
    return (
        f"{amount(queries, 'spoken query')} in {amount(len(views), 'subset')} ({languages}), transcribed by"
        f" {listed(label(name).text for name in recognisers)} from {told_conditions(spoken)}."
    )


def told_conditions(spoken: Sequence[str]) -> str:
    """Return what was heard, `clean speech and noise at 10 dB SNR`, and behind which channels."""
    plain = ordered(map(without_channel, spoken))
    noises = [condition_label(name) for name in plain if snr_of(name) is not None]
    others = [{"clean": "clean speech"}.get(name, visible(name)) for name in plain if snr_of(name) is None]
    under = listed([*others, *([f"noise at {listed(noises)} SNR"] if noises else [])])
    channels = dict.fromkeys(visible(channel) for name in spoken if (channel := channel_of(name)))
    return f"{under}, as written and behind {listed(channels)}" if channels else under


def _language(results: dict[str, Any], language: str, views: Sequence[SubsetView]) -> LanguageSummary:
    means = results["macro"][language]
    shared = [name for name in views[0].conditions if all(name in view.conditions for view in views)]
    hardest = shared[-1]
    told = list(dict.fromkeys(name for name in ("text", "clean", hardest) if name in shared))
    hearing = set(results["settings"].get("end_to_end", ()))
    winners = [_winner(means, name, hearing if name == "text" else set()) for name in told]
    first = winners[0] if told[0] == "text" and hardest != "text" else None
    return LanguageSummary(
        language_name(language),
        tuple(
            Best(
                _where(name),
                None if place and winner == winners[place - 1] else label(winner),
                score(means[winner][name]),
            )
            for place, (name, winner) in enumerate(zip(told, winners, strict=True))
        ),
        None if first is None else label(first),
        "" if first is None else _change(means[first]["text"], means[first][hardest]),
        condition_label(hardest),
        _errors(results, views, [name for name in told if name != "text"]),
    )


def _winner(means: dict[str, dict[str, float | None]], condition: str, apart: set[str]) -> str:
    """Return the best system; those in `apart` only where there is no other."""
    asked = [system for system in means if system not in apart] or list(means)
    return max(asked, key=lambda system: means[system][condition] or 0.0)


def _where(condition: str) -> str:
    return {"text": "on the written text", "clean": "on clean speech"}.get(
        condition, f"at {condition_label(condition)}"
    )


def _change(before: float | None, after: float | None) -> str:
    if not before or after is None:
        return ""
    loss = 1 - after / before
    return f"loses {percent(loss)}" if loss >= 0 else f"gains {percent(-loss)}"


def _errors(results: dict[str, Any], views: Sequence[SubsetView], conditions: Sequence[str]) -> str:
    parts = []
    for condition in conditions:
        rates = [view.recognition[condition]["clean"]["rate"] for view in views]
        known = sorted(rate for rate in rates if rate is not None)
        if not known:
            continue
        low, high = percent(known[0]), percent(known[-1])
        parts.append(f"{low if low == high else f'{low} to {high}'} {_where(condition)}")
    whose = f" of {label(results['settings']['recogniser']).text}" if results.get("other_recognisers") else ""
    return f"The {views[0].rate_name}{whose} is {listed(parts)}." if parts else ""


def _few(views: Sequence[SubsetView]) -> str:
    fewest = min(view.facts["judged_queries"] for view in views)
    if fewest >= FEW_QUERIES:
        return ""
    where = "" if len(views) == 1 else " in the smallest subset"
    return f"With {amount(fewest, 'judged query')}{where}, differences of this size can be mere chance."
