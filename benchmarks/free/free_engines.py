"""Engines that cost next to nothing, and a collection of any size for them: what is left is bookkeeping.

The voice writes the text into the heights of a square wave's first samples, the recogniser reads it there.
Every call adds one byte to the file that FREE_ENGINES_LOG names, which tells how far a build is.
"""

from __future__ import annotations

import functools
import json
import os
import random
from pathlib import Path
from typing import Any

import numpy as np

from squtr.digest import digest
from squtr.draw import draw
from squtr.records import Judgement, NoiseRecording, Speaker, Transcription, Waveform

RATE, SAMPLES, HEIGHT, STEPS = 24_000, 6_000, 0.25, 512
SUBSETS = {  # queries of the published data set
    "en/fiqa": 648,
    "en/hotpotqa": 7_405,
    "en/nq": 3_452,
    "zh/MedicalRetrieval": 1_000,
    "zh/DuRetrieval": 2_000,
    "zh/T2Retrieval": 22_812,
}
QUERIES = sum(SUBSETS.values())
TAKES, CONDITIONS, DOCUMENTS_A_QUERY = 3, 4, 4
_ENGLISH = """who what when where which how did was first largest company river bank account interest loan
city country wrote film book band war president treaty capital author actor director founded born between
after tax rate income share price market stock dividend year population mountain highest oldest""".split()
_CHINESE = """什么 怎么 为什么 哪里 多少 如何 治疗 症状 感冒 发烧 医院 北京 上海 天气 学校
大学 考试 手机 电脑 汽车 房子 价格 工资 保险 银行 贷款 利息 孩子 老人 吃饭 睡觉 运动 减肥
皮肤 眼睛 牙齿 头痛 药物 检查 手术 音乐 电影 小说 作者 历史 地理 数学 英语 旅游 机票 火车 快递""".split()
_WAVE = np.tile(np.repeat(np.array([HEIGHT, -HEIGHT], np.float32), 20), SAMPLES // 40)


@functools.cache
def _log() -> int | None:
    path = os.environ.get("FREE_ENGINES_LOG")
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT) if path else None


def _note_call() -> None:
    if (log := _log()) is not None:
        os.write(log, b".")


class FreeVoice:
    """A quarter of a second, whatever the text; one take in five breaks off before its end."""

    sample_rate = RATE
    fingerprint = digest("free voice", 1)

    def speak(self, text: str, speaker: Speaker, seed: int) -> Waveform:
        _note_call()
        data = (text if seed % 5 else text[:-3]).encode("utf-8")
        code = len(data).to_bytes(2, "big") + data + seed.to_bytes(4, "big")
        samples = _WAVE.copy()
        samples[: len(code)] *= 1 + np.frombuffer(code, np.uint8) / np.float32(STEPS)
        return Waveform(samples, RATE)


class FreeRecogniser:
    """Reads back what the voice was given."""

    fingerprint = digest("free recogniser", 1)

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        _note_call()
        heights = np.abs(audio.samples[:SAMPLES]) / HEIGHT - 1
        code = np.rint(heights * STEPS).clip(0, 255).astype(np.uint8).tobytes()
        return Transcription(code[2 : 2 + int.from_bytes(code[:2], "big")].decode("utf-8", "replace"), 0.0)


class FreeJudge:
    """Content with everything; `number` tells several apart."""

    def __init__(self, number: int = 1) -> None:
        self.fingerprint = digest("free judge", number)

    def judge(self, audio: Waveform, text: str, transcript: str, language: str) -> Judgement:
        _note_call()
        return Judgement(5.0, "1 to 5")


class FreeNoise:
    """Ten seconds of white noise in each of 17 categories, kept in memory."""

    fingerprint = digest("free noise", 1)

    def recordings(self) -> list[NoiseRecording]:
        return [NoiseRecording(f"kind{number}_ch01", f"kind{number}", True) for number in range(17)]

    def read(self, recording_id: str) -> Waveform:
        _note_call()
        return Waveform(_white(recording_id), RATE)


@functools.cache
def _white(recording_id: str) -> Any:
    """Return int16 samples, as a noise source gives whose recordings are mapped files."""
    noise = draw(0, "free noise", recording_id).normal(0, 3000, 10 * RATE)
    return noise.clip(-32768, 32767).astype(np.int16)


def sizes(queries: int) -> dict[str, int]:
    """Return the number of queries of each subset, in the published proportions and at least one."""
    found, before, given = {}, 0, 0
    for place, (name, count) in enumerate(SUBSETS.items(), 1):
        before += count
        upto = min(max(round(queries * before / QUERIES), given + 1), queries - len(SUBSETS) + place)
        found[name], given = upto - given, upto
    return found


def write_inputs(folder: Path, queries: int) -> Path:
    """Write collections, speaker table and recipe into `folder`; return the recipe's path."""
    for name, count in sizes(queries).items():
        _write_collection(folder / name, name, count)
    voice = "free_engines:FreeVoice"
    speakers = [
        {"id": f"{language}-{number:03}", "language": language, "voices": {voice: {"row": number}}}
        for language in ("en", "zh")
        for number in range(100)
    ]
    _write_lines(folder / "speakers.jsonl", speakers)
    recipe = {
        "name": "scale",
        "collections": [
            {"name": name.partition("/")[2], "language": name.partition("/")[0], "path": name}
            for name in SUBSETS
        ],
        "speak": {"voice": voice, "speakers": "speakers.jsonl", "takes": TAKES},
        "choose": {"recogniser": "free_engines:FreeRecogniser"},
        "screen": {
            "recogniser": "free_engines:FreeRecogniser",
            "judges": [
                {"judge": f"free_engines:FreeJudge,number={number}", "min_score": 4.0} for number in (1, 2)
            ],
        },
        "mix": {"noise": "free_engines:FreeNoise"},
    }
    path = folder / "recipe.yaml"
    path.write_text(json.dumps(recipe, indent=1), encoding="utf-8")  # JSON is YAML
    return path


def _write_collection(folder: Path, name: str, count: int) -> None:
    chance = random.Random(name)
    texts = [_text(chance, name[:2], number) for number in range(count)]
    _write_lines(
        folder / "queries.jsonl", [{"_id": f"q{place}", "text": text} for place, text in enumerate(texts)]
    )
    documents = (
        {"_id": f"d{place}-{number}", "title": "", "text": f"{number} {text}"}
        for place, text in enumerate(texts)
        for number in range(DOCUMENTS_A_QUERY)
    )
    _write_lines(folder / "corpus.jsonl", documents)
    judged = (
        {"query-id": f"q{place}", "corpus-id": f"d{place}-{number}", "score": 1}
        for place in range(count)
        for number in range(1 + place % DOCUMENTS_A_QUERY)
    )
    _write_lines(folder / "qrels" / "test.jsonl", judged)


def _text(chance: random.Random, language: str, number: int) -> str:
    """Return a query's text; one in five holds a number, as of those people ask about."""
    if language == "zh":
        words = chance.choices(_CHINESE, k=chance.randint(4, 9))
        return "".join([*words, f"{1950 + number % 75}年"] if number % 5 == 0 else words) + "？"
    words = chance.choices(_ENGLISH, k=chance.randint(6, 14))
    return " ".join([*words, f"in {1950 + number % 75}"] if number % 5 == 0 else words) + "?"


def _write_lines(path: Path, rows: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
