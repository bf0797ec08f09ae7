"""PocketSphinx: classical English recognition, Gaussian mixtures and trigrams, its model in the package.

It is weak, and here because it fails in other ways than neural models do: on 23 spoken search queries of an
MS MARCO sample its word error rate was 62 % clean, 85 % at 20 dB and 102 % at 10 dB, where Whisper base had
6, 11 and 22 %. It has a fixed list of 130,000 words, so most names cannot come out.

Its decoder carries cepstral means over from one utterance to the next, even with `cmn=batch`, so that a
transcript would depend on what came before; they are forgotten before each recording. The path's posterior
did not follow the error rate, so no confidence is given.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
from typing import Any

import numpy as np

from squtr.audio import RESAMPLER, limit_peak, resample, to_pcm
from squtr.digest import digest
from squtr.errors import ItemFailure, UserError
from squtr.needs import Need, packages
from squtr.records import Transcription, Waveform

_CODE_VERSION = 1
_SAMPLE_RATE = 16000
_SETTINGS = {"samprate": float(_SAMPLE_RATE), "cmn": "batch"}
_HOW = "pip install 'squtr[pocketsphinx]'"


class PocketSphinx:
    """The Recogniser protocol on PocketSphinx with its own US English model."""

    @property
    def fingerprint(self) -> str:
        return digest("pocketsphinx", _CODE_VERSION, _version(), _SETTINGS, RESAMPLER)

    def needs(self) -> list[Need]:
        """Return the package, which holds the model."""
        return packages(_HOW, "pocketsphinx")

    def check(self) -> None:
        """Raise UserError when the package is missing."""
        _version()

    def check_language(self, language: str) -> None:
        """Raise UserError for any language but English."""
        if language != "en":
            raise UserError(
                f"PocketSphinx's model is English, not {language!r}. Give the recogniser by language in the"
                " recipe, as {en: ..., zh: ...}."
            )

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        """Transcribe one recording. Raises UserError in any language but English."""
        self.check_language(language)
        if not len(audio.samples):
            raise ItemFailure("there is no audio to transcribe")
        samples = np.asarray(resample(audio, _SAMPLE_RATE).samples, np.float32)
        pcm = to_pcm(limit_peak(samples, 1.0)[0]).astype("<i2").tobytes()
        decoder = _decoder()
        decoder.reinit_feat()
        decoder.start_utt()
        decoder.process_raw(pcm, no_search=False, full_utt=True)
        decoder.end_utt()
        heard = decoder.hyp()
        return Transcription(heard.hypstr.strip() if heard else "", None)


def _version() -> str:
    try:
        return importlib.metadata.version("pocketsphinx")
    except importlib.metadata.PackageNotFoundError:
        raise UserError(f"PocketSphinx needs the package pocketsphinx. {_HOW} brings it.") from None


@functools.cache
def _decoder() -> Any:
    return importlib.import_module("pocketsphinx").Decoder(loglevel="FATAL", **_SETTINGS)
