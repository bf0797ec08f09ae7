"""The stages in the order they run: which field each one writes, and which settings decide it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StageOf:
    """A stage: the manifest fields it writes; the recipe keys, inputs and fingerprints that decide it."""

    name: str
    fields: tuple[str, ...]
    recipe: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    fingerprints: tuple[str, ...] = ()


STAGES = (
    StageOf("select", ("text", "source_text", "qrels"), ("seed", "collections", "select"), ("collections",)),
    StageOf("change", ("channel", "edits"), ("seed", "channels"), (), ("channel",)),
    StageOf("read", ("spoken_text", "reading_spans"), ("read", "collections"), ("collections",)),
    StageOf("speaker", ("speaker", "speaker_settings"), ("seed", "speak.speakers"), ("speakers",)),
    StageOf(
        "speak",
        (
            "take",
            "takes",
            "take_error_rates",
            "take_flags",
            "failed_takes",
            "take_gain",
            "trimmed_seconds",
            "seconds",
            "samples",
            "sample_rate",
        ),
        ("seed", "speak", "choose", "mix.sample_rate"),
        (),
        ("speak", "choose"),
    ),
    StageOf(
        "screen",
        ("transcript", "error_rate", "error_rate_raw", "error_rate_fluent", "reason", "stage"),
        ("screen",),
        (),
        ("screen",),
    ),
    StageOf("judge", ("judges",), ("screen.judges",), (), ("judge",)),
    StageOf("mix", (), ("seed", "mix"), (), ("mix",)),
    StageOf("number", ("file", "audio"), ("collections", "select", "screen"), ("collections",)),
)
BY_NAME = {stage.name: stage for stage in STAGES}
ORDER = [stage.name for stage in STAGES]
_STAGE_OF = {name: stage.name for stage in STAGES for name in stage.fields}


def stage_of(field: str, condition: str, channel: str | None = None) -> str:
    """Return the stage that writes a field of a row; `channel` is what its text came through.

    The samples of a clean recording are speech, all others a mix.
    """
    if field == "text" and channel is not None:
        return "change"
    return _STAGE_OF.get(field, "speak" if condition == "clean" else "mix")
