"""Results in long form: one row for each system, subset, condition and metric, as Parquet and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from squtr.eval.channel_study import shown_loss
from squtr.eval.hearing import heard_by, recognition_by_spec, system_kind
from squtr.eval.report.words import snr_of
from squtr.store import temporary_name, write_atomic

CSV_NAME, PARQUET_NAME = "results.csv", "results.parquet"
SCHEMA = pa.schema(
    [
        ("data_set", pa.string()),
        ("slice", pa.bool_()),
        ("language", pa.string()),
        ("subset", pa.string()),
        ("kind", pa.string()),
        ("system", pa.string()),
        ("recogniser", pa.string()),
        ("condition", pa.string()),
        ("snr_db", pa.float64()),
        ("metric", pa.string()),
        ("value", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("n", pa.int64()),
        ("no_response", pa.int64()),
        ("squtr", pa.string()),
    ]
)
_LOSSES = ("loss_against_text", "loss_against_clean")


def long_rows(results: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each figure; the keys are those of SCHEMA, what is undefined is None.

    kind is system, end_to_end, run (made elsewhere), oracle (a ceiling), channel or recogniser; n counts
    judged queries, of a recogniser the recordings heard.
    """
    for key in results["dataset"]["subsets"]:
        for system, conditions in results["scores"][key].items():
            kind, recogniser = system_kind(results, key, system), heard_by(results, key, system)
            for condition, cell in conditions.items():
                spec = None if condition == "text" else recogniser
                base = _base(results, key, kind, system, spec, condition)
                yield from _score_rows(base, cell, results["main_measure"])
        for system, conditions in results["oracles"]["subsets"].get(key, {}).items():
            for condition, found in conditions.items():
                base = _base(results, key, "oracle", system, None, condition)
                for metric, value in found["means"].items():
                    yield {**base, "metric": metric, "value": value}
        yield from _channel_rows(results, key)
        for recogniser, found in recognition_by_spec(results).items():
            for condition, said in found.get(key, {}).items():
                base = _base(results, key, "recogniser", recogniser, recogniser, condition)
                yield from _rate_rows(base, said)


def write_long_table(folder: Path, results: dict[str, Any]) -> None:
    """Write results.csv and results.parquet with the same rows."""
    rows = list(long_rows(results))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, SCHEMA.names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomic(folder / CSV_NAME, text.getvalue().encode("utf-8", "replace"))
    path = folder / PARQUET_NAME
    temporary = temporary_name(path)
    pq.write_table(pa.Table.from_pylist(rows, SCHEMA), temporary)
    temporary.replace(path)


def _base(
    results: dict[str, Any], key: str, kind: str, system: str, recogniser: str | None, condition: str
) -> dict[str, Any]:
    return {
        **dict.fromkeys(SCHEMA.names),
        "data_set": results["dataset"]["name"],
        "slice": results["dataset"]["slice"] is not None,
        "language": results["dataset"]["subsets"][key]["language"],
        "subset": key.partition("/")[2],
        "kind": kind,
        "system": system,
        "recogniser": recogniser,
        "condition": condition,
        "snr_db": snr_of(condition),
        "squtr": results["environment"]["squtr"],
    }


def _score_rows(base: dict[str, Any], cell: Mapping[str, Any], main: str) -> Iterator[dict[str, Any]]:
    counted = {"n": cell["queries"], "no_response": cell["no_response"]}
    for metric, interval in cell["measures"].items():
        yield {**base, **counted, **_interval(interval), "metric": metric}
    for loss in _LOSSES:
        if loss in cell:
            yield {**base, **counted, **_interval(cell[loss]), "metric": f"{loss}, {main}"}


def _channel_rows(results: dict[str, Any], key: str) -> Iterator[dict[str, Any]]:
    """Means over the seeds; the loss has the interval that the report shows."""
    study = (results.get("channels") or {"subsets": {}})["subsets"].get(key)
    for name, one in study["channels"].items() if study else ():
        base = _base(results, key, "channel", "", None, name)
        for metric in ("token_survival", "typo_rate", "edits_per_word"):
            yield {**base, "metric": metric, "value": one["realised"][metric]}
        for system, cell in one["systems"].items():
            mine = {**base, "system": system, "n": study["queries"]}
            for metric, value in cell["measures"].items():
                yield {**mine, "metric": metric, "value": value}
            loss = _interval(shown_loss(cell))
            yield {**mine, **loss, "metric": f"loss_against_text, {study['measure']}"}


def _rate_rows(base: dict[str, Any], said: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    counted = {"n": said["recordings"] - said["failed"], "no_response": said["failed"]}
    forms = {"clean": "", "raw": " (as written)", "fluent": " (fillers and repetitions removed)"}
    for form in forms:
        if form in said:
            metric = f"{said['name']}{forms[form]}"
            yield {**base, **counted, "metric": metric, "value": said[form]["rate"]}


def _interval(interval: Mapping[str, Any]) -> dict[str, Any]:
    return {"value": interval["mean"], "low": interval["low"], "high": interval["high"]}
