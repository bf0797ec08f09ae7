"""squtr-e2e's set-up: the weights and their digest, pooling, and what short or empty input gives."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

from squtr.content import content
from squtr.digest import digest_file
from squtr.embedders import squtr_e2e, whisper_states
from squtr.embedders.pooling import FEATURES, pooled
from squtr.embedders.squtr_e2e import SHA256, WEIGHTS, Projection, SqutrE2e, projection_bytes, unit
from squtr.errors import ItemFailure, UserError
from squtr.records import Document, Waveform


def projection(seed: int = 1, languages: tuple[str, ...] = ("any", "zh")) -> Projection:
    chance = np.random.Generator(np.random.PCG64(seed))
    matrices = chance.normal(size=(len(languages), FEATURES, 384)).astype(np.float16).astype(np.float32)
    one = np.ones(FEATURES, np.float32)
    means = (np.full(384, 0.01, np.float32), np.full(384, 0.02, np.float32))
    return Projection(languages, 0 * one, one, matrices, *means)


def written(folder: Path, data: bytes) -> SqutrE2e:
    path = folder / "weights.npz"
    path.write_bytes(data)
    return SqutrE2e(str(path))


def test_the_weights_in_the_package_are_those_of_the_training_log() -> None:
    path = content(*WEIGHTS)
    log = json.loads(content("eval", "end_to_end", "training.json").read_text(encoding="utf-8"))
    assert digest_file(path) == SHA256 == log["sha256"]
    assert path.stat().st_size == log["bytes"] < 8_000_000
    SqutrE2e().check()


def test_changed_weights_of_the_package_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = bytearray(content(*WEIGHTS).read_bytes())
    data[-40] ^= 1
    (tmp_path / WEIGHTS[-1]).write_bytes(data)
    monkeypatch.setattr(squtr_e2e, "content", lambda *parts: tmp_path / parts[-1])
    squtr_e2e._weights.cache_clear()
    squtr_e2e._load.cache_clear()
    with pytest.raises(UserError, match=rf"SHA-256 of the weights is \w+, expected {SHA256}"):
        SqutrE2e().embed_queries(["anything"])
    squtr_e2e._weights.cache_clear()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"not an archive", "no weights of squtr-e2e"),
        (projection_bytes(projection(languages=("en",))), "matrices of shape"),
    ],
)
def test_weights_that_are_none_are_told(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(UserError, match=message):
        written(tmp_path, data).embed_queries(["a"])
    with pytest.raises(UserError, match="cannot be read"):
        SqutrE2e(str(tmp_path / "none.npz")).embed_queries(["a"])


def test_a_pickle_is_not_opened(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.savez(buffer, languages=np.array([{"a": 1}], dtype=object))
    with pytest.raises(UserError, match="no weights of squtr-e2e"):
        written(tmp_path, buffer.getvalue()).embed_queries(["a"])


def test_the_fingerprint_is_of_the_weights(tmp_path: Path) -> None:
    first = written(tmp_path, projection_bytes(projection(1))).fingerprint
    (tmp_path / "other").mkdir()
    assert written(tmp_path / "other", projection_bytes(projection(2))).fingerprint != first
    assert projection_bytes(projection(1)) == projection_bytes(projection(1))


def test_a_language_without_a_matrix_of_its_own_takes_the_common_one() -> None:
    made = projection()
    features = np.ones((1, FEATURES), np.float32)
    assert (made.project(features, "ja") == made.project(features, "any")).all()
    assert (made.project(features, "zh") != made.project(features, "any")).any()
    assert np.linalg.norm(made.project(features, "en")) == pytest.approx(1)


def test_what_says_nothing_is_a_vector_of_zeros() -> None:
    found = SqutrE2e().embed_documents([Document("1", "", "..."), Document("2", "", "a text")])
    assert not found[0].any() and np.linalg.norm(found[1]) == pytest.approx(1)
    assert not unit(np.zeros((1, 3), np.float32)).any()


def test_sound_of_no_length_is_a_failure_of_that_recording() -> None:
    with pytest.raises(ItemFailure, match="too short to be embedded"):
        SqutrE2e().embed_audio(Waveform(np.zeros(900, np.float32), 24000), "en")


def test_pooling_keeps_what_was_said_first_apart_from_what_was_said_last() -> None:
    frames = np.random.Generator(np.random.PCG64(5)).normal(size=(40, 512)).astype(np.float32)
    there, back = pooled(frames), pooled(frames[::-1])
    assert there.shape == (FEATURES,)
    assert np.allclose(there[:1536], back[:1536], atol=1e-5)
    assert np.allclose(there[1536:2048], back[-512:], atol=1e-5)
    assert np.isfinite(pooled(frames[:1])).all()


def test_a_long_sound_is_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def encode(samples: np.ndarray) -> np.ndarray:
        seen.append(len(samples))
        return np.zeros((1, 512), np.float32)

    monkeypatch.setattr(whisper_states, "_encode", encode)
    frames = whisper_states.whisper_states(Waveform(np.zeros(16000 * 60 + 800, np.float32), 16000))
    assert seen == [480000, 480000] and frames.shape == (2, 512)
