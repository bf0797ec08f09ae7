"""What channels realised beside what was set, in results and in the report."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from squtr.channels import read_channel
from squtr.dataset import read_dataset
from squtr.eval.audit import audit_dataset
from squtr.eval.channel_audit import Behind, audit_channels, audit_recordings, audit_study, settings_of
from squtr.eval.channels import ChannelTexts, send
from squtr.progress import Silent
from squtr.records import Query
from tests.building import RECOGNISER, build, command, write_trial

QUERIES = {
    "q1": "who wrote the play about hamlet and why",
    "q2": "how deep is the wide blue sea near greece",
    "q3": "when was paper made at first",
}
PUT = "tests.doubles:Put,word=is,by=is is um"
SEEDS = (1, 2, 3)


def sent(*specs: str, language: str = "en") -> ChannelTexts:
    asked = [Query(name, text) for name, text in QUERIES.items()]
    return send(asked, language, [read_channel(spec) for spec in specs], SEEDS, Silent(), "trial")


def test_settings_are_those_written_or_by_default() -> None:
    def rates(channel: str) -> list[tuple[str, float | None]]:
        return [(one["operator"], one["rate"]) for one in settings_of(channel)]

    assert rates("typos@0.04|spoken:clean+fillers") == [("typos", 0.04), ("clean+fillers", 0.2)]
    assert rates("typed:key-swap,rate=0.3") == [("key-swap", 0.3)]
    assert rates("spoken:clean+numwords") == [("clean+numwords", None)]
    assert rates("my.own:Missing@0.5") == [("my.own:Missing", 0.5)]
    assert rates("my.own:Missing") == [("my.own:Missing", None)]


def test_measures_by_hand() -> None:
    behind = {
        "disfluent@1.0": [
            Behind("a", "a", "the fee is high", "um, the- the fee is high", ("filler", "repetition"))
        ],
        "typos@0.5": [Behind("a", "a", "the fee is high", "teh fe is high", ("transposition", "deletion"))],
    }
    found = audit_channels(behind, "en")
    assert (found["written"]["turns"], found["written"]["fillers"]) == (1, 0)
    spoken, typed = found["channels"].values()
    assert spoken["set"] == [{"operator": "disfluent", "rate": 1.0}]
    assert (spoken["fillers"], spoken["repetitions"], spoken["source_words"]) == (1, 1, 4)
    assert spoken["measures"]["fillers_per_1000_words"]["value"] == pytest.approx(1000 / 6)
    assert spoken["measures"]["first_word_share_of_fillers"]["value"] == 1
    assert spoken["measures"]["token_survival"]["value"] == 1
    assert typed["measures"]["token_survival"]["value"] == 0.5
    assert typed["measures"]["typos_per_letter"]["value"] == pytest.approx(2 / 12)
    assert (
        typed["measures"]["typos_per_letter"]["low"] < 2 / 12 < typed["measures"]["typos_per_letter"]["high"]
    )
    assert (typed["edits"], typed["edits_by_kind"]) == (2, {"deletion": 1, "transposition": 1})
    json.dumps(found, allow_nan=False)


def test_a_study_takes_all_seeds_and_one_where_they_do_not_differ() -> None:
    found = audit_study(sent("typos@0.16", "disfluent@1.0", "tests.eval.channel_doubles:Failing"), 0)
    turns = {name: (one["turns"], one["groups"]) for name, one in found["channels"].items()}
    assert turns["typos@0.16"] == (9, 3)
    assert turns["disfluent@1.0"] == (3, 3)
    assert turns["tests.eval.channel_doubles:Failing"] == (2, 2)


def test_rates_of_one_spoken_operator_are_compared() -> None:
    found = audit_study(sent("disfluent@1.0", "typos@0.16", "disfluent@0.25", "typos@0.01"), 0)
    assert list(found["channels"]) == ["disfluent@1.0", "typos@0.16", "disfluent@0.25", "typos@0.01"]
    assert list(found["trends"]) == ["disfluent"]
    assert found["trends"]["disfluent"]["tau_b"]["value"] > 0


def test_a_language_without_fillers_has_the_rest() -> None:
    found = audit_study(sent("typos@0.3", language="de"), 0)["channels"]["typos@0.3"]
    assert found["fillers"] is None and found["measures"]["token_survival"]["value"] < 1


def test_nothing_went_through() -> None:
    assert audit_channels({"typos@0.5": []}, "en") == {"written": None, "channels": {}, "trends": {}}


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audited")
    recipe = write_trial(folder, QUERIES, channels=[PUT], mix={"snrs_db": [30]})
    build(recipe, folder / "data")
    done = command(
        *("eval", folder / "data", "--asr", RECOGNISER, "--retriever", "bm25", "--out", folder / "eval"),
        *("--channel", "typos@0.16", "--channel", "disfluent@1.0", "--channel-seeds", "2"),
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_results_have_both_audits(evaluated: Path) -> None:
    results = json.loads((evaluated / "eval" / "results.json").read_text(encoding="utf-8"))
    searched = results["channels"]["subsets"]["en/trial"]["audit"]
    assert searched["channels"]["typos@0.16"]["turns"] == 6
    spoken = results["audit"]["channels"]["en/trial"]["channels"][PUT]
    assert (spoken["turns"], spoken["fillers"], spoken["repetitions"], spoken["edits"]) == (3, 1, 1, 1)


def test_the_report_shows_them(evaluated: Path) -> None:
    page = (evaluated / "eval" / "report.html").read_text(encoding="utf-8")
    part = re.search(r'<section id="audit".*?</section>', page, re.DOTALL)
    assert part and "Channels as searched: en/trial" in part[0] and "Channels as spoken: en/trial" in part[0]
    assert "16\u202f% of letters" in part[0] and "tendency 1" in part[0] and "as written" in part[0]
    assert "transposition" in part[0] and "variance to mean" in part[0]


def test_data_without_a_manifest_have_all_but_the_edits(evaluated: Path, tmp_path: Path) -> None:
    data = evaluated / "data"
    (data / "manifest.jsonl").rename(tmp_path / "manifest.jsonl")
    try:
        found = audit_dataset(data, read_dataset(data))
    finally:
        (tmp_path / "manifest.jsonl").rename(data / "manifest.jsonl")
    assert found["snr"] is None
    spoken = found["channels"]["en/trial"]["channels"][PUT]
    assert (spoken["fillers"], spoken["edits"], spoken["edits_by_kind"]) == (1, None, {})


def test_data_without_channels_have_none(tmp_path: Path) -> None:
    build(write_trial(tmp_path, QUERIES, mix={"snrs_db": [30]}), tmp_path / "data")
    assert audit_recordings(read_dataset(tmp_path / "data")) is None
