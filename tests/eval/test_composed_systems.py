"""Retrievers made of others in a whole evaluation: members shared, contexts, oracles, cut texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from squtr.commands.eval import run_eval
from squtr.errors import UserError
from squtr.eval.oracle import oracle
from squtr.eval.systems import load_systems
from squtr.retrievers import QueryContext
from tests.building import RECOGNISER, build, write_both
from tests.eval.composed_doubles import Asking, Cutting, Keeping
from tests.eval.heard_doubles import MEASURE
from tests.eval.retriever_doubles import Overlap

DOUBLES = "tests.eval.composed_doubles"
OVERLAP = "tests.eval.retriever_doubles:Overlap"
MAIN = MEASURE.full_name


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("composed")
    build(write_both(folder), folder / "data")
    return folder / "data"


def test_members_are_loaded_and_indexed_once_for_all(dataset: Path, tmp_path: Path) -> None:
    Overlap.indexed.clear()
    specs = [f"hybrid,members=bm25+{OVERLAP}", OVERLAP, f"adaptive,members=[bm25, {OVERLAP!r}]"]
    systems = load_systems(specs)
    assert systems[0].retriever.members[1] is systems[1].retriever is systems[2].retriever.members[1]
    run_eval(dataset, RECOGNISER, specs, tmp_path / "out", 1, None)
    assert Overlap.indexed == [4, 2]


def test_a_first_stage_is_shared_and_a_composition_may_be_composed() -> None:
    spec = f"rerank-by-vectors,first='hybrid,members=bm25+{OVERLAP}',by=dense"
    systems = load_systems(["bm25", spec, f"hybrid,members=['{DOUBLES}:Keeping', bm25]"])
    reranking = systems[1].retriever.retriever
    assert reranking.members[0].members[0] is systems[0].retriever
    assert systems[2].retriever.members[1] is systems[0].retriever


def test_a_retriever_checks_itself_before_any_work(dataset: Path, tmp_path: Path) -> None:
    for spec in (f"{DOUBLES}:Refusing", f"hybrid,members=bm25+{DOUBLES}:Refusing"):
        with pytest.raises(UserError, match="set-up is wrong"):
            run_eval(dataset, RECOGNISER, [spec], tmp_path / "out", 1, None)
    assert not (tmp_path / "out").exists()


def test_contexts_are_estimates_and_none_for_written_queries(dataset: Path, tmp_path: Path) -> None:
    Asking.told.clear()
    run_eval(dataset, RECOGNISER, [f"{DOUBLES}:Asking"], tmp_path / "out", 1, None)
    written = [context for _, context in Asking.told if context is None]
    spoken = [context for _, context in Asking.told if context is not None]
    assert len(written) == 6 and len(spoken) == 18
    assert all(isinstance(context, QueryContext) for context in spoken)
    assert all(-10 <= context.estimated_snr_db <= 60 for context in spoken)


def test_the_oracle_is_a_ceiling_apart_from_the_systems(dataset: Path, tmp_path: Path) -> None:
    spec = f"adaptive,members=bm25+{OVERLAP},threshold=20"
    results, _ = run_eval(dataset, RECOGNISER, [spec, "bm25", OVERLAP], tmp_path / "out", 1, None)
    assert results["oracles"]["what"].startswith("a ceiling, not a system")
    found = results["oracles"]["subsets"]["en/trial"]
    assert list(found) == [spec]
    assert list(results["scores"]["en/trial"]) == [spec, "bm25", OVERLAP]
    for condition in results["conditions"]:
        best = found[spec][condition]["means"][MAIN]
        for system in (spec, "bm25", OVERLAP):
            cell = results["scores"]["en/trial"][system][condition]
            assert best >= cell["measures"][MAIN]["mean"] - 1e-12


def test_the_oracle_takes_the_better_member_query_by_query() -> None:
    from squtr.eval.scores import DEFAULT_MEASURES, score_run

    qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
    first = score_run(qrels, {"q1": {"a": 1.0}, "q2": {"x": 2.0, "b": 1.0}})
    second = score_run(qrels, {"q1": {"x": 1.0}, "q2": {"b": 1.0}})
    found = oracle([{"clean": first}, {"clean": second}])["clean"]
    assert found["means"] == {measure.full_name: pytest.approx(2 / 3) for measure in DEFAULT_MEASURES}
    assert found["first_is_best"] == pytest.approx(2 / 3)


def test_without_one_that_adapts_nothing_is_estimated_nor_reported(dataset: Path, tmp_path: Path) -> None:
    results, _ = run_eval(dataset, RECOGNISER, ["bm25"], tmp_path / "out", 1, None)
    assert results["oracles"]["subsets"] == {} and results["truncation"] == {}


def test_vectors_are_kept_in_half_precision_and_cuts_reported_at_every_run(
    dataset: Path, tmp_path: Path
) -> None:
    Cutting.embedded.clear()
    spec = f"{DOUBLES}:Cutting"
    found = [
        run_eval(dataset, RECOGNISER, [spec], tmp_path / f"out{at}", 1, tmp_path / "cache")[0]
        for at in range(2)
    ]
    assert Cutting.embedded == [3, 1, 2]
    for results in found:
        assert results["truncation"]["en/trial"] == {spec: {"documents": 4, "cut": 4}}
        assert results["truncation"]["zh/trial"][spec]["documents"] == 2


def test_a_retriever_may_keep_files_of_its_own(dataset: Path, tmp_path: Path) -> None:
    Keeping.places.clear()
    run_eval(dataset, RECOGNISER, [f"{DOUBLES}:Keeping"], tmp_path / "out", 1, tmp_path / "cache")
    assert len(set(Keeping.places)) == 2
    assert sorted(place.with_name(f"{place.name}.txt").read_text() for place in Keeping.places) == ["2", "4"]
