"""What the embedded Whisper's encoder makes of a sound: 25 vectors a second, before any word is written."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from squtr.audio import resample
from squtr.errors import ItemFailure
from squtr.records import Samples, Waveform

Frames = npt.NDArray[np.float32]

WIDTH = 512
_SAMPLE_RATE = 16000
_PIECE = 30 * _SAMPLE_RATE
_SHORTEST = _SAMPLE_RATE // 10
_SAMPLES_A_FRAME = 640
_SILENCE_AFTER = _SAMPLE_RATE // 2


def whisper_states(audio: Waveform) -> Frames:
    """Return the encoder's last layer over the sound, pairs of states averaged: shape (n, 512), 25 a second.

    The model sees the sound with half a second of silence behind it, not filled up to 30 s, which is five
    times as fast for a query and moves the states little; the states of the silence are cut off. A longer
    sound is read in pieces of 30 s. Raises ItemFailure for what is shorter than 0.1 s.
    """
    samples = resample(audio, _SAMPLE_RATE).samples
    if len(samples) < _SHORTEST:
        raise ItemFailure(f"{audio.seconds:.2f} s of sound are too short to be embedded")
    pieces = [samples[start : start + _PIECE] for start in range(0, len(samples), _PIECE)]
    return np.concatenate([_encode(piece) for piece in pieces if len(piece) >= _SHORTEST])


def _encode(samples: Samples) -> Frames:
    from squtr.recognisers.whisper import _load_base

    model = _load_base()
    padded = np.pad(samples, (0, min(_SILENCE_AFTER, _PIECE - len(samples))))
    features = model.feature_extractor(padded)[:, : _PIECE // 160]
    features = features[:, : features.shape[1] // 4 * 4]
    states = np.asarray(model.encode(np.ascontiguousarray(features)), dtype=np.float32)[0]
    frames: Frames = states[: len(states) // 2 * 2].reshape(-1, 2, WIDTH).mean(axis=1)
    return frames[: max(1, round(len(samples) / _SAMPLES_A_FRAME))]
