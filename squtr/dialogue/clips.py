"""The user's voice: what the stock offers, synthesised once by one speaker, kept as WAV in a cache folder."""

from __future__ import annotations

import os
from pathlib import Path

from squtr.audio import limit_peak, read_audio, to_pcm, trim_silence, write_wav
from squtr.content import content
from squtr.data_build.speak import joined, voice
from squtr.digest import digest
from squtr.errors import ItemFailure, UserError, did_you_mean
from squtr.languages import also_decides
from squtr.plugins import split_spec
from squtr.records import Speaker, Waveform
from squtr.voices.speakers import draw_speaker, read_speakers

CACHE_VARIABLE = "SQUTR_DIALOGUE_CACHE"
_KEPT_SECONDS = 0.02
_CODE_VERSION = 1


class Clips:
    """Texts as sound at one rate, spoken by one speaker of a voice; each is synthesised the first time."""

    def __init__(self, spec: str, speaker: Speaker, sample_rate: int, folder: Path | None = None) -> None:
        self._spec, self.speaker, self.sample_rate = spec, speaker, sample_rate
        self._folder = folder or _default_folder()
        self._deciding = (
            voice(spec).fingerprint,
            also_decides(voice(spec), speaker.language),
            speaker,
            sample_rate,
            _KEPT_SECONDS,
            _CODE_VERSION,
        )
        self._loaded: dict[str, Waveform] = {}

    def clip(self, text: str) -> Waveform:
        """Return a text as sound. Raises UserError where the voice cannot say it."""
        if text not in self._loaded:
            path = self._folder / f"{digest(text, *self._deciding)}.wav"
            self._loaded[text] = _kept(path) or self._spoken(text, path)
        return self._loaded[text]

    def _spoken(self, text: str, path: Path) -> Waveform:
        try:
            said = joined(voice(self._spec).speak(text, self.speaker, 0), self.sample_rate)
            samples, _ = limit_peak(trim_silence(said, _KEPT_SECONDS).samples)
        except ItemFailure as failure:
            raise UserError(f"The voice {self._spec!r} cannot say {text!r}: {failure}.") from None
        path.parent.mkdir(parents=True, exist_ok=True)
        write_wav(path, to_pcm(samples), self.sample_rate)
        return read_audio(path)


def user_speaker(spec: str, language: str, seed: int, speaker_id: str | None = None) -> Speaker:
    """Return the speaker named, or one drawn by the seed. Raises UserError where a voice has none."""
    name = split_spec(spec)[0]
    speakers = read_speakers(content("data_build", "speakers.jsonl"), name, language)
    if speaker_id is None:
        return draw_speaker(speakers, seed, "dialogue")
    known = {speaker.id: speaker for speaker in speakers}
    if speaker_id not in known:
        raise UserError(f"No speaker {speaker_id!r} of voice {name!r}.{did_you_mean(speaker_id, known)}")
    return known[speaker_id]


def _kept(path: Path) -> Waveform | None:
    try:
        return read_audio(path)
    except ItemFailure:
        return None


def _default_folder() -> Path:
    if named := os.environ.get(CACHE_VARIABLE):
        return Path(named).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "squtr" / "dialogue"
