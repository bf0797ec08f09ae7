"""The whole training at toy size, on real voices and the real encoder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from squtr.digest import digest_file
from squtr.embedders.squtr_e2e import SqutrE2e
from training.end_to_end.speech import make_clips, speakers_of
from training.end_to_end.texts import make_texts
from training.end_to_end.train import PARTS, main

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("engines")]

SIZES = {"en-espeak-questions": 20, "en-espeak-phrases": 4, "pool": 12, "steps": 4}
NONE = [f"{name}-{part}" for name in ("en-kokoro", "zh-kokoro") for part in PARTS]
TOY = [f"--{name}={SIZES.get(name, 0)}" for name in (*SIZES, "en-espeak-lists", *NONE)]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("trained")
    main(["--out", str(out), *TOY])
    return out


def test_weights_and_log_belong_together(trained: Path) -> None:
    log = json.loads((trained / "training.json").read_text(), parse_constant=pytest.fail)
    assert log["sha256"] == digest_file(trained / "squtr-e2e.npz")
    assert sum(log["clips"]["clips"].values()) == 2 * 24
    assert log["held_out"]["en"]["among 12"]["all"]["clips"] > 0
    assert log["curves"]["any"]["points"][0]["step"] == 0
    embedder = SqutrE2e(str(trained / "squtr-e2e.npz"))
    embedder.check()
    assert embedder.embed_queries(["a question"]).shape == (1, 384)


def test_a_second_run_makes_the_same_weights_from_the_finished_clips(trained: Path, tmp_path: Path) -> None:
    main(["--out", str(tmp_path), "--cache", str(trained / "clips"), *TOY])
    assert digest_file(tmp_path / "squtr-e2e.npz") == digest_file(trained / "squtr-e2e.npz")
    assert not (tmp_path / "clips").exists()


def test_clips_do_not_depend_on_the_number_of_workers(trained: Path, tmp_path: Path) -> None:
    again = make_clips(make_texts("en", 20), "espeak", tmp_path, 2)
    first = make_clips(make_texts("en", 20), "espeak", trained / "clips", 1)
    assert [(one.speaker, one.condition) for one in again] == [(one.speaker, one.condition) for one in first]
    assert all((a.frames == b.frames).all() for a, b in zip(again, first, strict=True))


def test_held_out_texts_are_spoken_by_held_out_speakers(trained: Path) -> None:
    new = {speaker.id for speaker in speakers_of("en", "espeak", "new-term")}
    assert 5 < len(new) < 40
    for clip in make_clips(make_texts("en", 20), "espeak", trained / "clips", 1):
        assert (clip.speaker in new) == (clip.text.group != "train")
