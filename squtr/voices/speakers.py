"""The speaker table: one JSON line a speaker, with settings for each voice engine it can use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from squtr.collection import read_jsonl
from squtr.draw import draw
from squtr.errors import UserError, at
from squtr.records import Speaker


def read_speakers(path: Path, voice: str, language: str) -> list[Speaker]:
    """Return the speakers of one language that have settings for `voice`, sorted by id.

    Raises UserError naming file and line for a broken row, a repeated id, or when none fits.
    """
    seen: dict[str, int] = {}
    speakers: list[Speaker] = []
    for line, row in read_jsonl(path):
        speaker = _speaker(row, at(path, line), voice)
        if speaker.id in seen:
            raise UserError(
                f"{at(path, line)}: speaker {speaker.id!r} stands already on line {seen[speaker.id]}."
                " Ids must differ."
            )
        seen[speaker.id] = line
        if speaker.language == language and voice in row["voices"]:
            speakers.append(speaker)
    if not speakers:
        raise UserError(
            f"{path}: no {language!r} speaker has settings for voice {voice!r}. Add rows that have, or name"
            " another table in speak.speakers."
        )
    return sorted(speakers, key=lambda speaker: speaker.id)


def draw_speaker(speakers: list[Speaker], seed: int, utterance: str) -> Speaker:
    """Draw one speaker uniformly."""
    return speakers[int(draw(seed, "speaker", utterance).integers(len(speakers)))]


def _speaker(row: dict[str, Any], where: str, voice: str) -> Speaker:
    speaker_id, language, voices = row.get("id"), row.get("language"), row.get("voices")
    settings = voices.get(voice, {}) if isinstance(voices, dict) else None
    if not isinstance(speaker_id, str) or not isinstance(language, str) or not isinstance(settings, dict):
        raise UserError(
            f'{where}: not a speaker row. Write {{"id": "...", "language": "en", "voices": {{"kokoro":'
            " {...}}}."
        )
    return Speaker(speaker_id, language, settings)
