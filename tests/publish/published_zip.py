"""A small archive in the layout SQuTR is published in, made by hand, and a recogniser for any sample rate."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from squtr.audio import resample, to_pcm, wav_bytes
from squtr.draw import draw
from squtr.records import Transcription, Waveform
from tests.building import CHINESE, ENGLISH
from tests.doubles import RATE, ToneRecogniser, tones

ANY_RATE = "tests.publish.published_zip:AnyRate"
LOW_RATE = 16000
SUBSETS = {"en/fiqa": ENGLISH, "zh/DuRetrieval": CHINESE}


class AnyRate(ToneRecogniser):
    """The double's recogniser for audio of other rates than its own."""

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        return super().transcribe(resample(audio, RATE), language)


def wav(text: str, snr_db: float | None, rate: int = RATE) -> bytes:
    speech = tones(text, level=0.2)
    if snr_db is not None:
        noise = draw(1, "noise", text).normal(0, 1, len(speech)).astype(np.float32)
        speech = speech + noise * (speech.std() / noise.std() * 10 ** (-snr_db / 20))
    waveform = resample(Waveform(speech.astype(np.float32), RATE), rate)
    return wav_bytes(to_pcm(np.clip(waveform.samples, -1, 1)), rate)


def members(prefix: str = "source_data/") -> dict[str, bytes]:
    """Return the files of two subsets by name: scores are strings in English, the last query is at 16 kHz."""
    found: dict[str, bytes] = {}
    for key, queries in SUBSETS.items():
        place = f"{prefix}{key}/"
        score: Any = "1" if key.startswith("en") else 1
        found[f"{place}corpus.jsonl"] = _lines(
            {"_id": f"d-{n}", "title": "", "text": f"about {text}"} for n, text in enumerate(queries.values())
        )
        found[f"{place}queries.jsonl"] = _lines({"_id": name, "text": text} for name, text in queries.items())
        found[f"{place}qrels/test.jsonl"] = _lines(
            {"query-id": name, "corpus-id": f"d-{n}", "score": score} for n, name in enumerate(queries)
        )
        for snr in (None, 20, 10, 0):
            folder = "clean" if snr is None else f"noise_snr_{snr}"
            start = "" if snr is None else f"noise_snr{snr}_"
            noise = {} if snr is None else {"snr_db": snr, "noise_id": "demand_SCAFE_ch07"}
            rows = []
            for number, (name, text) in enumerate(queries.items(), 1):
                file = f"{start}{number}.wav"
                rate = LOW_RATE if number == len(queries) else RATE
                found[f"{place}audio_{folder}/{file}"] = wav(text, snr, rate)
                rows.append({"_id": name, "text": text, "audio": file, **noise})
            found[f"{place}queries_with_audio_{folder}.jsonl"] = _lines(rows)
    return found


def write_zip(path: Path, files: dict[str, bytes]) -> Path:
    """Write an archive whose members are stored and deflated in turn."""
    with zipfile.ZipFile(path, "w") as archive:
        for number, (name, data) in enumerate(files.items()):
            method = zipfile.ZIP_STORED if number % 2 else zipfile.ZIP_DEFLATED
            archive.writestr(name, data, compress_type=method)
    return path


def write_folder(path: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path


def _lines(rows: Iterable[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
