"""Signal judge: Microsoft's DNSMOS models, from the speechmos package, on a scale of 1 to 5.

speechmos itself is not called: it needs librosa, whose numba code compiles for seconds at first use.
The two ONNX models and the published polynomial are used as they are (Reddy et al., "DNSMOS P.835",
ICASSP 2022); the mel spectrogram follows librosa's definition and agrees with it.
"""

from __future__ import annotations

import functools
import importlib.metadata
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.signal

from squtr.audio import RESAMPLER, resample
from squtr.digest import digest
from squtr.embedded import package_bytes
from squtr.errors import ItemFailure
from squtr.needs import Need, embedded
from squtr.records import Judgement, Samples, Waveform

_SAMPLE_RATE = 16000
_WINDOW_SAMPLES = int(9.01 * _SAMPLE_RATE)
_MEL_BANDS, _FFT, _HOP = 120, 321, 160
_PRIMARY = ("sig_bak_ovr.onnx", "269fbebdb513aa23cddfbb593542ecc540284a91849ac50516870e1ac78f6edd")
_P808 = ("model_v8.onnx", "9246480c58567bc6affd4200938e77eef49468c8bc7ed3776d109c07456f6e91")
_OVERALL_FIT = np.poly1d([-0.06766283, 1.11546468, 0.04602535])
_CODE_VERSION = 1

Floats = npt.NDArray[np.floating[Any]]


class Dnsmos:
    """The Judge protocol on DNSMOS: the score is the overall quality (OVRL); P.808 stands in the reasons."""

    scale = "DNSMOS OVRL, 1 to 5"
    bounds = (1.0, 5.0)

    @property
    def fingerprint(self) -> str:
        runtime = importlib.metadata.version("onnxruntime")
        return digest("dnsmos", _CODE_VERSION, _PRIMARY, _P808, runtime, RESAMPLER)

    def needs(self) -> list[Need]:
        """Return the package with the models and the one that runs them."""
        return embedded("speechmos", "onnxruntime")

    def check(self) -> None:
        """Load both models and compare their digests. Raises UserError."""
        _session(*_PRIMARY)
        _session(*_P808)

    def judge(self, audio: Waveform, text: str, transcript: str, language: str) -> Judgement:
        """Judge the signal; text and transcript are not looked at. Raises ItemFailure when there is none."""
        if not len(audio.samples):
            raise ItemFailure("there is no audio to judge")
        samples = np.clip(resample(audio, _SAMPLE_RATE).samples, -1.0, 1.0)
        windows = _windows(samples)
        overall = float(np.mean([_overall(window) for window in windows]))
        p808 = float(np.mean([_p808(window) for window in windows]))
        return Judgement(round(overall, 4), self.scale, (f"OVRL {overall:.2f}", f"P.808 {p808:.2f}"))


def _windows(samples: Samples) -> list[Samples]:
    """Return 9.01-s windows, one a second; shorter audio is repeated by doubling, as DNSMOS does."""
    while len(samples) < _WINDOW_SAMPLES:
        samples = np.concatenate([samples, samples])
    count = int(len(samples) // _SAMPLE_RATE - 9.01) + 1
    starts = [index * _SAMPLE_RATE for index in range(max(count, 1))]
    windows = [samples[start : start + _WINDOW_SAMPLES] for start in starts]
    return [window for window in windows if len(window) == _WINDOW_SAMPLES]


def _overall(window: Samples) -> float:
    _, _, raw = _session(*_PRIMARY).run(None, {"input_1": window[np.newaxis].astype(np.float32)})[0][0]
    return float(_OVERALL_FIT(raw))


def _p808(window: Samples) -> float:
    features = _mel_features(window[:-160]).astype(np.float32)[np.newaxis]
    return float(_session(*_P808).run(None, {"input_1": features})[0][0][0])


def _mel_features(samples: Samples) -> Floats:
    """Return the scaled log-mel spectrogram DNSMOS expects, shape (frames, 120)."""
    padded = np.pad(samples.astype(np.float64), _FFT // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, _FFT)[::_HOP]
    window = scipy.signal.get_window("hann", _FFT, fftbins=True)
    power = np.abs(np.fft.rfft(frames * window, axis=1)) ** 2
    mel = np.maximum(power @ _mel_filters().T, 1e-10)
    decibels = 10.0 * np.log10(mel / mel.max())
    scaled: Floats = (np.maximum(decibels, -80.0) + 40.0) / 40.0
    return scaled


@functools.cache
def _mel_filters() -> Floats:
    """Return Slaney's area-normalised triangular mel filters, shape (bands, bins)."""
    bins = np.fft.rfftfreq(_FFT, 1.0 / _SAMPLE_RATE)
    edges = _mel_to_hz(np.linspace(0.0, _hz_to_mel(_SAMPLE_RATE / 2), _MEL_BANDS + 2))
    rising = (bins - edges[:-2, None]) / np.diff(edges)[:-1, None]
    falling = (edges[2:, None] - bins) / np.diff(edges)[1:, None]
    filters: Floats = np.maximum(0.0, np.minimum(rising, falling)) * (2.0 / (edges[2:] - edges[:-2]))[:, None]
    return filters


def _hz_to_mel(frequency: float) -> float:
    """Slaney's mel scale: linear below 1 kHz, logarithmic above."""
    return (
        frequency * 3 / 200 if frequency < 1000 else 15 + 27 * float(np.log(frequency / 1000) / np.log(6.4))
    )


def _mel_to_hz(mel: Floats) -> Floats:
    return np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((mel - 15) * np.log(6.4) / 27))


@functools.cache
def _session(name: str, sha256: str) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    model = package_bytes([("speechmos", f"dnsmos_models/{name}")], sha256)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
