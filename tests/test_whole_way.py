"""The whole way on a real collection: archives of noise, two judges, Ray, verify, diff, publish, `datasets`.

Real: the MS MARCO queries, Kokoro, Whisper base, Ray, HTTP. Made here: small archives of DEMAND's and
NOISEX-92's layout, and what the two judges answer.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from squtr.audio import read_audio
from tests.building import command, files, manifest, rows
from tests.loopback import Behaviour, Loopback, says, serving, verdict
from tests.noise_sources.noise_archives import write_demand, write_noisex

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "msmarco-50"
QUERIES = 6
NOISE = """
name: both
title: Places and machines
licence: that of DEMAND and NOISEX-92
redistribute: true
categories:
  cafe: {sources: {demand: [SCAFE, PCAFETER]}}
  kitchen: {sources: {demand: [DKITCHEN]}}
  babble: {sources: {noisex92: [babble]}}
  factory: {sources: {noisex92: [factory1, factory2]}}
"""

pytestmark = [
    pytest.mark.engines,
    pytest.mark.xdist_group("ray"),
    pytest.mark.skipif(not SHARED.is_dir(), reason="needs shared/data/msmarco-50 beside the checkout"),
]


def listening(strict: bool) -> Behaviour:
    """A judge that listens: it hears the seconds of the recording, and a strict one wants 2.5 s or more."""

    def answer(handler: Any, request: Any) -> None:
        asked = json.loads(request["messages"][1]["content"][0]["text"])
        sound = base64.b64decode(request["messages"][1]["content"][1]["input_audio"]["data"])
        seconds = read_audio(sound).seconds
        score = 3.5 if strict and seconds < 2.5 else 4.5
        says(verdict(score, heard=f"{asked['intended_text']} in {seconds:.2f} s"))(handler, request)

    return answer


def judge(name: str, server: Loopback, state: Path) -> dict[str, Any]:
    spec = f"audio-llm,model={name},base_url={server.base_url},key=,state={state}"
    return {"judge": spec, "min_score": 4.0, "name": name}


def written(folder: Path, judges: list[dict[str, Any]]) -> Path:
    noise = folder / "noise.yaml"
    noise.write_text(NOISE)
    recipe = {
        "name": "whole-way",
        "collections": [{"name": "msmarco", "language": "en", "path": str(SHARED)}],
        "select": {"limit": QUERIES},
        "speak": {"voice": "kokoro", "takes": 2},
        "screen": {"judges": judges},
        "mix": {
            "noise": f"recordings,source={noise},demand={folder / 'demand'},noisex92={folder / 'noisex'}",
            "conditions": [
                {"name": "hall_5", "snr_db": 5, "room": {"rt60_seconds": 0.4}},
                {"name": "phone", "snr_db": 10, "telephone": {}},
            ],
        },
    }
    path = folder / "recipe.yaml"
    path.write_text(yaml.safe_dump(recipe), encoding="utf-8")
    return path


def told(*arguments: object) -> dict[str, Any]:
    done = command(*arguments)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_whole_way(tmp_path):
    pytest.importorskip("ray", reason="Ray is an extra: pip install 'squtr[ray]'")
    datasets = pytest.importorskip("datasets", reason="needs datasets, which no part of squtr itself does")
    write_demand(tmp_path / "demand", channels=(1, 7), seconds=6.0)
    write_noisex(tmp_path / "noisex", seconds=6.0)
    one, ray = tmp_path / "one", tmp_path / "ray"
    with serving(listening(True)) as strict, serving(listening(False)) as mild:
        judges = [
            judge("strict", strict, tmp_path / "state"),
            judge("mild", mild, tmp_path / "state"),
        ]
        recipe = written(tmp_path, judges)
        summary = told("build", recipe, "--out", one, "--workers", 1, "--json")
        assert strict.count == mild.count == QUERIES - summary["rejected"].get("screen", 0)
        with_ray = ("--engine", "ray", "--workers", 2, "--json")
        again = told("build", recipe, "--out", ray, *with_ray)
        assert again["computed"] == summary["computed"]
        assert strict.count == mild.count == QUERIES - summary["rejected"].get("screen", 0)
    assert summary["accepted"] >= 2
    assert summary["rejected"]["judge"] >= 1
    assert files(one) == files(ray)
    assert {row["noise_id"].split("_")[0] for row in manifest(one) if row.get("noise_id")} == {
        "demand",
        "noisex",
    }
    for row in rows(one / "rejected.jsonl"):
        assert row["reason"] and (one / row["audio"]).is_file()
    assert told("verify", one, "--json")["faults"] == []
    assert told("diff", one, ray, "--json")["same"] is True

    to = ("--to", "hf://nobody/whole-way", "--dry-run", "--accept-licence", "--json")
    staged = told("publish", one, *to)["folder"]
    names = datasets.get_dataset_config_names(staged)
    assert {"en-msmarco-clean", "en-msmarco-snr_0", "en-msmarco-hall_5", "en-msmarco-phone"} <= set(names)
    found = datasets.load_dataset(staged, "en-msmarco-hall_5", split="test", cache_dir=str(tmp_path / "hf"))
    found = found.cast_column("audio", datasets.Audio(decode=False))
    assert [row["audio"]["bytes"] for row in found] == [
        (one / row["file"]).read_bytes() for row in manifest(one) if row["condition"] == "hall_5"
    ]
