"""Tasks of the mteb package: a data set's subsets under each condition, spoken, as heard, or as written.

mteb averages over the subsets of a task, which would pool languages and conditions: so each is a task of its
own. What a task loads comes from the data set's folder; nothing is copied and nothing fetched.
"""

from __future__ import annotations

import functools
import importlib
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import soundfile

from squtr.archive import read_file
from squtr.collection import Collection
from squtr.data_build.layout import file_form
from squtr.dataset import Recording, Subset, heard_everywhere, read_dataset
from squtr.errors import UserError
from squtr.eval.transcript_files import HYPOTHESIS_NAMES, read_transcripts
from squtr.eval.transcripts import searched
from squtr.languages import language_tag
from squtr.needs import is_installed

SPLIT, MAIN_SCORE = "test", "ndcg_at_10"
_SUBSET = "default"


def spoken_tasks(dataset: Path) -> list[Any]:
    """Return a task for each subset and condition whose queries are audio, searched for in text.

    A query's `audio` is {array, sampling_rate} of the recording as it is, mono, float32 in [-1, 1]. Raises
    UserError without mteb, and for a folder that is no data set.
    """
    return [
        _task(subset, condition, "a2t", _audio(recordings))
        for subset in map(heard_everywhere, read_dataset(dataset))
        for condition, recordings in subset.conditions.items()
    ]


def heard_tasks(dataset: Path, evaluation: Path) -> list[Any]:
    """Return a task for each subset and condition whose queries are the transcripts that squtr eval wrote.

    Any text model of mteb is then the second half of a cascade. A failed or empty transcript is a query
    without text: squtr searches for nothing then and scores 0, a model of mteb embeds the empty text. Raises
    UserError as `spoken_tasks` does, and where a transcript is missing.
    """
    return [
        _task(subset, condition, "t2t", _heard(subset, condition, evaluation))
        for subset in map(heard_everywhere, read_dataset(dataset))
        for condition in subset.conditions
    ]


def written_tasks(dataset: Path) -> list[Any]:
    """Return a task for each subset with its queries as written: the cascades' oracle."""
    return [
        _task(subset, "text", "t2t", functools.partial(_written, subset))
        for subset in map(heard_everywhere, read_dataset(dataset))
    ]


def _task(subset: Subset, condition: str, category: str, queries: Callable[[], dict[str, Any]]) -> Any:
    if not is_installed("mteb"):
        raise UserError("The package mteb is missing. pip install 'squtr[mteb]' brings it.")
    base = importlib.import_module("mteb.abstasks.retrieval").AbsTaskRetrieval
    metadata_of = importlib.import_module("mteb.abstasks.task_metadata").TaskMetadata
    spoken = category == "a2t"
    name = f"SQuTR-{subset.language}-{subset.name}-{condition}-{'spoken' if spoken else 'typed'}"

    def load_data(self: Any, num_proc: int | None = None, **kwargs: Any) -> None:
        if not self.data_loaded:
            split = _split(subset.collection, queries(), "audio" if spoken else "text")
            self.dataset, self.data_loaded = {_SUBSET: {SPLIT: split}}, True

    metadata = metadata_of(
        name=name,
        description=f"{condition} queries of {subset.key}, searched for in its documents.",
        reference="https://arxiv.org/abs/2602.12783",
        dataset={"path": subset.key, "revision": subset.collection.fingerprint},
        type="Any2AnyRetrieval" if spoken else "Retrieval",
        category=category,
        modalities=["audio", "text"] if spoken else ["text"],
        eval_splits=[SPLIT],
        eval_langs=[language_tag(subset.language)],
        main_score=MAIN_SCORE,
    )
    kind = type(re.sub(r"\W", "_", name), (base,), {"metadata": metadata, "load_data": load_data})
    return kind()


def _split(collection: Collection, queries: dict[str, Any], column: str) -> dict[str, Any]:
    """Return what mteb's retrieval tasks load: corpus, queries and judgements, of judged queries alone."""
    dataset = importlib.import_module("datasets").Dataset
    corpus = dataset.from_generator(_documents, gen_kwargs={"collection": collection})
    judged = {query: grades for query, grades in collection.qrels.items() if query in queries}
    rows = [{"id": query, column: queries[query]} for query in judged]
    return {
        "corpus": corpus,
        "queries": dataset.from_list(rows),
        "relevant_docs": {query: dict(grades) for query, grades in judged.items()},
        "top_ranked": None,
    }


def _written(subset: Subset) -> dict[str, Any]:
    return {query.id: query.text for query in subset.collection.queries}


def _documents(collection: Collection) -> Iterator[dict[str, str]]:
    for document in collection.documents():
        yield {"id": document.id, "title": document.title, "text": document.text}


def _audio(recordings: list[Recording]) -> Callable[[], dict[str, Any]]:
    def read() -> dict[str, Any]:
        found = {}
        for recording in recordings:
            samples, rate = soundfile.read(io.BytesIO(read_file(recording.path)), dtype="float32")
            found[recording.query_id] = {"array": samples, "sampling_rate": rate}
        return found

    return read


def _heard(subset: Subset, condition: str, evaluation: Path) -> Callable[[], dict[str, Any]]:
    path = evaluation / "transcripts" / subset.language / subset.name / f"{file_form(condition)}.jsonl"
    heard = read_transcripts(path, HYPOTHESIS_NAMES)
    missing = [query for query in subset.collection.qrels if query not in heard]
    if missing:
        raise UserError(f"{path}: no transcript of query {missing[0]!r}. Evaluate the data set again.")
    return lambda: {query: searched(text or "", subset.language) for query, text in heard.items()}
