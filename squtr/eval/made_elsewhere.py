"""Files made elsewhere: where a folder or a pattern of names puts one subset's and condition's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from squtr.data_build.layout import file_form
from squtr.digest import digest, digest_file
from squtr.errors import UserError, did_you_mean

PLACEHOLDERS = ("language", "subset", "condition")
_PLACEHOLDER = re.compile(rf"\{{({'|'.join(PLACEHOLDERS)})\}}")
_ANY_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Places:
    """A pattern such as `asr/{subset}-{condition}.txt`, or a folder with `{language}/{subset}/{condition}`.

    A folder's files have one of `endings`; that of an earlier evaluation may be named whole, `inside` says
    which of its folders is meant. A condition behind a channel stands there as squtr writes it in file names.
    """

    asked: str
    endings: tuple[str, ...]
    inside: str

    def __post_init__(self) -> None:
        """Raise UserError for a placeholder that there is not."""
        for name in _ANY_PLACEHOLDER.findall(self.asked):
            if name not in PLACEHOLDERS and not Path(self.asked).exists():
                hint = did_you_mean(name, PLACEHOLDERS)
                raise UserError(f"{self.asked}: unknown placeholder {{{name}}}.{hint}")

    @property
    def patterns(self) -> list[str]:
        """Every pattern that is tried, in order."""
        if _PLACEHOLDER.search(self.asked):
            return [self.asked]
        folder = Path(self.asked)
        if (folder / self.inside).is_dir():
            folder = folder / self.inside
        return [f"{folder}/{{language}}/{{subset}}/{{condition}}{ending}" for ending in self.endings]

    def check(self) -> None:
        """Raise UserError where there is nothing at all."""
        if not self.files():
            raise UserError(
                f"{self.asked}: no file there. Give a folder with {{language}}/{{subset}}/{{condition}}"
                f"{self.endings[0]}, or a pattern with {{subset}} and {{condition}} in it."
            )

    def files(self) -> list[Path]:
        """Return every file that a pattern fits, sorted."""
        found: set[Path] = set()
        for pattern in self.patterns:
            fixed = Path(_PLACEHOLDER.split(pattern)[0])
            root = fixed if pattern.startswith(f"{fixed}/{{") else fixed.parent
            rest = Path(_PLACEHOLDER.sub("*", pattern)).relative_to(root)
            found.update(path for path in root.glob(str(rest)) if path.is_file())
        return sorted(found)

    def find(self, language: str, subset: str, condition: str) -> Path | None:
        """Return the file of one subset and condition, None where there is none."""
        known = {"language": language, "subset": subset, "condition": file_form(condition)}
        paths = (Path(_filled(pattern, known)) for pattern in self.patterns)
        return next((path for path in paths if path.is_file()), None)

    def told(self, language: str, subset: str, condition: str) -> str:
        """Return what was looked for, for a message."""
        known = {"language": language, "subset": subset, "condition": file_form(condition)}
        return " or ".join(_filled(pattern, known) for pattern in self.patterns)

    @property
    def fingerprint(self) -> str:
        """The digest of all files' bytes and places."""
        return digest({path.as_posix(): digest_file(path) for path in self.files()})


def _filled(pattern: str, known: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: known[match[1]], pattern)
