"""A sentence-transformers module of sound and text, small enough for a test: letters and loudness.

A stand-in model is this module saved by SentenceTransformer and loaded from its folder by the real loader.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from sentence_transformers.base.modules.input_module import InputModule

WIDTH = 16


class TinyEars(InputModule):
    """Embeds text by its letters, sound by the loudness of 16 equal parts; a prompt counts as text."""

    def __init__(self, width: int = WIDTH) -> None:
        super().__init__()
        self.width = width
        self.weight = torch.nn.Parameter(torch.eye(width))

    @property
    def modalities(self) -> list[Any]:
        return ["text", "audio"]

    def preprocess(self, inputs: list[Any], prompt: str | None = None, **kwargs: Any) -> dict[str, Any]:
        rows = [
            self._text((prompt or "") + one) if isinstance(one, str) else self._sound(one) for one in inputs
        ]
        return {"rows": torch.stack(rows)}

    def forward(self, features: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        features["sentence_embedding"] = features["rows"].to(self.weight.dtype) @ self.weight
        return features

    def get_sentence_embedding_dimension(self) -> int:
        return self.width

    get_embedding_dimension = get_sentence_embedding_dimension

    def save(self, output_path: str, *args: Any, **kwargs: Any) -> None:
        (Path(output_path) / "config.json").write_text(json.dumps({"width": self.width}))

    @classmethod
    def load(cls, model_name_or_path: str, *args: Any, **kwargs: Any) -> TinyEars:
        return cls()

    def _text(self, text: str) -> torch.Tensor:
        row = torch.zeros(self.width)
        for char in text:
            row[ord(char) % self.width] += 1
        return row

    def _sound(self, sound: Any) -> torch.Tensor:
        wrapped = sound.get("audio", sound)
        assert wrapped["sampling_rate"] == 16000
        samples = torch.as_tensor(wrapped["array"], dtype=torch.float32)
        return torch.stack([part.abs().mean() for part in samples.tensor_split(self.width)])
