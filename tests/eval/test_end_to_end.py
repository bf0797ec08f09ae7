"""End-to-end systems on doubles: their conditions, what is shared, counted, kept and refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from squtr.audio import to_pcm
from squtr.commands.eval import run_eval, show_eval
from squtr.embed_audio import EmbedAudio, EmbedItem, packed, unpacked
from squtr.errors import ItemFailure, UserError
from squtr.store import Audio, PackWriter
from tests.building import RECOGNISER, build, rows, write_both
from tests.doubles import RATE, tones
from tests.eval.embedder_doubles import letters

DOUBLES = "tests.eval.embedder_doubles:"
TONES, READER = f"{DOUBLES}Tones", f"{DOUBLES}Reader"
MAIN = "nDCG@10 (linear gain)"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("end-to-end")
    build(write_both(folder), folder / "data")
    return folder / "data"


def fresh(dataset: Path, folder: Path) -> Path:
    """Copy a data set without its store, so that nothing is known of it."""
    shutil.copytree(dataset, folder, ignore=shutil.ignore_patterns(".squtr"))
    return folder


def evaluated(data: Path, out: Path, *specs: str, workers: int = 1, sensitivity: bool = False) -> dict:
    found, _ = run_eval(
        data, RECOGNISER, ["bm25"], out, workers, None, sensitivity=sensitivity, end_to_end=list(specs)
    )
    return found


@pytest.fixture(scope="module")
def results(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, Path]:
    out = tmp_path_factory.mktemp("results") / "out"
    data = fresh(dataset, out.parent / "data")
    return evaluated(data, out, TONES, READER, sensitivity=True), out


def test_a_system_has_a_text_row_only_where_it_embeds_written_queries(results: tuple[dict, Path]) -> None:
    found, _ = results
    assert found["conditions"] == ["text", "clean", "snr_10", "snr_0"]
    for subset in ("en/trial", "zh/trial"):
        scores = found["scores"][subset]
        assert list(scores) == ["bm25", TONES, READER]
        assert list(scores[TONES]) == ["clean", "snr_10", "snr_0"]
        assert list(scores[READER]) == found["conditions"]
        assert scores[READER]["text"]["measures"][MAIN]["mean"] == 1.0


def test_what_needs_a_text_row_is_undefined_without_one(results: tuple[dict, Path]) -> None:
    found, _ = results
    cells = found["scores"]["zh/trial"][TONES]
    assert "loss_against_text" not in cells["snr_10"] and "loss_against_clean" in cells["snr_10"]
    assert found["macro"]["zh"][TONES]["text"] is None
    assert found["macro"]["zh"][TONES]["clean"] is not None
    assert TONES not in found["comparisons"]["zh/trial"]["systems"]["text"]["letters"]
    lengths = found["by_query_length"]["en/trial"]
    assert all(TONES not in group["text"]["scores"] for group in lengths.values())
    assert all(TONES in group["clean"]["scores"] for group in lengths.values())
    moves = found["sensitivity"]["subsets"]["en/trial"]["contract"]
    assert moves["reason"]["text"] != "a system has no mean"


def test_errors_of_the_recogniser_cost_an_end_to_end_system_nothing(results: tuple[dict, Path]) -> None:
    found, _ = results
    assert list(found["error_costs"]["en/trial"]["correlation"]) == ["bm25"]


def test_a_recording_that_fails_scores_zero_and_is_counted(
    results: tuple[dict, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    found, out = results
    told = found["end_to_end"]["en/trial"][TONES]["clean"]
    assert told == {"recordings": 4, "failed": 1, "reasons": {"too deep for me": 1}}
    assert found["end_to_end"]["zh/trial"][TONES]["clean"]["failed"] == 0
    assert found["scores"]["en/trial"][TONES]["clean"]["no_response"] == 1
    scores = [
        row[MAIN]
        for row in rows(out / "scores.jsonl")
        if (row["system"], row["condition"], row["query_id"]) == (TONES, "clean", "q3")
    ]
    assert scores == [0.0]
    show_eval(found, out, False)
    assert (
        "could not embed 1 of 4 recordings, which score 0: too deep for me"
        in capsys.readouterr().out.replace("\n", " ")
    )


def test_an_unreadable_file_fails_for_every_system(dataset: Path, tmp_path: Path) -> None:
    data = fresh(dataset, tmp_path / "data")
    (data / "en" / "trial" / "audio_clean" / "1.wav").write_bytes(b"<html>not found</html>")
    found = evaluated(data, tmp_path / "out", TONES)
    told = found["end_to_end"]["en/trial"][TONES]["clean"]
    assert told["failed"] == 2 and any("1.wav" in reason for reason in told["reasons"])
    assert found["recognition"]["en/trial"]["clean"]["failed"] == 1


def test_vectors_are_kept_by_sound_and_embedder(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBED_LOG", str(tmp_path / "log"))
    data = fresh(dataset, tmp_path / "data")
    first = evaluated(data, tmp_path / "out", TONES)
    calls = len((tmp_path / "log").read_text().splitlines())
    assert calls == 18
    again = evaluated(data, tmp_path / "out", TONES)
    assert len((tmp_path / "log").read_text().splitlines()) == calls
    assert again["scores"] == first["scores"]
    evaluated(data, tmp_path / "out", TONES, READER)
    assert len((tmp_path / "log").read_text().splitlines()) == 2 * calls


def test_one_and_two_workers_leave_the_same_bytes(dataset: Path, tmp_path: Path) -> None:
    found = []
    for workers in (1, 2):
        out = tmp_path / str(workers)
        evaluated(fresh(dataset, tmp_path / f"data{workers}"), out, TONES, READER, workers=workers)
        files = sorted(path for path in out.rglob("*") if path.suffix in (".trec", ".jsonl"))
        found.append({path.relative_to(out): path.read_bytes() for path in files})
    assert found[0] == found[1]
    assert len([path for path in found[0] if path.suffix == ".trec"]) == 2 * (4 + 3 + 4)


def test_results_are_strict_json_and_the_report_is_there(results: tuple[dict, Path]) -> None:
    _, out = results
    read = json.loads((out / "results.json").read_text(), parse_constant=pytest.fail)
    assert read["settings"]["end_to_end"] == [TONES, READER]
    assert read["settings"]["retrievers"][TONES] == "tones 1"
    page = (out / "report.html").read_text()
    assert page.count("Tones") > 1 and ">nan<" not in page.lower()


@pytest.mark.parametrize(
    ("specs", "message"),
    [
        ((f"{DOUBLES}Narrow",), r"Queries need shape \(m, 64\), not \(4, 3\)"),
        ((f"{DOUBLES}Crashing",), r"Crashing: embed_documents failed at embedder_doubles\.py:\d+: Zero"),
        ((f"{DOUBLES}Unready",), "the model is missing: fetch it"),
        ((f"{DOUBLES}NoAudio",), "has no embed_audio; see docs/plugins.md"),
        ((TONES, TONES), "The same --end-to-end stands twice"),
        (("bm25",), "'bm25' names a retriever and an end-to-end system"),
        (("squtr-e2",), "Unknown embedder 'squtr-e2'. Did you mean 'squtr-e2e'?"),
    ],
)
def test_a_faulty_embedder_is_an_error_of_the_set_up(
    dataset: Path, tmp_path: Path, specs: tuple[str, ...], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        evaluated(fresh(dataset, tmp_path / "data"), tmp_path / "out", *specs)


@pytest.mark.parametrize(("double", "reason"), [("Zeros", "of zeros"), ("Undefined", "with NaN")])
def test_a_vector_that_cannot_be_searched_is_a_failure(
    dataset: Path, tmp_path: Path, double: str, reason: str
) -> None:
    found = evaluated(fresh(dataset, tmp_path / "data"), tmp_path / "out", DOUBLES + double)
    told = found["end_to_end"]["zh/trial"][DOUBLES + double]["snr_0"]
    assert told["failed"] == 2 and reason in next(iter(told["reasons"]))
    assert found["scores"]["zh/trial"][DOUBLES + double]["snr_0"]["measures"][MAIN]["mean"] == 0.0


def test_a_vector_comes_back_from_the_store_to_the_last_bit() -> None:
    vector = letters("a vector of counts") / np.float32(3)
    assert unpacked(packed(vector)).tobytes() == vector.tobytes()
    with pytest.raises(ItemFailure, match=r"shape \(1, 64\), not \(d,\)"):
        packed(vector[None, :])


def test_a_batch_of_one_language_goes_to_the_model_at_once(tmp_path: Path) -> None:
    pack = PackWriter()
    sounds = [to_pcm(tones(text)) for text in ("one", "another")]
    items = [EmbedItem(pack.add(sound, RATE), "en") for sound in sounds]
    audio = Audio(pack.write(tmp_path))
    together = EmbedAudio(READER).run_many(items, audio, pack)
    assert together == [EmbedAudio(READER).run(item, audio, pack) for item in items]
    assert EmbedAudio(TONES).run_many(items, audio, pack) is None
    mixed = [items[0], EmbedItem(items[1].audio, "zh")]
    assert EmbedAudio(READER).run_many(mixed, audio, pack) is None
