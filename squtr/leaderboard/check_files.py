"""Checks of a submission's files, before a byte of them is trusted: names, kinds, sizes, what they say."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from squtr.digest import digest_file
from squtr.errors import UserError
from squtr.leaderboard.lines import shown
from squtr.leaderboard.schema import SUBMISSION_FILE, SYSTEM_FILE, Submission, System
from squtr.leaderboard.submit import identifier, read_system
from squtr.leaderboard.unpack import MOST_MEMBERS
from squtr.leaderboard.verdict import Check
from squtr.section import check_section
from squtr.strict_json import STRICT

LARGEST = {SUBMISSION_FILE: 16 << 20, SYSTEM_FILE: 64 << 10}
LARGEST_FILE = 256 << 20
_PACK_AGAIN = "Pack the submission with squtr leaderboard submit, and add nothing to it."


def check_tree(folder: Path, check: Check) -> set[str]:
    """Refuse links, what is no plain file, and what is too large; return the files' names."""
    found: set[str] = set()
    entries = 0
    for place, folders, files in os.walk(folder, followlinks=False):
        entries += len(folders) + len(files)
        if entries > MOST_MEMBERS:
            check.refuse(folder.name, f"holds more than {MOST_MEMBERS:,} files and folders", _PACK_AGAIN)
            return found
        for name in (*folders, *files):
            path = Path(place, name)
            where = path.relative_to(folder).as_posix()
            facts = path.lstat()
            if stat.S_ISDIR(facts.st_mode):
                continue
            found.add(where)
            if not stat.S_ISREG(facts.st_mode):
                kind = "a symbolic link" if stat.S_ISLNK(facts.st_mode) else "no plain file"
                check.refuse(shown(where), f"is {kind}", "Put the file itself there, or remove it.")
            elif facts.st_size > (most := LARGEST.get(where, LARGEST_FILE)):
                check.refuse(shown(where), f"has {facts.st_size:,} bytes, more than {most:,}", _PACK_AGAIN)
    for needed in (SUBMISSION_FILE, SYSTEM_FILE):
        if needed not in found:
            check.refuse(needed, "is missing", _PACK_AGAIN)
    return found


def check_facts(folder: Path, check: Check) -> tuple[System | None, Submission | None]:
    """Read both files that say what a submission is; what one lacks is None."""
    system = _told(check, lambda: read_system(folder / SYSTEM_FILE), folder)
    submission = _told(check, lambda: _read_submission(folder / SUBMISSION_FILE), folder)
    if system and submission and identifier(system.name) != submission.id:
        check.refuse(
            SUBMISSION_FILE,
            f"its id is {submission.id!r}, that of {system.name!r} is {identifier(system.name)!r}",
            "Pack it again with this system.yaml.",
        )
    if system and submission and (system.recogniser is not None) != submission.has_transcripts:
        check.refuse(
            SYSTEM_FILE,
            "its recogniser and the transcripts in submission.json do not agree",
            "Name a recogniser exactly where transcripts go along, and pack again.",
        )
    if submission and folder.parent.name == "submissions" and folder.name != submission.id:
        check.refuse(shown(folder.name), f"is the folder of {submission.id}", "Name the folder as its id.")
    return system, submission


def check_names(submission: Submission, found: set[str], check: Check) -> None:
    """Refuse files that do not belong, and missing ones."""
    wanted = submission.names | {SUBMISSION_FILE}
    for name in sorted(found - wanted):
        check.refuse(shown(name), "does not belong to a submission", "Remove it.")
    for name in sorted(wanted - found):
        check.refuse(shown(name), "is missing", _PACK_AGAIN)


def check_digests(folder: Path, submission: Submission, check: Check) -> None:
    """Compare every file with its SHA-256."""
    for name in sorted(submission.names):
        stated, real = submission.files.get(name), digest_file(folder / name)
        if stated != real:
            what = f"has SHA-256 {real[:12]}..., stated is {stated[:12] if stated else 'none'}..."
            check.refuse(shown(name), what, "It was changed after packing. " + _PACK_AGAIN)
    for name in sorted(set(submission.files) - submission.names):
        check.refuse(SUBMISSION_FILE, f"files: {shown(name)} does not belong there", _PACK_AGAIN)


def _told(check: Check, read: Any, folder: Path) -> Any:
    """Return what `read` reads, or None after the lines of its UserError were taken down."""
    try:
        return read()
    except UserError as error:
        for line in str(error).splitlines():
            where, _, what = line.removeprefix(f"{folder}{os.sep}").partition(": ")
            check.refuse(
                where, what.rstrip("."), "leaderboard/README.md and the schema say what may stand there."
            )
    return None


def _read_submission(path: Path) -> Submission:
    try:
        text = path.read_text(encoding="utf-8")
        plain = STRICT.decode(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not strict JSON in UTF-8 ({error})") from None
    if not isinstance(plain, dict):
        raise UserError(f"{path}: holds no JSON object")
    return check_section(Submission, plain, str(path))
