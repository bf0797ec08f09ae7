"""What an evaluation leaves on disk: runs, transcripts, scores, results.json and the report."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from squtr.collection import write_jsonl
from squtr.data_build.folder import claimed
from squtr.data_build.layout import file_form
from squtr.eval.channel_files import write_channel_runs, write_channel_texts
from squtr.eval.long_table import write_long_table
from squtr.eval.report.page import write_report
from squtr.eval.results import SubsetRuns
from squtr.eval.runs import file_name, write_run
from squtr.eval.transcripts import Heard
from squtr.eval.trec_qrels import write_trec_qrels
from squtr.languages import language_row
from squtr.store import write_atomic


def claimed_output(out: Path) -> AbstractContextManager[Path]:
    """Hold the results folder; a later evaluation replaces the results of an earlier one as a whole."""
    return claimed(out, {"name": "evaluation"})


def write_output(out: Path, work: Path, results: dict[str, Any], runs: Sequence[SubsetRuns]) -> None:
    """Write everything beside the old results, then put it in their place."""
    fresh = work / "new"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    for one in runs:
        _write_runs(fresh / "runs" / one.subset.language / one.subset.name, one)
        qrels = fresh / "qrels" / one.subset.language / f"{one.subset.name}.qrels"
        write_trec_qrels(qrels, one.subset.collection.qrels)
        place = fresh / "transcripts" / one.subset.language / one.subset.name
        _write_transcripts(place, one, one.heard)
        for recogniser, heard in one.others.items():
            _write_transcripts(place / file_name(recogniser), one, heard)
        if one.channels:
            language, name = one.subset.language, one.subset.name
            write_channel_texts(fresh / "channels" / language / f"{name}.jsonl", one.channels.texts)
            write_channel_runs(fresh / "runs" / language / name / "channels", one.channels)
    write_jsonl(fresh / "scores.jsonl", _score_rows(runs))
    text = json.dumps(results, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    write_atomic(fresh / "results.json", text.encode("utf-8", "backslashreplace"))  # JSON's own escape
    write_long_table(fresh, results)
    write_report(fresh / "report.html", results, runs)
    if not (fresh / "channels").exists():
        shutil.rmtree(out / "channels", ignore_errors=True)
    for path in sorted(fresh.iterdir()):
        target = out / path.name
        if target.is_dir():
            shutil.rmtree(target)
        path.replace(target)
    fresh.rmdir()


def _write_runs(folder: Path, one: SubsetRuns) -> None:
    for system, conditions in one.runs.items():
        for condition, run in conditions.items():
            place = folder / file_form(condition)
            place.mkdir(parents=True, exist_ok=True)
            write_run(
                place / f"{file_name(system)}.trec",
                run,
                file_name(system),
                max(map(len, run.values()), default=1) or 1,
            )


def _write_transcripts(folder: Path, one: SubsetRuns, heard_by: Mapping[str, Sequence[Heard]]) -> None:
    """SQuTR's own form: the audio query rows with asr_text and wer or cer, and the status."""
    folder.mkdir(parents=True)
    rate = language_row(one.subset.language).error_rate.lower()
    texts = {query.id: query.text for query in one.subset.collection.queries}
    for condition, transcripts in heard_by.items():
        rows = (
            {
                "_id": heard.recording.query_id,
                "text": heard.recording.text or texts[heard.recording.query_id],
                "audio": heard.recording.path.name,
                "asr_text": heard.text,
                rate: heard.clean.rate,
                f"{rate}_raw": heard.raw.rate,
                **({f"{rate}_fluent": heard.fluent.rate} if heard.fluent else {}),
                "status": heard.status,
                "reason": heard.reason,
                "confidence": heard.confidence,
            }
            for heard in transcripts
        )
        write_jsonl(folder / f"{file_form(condition)}.jsonl", rows)


def _score_rows(runs: Sequence[SubsetRuns]) -> Iterator[dict[str, Any]]:
    for one in runs:
        for system, conditions in one.scores.items():
            for condition, scores in conditions.items():
                for query, values in scores.per_query.items():
                    yield {
                        "subset": one.subset.key,
                        "system": system,
                        "condition": condition,
                        "query_id": query,
                        **values,
                    }
