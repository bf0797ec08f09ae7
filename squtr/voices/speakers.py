"""The speaker table: one JSON line a speaker, with settings for each voice engine it can use."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from squtr.collection import read_jsonl
from squtr.digest import digest_bytes
from squtr.draw import draw
from squtr.errors import NotHere, UserError, at, did_you_mean
from squtr.languages import FIRST
from squtr.records import Speaker

HOW_SPEAKERS = "Add rows that have, or name another table in speak.speakers."


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
        raise NotHere(f"{path}: no {language!r} speaker has settings for voice {voice!r}. {HOW_SPEAKERS}")
    return sorted(speakers, key=lambda speaker: speaker.id)


def refuse_unknown_settings(speakers: Iterable[Speaker], voice: Any, table: Path) -> None:
    """Raise UserError, with the table's line, for a setting that the voice's `speaker_settings` have not."""
    known: Collection[str] | None = getattr(voice, "speaker_settings", None)
    for speaker in speakers:
        for name in speaker.settings:
            if known is not None and name not in known:
                where = at(table, speaker_line(table, speaker.id))
                hint = did_you_mean(name, known)
                raise UserError(f"{where}: speaker {speaker.id!r}: the voice has no setting {name!r}.{hint}")


def speakers_digest(path: Path, codes: Collection[str]) -> str:
    """Return the SHA-256 of a table without the rows of languages that a build does not speak.

    English and Chinese rows always count, so a table that has no others is known by the digest of its file.
    """
    counted = {*FIRST, *codes}
    lines = path.read_bytes().splitlines(keepends=True)
    return digest_bytes(b"".join(line for line in lines if _language(line) in counted | {None}))


def speaker_line(path: Path, speaker_id: str) -> int | None:
    """Return the line of a table that a speaker stands on, for messages."""
    return next((line for line, row in read_jsonl(path) if row.get("id") == speaker_id), None)


def draw_speaker(speakers: list[Speaker], seed: int, utterance: str) -> Speaker:
    """Draw one speaker uniformly."""
    return speakers[int(draw(seed, "speaker", utterance).integers(len(speakers)))]


def _language(line: bytes) -> str | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    found = row.get("language") if isinstance(row, dict) else None
    return found if isinstance(found, str) else None


def _speaker(row: dict[str, Any], where: str, voice: str) -> Speaker:
    speaker_id, language, voices = row.get("id"), row.get("language"), row.get("voices")
    settings = voices.get(voice, {}) if isinstance(voices, dict) else None
    if not isinstance(speaker_id, str) or not isinstance(language, str) or not isinstance(settings, dict):
        raise UserError(
            f'{where}: not a speaker row. Write {{"id": "...", "language": "en", "voices": {{"kokoro":'
            " {...}}}."
        )
    return Speaker(speaker_id, language, settings)
