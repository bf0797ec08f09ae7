"""What a chat model is told: channels/instructions/<name>.<language>.md, or a file of one's own."""

from __future__ import annotations

from pathlib import Path

from squtr.content import content
from squtr.errors import UserError
from squtr.remote.chat import instructions_text


class Instructions:
    """The instructions of one name by language; a file of one's own, at `path`, is for all languages."""

    def __init__(self, name: str, path: str | None = None) -> None:
        self.name = name
        self.own = None if path is None else instructions_text(Path(path))
        self.by_language = {} if path else {_language(file): instructions_text(file) for file in _files(name)}

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages with a file; none with a file of one's own: any."""
        return tuple(sorted(self.by_language))

    def told(self, language: str) -> str:
        """Return the instructions for a language. Raises UserError for one that has none."""
        if self.own is not None:
            return self.own
        if language not in self.by_language:
            known = ", ".join(self.languages)
            raise UserError(f"{self.name} has no instructions for {language!r}. It knows {known}.")
        return self.by_language[language]


def _files(name: str) -> list[Path]:
    return sorted(content("channels", "instructions").glob(f"{name}.*.md"))


def _language(file: Path) -> str:
    return file.name.split(".")[-2]
