"""What was realised: fillers, repetitions, survival and distance of texts from anywhere, with intervals.

Measures and intervals are those of Wang et al. (arXiv:2610.11015, section 5.1 and appendices C to E): sums
over turns, 95 % percentile bootstrap by group, such as a conversation, since its turns are alike.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from squtr.channels.distance import Distance, distance
from squtr.channels.estimate import Estimate, Floats, Sums, grouped, trend, wilson
from squtr.channels.fillers import all_fillers
from squtr.channels.hesitations import Hesitations, counted_words, hesitations
from squtr.eval.resampling import RESAMPLES

SOURCE = "source"


@dataclass(frozen=True, slots=True)
class Turn:
    """One text. `key` joins it with the same turn at other settings; `source` is what it was made of."""

    text: str
    group: str
    key: str
    setting: str = ""
    source: str | None = None


@dataclass(frozen=True, slots=True)
class SettingAudit:
    """What one setting realised: counts, and measures by name (see MEASURES).

    In a language without a list of fillers neither they nor repetitions are counted, and they are None.
    """

    setting: str
    turns: int
    groups: int
    words: int
    fillers: int | None
    repetitions: int | None
    without_words: int
    with_source: int
    source_words: int
    measures: dict[str, Estimate]


@dataclass(frozen=True, slots=True)
class Audit:
    """All settings in order; `source` is the audit of what their texts were made of, where that is known.

    `tau_b` is Kendall's, of setting against fillers and repetitions, with its p; `equal_at_all` the share of
    turns whose text is the same at every setting. Both are undefined for one setting.
    """

    language: str
    settings: tuple[SettingAudit, ...]
    source: SettingAudit | None
    tau_b: Estimate
    tau_b_p: float | None
    equal_at_all: Estimate


def _dispersion(sums: Sums) -> Floats:
    """Variance (n - 1) over mean of the count a turn; 1 is Poisson's."""
    mean = sums["total"] / sums["turns"]
    spread: Floats = (sums["squares"] - sums["total"] * mean) / (sums["turns"] - 1) / mean
    return spread


def _share(part: str, whole: str, times: float = 1) -> Callable[[Sums], Floats]:
    return lambda sums: times * sums[part] / sums[whole]


MEASURES: dict[str, Callable[[Sums], Floats]] = {
    "fillers_per_1000_words": _share("fillers", "words", 1000),
    "repetitions_per_1000_words": _share("repetitions", "words", 1000),
    "first_word_share_of_fillers": _share("first", "fillers"),
    "share_of_turns_with_any": _share("any", "turns"),
    "variance_to_mean": _dispersion,
    "token_survival": _share("kept", "source_words"),
    "token_survival_in_order": _share("kept_in_order", "source_words"),
    "edits_per_word": _share("word_edits", "source_words"),
    "edits_per_character": _share("character_edits", "characters"),
}


OF_HESITATIONS = tuple(MEASURES)[:5]


def audit(turns: Sequence[Turn], language: str, seed: int = 0, resamples: int = RESAMPLES) -> Audit:
    """Audit texts. Settings come in the order of their numbers or, as words, of their first appearance.

    Raises UserError for an unknown language.
    """
    said = [_said(turn.text, language) for turn in turns]
    names = _ordered({turn.setting for turn in turns}, [turn.setting for turn in turns])
    parts = [
        [(turn, count) for turn, count in zip(turns, said, strict=True) if turn.setting == name]
        for name in names
    ]
    tau, p = trend(
        [names.index(turn.setting) for turn in turns],
        [count.total for count in said],
        [turn.group for turn in turns],
        seed,
        resamples,
    )
    return Audit(
        language,
        tuple(
            _setting(name, part, language, seed, resamples) for name, part in zip(names, parts, strict=True)
        ),
        _sources([turn for turn, _ in parts[0]], language, seed, resamples),
        tau,
        p,
        _equal([[turn for turn, _ in part] for part in parts], seed, resamples),
    )


def _said(text: str, language: str) -> Hesitations:
    if language in all_fillers():
        return hesitations(text, language)
    return Hesitations(len(counted_words(text, language)), 0, 0, 0)


def _setting(
    name: str, part: Sequence[tuple[Turn, Hesitations]], language: str, seed: int, resamples: int
) -> SettingAudit:
    groups = grouped(_columns(part, language), [turn.group for turn, _ in part], seed, resamples)
    sums = {column: int(values.sum()) for column, values in groups.sums.items()}
    found = {measure: groups.estimate(rule) for measure, rule in MEASURES.items()}
    known = language in all_fillers()
    if not known:
        unknown = Estimate(None, reason=f"no fillers are known for {language!r}")
        found |= dict.fromkeys(OF_HESITATIONS, unknown)
    typos = wilson(min(sums["character_edits"], sums["letters"]), sums["letters"])
    return SettingAudit(
        name,
        len(part),
        len(groups.sums["turns"]),
        sums["words"],
        sums["fillers"] if known else None,
        sums["repetitions"] if known else None,
        sum(not count.words for _, count in part),
        sum(turn.source is not None for turn, _ in part),
        sums["source_words"],
        {**found, "typos_per_letter": typos},
    )


def _columns(part: Sequence[tuple[Turn, Hesitations]], language: str) -> Sums:
    pairs = {(turn.source, turn.text) for turn, _ in part}
    far = {pair: _far(*pair, language) for pair in pairs}
    rows = [
        {"turns": 1, "any": count.total > 0, "total": count.total, "squares": count.total**2}
        | dataclasses.asdict(count)
        | {
            ("source_words" if name == "words" else name): size
            for name, size in far[turn.source, turn.text].items()
        }
        for turn, count in part
    ]
    return {name: np.array([row[name] for row in rows], dtype=np.float64) for name in rows[0]}


def _far(source: str | None, text: str, language: str) -> dict[str, int]:
    if source is None:
        return {field.name: 0 for field in dataclasses.fields(Distance)}
    return dataclasses.asdict(distance(source, text, language))


def _sources(turns: Sequence[Turn], language: str, seed: int, resamples: int) -> SettingAudit | None:
    made_of = [
        (dataclasses.replace(turn, text=turn.source, source=None), _said(turn.source, language))
        for turn in turns
        if turn.source is not None
    ]
    return _setting(SOURCE, made_of, language, seed, resamples) if made_of else None


def _equal(parts: Sequence[Sequence[Turn]], seed: int, resamples: int) -> Estimate:
    if len(parts) < 2:
        return Estimate(None, reason="one setting")
    texts = [{turn.key: turn.text for turn in part} for part in parts]
    shared = [turn for turn in parts[0] if all(turn.key in other for other in texts)]
    if any(len(text) < len(part) for text, part in zip(texts, parts, strict=True)):
        return Estimate(None, reason="an id stands twice at one setting")
    if not shared:
        return Estimate(None, reason="no turn stands at every setting")
    equal = [len({text[turn.key] for text in texts}) == 1 for turn in shared]
    columns = {"equal": np.array(equal, dtype=np.float64), "turns": np.ones(len(shared))}
    pairs = grouped(columns, [turn.group for turn in shared], seed, resamples)
    return pairs.estimate(_share("equal", "turns"))


def _ordered(names: set[str], seen: Sequence[str]) -> list[str]:
    try:
        return sorted(names, key=float)
    except ValueError:
        return list(dict.fromkeys(seen))
