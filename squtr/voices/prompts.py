"""Prompt recordings of a speaker table: found beside the table, checked, and known by their digest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from squtr.audio import level_dbfs, read_audio
from squtr.digest import digest_file
from squtr.errors import ItemFailure, UserError
from squtr.records import Speaker

SHORTEST_SECONDS, LONGEST_SECONDS = 3.0, 30.0
LOWEST_RATE = 16000
_QUIETEST_DBFS = -50.0
_MOST_NAMED = 8


class PromptPath(str):
    """A prompt's path as the table has it, which also knows the table's folder.

    It is written and digested as the text in the table, so neither a data set nor the store's keys depend
    on where the table lies; it goes to workers whole.
    """

    folder: str

    def __new__(cls, text: str, folder: str = "") -> PromptPath:
        path = super().__new__(cls, text)
        path.folder = folder
        return path

    def __reduce__(self) -> tuple[Any, ...]:
        return (PromptPath, (str(self), self.folder))

    @property
    def file(self) -> Path:
        return Path(self.folder) / self


def place_prompts(speakers: list[Speaker], folder: Path, how: str) -> list[Speaker]:
    """Return the speakers with `prompt` placed in the table's folder and `prompt_sha256` beside it.

    Each speaker needs `prompt`, a recording of 3 to 30 s at 16 kHz or more that can be read and is not
    silent, and `transcript`, what is said in it. Raises one UserError that names all that is wrong; `how`
    ends it.
    """
    faults = {speaker.id: _fault(speaker.settings, folder) for speaker in speakers}
    wrong = [f"  {name}: {fault}" for name, fault in faults.items() if fault]
    if wrong:
        more = [f"  and {len(wrong) - _MOST_NAMED} more"] if len(wrong) > _MOST_NAMED else []
        listed = "\n".join([*wrong[:_MOST_NAMED], *more])
        raise UserError(f"{len(wrong)} of {len(speakers)} speakers have no usable prompt:\n{listed}\n{how}")
    return [_placed(speaker, folder) for speaker in speakers]


def _placed(speaker: Speaker, folder: Path) -> Speaker:
    path = PromptPath(speaker.settings["prompt"], str(folder.resolve()))
    settings = speaker.settings | {"prompt": path, "prompt_sha256": digest_file(path.file)}
    return Speaker(speaker.id, speaker.language, settings)


def _fault(settings: dict[str, Any], folder: Path) -> str | None:
    name, transcript = settings.get("prompt"), settings.get("transcript")
    if not isinstance(name, str) or not name:
        return "no prompt (the path of a recording, from the table's folder)"
    if not isinstance(transcript, str) or not transcript.strip():
        return "no transcript (what is said in the prompt)"
    try:
        prompt = read_audio(folder / name)
    except ItemFailure as failure:
        return f"{folder / name}: {str(failure).partition(': ')[2] or failure}"
    if not SHORTEST_SECONDS <= prompt.seconds <= LONGEST_SECONDS:
        return f"{name} has {prompt.seconds:.1f} s, not {SHORTEST_SECONDS:g} to {LONGEST_SECONDS:g}"
    if prompt.sample_rate < LOWEST_RATE:
        return f"{name} has {prompt.sample_rate} Hz; {LOWEST_RATE} is the least"
    if not level_dbfs(prompt.samples) >= _QUIETEST_DBFS:
        return f"{name} is silent"
    return None
