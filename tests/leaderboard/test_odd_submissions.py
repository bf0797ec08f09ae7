"""Odd but harmless files are accepted; what is hostile in an odd way is refused for its reason."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from squtr.leaderboard.ranking import ranking_digest
from squtr.leaderboard.submit import identifier
from tests.leaderboard.making import HEARD, check, edit_facts, lines, refusals, seal, spoiled, write
from tests.leaderboard.test_hostile_submissions import KEY, RUN, Spoil, facts, heard, run, score, system


def text(edit: Callable[[str], str], name: str = RUN) -> Spoil:
    def spoil(folder: Path) -> None:
        write(folder / name, edit("".join(f"{line}\n" for line in lines(folder / name))))
        seal(folder)

    return spoil


def packed(edit: Callable[[bytes], bytes]) -> Spoil:
    return lambda at: ((at / RUN).write_bytes(edit((at / RUN).read_bytes())), seal(at))


def described(edit: Callable[[str], str]) -> Spoil:
    def spoil(folder: Path) -> None:
        path = folder / "system.yaml"
        path.write_bytes(edit(path.read_text(encoding="utf-8")).encode())
        seal(folder)

    return spoil


def named(name: str) -> Spoil:
    """Name a system, with the id that follows from it."""

    def spoil(folder: Path) -> None:
        system(name=name)(folder)
        edit_facts(folder, lambda found: found.update(id=identifier(name)))

    return spoil


def members(data: bytes) -> bytes:
    return b"".join(map(gzip.compress, gzip.decompress(data).splitlines(keepends=True)))


def nothing_found(folder: Path) -> None:
    """A run in which every judged query went without a response, and that says so."""
    write(folder / RUN, "")
    claims = {
        "unanswered": ["q1", "q2", "q3", "q4"],
        "no_response": 4,
        "ranking": ranking_digest({}),
    }

    def edit(found: dict[str, dict[str, dict[str, dict[str, object]]]]) -> None:
        cell = found["scores"][KEY]["clean"]
        cell.update(claims, measures=dict.fromkeys(cell["measures"], 0.0))  # type: ignore[call-overload]

    edit_facts(folder, edit)
    seal(folder)


HARMLESS: dict[str, Spoil] = {
    "CRLF": text(lambda found: found.replace("\n", "\r\n")),
    "tabs": text(lambda found: found.replace(" ", "\t")),
    "blanks at line ends": text(lambda found: found.replace("\n", "  \n")),
    "no last line end": text(lambda found: found.rstrip("\n")),
    "a gzip member a line": packed(members),
    "zeros behind the gzip file": packed(lambda data: data + bytes(1000)),
    "CRLF in transcripts": text(lambda found: found.replace("\n", "\r\n"), HEARD),
    "YAML with BOM and CRLF": described(lambda found: "\ufeff" + found.replace("\n", "\r\n")),
    "a merge key": described(lambda found: found.replace("name: bm25", "<<: {name: bm25}")),
    "nothing found, and said so": nothing_found,
    "accents and other scripts": named("Über-Tönes 系统 é́ हिन्दी"),
}


@pytest.mark.parametrize("kind", HARMLESS)
def test_is_accepted(kind: str, submission: Path, data: Path, tmp_path: Path) -> None:
    verdict = check(spoiled(submission, tmp_path / "odd", HARMLESS[kind]), data)
    assert verdict.accepted, refusals(verdict)


def linked(folder: Path) -> None:
    (folder / RUN).unlink()
    os.link(folder / RUN.replace("clean", "snr_0"), folder / RUN)
    seal(folder)


def huge(folder: Path) -> None:
    with (folder / RUN).open("wb") as file:
        file.truncate(10 << 30)


def condition(name: str) -> Spoil:
    return facts(lambda found: found["scores"][KEY].update({name: found["scores"][KEY]["clean"]}))


BROKEN: dict[str, tuple[Spoil, str, str]] = {
    **{
        f"score {written}": (score(written), "runs", f"{written!r} is no finite number")
        for written in ("1e400", "-1e400", "0x1p3", "1_000", "١٢", "１.５", "1,5", "1e", "1d3", ".", "+")
    },
    "too small for a float": (score("1e-400"), "runs", "is padded"),
    "blank line": (
        run(lambda rows: rows.insert(1, "")),
        "runs",
        "has 0 columns where a TREC run has six. Write: query Q0 document rank score tag.",
    ),
    "blank beyond ASCII": (text(lambda found: found.replace(" ", "\u00a0", 1)), "runs", "has 5 columns"),
    "BOM in a run": (
        text(lambda found: "\ufeff" + found),
        "runs",
        "begins with a byte-order mark",
    ),
    "UTF-16": (
        packed(lambda d: gzip.compress(gzip.decompress(d).decode().encode("utf-16"))),
        "runs",
        "UTF-8",
    ),
    "NUL in a document": (
        text(lambda found: found.replace("Q0 ", "Q0 \0", 1)),
        "runs",
        "which is not in the corpus",
    ),
    "gzip in gzip": (packed(gzip.compress), "runs", "columns where a TREC run has six"),
    "more behind the gzip file": (packed(lambda data: data + b"more"), "runs", "is no whole gzip file"),
    "a hard link to another run": (linked, "runs", "is missing. Put its documents there"),
    "sparse and huge": (huge, "files", "has 10,737,418,240 bytes"),
    "suffix in capitals": (
        lambda at: (at / RUN).rename(at / RUN.replace(".run.gz", ".RUN.GZ")),
        "files",
        "clean.RUN.GZ': does not belong",
    ),
    "names that differ in case": (
        lambda at: (at / RUN.replace("clean", "Clean")).write_bytes(b""),
        "files",
        "Clean.run.gz': does not belong",
    ),
    "no UTF-8 in a file's name": (
        lambda at: Path(os.fsdecode(os.fsencode(at) + b"/\xff")).write_bytes(b""),
        "files",
        "'\\udcff': does not belong",
    ),
    "a folder for a file": (lambda at: ((at / RUN).unlink(), (at / RUN).mkdir()), "files", "is missing"),
    "a key twice in a transcript": (
        text(lambda found: found.replace("{", '{"status": "failed", ', 1), HEARD),
        "transcripts",
        "is no strict JSON object",
    ),
    "a long number in a transcript": (heard(f'{{"_id": "q1", "x": 1{"0" * 5000}}}\n'), "transcripts", "JSON"),
    "parameters beyond counting": (system(parameters=2**53), "facts", "at most 9007199254740991"),
    "parameters that cannot be printed": (
        described(lambda found: found.replace("parameters: 0", f"parameters: 0x{'f' * 5000}")),
        "facts",
        "a number of more than 300 digits",
    ),
    "a seed that cannot be printed": (
        facts(lambda found: found["made"].update(seed=10**400)),
        "facts",
        "made.seed: must be at most 9007199254740991",
    ),
    "an infinite claim": (
        lambda at: (at / "submission.json").write_text(
            (at / "submission.json").read_text().replace('"seed": 2602', '"seed": 1e999')
        ),
        "facts",
        "made.seed",
    ),
    "time below zero": (system(wall_seconds=-1.0), "facts", "wall_seconds: must be at least 0"),
    "time without end": (system(wall_seconds=float("inf")), "facts", "a finite number must stand here"),
    "a later version": (facts(lambda found: found.update(schema_version=2)), "facts", "of another version"),
    "id in capitals": (
        facts(lambda found: found.update(id=found["id"].upper())),
        "facts",
        "its id is 'TONES",
    ),
    "a filler as a name": (named("\u3164"), "facts", "holds U+3164, a character that nobody sees"),
    "a filler in a name": (named("Tones\u3164and words"), "facts", "U+3164"),
    "blank Braille": (named("\u2800"), "facts", "U+2800"),
    "a selector behind a name": (named("Tones and words\ufe0f"), "facts", "U+FE0F"),
    "a tower of marks": (named("e" + "\u0301" * 60), "facts", "stacks more than 4 marks"),
    "keys twice": (
        described(lambda found: f"{found}licence: GPL\n"),
        "facts",
        "licence stands already on line",
    ),
    "two documents": (described(lambda found: f"{found}---\nname: b\n"), "facts", "another document"),
    "a key that is no text": (described(lambda found: f"{found}1: x\n"), "facts", "Keys should be strings"),
    "a date for a text": (
        described(lambda found: found.replace("licence: Apache-2.0", "licence: 2020-01-01")),
        "facts",
        "licence: a text must stand here",
    ),
    "a slip in a key": (
        system(licens="MIT"),
        "facts",
        "Did you mean 'licence'? leaderboard/README.md",
    ),
    "a condition in capitals": (condition("CLEAN"), "facts", "scores.en/trial.CLEAN"),
    "a condition that climbs": (condition("x/../../clean"), "files", "is missing"),
    "a condition that is a formula": (condition("=1/clean"), "facts", "takes for a formula"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_is_refused_for_its_reason(kind: str, submission: Path, data: Path, tmp_path: Path) -> None:
    spoil, by, reason = BROKEN[kind]
    verdict = check(spoiled(submission, tmp_path / "bad", spoil), data)
    found = refusals(verdict)
    assert not verdict.accepted
    assert by in found, found
    assert any(reason in fault for fault in found[by]), found
    json.dumps(verdict.plain(), allow_nan=False)
    assert all(fault.isprintable() for faults in found.values() for fault in faults)


def test_a_link_to_a_submission_is_refused_as_one(submission: Path, data: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(submission)
    found = refusals(check(tmp_path / "link", data))
    assert found == {"files": ["link: is a symbolic link. Name the folder that it points to."]}
