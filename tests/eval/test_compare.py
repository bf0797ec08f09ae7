"""A result beside published tables: the right rows, differences, and every reason to be careful."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from squtr.commands.compare import run_compare, show_compare
from squtr.errors import UserError

MAIN, MRR, RECALL = "nDCG@10 (linear gain)", "MRR@10", "Recall@10"
OVER = ("fiqa", "hotpotqa", "nq")


def results(
    subsets: tuple[str, ...] = ("en/fiqa",),
    systems: tuple[str, ...] = ("bm25",),
    value: float = 0.4,
    queries: int = 648,
    **changes: Any,
) -> dict[str, Any]:
    def cell(number: float) -> dict[str, Any]:
        return {"measures": {name: {"mean": number} for name in (MAIN, MRR, RECALL)}}

    falling = {"text": 1.0, "clean": 1.0, "snr_20": 1.0, "snr_10": 1.0, "snr_0": 0.75, "phone": 0.5}
    return {
        "dataset": {
            "subsets": {key: {"language": key[:2], "judged_queries": queries} for key in subsets},
            "slice": None,
            "imported": {"official": True},
        },
        "settings": {"recogniser": "whisper-base", "retrievers": {}},
        "scores": {
            key: {
                system: {name: cell((value + 0.1 * at) * share) for name, share in falling.items()}
                for system in systems
            }
            for at, key in enumerate(subsets)
        },
        "recognition": {key: {"clean": {"clean": {"rate": 0.05}}} for key in subsets},
        "other_recognisers": {},
        "end_to_end": {},
        **changes,
    }


def compared(folder: Path, found: dict[str, Any], spec: str = "paper") -> Any:
    (folder / "results.json").write_text(json.dumps(found))
    return run_compare(folder, spec)


def figures(part: Any, system: str, measure: str = "nDCG@10") -> dict[str, Any]:
    return {one.condition: one for one in part.figures if one.system == system and one.measure == measure}


def test_all_three_subsets_stand_beside_the_printed_mean(tmp_path: Path) -> None:
    found = compared(tmp_path, results(tuple(f"en/{name}" for name in OVER)))
    [part] = found.parts
    assert part.subsets == tuple(f"en/{name}" for name in OVER)
    rows = figures(part, "bm25")
    assert list(rows) == ["text", "clean", "snr_20", "snr_10", "snr_0", "loss"]
    assert rows["clean"].value == pytest.approx(0.5)
    assert rows["clean"].low == rows["clean"].high == 0.3586
    assert rows["clean"].difference == pytest.approx(0.5 - 0.3586)
    assert rows["loss"].value == pytest.approx(0.25)
    assert rows["loss"].low == pytest.approx(1 - 0.3374 / 0.3586)
    assert figures(part, "bm25", MRR)["snr_0"].low == 0.3956
    assert [said for said in part.cautions if "mean" in said or "collection" in said] == []
    assert found.cautions == []


def test_one_subset_is_cautioned_and_another_collection_even_more(tmp_path: Path) -> None:
    [part] = compared(tmp_path, results(("en/nq",))).parts
    assert "Only nq; what is printed is the mean over fiqa, hotpotqa, nq." in part.cautions
    [part] = compared(tmp_path, results(("en/pocket",), queries=16)).parts
    assert any(said.startswith("Another collection (pocket)") for said in part.cautions)
    assert any(said.startswith("16 queries") for said in part.cautions)
    [part] = compared(tmp_path, results(("en/pocket", "en/fiqa"))).parts
    assert part.subsets == ("en/fiqa",)


def test_a_model_s_own_row_wins_over_its_family(tmp_path: Path) -> None:
    systems = (
        "dense",
        "sentence-transformers,model=models/bge_base_en_v1.5",
        "sentence-transformers,model=x/e5",
    )
    settings = {
        "recogniser": "whisper-large-v3",
        "retrievers": {systems[2]: "intfloat/multilingual-e5-large@1"},
    }
    [part] = compared(tmp_path, results(systems=systems, settings=settings)).parts
    assert {one.beside for one in part.figures if one.system == "dense"} == {"11 dense rows"}
    assert figures(part, systems[1])["text"].low == 0.5578
    assert figures(part, systems[2])["text"].beside == "multilingual-e5-large"
    assert part.cautions == (
        "Only fiqa; what is printed is the mean over fiqa, hotpotqa, nq.",
        "dense itself is not printed; it stands beside 11 dense rows.",
    )
    assert any("multilingual-e5-large: The figures match the instruct model" in said for said in part.doubts)


def test_within_the_range_of_a_family_there_is_no_difference(tmp_path: Path) -> None:
    [part] = compared(tmp_path, results(systems=("dense",), value=0.5)).parts
    assert (figures(part, "dense")["text"].low, figures(part, "dense")["text"].high) == (0.4241, 0.6686)
    assert figures(part, "dense")["text"].difference == 0
    [part] = compared(tmp_path, results(systems=("dense",), value=0.3)).parts
    assert figures(part, "dense")["text"].difference == pytest.approx(0.3 - 0.4241)


def test_families_apart_and_the_doubts_of_a_row(tmp_path: Path) -> None:
    found = results(systems=("hybrid", "my:Own", "omni-embed"), end_to_end={"en/fiqa": {"omni-embed": {}}})
    [part] = compared(tmp_path, found).parts
    assert part.without == ("hybrid (hybrid)", "my:Own (my:Own)")
    assert {one.beside for one in part.figures} == {"Omni-Embed-Nemotron-3B"}
    assert "text" not in figures(part, "omni-embed")
    assert any("exchanged" in said for said in part.doubts)
    [part] = compared(tmp_path, results()).parts
    assert not any("exchanged" in said or "bge" in said for said in part.doubts)


def test_error_rates_stand_beside_the_same_recogniser_or_the_printed_one(tmp_path: Path) -> None:
    [part] = compared(tmp_path, results()).parts
    [one] = part.error_rates
    assert (one.beside, one.condition, one.low) == ("Whisper-large-v3", "clean", pytest.approx(0.0333))
    assert one.difference == pytest.approx(0.0167)
    settings = {"recogniser": "sensevoice,model=SenseVoice-Small", "retrievers": {}}
    [part] = compared(tmp_path, results(settings=settings)).parts
    assert part.error_rates[0].low == pytest.approx(0.0882)


def test_slices_and_audio_of_one_s_own_are_cautioned(tmp_path: Path) -> None:
    dataset = results()["dataset"] | {
        "slice": {"of": "squtr", "warning": "Not comparable."},
        "imported": None,
    }
    said = compared(tmp_path, results(dataset=dataset)).cautions
    assert said == [
        "A slice of squtr: Not comparable.",
        "The audio is not the published one: other voices, noise, takes and screening.",
    ]
    dataset = results()["dataset"] | {"imported": {"official": False}}
    assert compared(tmp_path, results(dataset=dataset)).cautions == [
        "The imported audio was not found to be the published one."
    ]


def test_public_figures_of_a_subset(tmp_path: Path) -> None:
    system = "sentence-transformers,model=all-MiniLM-L6-v2"
    found = compared(tmp_path, results(systems=(system, "bm25")), "public")
    assert [(one.system, one.measure, one.low) for one in found.singles] == [
        (system, "nDCG@10", 0.3687),
        (system, "MRR@10", 0.4451),
        (system, "Recall@10", 0.4413),
    ]
    with pytest.raises(UserError, match="prints nothing of its languages, subsets and systems"):
        compared(tmp_path, results(), "public")


def test_printed_and_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = compared(tmp_path, results(systems=("bm25", "dense", "hybrid")))
    show_compare(found, False)
    out = capsys.readouterr().out
    assert "hybrid (hybrid): nothing of its family is printed." in out
    assert "Why they may differ:" in out and max(map(len, out.splitlines()[:20])) <= 80
    show_compare(found, True)
    told = json.loads(capsys.readouterr().out)
    assert told["parts"][0]["figures"][0] == {
        "system": "bm25",
        "family": "bm25",
        "beside": "BM25",
        "condition": "text",
        "measure": "nDCG@10",
        "value": 0.4,
        "low": 0.3912,
        "high": 0.3912,
        "difference": pytest.approx(0.0088),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"results\.json:1: no JSON from character 1 on; is it cut short\?"),
        ('{"dataset":\n {"sub', r"results\.json:2: no JSON from character 3 on; is it cut short\?"),
        ("[]", r"results\.json: not the results of squtr eval, which are one JSON object"),
        ('{"dataset": {}}', r"dataset\.subsets is missing\. \d+ other parts of it too\. These are not"),
        ("[" * 100_000, r"cannot be read as JSON in UTF-8"),
        (b"\xff{}", r"cannot be read as JSON in UTF-8"),
    ],
)
def test_what_is_no_evaluation_is_refused(tmp_path: Path, text: str | bytes, said: str) -> None:
    (tmp_path / "results.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UserError, match=said):
        run_compare(tmp_path, "paper")


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("dataset", "subsets"), {}, r"dataset\.subsets: must have"),
        (("dataset", "subsets", "en/fiqa"), None, r"dataset\.subsets\.en/fiqa: settings, key: value"),
        (("scores",), {}, r"scores\.en/fiqa is missing"),
        (("recognition",), {}, r"recognition\.en/fiqa is missing"),
        (("other_recognisers",), {"w": {"recognition": {}}}, r"w\.recognition\.en/fiqa is missing"),
        (("scores", "en/fiqa", "bm25", "clean"), [], r"scores\.en/fiqa\.bm25\.clean: settings"),
        (("scores", "en/fiqa", "bm25", "clean", "measures", MAIN), {}, r"\(linear gain\)\.mean is missing"),
        (
            ("scores", "en/fiqa", "bm25", "clean", "measures", MAIN, "mean"),
            "0.5",
            r"mean: a plain number must",
        ),
        (("recognition", "en/fiqa", "clean", "clean", "rate"), True, r"rate: a plain number must"),
        (("settings", "retrievers"), None, r"settings\.retrievers: settings, key: value"),
    ],
)
def test_a_part_that_is_missing_or_of_another_kind_is_named(
    tmp_path: Path, place: tuple[str, ...], value: Any, said: str
) -> None:
    found = part = results()
    for name in place[:-1]:
        part = part[name]
    part[place[-1]] = value
    with pytest.raises(UserError, match=rf"results\.json: .*{said}"):
        compared(tmp_path, found)


def test_a_missing_evaluation_and_another_language(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        run_compare(tmp_path / "gone", "paper")
    with pytest.raises(UserError, match="prints nothing"):
        compared(tmp_path, results(("ja/x",)))
    with pytest.raises(UserError, match="no such reference"):
        compared(tmp_path, results(), "papr")
