"""The estimate-snr stage: PCM gives the ratio that can be told from it, for retrievers that adapt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from squtr.blind_snr import CODE_VERSION, estimate_snr_db
from squtr.digest import digest
from squtr.records import AudioRef
from squtr.store import Audio, PackWriter


@dataclass(frozen=True)
class EstimateSnr:
    """Stage: estimate one recording's ratio. Record: snr_db, None for silence. Items are audio references."""

    name: str = "estimate_snr"

    @property
    def fingerprint(self) -> str:
        return digest("estimate_snr", CODE_VERSION)

    def audio_of(self, item: AudioRef) -> Sequence[AudioRef]:
        return (item,)

    def run(self, item: AudioRef, audio: Audio, pack: PackWriter) -> dict[str, Any]:
        return {"snr_db": estimate_snr_db(audio.waveform(item))}
