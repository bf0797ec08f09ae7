"""The speaker table: one JSON line a speaker, with settings for each voice engine it can use."""

from __future__ import annotations

import json
from pathlib import Path

from squtr.draw import draw
from squtr.errors import UserError
from squtr.records import Speaker


def read_speakers(path: Path, voice: str, language: str) -> list[Speaker]:
    """Return the speakers of one language that have settings for `voice`, sorted by id.

    Raises UserError naming file and line for a broken row, a repeated id, or when none fits.
    """
    seen: dict[str, int] = {}
    speakers: list[Speaker] = []
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").split("\n"), 1):
        if not line.strip():
            continue
        speaker_id, row_language, settings = _row(line, f"{path}:{number}", voice)
        if speaker_id in seen:
            raise UserError(
                f"{path}:{number}: speaker {speaker_id!r} stands already on line {seen[speaker_id]}."
            )
        seen[speaker_id] = number
        if row_language == language and settings is not None:
            speakers.append(Speaker(speaker_id, row_language, settings))
    if not speakers:
        raise UserError(f"{path}: no {language!r} speaker has settings for voice {voice!r}.")
    return sorted(speakers, key=lambda speaker: speaker.id)


def draw_speaker(speakers: list[Speaker], seed: int, utterance: str) -> Speaker:
    """Draw one speaker uniformly."""
    return speakers[int(draw(seed, "speaker", utterance).integers(len(speakers)))]


def _row(line: str, where: str, voice: str) -> tuple[str, str, dict[str, object] | None]:
    try:
        row = json.loads(line)
        speaker_id, language, voices = row["id"], row["language"], row["voices"]
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(
            f'{where}: not a speaker row ({error!r}). Write {{"id": "...", "language": "en",'
            ' "voices": {"kokoro": {...}}}.'
        ) from None
    settings = voices.get(voice) if isinstance(voices, dict) else None
    if not isinstance(speaker_id, str) or not isinstance(language, str):
        raise UserError(f"{where}: id and language of a speaker are texts.")
    if settings is not None and not isinstance(settings, dict):
        raise UserError(f"{where}: the settings for {voice!r} are not a mapping.")
    return speaker_id, language, settings
