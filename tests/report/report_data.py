"""Small data sets with made-up transcripts and rankings, scored for real, and a reader of the page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np

from squtr.audio import write_wav
from squtr.data_build.layout import audio_file, audio_folder, condition_name, queries_file
from squtr.dataset import Recording, Subset, read_dataset
from squtr.eval.evaluate import Settings
from squtr.eval.report.page import write_report
from squtr.eval.results import SubsetRuns, make_results
from squtr.eval.runs import Run
from squtr.eval.scores import score_runs
from squtr.eval.systems import System
from squtr.eval.transcripts import Heard
from squtr.text import count_errors

RATE = 16000
SNRS = (None, 10.0, 0.0)
TEXTS = {
    "en": ["why is the sky blue", "who wrote the first novel", "how far is the moon", "when did rome fall"],
    "zh": ["天空为什么是蓝色的", "月球离我们有多远", "谁写了第一部小说", "罗马是什么时候灭亡的"],
}
DOCUMENTS = [f"d{number}" for number in range(12)]
VOID = {"meta", "link", "br", "hr", "img", "input"}


class Ears:
    """Stands for a recogniser, which is only asked for its fingerprint."""

    fingerprint = "ears/1"

    def transcribe(self, audio: object, language: str) -> None:
        raise AssertionError("the report transcribes nothing")


class Searcher:
    """Stands for a retriever, which is only asked for its fingerprint."""

    fingerprint = "searcher/1"


def write_dataset(
    folder: Path,
    keys: Sequence[str] = ("en/tiny", "zh/tiny"),
    snrs: Sequence[float | None] = SNRS,
    texts: dict[str, list[str]] | None = None,
    manifest: bool = True,
    grade: int = 1,
) -> Path:
    """Write a data set in SQuTR's layout; the last query of each subset has a judgement of `grade`."""
    rows: list[dict[str, Any]] = []
    for key in keys:
        language, name = key.split("/")
        place = folder / language / name
        (place / "qrels").mkdir(parents=True)
        spoken = (texts or TEXTS)[language]
        _lines(place / "corpus.jsonl", [{"_id": d, "title": "", "text": f"text of {d}"} for d in DOCUMENTS])
        _lines(place / "queries.jsonl", [{"_id": f"q{n}", "text": text} for n, text in enumerate(spoken)])
        grades = [1] * (len(spoken) - 1) + [grade]
        judged = "".join(f"q{n}\td{n}\t{given}\n" for n, given in enumerate(grades))
        (place / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}", encoding="utf-8")
        for snr in snrs:
            rows += _write_condition(place, language, name, spoken, snr)
    if manifest:
        _lines(folder / "manifest.jsonl", rows)
        (folder / "build.json").write_text(json.dumps({"recipe": RECIPE}), encoding="utf-8")
        _lines(folder / "rejected.jsonl", [{"stage": "screen"}, {"stage": "speak"}, {"stage": "screen"}])
    return folder


def evaluated(
    folder: Path,
    systems: Sequence[str] = ("bm25", "dense"),
    lost: Sequence[str] = (),
    sensitivity: bool = False,
) -> tuple[dict[str, Any], list[SubsetRuns]]:
    """Score made-up rankings; `lost` names the statuses that the first recordings of 0 dB get."""
    subsets = read_dataset(folder)
    loaded = [System(name, name, Searcher()) for name in systems]  # type: ignore[arg-type]
    runs = [_subset_runs(subset, systems, lost) for subset in subsets]
    settings = Settings("report_data:Ears", tuple(systems), sensitivity=sensitivity)
    timing = {"wall_seconds": 12.5, "workers": 2, "model_seconds": 20.0}
    return make_results(folder, subsets, runs, loaded, settings, timing), runs


def report(
    tmp_path: Path, results: dict[str, Any], runs: Sequence[SubsetRuns], name: str = "report.html"
) -> str:
    """Write the report and return its text."""
    path = tmp_path / name
    write_report(path, results, runs)
    return path.read_text(encoding="utf-8")


