"""Write speakers.jsonl: 100 English and 100 Chinese speakers, and 20 in each other language.

Each is a distinct setting of the embedded voices that serve its language by languages.yaml.

python data_build/make_speakers.py > data_build/speakers.jsonl
"""

from __future__ import annotations

import json

import numpy as np

from squtr.draw import draw
from squtr.languages import Language, languages

SPEAKERS = {"en": 100, "zh": 100}
OTHERWISE = 20
SEED = 2602
CLEAREST_PACK = "jm_kumo"
OTHER_PACKS = ("jf_alpha", "jf_gongitsune", "jf_nezumi", "jf_tebukuro")
SPEED = {"en": (0.88, 1.08), "zh": (0.80, 0.98), "ja": (0.88, 1.08)}
SLOW = (0.80, 0.98)
RATE = {"zh": (140, 175)}
ESPEAK_VARIANTS = ("m1", "m3", "m4", "m7", "f1", "f2", "f3", "f4", "f5")


def speaker(code: str, row: Language, number: int) -> dict[str, object]:
    """Return one row: Kokoro pack weights, speed, size and accent; eSpeak voice, rate, pitch, range."""
    speaker_id = f"{code}-{number:03d}"
    chance = draw(SEED, "speakers", speaker_id)
    voices: dict[str, object] = {}
    if row.kokoro is not None:
        voices["kokoro"] = {
            "blend": blend(chance),
            "speed": round(float(chance.uniform(*SPEED.get(code, SLOW))), 3),
            "size": round(float(np.exp(chance.uniform(np.log(0.90), np.log(1.12)))), 3),
            **({"accent": str(chance.choice(row.kokoro.accents))} if row.kokoro.accents else {}),
        }
    if row.espeak:
        voices["espeak"] = {
            "voice": f"{chance.choice(row.espeak)}+{chance.choice(ESPEAK_VARIANTS)}",
            "rate": int(chance.integers(*RATE.get(code, (145, 185)))),
            "pitch": int(chance.integers(30, 70)),
            "range": int(chance.integers(35, 65)),
        }
    return {"id": speaker_id, "language": code, "voices": voices}


def blend(chance: np.random.Generator) -> dict[str, float]:
    """Return pack weights: the clearest pack has half or more, up to two others share the rest."""
    main = round(float(chance.uniform(0.5, 0.95)), 2)
    others = chance.choice(OTHER_PACKS, size=2, replace=False)
    first = round((1 - main) * float(chance.uniform(0.3, 1.0)), 2)
    weights = {CLEAREST_PACK: main, str(others[0]): first, str(others[1]): round(1 - main - first, 2)}
    return {name: weight for name, weight in weights.items() if weight > 0}


if __name__ == "__main__":
    for code, row in languages().items():
        for number in range(1, SPEAKERS.get(code, OTHERWISE) + 1):
            print(json.dumps(speaker(code, row, number)))
