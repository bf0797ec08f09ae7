"""eSpeak NG: the fast, plain voice. English is understood well, Mandarin is not."""

from __future__ import annotations

from squtr.audio import from_pcm
from squtr.digest import digest
from squtr.draw import draw
from squtr.records import Speaker, Waveform
from squtr.voices._espeak_library import EspeakLibrary

_CODE_VERSION = 1


class Espeak:
    """The Voice protocol on eSpeak NG. Speaker settings: voice (such as en-us+f3), rate, pitch, range."""

    sample_rate = 22050

    @property
    def fingerprint(self) -> str:
        return digest("espeak", _CODE_VERSION, EspeakLibrary().version)

    def speak(self, text: str, speaker: Speaker, seed: int) -> Waveform:
        settings = speaker.settings
        chance = draw(seed, "espeak", text)
        pcm, sample_rate = EspeakLibrary().speak(
            text,
            settings["voice"],
            rate=min(max(round(settings["rate"] * chance.uniform(0.95, 1.05)), 80), 450),
            pitch=settings["pitch"],
            pitch_range=settings["range"],
            seed=int(chance.integers(2**31)),
        )
        return Waveform(from_pcm(pcm), sample_rate)
