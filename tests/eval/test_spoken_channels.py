"""Data sets with queries spoken behind channels: pairing, both error rates, names of files."""

import csv
import json
from pathlib import Path

import pytest

from squtr.dataset import heard_everywhere, left_out, read_dataset
from squtr.errors import UserError
from squtr.eval.made_elsewhere import Places
from squtr.eval.report.words import condition_label, ordered
from squtr.recognisers.transcripts import ENDINGS
from tests.building import RECOGNISER, build, command, rows, write_trial

QUERIES = {"q1": "how odd is the sea", "q2": "how clumsy is the sea", "q3": "where is the fog"}
AWKWARD, GRACEFUL = "tests.doubles:Put,word=odd,by=clumsy", "tests.doubles:Put,word=clumsy,by=odd"
DOUBLED = "tests.doubles:Put,word=is,by=is is um"


def dataset(folder: Path, *channels: str, **changes: object) -> Path:
    build(
        write_trial(folder, QUERIES, channels=list(channels), mix={"snrs_db": [30]}, **changes),
        folder / "out",
    )
    return folder / "out"


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Evaluate queries of which q2 was rejected as written and kept behind a channel."""
    folder = tmp_path_factory.mktemp("spoken")
    found = dataset(folder, GRACEFUL, DOUBLED)
    done = command("eval", found, "--asr", RECOGNISER, "--retriever", "bm25", "--out", folder / "eval")
    assert done.returncode == 0, done.stderr
    assert "en/trial: 1 query without a recording under every condition; left out." in done.stderr
    return folder / "eval"


def results(evaluated: Path) -> dict:
    return json.loads((evaluated / "results.json").read_text(encoding="utf-8"))


def test_all_conditions_are_scored_over_the_queries_that_all_have(evaluated: Path):
    found = results(evaluated)
    assert found["dataset"]["subsets"]["en/trial"]["unpaired_queries"] == 1
    for cell in found["scores"]["en/trial"]["bm25"].values():
        assert (cell["queries"], cell["no_response"]) == (2, 0)
    assert {part["recordings"] for part in found["recognition"]["en/trial"].values()} == {2}
    assert found["audit"]["screening"]["accepted"] == 7
    assert found["audit"]["screening"]["rejected"] == {"judge": 2}


def test_words_are_compared_with_those_that_were_spoken(evaluated: Path):
    found = results(evaluated)["recognition"]["en/trial"]
    plain, spoken = found["clean"], found[f"{DOUBLED}/clean"]
    assert "fluent" not in plain
    assert (plain["clean"]["reference_length"], plain["clean"]["substitutions"]) == (9, 1)
    assert (spoken["clean"]["reference_length"], spoken["clean"]["substitutions"]) == (13, 1)
    assert (spoken["fluent"]["reference_length"], spoken["fluent"]["substitutions"]) == (9, 1)


def test_both_rates_are_in_the_long_table_and_in_the_report(evaluated: Path):
    with (evaluated / "results.csv").open(encoding="utf-8", newline="") as file:
        found = {
            row["metric"]: float(row["value"])
            for row in csv.DictReader(file)
            if row["kind"] == "recogniser" and row["condition"] == f"{DOUBLED}/clean"
        }
    assert found["WER"] == pytest.approx(1 / 13)
    assert found["WER (fillers and repetitions removed)"] == pytest.approx(1 / 9)
    assert "WER, fillers and repetitions removed" in (evaluated / "report.html").read_text(encoding="utf-8")


def test_transcripts_and_runs_lie_in_files_of_the_channel(evaluated: Path):
    name = "tests.doubles%3APut%2Cword=is%2Cby=is%20is%20um__snr_30"
    heard = rows(evaluated / f"transcripts/en/trial/{name}.jsonl")
    assert [row["text"] for row in heard] == ["how odd is is um the sea", "where is is um the fog"]
    assert heard[1]["wer"] == pytest.approx(1 / 6) and heard[1]["wer_fluent"] == pytest.approx(1 / 4)
    assert (evaluated / f"runs/en/trial/{name}/bm25.trec").is_file()
    found = Places(str(evaluated), ENDINGS, "transcripts").find("en", "trial", f"{DOUBLED}/snr_30")
    assert found == evaluated / f"transcripts/en/trial/{name}.jsonl"


def test_what_was_spoken_makes_no_difference_to_the_text_that_is_the_oracle(evaluated: Path):
    scores = [row for row in rows(evaluated / "scores.jsonl") if row["condition"] == "text"]
    assert [row["query_id"] for row in scores] == ["q1", "q3"]


def test_no_query_under_every_condition_is_an_error(tmp_path: Path):
    found = dataset(tmp_path, AWKWARD, "tests.doubles:Put,word=where,by=clumsy")
    (subset,) = read_dataset(found)
    with pytest.raises(UserError, match="no query of it has a recording under every condition"):
        heard_everywhere(subset)


def test_without_channels_nothing_is_left_out(tmp_path: Path):
    found = dataset(tmp_path)
    table = found / "en/trial/queries_with_audio_noise_snr_30.jsonl"
    table.write_text(table.read_text(encoding="utf-8").splitlines(keepends=True)[0], encoding="utf-8")
    (subset,) = read_dataset(found)
    assert heard_everywhere(subset) is subset and not list(left_out(found, [subset]))


def test_conditions_behind_channels_come_last_and_are_told_with_their_channel():
    found = ordered(["a@0.5/snr_0", "snr_0", "a@0.5/clean", "phone", "text", "a@0.5/snr_20", "clean"])
    assert found == ["text", "clean", "snr_0", "phone", "a@0.5/clean", "a@0.5/snr_20", "a@0.5/snr_0"]
    assert condition_label("a@0.5/clean") == "a@0.5, clean"
    assert condition_label("a@0.5/snr_10") == "a@0.5, 10\u202fdB"