class Page(HTMLParser):
    """The elements of a page in order: (tag, attributes, text inside), and whether all tags are closed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str], list[str]]] = []
        self._open: list[tuple[str, dict[str, str], list[str]]] = []
        self.faults: list[str] = []
        self.feed(text)
        self.close()
        self.faults += [f"{tag} is not closed" for tag, _, _ in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = (tag, {name: value or "" for name, value in attrs}, [])
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}, []))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1][0] != tag:
            self.faults.append(f"</{tag}> closes nothing")
            return
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for _, _, inside in self._open:
            inside.append(data)

    def all(self, tag: str) -> list[tuple[dict[str, str], str]]:
        """Return attributes and text of every element of a kind."""
        return [(attributes, "".join(inside)) for name, attributes, inside in self.elements if name == tag]

    def texts(self, tag: str) -> list[str]:
        return [" ".join(text.split()) for _, text in self.all(tag)]


RECIPE = {
    "speak": {"voice": "kokoro", "speakers": "speakers.jsonl", "takes": 3},
    "screen": {"max_error_rate": 0.3, "judges": [{"judge": "dictation", "min_score": 4.0}]},
    "mix": {
        "noise": "procedural",
        "categories": ["cafe", "park", "river"],
        "draw_per": "utterance",
        "sample_rate": RATE,
    },
}


def _write_condition(
    place: Path, language: str, name: str, spoken: Sequence[str], snr: float | None
) -> list[dict[str, Any]]:
    rows, facts = [], []
    for number, text in enumerate(spoken):
        file = audio_file(number + 1, condition_name(snr))
        path = place / audio_folder(condition_name(snr)) / file
        path.parent.mkdir(exist_ok=True)
        write_wav(path, (3000 * np.sin(np.arange(RATE // 4) * (0.05 + 0.01 * number))).astype(np.int16), RATE)
        rows.append(
            {"_id": f"q{number}", "text": text, "audio": file, **({} if snr is None else {"snr_db": snr})}
        )
        facts.append(_facts(language, name, f"q{number}", text, snr, "/".join(path.parts[-4:]), number))
    _lines(place / queries_file(condition_name(snr)), rows)
    return facts


def _facts(
    language: str, name: str, query: str, text: str, snr: float | None, file: str, number: int
) -> dict[str, Any]:
    fixed = {
        "take": 1 + number % 2,
        "take_flags": [],
        "trimmed_seconds": 0.5,
        "seconds": 0.25,
        "sample_rate": RATE,
        "error_rate": 0.1 * number,
        "judges": [{"judge": "dictation", "score": 4.5, "reasons": []}],
        "peak": 0.4,
        "level_dbfs": -20.0,
        "speaker": f"{language}-{number % 3}",
        "requested_snr_db": snr,
    }
    named = {"query_id": query, "language": language, "subset": name, "file": file}
    spoken = {"condition": condition_name(snr), "text": text, "spoken_text": text if number else f"{text}!"}
    if snr is None:
        return {**named, **spoken, **fixed}
    return {
        **named,
        **spoken,
        **fixed,
        "noise_id": f"cafe_{number}",
        "noise_category": ("cafe", "park")[number % 2],
        "noise_synthetic": True,
        "loops": 0,
        "redraws": 0,
        "common_gain": 1.0,
        "realised_snr_db": snr + 2e-5,
        "active_snr_db": snr + 0.8,
    }


def _subset_runs(subset: Subset, systems: Sequence[str], lost: Sequence[str]) -> SubsetRuns:
    heard = {
        condition: [
            _heard(recording, subset, place, number, lost) for number, recording in enumerate(recordings)
        ]
        for place, (condition, recordings) in enumerate(subset.conditions.items())
    }
    conditions = ["text", *heard]
    runs = {
        system: {condition: _run(subset, order, place) for place, condition in enumerate(conditions)}
        for order, system in enumerate(systems)
    }
    qrels = subset.collection.qrels
    scores = {
        system: score_runs(qrels, by_condition, corpus=set(DOCUMENTS))
        for system, by_condition in runs.items()
    }
    return SubsetRuns(subset, heard, runs, scores)


def _run(subset: Subset, order: int, place: int) -> Run:
    """The judged document of query n stands at rank 1 + (n * condition + system) % 5."""
    run: Run = {}
    for number, query in enumerate(subset.collection.qrels):
        wanted = f"d{number}"
        others = [document for document in DOCUMENTS if document != wanted]
        others.insert((number * place + order) % 5, wanted)
        run[query] = {document: float(-rank) for rank, document in enumerate(others)}
    return run


def _heard(recording: Recording, subset: Subset, place: int, number: int, lost: Sequence[str]) -> Heard:
    text = next(query.text for query in subset.collection.queries if query.id == recording.query_id)
    status = lost[number] if recording.snr_db == 0.0 and number < len(lost) else "ok"
    if status != "ok":
        counts = count_errors(text, None, subset.language)
        return Heard(
            recording,
            status,
            "",
            None,
            None,
            counts,
            counts,
            "cannot be read" if status == "failed" else None,
        )
    transcript = _misheard(text, subset.language, place)
    clean, raw = (count_errors(text, transcript, subset.language, form) for form in ("clean", "raw"))
    return Heard(recording, "ok", transcript, transcript, -0.2, clean, raw)


def _misheard(text: str, language: str, place: int) -> str:
    """Change the first unit from the second condition on, add one from the third."""
    units = list(text) if language == "zh" else text.split()
    if place >= 1:
        units[0] = "鱼" if language == "zh" else "fly"
    if place >= 2:
        units.append("吗" if language == "zh" else "please")
    return ("" if language == "zh" else " ").join(units)


def _lines(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
