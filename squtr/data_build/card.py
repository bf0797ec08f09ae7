"""The data set card: what a data set holds, what was asked for and what was realised, in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from squtr.acoustics.condition import Condition
from squtr.content import content
from squtr.data_build.assemble import Counts
from squtr.data_build.check import Checked
from squtr.data_build.heard import Heard, read_heard
from squtr.data_build.layout import condition_name, without_channel
from squtr.languages import language_row
from squtr.recipe import Recipe, spec_for
from squtr.store import write_atomic

CARD = "README.md"
_NONE = "–"
_CONSENSUS = {
    "both": "Every judge had to pass it.",
    "mean": "The mean of the judges' scores had to reach the mean of their lowest scores.",
    "any": "One judge that passed it was enough.",
}


def write_card(out: Path, checked: Checked, counts: Counts) -> None:
    """Write README.md with YAML front matter from the template in data_build/; the manifest is there."""
    template = content("data_build", "card.md.j2").read_text(encoding="utf-8")
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, autoescape=False)  # noqa: S701
    recipe, heard = checked.recipe, read_heard(out)
    text = environment.from_string(template).render(
        recipe=recipe,
        heard=heard,
        spoken=list(_spoken(recipe, heard)),
        channels=list(_channels(recipe, heard)),
        judges=list(_judges(recipe, heard)),
        consensus=_CONSENSUS[recipe.screen.consensus]
        if len(recipe.screen.judges) > 1
        else "The judge had to pass it.",
        conditions=list(_conditions(recipe, heard)),
        noisy=len(recipe.mix.condition_names) > 1,
        has={name: any(getattr(one, name) for one in recipe.mix.conditions) for name in _BESIDES},
        collections=checked.selection.collections,
        languages=recipe.languages,
        counts=counts,
        what="utterances" if recipe.channels else "queries",
        rejected=sum(counts.rejected.values()),
        left_out=checked.description["left_out"],
        digest=recipe.digest,
        noise=checked.description.get("noise"),
        categories=checked.description["noise_categories"],
    )
    write_atomic(out / CARD, text.rstrip() + "\n")


def _spoken(recipe: Recipe, heard: Heard) -> Iterator[dict[str, Any]]:
    for language in recipe.languages:
        rate = heard.error_rates[language].mean
        yield {
            "language": language,
            "voice": spec_for(recipe.speak.voice, language),
            "chosen_by": spec_for(recipe.choose.recogniser, language),
            "screened_by": spec_for(recipe.screen.recogniser, language),
            "accepted": heard.error_rates[language].count,
            "rejected": heard.rejected[language],
            "error_rate": _NONE
            if rate is None
            else f"{100 * rate:.1f} % {language_row(language).error_rate}",
        }


def _channels(recipe: Recipe, heard: Heard) -> Iterator[dict[str, Any]]:
    for channel in recipe.channels:
        for language in recipe.languages:
            spoken, fluent = heard.channels[channel, language]
            yield {
                "channel": channel,
                "language": language,
                "accepted": spoken.count,
                "rejected": heard.rejected_behind[channel, language],
                "error_rate": _NONE if spoken.mean is None else f"{100 * spoken.mean:.1f} %",
                "fluent": _NONE if fluent.mean is None else f"{100 * fluent.mean:.1f} %",
            }


def _judges(recipe: Recipe, heard: Heard) -> Iterator[dict[str, Any]]:
    for rule in recipe.screen.judges:
        scores = heard.scores[rule.label]
        mean = _NONE if scores.mean is None else f"{scores.mean:.2f}"
        lowest = _NONE if scores.mean is None else f"{scores.lowest:.2f}"
        yield {"judge": rule.label, "min_score": rule.min_score, "mean": mean, "lowest": lowest}


def _conditions(recipe: Recipe, heard: Heard) -> Iterator[dict[str, Any]]:
    asked: dict[str, tuple[float, str]] = {
        condition_name(snr_db): (snr_db, "") for snr_db in recipe.mix.snrs_db
    }
    asked |= {one.name: (one.snr_db, _besides(one)) for one in recipe.mix.conditions}
    for name in recipe.condition_names:
        snr_db, besides = asked.get(without_channel(name), (None, ""))
        off, line = heard.off_db[name], heard.line_db[name]
        behind = f", which leaves {line.lowest:.1f} to {line.highest:.1f} dB" if line.count else ""
        yield {
            "name": name,
            "asked": _NONE if snr_db is None else f"{snr_db:g}",
            "besides": f"{besides}{behind}" or _NONE,
            "recordings": heard.recordings[name],
            "off": f"{off.highest:.4f}" if off.count else _NONE,
        }


_BESIDES = {
    "room": "a room of RT60 {rt60_seconds} s",
    "bursts": "bursts over {duty} of the time",
    "second_noise": "a second noise at {relative_db} dB",
    "telephone": "a telephone line ({law}-law)",
}


def _besides(condition: Condition) -> str:
    """Return a condition's operators in words."""
    found = []
    for name, words in _BESIDES.items():
        operator = getattr(condition, name)
        if operator is not None:
            found.append(words.format(**{key: _span(value) for key, value in operator.model_dump().items()}))
    return ", ".join(found)


def _span(value: Any) -> Any:
    """Return a range as `0.3 to 0.8`, as one number where it is one."""
    if not isinstance(value, (tuple, list)):
        return value
    low, high = value
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
