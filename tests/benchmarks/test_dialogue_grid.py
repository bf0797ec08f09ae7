"""The grid of turn-taking has the published shape on spoken turns; eSpeak stands in for the slower voice."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import yaml

from squtr.content import content
from squtr.dialogue.audit import Realised, audit
from squtr.dialogue.clips import Clips, user_speaker

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "dialogue.py"


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dialogue_benchmark", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def found(benchmark: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[float, float], Realised]:
    """Four scenarios; eSpeak makes no pause of 200 ms at a comma, so its clauses are put 350 ms apart."""
    folder = tmp_path_factory.mktemp("grid")
    benchmark.VOICE = "espeak"
    clips = Clips("espeak", user_speaker("espeak", "en", 1), 24000, folder / "clips")
    pause, paths = np.zeros(round(0.35 * 24000), np.float32), []
    scenarios = yaml.safe_load(content("channels", "agent_turns.yaml").read_text(encoding="utf-8"))["en"]
    for name, turns in list(scenarios.items())[:4]:
        clauses = [[clips.clip(clause).samples for clause in turn.split(", ")] for turn in turns]
        said = [
            np.concatenate([part for clause in turn for part in (clause, pause)][:-1]) for turn in clauses
        ]
        paths.append(folder / f"{name}.wav")
        benchmark.write_scenario(paths[-1], said, turns, 24000)
    realised = benchmark.realise(paths, folder, "en")
    settings = audit([one for group in realised.values() for one in group]).settings
    return {(one.b, one.g): one for one in settings}


def test_b_and_g_of_zero_do_nothing(found: dict[tuple[float, float], Realised]) -> None:
    assert found[0, 0].opportunities > 20
    assert (found[0, 0].interruptions, found[0, 0].backchannels) == (0, 0)


def test_rates_rise_and_opportunities_shrink(found: dict[tuple[float, float], Realised]) -> None:
    steps = sorted({b for b, _ in found})
    for low, high in itertools.pairwise(steps):
        for other in steps:
            assert found[low, other].interruptions <= found[high, other].interruptions
            assert found[low, other].opportunities >= found[high, other].opportunities
            assert found[low, other].backchannels >= found[high, other].backchannels
        assert found[0, low].backchannels <= found[0, high].backchannels
    assert found[0, 0].interruptions < found[0.3, 0].interruptions < found[1, 0].interruptions
    assert found[0, 0].backchannels < found[0, 0.3].backchannels < found[0, 1].backchannels
    assert found[0, 0].opportunities > found[1, 0].opportunities


def test_g_moves_no_interruption_since_it_comes_first(found: dict[tuple[float, float], Realised]) -> None:
    for (b, _), one in found.items():
        assert one.interruptions == found[b, 0].interruptions
