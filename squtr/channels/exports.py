"""Perturbed records as a data set of Inspect (inspect_ai) and as a task of the lm-evaluation-harness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from squtr.channels.records import ANSWERS, LETTERS, OPTIONS, SOURCE, TEXT, answers_of, options_of
from squtr.collection.jsonl import write_jsonl
from squtr.errors import UserError
from squtr.eval.transcript_files import ID_NAMES
from squtr.store import write_atomic

Row = Mapping[str, Any]

_LISTED = (
    "{{input}}\n{% for choice in choices %}{{ letters[loop.index0] }}. {{ choice }}\n{% endfor %}Answer:"
)
_SPLIT = "test"


def write_inspect(rows: Sequence[Row], out: Path) -> int:
    """Write rows as JSONL for inspect_ai.dataset.json_dataset; return how many.

    input: the text, after a context that it does not hold already. target: the letter of the right option,
    or the answer as text, "" where there is none. choices: the options, where there are some. metadata: all
    other fields. Raises UserError, with the row's number, for a faulty item and for an id that stands twice.
    """
    return write_jsonl(out, _samples(rows))


def write_lm_eval(rows: Sequence[Row], out: Path, name: str) -> int:
    """Write `name`.jsonl and `name`.yaml into the folder `out`, made if need be; return how many rows.

    Items with options become a multiple-choice task that lists them by letter, as their order is part of the
    question; items without, a task scored by exact match. It runs in that folder: lm_eval --tasks NAME
    --include_path . Raises UserError where items of both kinds are mixed or one has no answer.
    """
    samples = _samples(rows)
    if without := [sample["id"] for sample in samples if sample["target"] == ""]:
        raise UserError(f"{len(without)} of {len(samples)} records have no answer, the first {without[0]!r}.")
    with_options = sum("choices" in sample for sample in samples)
    if with_options not in (0, len(samples)):
        raise UserError(f"{with_options} of {len(samples)} records have options. Write two tasks.")
    out.mkdir(parents=True, exist_ok=True)
    write_jsonl(out / f"{name}.jsonl", [_document(sample) for sample in samples])
    task = yaml.safe_dump(_task(name, bool(with_options)), sort_keys=False, allow_unicode=True, width=1000)
    write_atomic(out / f"{name}.yaml", task)
    return len(samples)


def _samples(rows: Sequence[Row]) -> list[dict[str, Any]]:
    if not rows:
        raise UserError("no record to write.")
    samples, seen = [], set()
    for number, row in enumerate(rows, 1):
        try:
            sample = _sample(row, number)
        except UserError as error:
            raise UserError(f"Record {number}: {error}") from None
        if sample["id"] in seen:
            raise UserError(f"Record {number}: the id {sample['id']!r} stands twice.")
        seen.add(sample["id"])
        samples.append(sample)
    return samples


def _sample(row: Row, number: int) -> dict[str, Any]:
    id_name = next((name for name in ID_NAMES if name in row), None)
    sample: dict[str, Any] = {"id": str(row[id_name]) if id_name else str(number), "input": _input(row)}
    used = {id_name, TEXT, *ANSWERS}
    if any(name in row for name in OPTIONS):
        name, options = options_of(row)
        sample["choices"] = options
        sample["target"] = LETTERS[next(iter(answers_of(row, options).values()))]
        used.add(name)
    else:
        sample["target"] = next((str(row[name]) for name in ANSWERS if row.get(name) is not None), "")
    return {**sample, "metadata": {key: value for key, value in row.items() if key not in used}}


def _input(row: Row) -> str:
    text, context = row.get(TEXT), row.get("context")
    if not isinstance(text, str):
        raise UserError("no text in the field 'text'.")
    held = str(row.get(SOURCE, text))
    return f"{context}\n\n{text}" if isinstance(context, str) and context and context not in held else text


def _document(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return the harness's row. Metadata is of any shape, which its tables do not take, and stays out."""
    row = {key: sample[key] for key in ("id", "input", "target")}
    if "choices" not in sample:
        return row
    letters = list(LETTERS[: len(sample["choices"])])
    return {**row, "choices": sample["choices"], "letters": letters, "place": letters.index(row["target"])}


def _task(name: str, has_options: bool) -> dict[str, Any]:
    task: dict[str, Any] = {
        "task": name,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {_SPLIT: f"{name}.jsonl"}},
        "test_split": _SPLIT,
        "num_fewshot": 0,
    }
    score = {"aggregation": "mean", "higher_is_better": True}
    if has_options:
        return task | {
            "output_type": "multiple_choice",
            "doc_to_text": _LISTED,
            "doc_to_choice": "letters",
            "doc_to_target": "place",
            "metric_list": [{"metric": "acc", **score}],
        }
    return task | {
        "output_type": "generate_until",
        "doc_to_text": "{{input}}\nAnswer:",
        "doc_to_target": "target",
        "generation_kwargs": {"until": ["\n"], "do_sample": False, "max_gen_toks": 256},
        "filter_list": [
            {"name": "stripped", "filter": [{"function": "remove_whitespace"}, {"function": "take_first"}]}
        ],
        "metric_list": [
            {"metric": "exact_match", **score, "ignore_case": True, "ignore_punctuation": True},
        ],
    }
