"""Parts given as plain functions: what they are called with, and what is said of wrong answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from squtr.commands.eval import run_eval
from squtr.errors import UserError
from squtr.plugins import load
from squtr.records import Document, Transcription, Waveform
from tests.building import RECOGNISER, build, rows, write_trial
from tests.doubles import RATE, tones

HERE = "tests.eval.function_doubles"
DOCUMENTS = [Document("a", "", "deep sea"), Document("b", "T", "high tree"), Document("c", "", "deep deep")]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("functions")
    build(write_trial(folder), folder / "data")
    return folder / "data"


def test_functions_give_the_rows_of_the_classes_they_stand_for(dataset: Path, tmp_path: Path) -> None:
    functions = [f"{HERE}:shared_words", f"{HERE}:make_search,least=2"]
    results, out = run_eval(
        dataset,
        [RECOGNISER, f"{HERE}:hear"],
        ["tests.eval.retriever_doubles:Overlap", *functions],
        tmp_path / "out",
        1,
        None,
        end_to_end=["tests.eval.embedder_doubles:Reader", f"{HERE}:embed"],
    )
    scores = results["scores"]["en/trial"]
    assert list(scores)[:2] == [
        f"tests.eval.retriever_doubles:Overlap | {name}" for name in (RECOGNISER, f"{HERE}:hear")
    ]
    by_class, by_function = (
        scores[f"{name} | {RECOGNISER}"] for name in ("tests.eval.retriever_doubles:Overlap", functions[0])
    )
    assert by_function == by_class and by_class["text"]["measures"][results["main_measure"]]["mean"] == 1.0
    by_class, by_function = (scores[name] for name in ("tests.eval.embedder_doubles:Reader", f"{HERE}:embed"))
    assert (
        by_function["text"]["measures"] == by_class["text"]["measures"]
    )  # the class refuses one of the recordings
    heard = [rows(path) for path in sorted((out / "transcripts/en/trial").rglob("clean.jsonl"))]
    assert [row["asr_text"] for row in heard[0]] == [row["asr_text"] for row in heard[1]]
    assert "function_doubles:embed file sha256=" in results["settings"]["retrievers"][f"{HERE}:embed"]


def test_a_retriever_is_called_with_a_corpus_and_queries_by_id() -> None:
    found = load("retriever", f"{HERE}:shared_words,least=1")
    found.index(DOCUMENTS, "en")
    assert found.search(["deep tree", "nothing"], 5) == [{"a": 1.0, "b": 1.0, "c": 1.0}, {}]
    found = load("retriever", f"{HERE}:told")
    found.index(DOCUMENTS, "zh")
    assert found.search(["x"], 7) == [{"zh 7": 1.0}]
    found = load("retriever", f"{HERE}:silent")
    found.index(DOCUMENTS, "en")
    assert found.search(["x", "y"], 7) == [{}, {}]


def test_options_go_to_the_function_or_to_its_factory() -> None:
    for spec in ("shared_words,least=2", "make_search,least=2"):
        found = load("retriever", f"{HERE}:{spec}")
        found.index(DOCUMENTS, "en")
        assert found.search(["high tree deep"], 5) == [{"b": 2.0}]


def test_an_option_that_the_function_has_not() -> None:
    with pytest.raises(UserError, match=r"shared_words' has no option 'leats'\. Did you mean 'least'"):
        load("retriever", f"{HERE}:shared_words,leats=2")


def test_the_fingerprint_holds_options_and_the_file_or_what_the_function_says() -> None:
    prints = [
        load("retriever", f"{HERE}:{name}").fingerprint for name in ("shared_words", "shared_words,least=2")
    ]
    assert prints[0] != prints[1] and "sha256=" in prints[0]
    made = [load("retriever", f"{HERE}:make_search,least={least}").fingerprint for least in (1, 2)]
    assert made[0] != made[1]
    assert load("recogniser", f"{HERE}:pinned").fingerprint == f"{HERE}:pinned weights 7"


def test_a_changed_file_changes_the_fingerprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "own_ears.py"
    file.write_text("def hear(audio, language):\n    return 'a'\n")
    first = load("recogniser", "own_ears:hear").fingerprint
    file.write_text("def hear(audio, language):\n    return 'b'\n")
    assert load("recogniser", "own_ears:hear").fingerprint != first


def test_a_recogniser_gives_text_or_a_transcription() -> None:
    audio = Waveform(tones("hello"), RATE)
    assert load("recogniser", f"{HERE}:hear").transcribe(audio, "en") == Transcription("hello", None)
    assert load("recogniser", f"{HERE}:hear_surely").transcribe(audio, "en") == Transcription("hello", -0.5)


def test_an_embedder_is_told_what_it_embeds() -> None:
    found = load("embedder", f"{HERE}:embed")
    audio = found.embed_audio(Waveform(tones("deep sea"), RATE), "en")
    assert np.array_equal(audio, found.embed_documents(DOCUMENTS)[0])
    assert np.array_equal(audio, found.embed_queries(["deep sea"])[0])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("listing", r"function_doubles:listing returned \[\{'d-0': 1.0\}\] \(list\); \{query id: \{document"),
        ("flat", r"returned \{'0': \['d-0'\]\} \(dict\)"),
        ("stranger", "returned a query 'q1', which was not among its queries"),
    ],
)
def test_a_retriever_that_returns_the_wrong_thing(name: str, said: str) -> None:
    found = load("retriever", f"{HERE}:{name}")
    found.index(DOCUMENTS, "en")
    with pytest.raises(UserError, match=said):
        found.search(["x"], 5)


def test_others_that_return_the_wrong_thing(dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"hear_nothing returned None \(NoneType\); a text is needed"):
        run_eval(dataset, f"{HERE}:hear_nothing", ["bm25"], tmp_path / "out", 1, None)
    for name, said in (
        ("embed_flat", r"shape \(4,\) for 4 inputs of kind 'query'"),
        ("embed_words", "an array of numbers"),
    ):
        with pytest.raises(UserError, match=said):
            load("embedder", f"{HERE}:{name}").embed_queries(list("abcd"))


@pytest.mark.parametrize("kind", ["retriever", "recogniser", "embedder"])
def test_a_function_of_another_number_of_parameters(kind: str) -> None:
    with pytest.raises(
        UserError,
        match=rf"{kind} .*a function takes \(.*, .*\), and this one \(query\)\..*one_parameter,query=",
    ):
        load(kind, f"{HERE}:one_parameter")


@pytest.mark.parametrize(
    ("asr", "retriever", "embedder", "said"),
    [
        ("hear", "search_and_leave", "embed", "function_doubles:search_and_leave.search failed at"),
        ("hear_and_leave", "shared_words", "embed", "recogniser '.*:hear_and_leave' ended the process at"),
        ("hear", "shared_words", "embed_and_leave", "embedder '.*:embed_and_leave' ended the process at"),
    ],
)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_function_that_ends_the_process(
    dataset: Path, tmp_path: Path, asr: str, retriever: str, embedder: str, said: str, workers: int
) -> None:
    with pytest.raises(UserError, match=rf"{said} function_doubles\.py:\d+: SystemExit: 0\."):
        run_eval(
            dataset,
            f"{HERE}:{asr}",
            [f"{HERE}:{retriever}"],
            tmp_path / "out",
            workers,
            tmp_path / "cache",
            end_to_end=[f"{HERE}:{embedder}"],
        )


def test_a_function_whose_error_says_nothing(dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"say_nothing\.search failed at .*\.py:\d+: RuntimeError\.$"):
        run_eval(dataset, RECOGNISER, [f"{HERE}:search_and_say_nothing"], tmp_path / "out", 1, None)


def test_a_transcript_that_no_file_can_hold_is_a_failure(dataset: Path, tmp_path: Path) -> None:
    results, out = run_eval(
        dataset, f"{HERE}:hear_half_a_character", ["bm25"], tmp_path / "out", 1, tmp_path / "cache"
    )
    assert results["recognition"]["en/trial"]["clean"]["failed"] == 1
    [reason] = filter(None, (row["reason"] for row in rows(out / "transcripts/en/trial/clean.jsonl")))
    assert "surrogates not allowed" in reason
