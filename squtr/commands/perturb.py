"""squtr perturb."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from squtr.channels import Channel, read_channel
from squtr.channels.distance import pooled
from squtr.channels.estimate import Estimate, wilson
from squtr.channels.exports import write_inspect, write_lm_eval
from squtr.channels.records import EDITS, SOURCE, TEXT, through
from squtr.channels.table import QUERIES, Row, read_rows, write_rows, written_form
from squtr.counted import counted
from squtr.errors import ItemFailure, UserError, did_you_mean
from squtr.eval.transcript_files import ID_NAMES
from squtr.languages import language_row
from squtr.progress import reporter
from squtr.remote import ServiceUnavailable

_REASONS_SHOWN = 5
NOT_APPLICABLE = "not applicable"
FORMATS = ("rows", "inspect", "lm-eval")


@dataclass(frozen=True, slots=True)
class Perturbed:
    """What came of the records: counts by status, and what was realised over those that went through.

    `typo_rate` is edits per letter that a slip can touch, with Wilson's 95 % interval; `token_survival` the
    share of the source's words that are still there.
    """

    channel: str
    language: str
    seed: int
    records: int
    changed: int
    unchanged: int
    not_applicable: int
    without_letters: int
    failed: int
    edits: int
    words: int
    token_survival: float | None
    edits_per_word: float | None
    typo_rate: Estimate
    reasons: dict[str, int]


def run_perturb(
    path: Path,
    ops: Sequence[str],
    out: Path,
    text_column: str = TEXT,
    language: str = "en",
    seed: int = 2602,
    form: str = "rows",
) -> Perturbed:
    """Send the text of every record through the operators, in order, and write all records.

    `text` is the result, `source_text` what came in, `edits` what was done where; a record that an operator
    could not change keeps its text and has `status`, "failed" or "not applicable", and `reason`. Raises
    UserError for what is wrong.
    """
    channel = read_channel("|".join(ops))
    language_row(language)
    channel.check_language(language)
    channel.check([language])
    _check_out(path, out, form)
    rows = read_rows(path, text_column)
    with reporter() as progress:
        progress.total("perturb", len(rows))
        done = [_through(channel, row, text_column, language, seed, progress.advance) for row in rows]
    _write(form, [record for record, _ in done], out)
    return _summary(channel, language, seed, done)


def show_perturb(found: Perturbed, out: Path, as_json: bool) -> None:
    """Print what was realised beside what was asked."""
    if as_json:
        print(json.dumps(asdict(found), ensure_ascii=False, allow_nan=False))
        return
    left = {
        "unchanged": found.unchanged,
        "with nothing that the channel acts on": found.not_applicable,
        "without a letter, passed through": found.without_letters,
        "failed, kept as they were": found.failed,
    }
    rest = "".join(f", {number:,} {said}" for said, number in left.items() if number)
    print(
        f"{out}: {counted(found.records, 'record')} through {found.channel}: {found.changed:,} changed{rest}."
    )
    if found.token_survival is not None and found.edits_per_word is not None:
        rate = found.typo_rate
        letters = (
            ""
            if rate.value is None
            else f", {rate.value:.2%} edits per letter [{rate.low:.2%}, {rate.high:.2%}]"
        )
        print(
            f"Realised: {counted(found.edits, 'edit')}; {found.token_survival:.1%} of"
            f" {counted(found.words, 'word')} survive, {found.edits_per_word:.3f} edits a word{letters}."
        )
    for reason, number in list(found.reasons.items())[:_REASONS_SHOWN]:
        print(f"  {number:,} x {reason}")
    if (more := len(found.reasons) - _REASONS_SHOWN) > 0:
        print(f"  and {counted(more, 'other reason')}; each record has its own in the field reason.")


def _check_out(path: Path, out: Path, form: str) -> None:
    if form not in FORMATS:
        raise UserError(f"--format {form!r} is unknown.{did_you_mean(form, FORMATS)}")
    source = path / QUERIES if path.is_dir() else path
    if out.resolve() == source.resolve():
        raise UserError(f"--out {out} is the input itself. Name another file.")
    if form == "rows":
        written_form(out)
    if form != "lm-eval" and out.is_dir():
        raise UserError(f"--out {out} is a folder. Name a file in it.")


def _write(form: str, rows: list[dict[str, Any]], out: Path) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    if form == "inspect":
        write_inspect(rows, out)
    elif form == "lm-eval":
        write_lm_eval(rows, out, out.name)
    else:
        write_rows(out, rows)


def _through(
    channel: Channel,
    row: Row,
    column: str,
    language: str,
    seed: int,
    advance: Callable[[str, int], None],
) -> tuple[dict[str, Any], str | None]:
    """Return a record behind the channel, and why it failed if it did."""
    name = next((name for name in ID_NAMES if name in row.fields), None)
    item = str(row.fields[name]) if name else row.place.rpartition(":")[2]
    try:
        return _told(channel, through(channel, row.fields, column, language, seed, item), language), None
    except (ItemFailure, ServiceUnavailable) as failure:
        kept = {**row.fields, TEXT: row.text, SOURCE: row.text, EDITS: []}
        return {**kept, "status": "failed", "reason": str(failure)}, str(failure)
    except UserError as error:
        raise UserError(f"{row.place}: {error}") from None
    finally:
        advance("perturb", 1)


def _told(channel: Channel, record: dict[str, Any], language: str) -> dict[str, Any]:
    """Return a record, with its status where the channel finds nothing to change in it."""
    if record[EDITS] or channel.acts_on(record[SOURCE], language):
        return record
    return {**record, "status": NOT_APPLICABLE, "reason": f"{channel.name} finds nothing to change in it"}


def _summary(
    channel: Channel, language: str, seed: int, done: Sequence[tuple[dict[str, Any], str | None]]
) -> Perturbed:
    went = [record for record, reason in done if reason is None]
    lettered = [record for record in went if any(char.isalpha() for char in record[SOURCE])]
    far = pooled(((record[SOURCE], record[TEXT]) for record in lettered), language)
    return Perturbed(
        channel.name,
        language,
        seed,
        len(done),
        sum(bool(record[EDITS]) for record in went),
        sum(not record[EDITS] and record.get("status") != NOT_APPLICABLE for record in lettered),
        sum(record.get("status") == NOT_APPLICABLE for record in lettered),
        len(went) - len(lettered),
        len(done) - len(went),
        sum(len(record[EDITS]) for record in went),
        far.words,
        far.survival,
        far.edits_per_word,
        wilson(far.slips, far.letters),
        dict(Counter(reason for _, reason in done if reason is not None).most_common()),
    )
