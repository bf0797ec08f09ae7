"""Tasks of the real mteb package score what squtr scores: spoken, as heard, and as written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from squtr.commands.eval import run_eval
from squtr.commands.export import run_export
from squtr.errors import UserError
from squtr.publish import mteb_tasks
from squtr.publish.mteb_tasks import heard_tasks, spoken_tasks, written_tasks
from squtr.records import Document, Waveform
from tests.building import RECOGNISER
from tests.doubles import read_tones
from tests.eval.embedder_doubles import Tones, letters

pytestmark = pytest.mark.torch
EARS = "tests.publish.test_mteb_tasks:Ears"
LETTERS = "tests.publish.test_mteb_tasks:Letters"
MAIN = "nDCG@10 (linear gain)"


class Ears(Tones):
    """Hears every tone there is."""

    fingerprint = "ears 1"

    def embed_audio(self, audio: Waveform, language: str) -> np.ndarray:
        return letters(read_tones(audio.samples))


class Letters:
    """A dense retriever of squtr on the same vectors as the model of mteb below."""

    def index(self, documents: list[Document], language: str) -> None:
        self._names = [document.id for document in documents]
        self._vectors = unit(np.stack([letters(document.full_text) for document in documents]))

    def search(self, queries: list[str], k: int) -> list[dict[str, float]]:
        found = unit(np.stack([letters(query) for query in queries])) @ self._vectors.T
        return [dict(zip(self._names, map(float, row), strict=True)) for row in found]


def unit(rows: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


def model() -> Any:
    """The same embedder as a model of mteb."""
    mteb = pytest.importorskip("mteb", reason="needs mteb: pip install 'squtr[mteb]'")
    from mteb.models.abs_encoder import AbsEncoder

    class Encoder(AbsEncoder):
        mteb_model_meta = mteb.models.ModelMeta.create_empty(
            {"name": "trial/letters", "revision": "1", "modalities": ["text", "audio"]}
        )

        def __init__(self) -> None:
            pass

        def encode(self, inputs: Any, **kwargs: Any) -> np.ndarray:
            return unit(np.stack([row for batch in inputs for row in rows(batch)]))

    def rows(batch: dict[str, Any]) -> list[np.ndarray]:
        if "audio" not in batch:
            return [letters(text) for text in batch["text"]]
        sounds = [(np.asarray(one["array"], np.float32), one["sampling_rate"]) for one in batch["audio"]]
        return [Ears().embed_audio(Waveform(samples, rate), "en") for samples, rate in sounds]

    return Encoder()


@pytest.fixture(scope="module")
def evaluated(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, Path]:
    out = tmp_path_factory.mktemp("mteb") / "eval"
    return run_eval(dataset, RECOGNISER, [LETTERS], out, 1, None, end_to_end=[EARS])


def scores(tasks: list[Any]) -> dict[str, float]:
    import mteb

    found = mteb.evaluate(model(), tasks, cache=None, show_progress_bar=False)
    return {one.task_name: one.scores["test"][0]["main_score"] for one in found.task_results}


def test_spoken_tasks_score_as_the_end_to_end_system(dataset: Path, evaluated: tuple[dict, Path]) -> None:
    model()
    found = scores(spoken_tasks(dataset))
    assert len(found) == 6
    for key, systems in evaluated[0]["scores"].items():
        for condition in ("clean", "snr_10", "snr_0"):
            told = found[f"SQuTR-{key.replace('/', '-')}-{condition}-spoken"]
            mine = systems[EARS][condition]["measures"][MAIN]["mean"]
            assert told == pytest.approx(mine, abs=1e-5)
    assert len(set(found.values())) > 1


def test_heard_and_written_tasks_score_as_the_cascade(dataset: Path, evaluated: tuple[dict, Path]) -> None:
    model()
    results, out = evaluated
    found = scores([*heard_tasks(dataset, out), *written_tasks(dataset)])
    assert len(found) == 8
    for key, systems in results["scores"].items():
        for condition, cell in systems[LETTERS].items():
            told = found[f"SQuTR-{key.replace('/', '-')}-{condition}-typed"]
            assert told == pytest.approx(cell["measures"][MAIN]["mean"], abs=1e-5)


def test_the_metadata_says_what_is_searched_with_what(dataset: Path) -> None:
    pytest.importorskip("mteb", reason="needs mteb: pip install 'squtr[mteb]'")
    spoken, typed = spoken_tasks(dataset)[0].metadata, written_tasks(dataset)[-1].metadata
    assert (spoken.type, spoken.category, spoken.modalities) == ("Any2AnyRetrieval", "a2t", ["audio", "text"])
    assert (typed.type, typed.category, typed.eval_langs) == ("Retrieval", "t2t", ["cmn-Hans"])


def test_without_mteb_it_says_so(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mteb_tasks, "is_installed", lambda module: False)
    with pytest.raises(UserError, match=r"pip install 'squtr\[mteb\]'"):
        spoken_tasks(dataset)


def test_a_folder_that_is_no_evaluation_is_told(dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="clean"):
        heard_tasks(dataset, tmp_path)


def test_the_code_of_an_export_s_card_loads_the_export(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mteb", reason="needs mteb: pip install 'squtr[mteb]'")
    monkeypatch.setattr("datasets.features.audio.Audio.decode_example", lambda self, value, *_, **__: value)
    place = tmp_path / "export"
    run_export("mteb", dataset, place)
    card = (place / "README.md").read_text(encoding="utf-8")
    code = card.split("```python\n")[1].split("```")[0].replace("organisation/name", str(place))
    told: dict[str, Any] = {}
    exec(code, told)
    task = told["SpokenQueries"]()
    task.load_data()
    assert len(task.dataset) == 6
    mine = {one.metadata.name: one for one in spoken_tasks(dataset)}
    for name, splits in task.dataset.items():
        one = mine[f"SQuTR-{name}-spoken"]
        one.load_data()
        ours = one.dataset["default"]["test"]
        assert splits["test"]["relevant_docs"] == ours["relevant_docs"]
        assert splits["test"]["queries"]["id"][:] == ours["queries"]["id"][:]
        assert splits["test"]["corpus"].to_list() == ours["corpus"].to_list()
