"""eSpeak NG: the fast, plain voice. English is understood well, Mandarin is not."""

from __future__ import annotations

import functools

from squtr.audio import from_pcm
from squtr.digest import digest
from squtr.draw import draw
from squtr.errors import UserError
from squtr.needs import Need, embedded
from squtr.records import Speaker, Waveform
from squtr.voices._espeak_library import EspeakLibrary, _check_settings

_CODE_VERSION = 2
_FILES = {"en-gb": "en"}  # eSpeak lists British English as en-gb, and finds it by its file's name only


class Espeak:
    """The Voice protocol on eSpeak NG. Speaker settings: voice (such as en-us+f3), rate, pitch, range."""

    sample_rate = 22050
    speaker_settings = ("voice", "rate", "pitch", "range")

    @property
    def fingerprint(self) -> str:
        return digest("espeak", _CODE_VERSION, EspeakLibrary().version)

    def needs(self) -> list[Need]:
        """Return the package with the library."""
        return embedded("espeakng_loader")

    def check_speaker(self, speaker: Speaker) -> None:
        """Raise UserError when a speaker's settings are not what eSpeak takes."""
        settings = speaker.settings
        lacking = [name for name in self.speaker_settings if name not in settings]
        if lacking or not isinstance(settings["voice"], str):
            found = f"no {', '.join(lacking)}" if lacking else f"voice is {settings['voice']!r}"
            raise UserError(f"speaker {speaker.id!r}: {found}. eSpeak needs voice, rate, pitch and range.")
        try:
            _check_settings({"rate": settings["rate"], "pitch": settings["pitch"]})
            _check_settings({"pitch_range": settings["range"]})
            _check_voice(_file_name(settings["voice"]))
        except UserError as error:
            raise UserError(f"speaker {speaker.id!r}: {error}") from None

    def speak(self, text: str, speaker: Speaker, seed: int) -> Waveform:
        settings = speaker.settings
        chance = draw(seed, "espeak", text)
        rate = settings["rate"] * chance.uniform(0.95, 1.05)
        pitch = settings["pitch"] + int(chance.integers(-4, 5))
        pcm, sample_rate = EspeakLibrary().speak(
            text,
            _file_name(settings["voice"]),
            rate=min(max(round(rate), 80), 450),
            pitch=min(max(pitch, 0), 99),
            pitch_range=settings["range"],
            seed=int(chance.integers(2**31)),
        )
        return Waveform(from_pcm(pcm), sample_rate)


def _file_name(voice: str) -> str:
    language, plus, variant = voice.partition("+")
    return _FILES.get(language, language) + plus + variant


@functools.cache
def _check_voice(voice: str) -> None:
    EspeakLibrary().speak("a", voice)
