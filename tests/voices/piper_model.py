"""A Piper voice in small: the inputs, the output and the noise of VITS, and no speech at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

onnx = pytest.importorskip("onnx", reason="the tiny model is made with onnx (extra dev)")

SAMPLES = 200  # a phoneme, at speed 1
RATE = 22050
SYMBOLS = "_^$ !',-.:;?abcdefghijklmnopqrstuvwxyzæðŋɐɑɔəɚɛɜɡɪɹʃʊʌʒθˈˌː"


def write_voice(folder: Path, speakers: int = 1, **changes: Any) -> Path:
    """Write tiny.onnx and tiny.onnx.json: each phoneme is a level for 200 samples, plus noise."""
    path = folder / "tiny.onnx"
    path.write_bytes(_model(speakers).SerializeToString())
    config: dict[str, Any] = {
        "audio": {"sample_rate": RATE},
        "espeak": {"voice": "en-us"},
        "inference": {"noise_scale": 0.667, "length_scale": 1.0, "noise_w": 0.8},
        "phoneme_type": "espeak",
        "num_symbols": 256,
        "num_speakers": speakers,
        "speaker_id_map": {f"p{number}": number for number in range(speakers)} if speakers > 1 else {},
        "phoneme_id_map": {symbol: [number] for number, symbol in enumerate(SYMBOLS)},
    }
    path.with_name("tiny.onnx.json").write_text(json.dumps(config | changes), encoding="utf-8")
    return path


def _model(speakers: int) -> Any:
    kinds, helper = onnx.TensorProto, onnx.helper
    node, numbers = helper.make_node, onnx.numpy_helper.from_array
    import numpy as np

    constants = {
        "first": np.array([0], np.int64),
        "second": np.array([1], np.int64),
        "one": np.array([1], np.int64),
        "last": np.array([2], np.int64),
        "flat": np.array([1, 1, 1, -1], np.int64),
        "samples": np.array([SAMPLES], np.float32),
        "quiet": np.array([0.05], np.float32),
        "tenth": np.array([0.1], np.float32),
        "unit": np.array([1], np.float32),
    }
    nodes = [
        node("Cast", ["input"], ["ids"], to=kinds.FLOAT),
        node("Unsqueeze", ["ids", "last"], ["column"]),
        node("Gather", ["scales", "first"], ["noise_scale"]),
        node("Gather", ["scales", "second"], ["length_scale"]),
        node("Mul", ["length_scale", "samples"], ["long"]),
        node("Cast", ["long"], ["count"], to=kinds.INT64),
        node("Concat", ["one", "one", "count"], ["shape"], axis=0),
        node("Expand", ["column", "shape"], ["wide"]),
        node("Reshape", ["wide", "flat"], ["levels"]),
        node("Sin", ["levels"], ["wave"]),
        node("Mul", ["wave", "tenth"], ["tone"]),
        node("RandomNormalLike", ["levels"], ["chance"]),
        node("Mul", ["chance", "noise_scale"], ["scaled"]),
        node("Mul", ["scaled", "quiet"], ["noise"]),
        node("Add", ["tone", "noise"], ["voice"]),
    ]
    inputs = [
        helper.make_tensor_value_info("input", kinds.INT64, [1, "n"]),
        helper.make_tensor_value_info("input_lengths", kinds.INT64, [1]),
        helper.make_tensor_value_info("scales", kinds.FLOAT, [3]),
    ]
    if speakers > 1:
        inputs.append(helper.make_tensor_value_info("sid", kinds.INT64, [1]))
        nodes += [node("Cast", ["sid"], ["who"], to=kinds.FLOAT), node("Add", ["who", "unit"], ["loud"])]
    else:
        nodes.append(node("Identity", ["unit"], ["loud"]))
    nodes.append(node("Mul", ["voice", "loud"], ["output"]))
    output = [helper.make_tensor_value_info("output", kinds.FLOAT, [1, 1, 1, "m"])]
    stored = [numbers(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "tiny", inputs, output, initializer=stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)
