"""Conditions: what is to be written of an utterance under each of a recipe's conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from squtr.acoustics.condition import Condition
from squtr.data_build.acoustics import AcousticItem, draw_second
from squtr.data_build.layout import CLEAN, audio_file, audio_folder, behind, condition_name
from squtr.data_build.mix import CleanItem, MixItem, draw_noise
from squtr.data_build.utterances import Utterance
from squtr.recipe import Recipe
from squtr.records import AudioRef, NoiseRecording

Item = CleanItem | MixItem | AcousticItem
REJECTED_FOLDER = "audio_rejected"


class Conditions:
    """Draws the noise of each utterance and names its files."""

    def __init__(self, recipe: Recipe, recordings: Sequence[NoiseRecording]) -> None:
        self._recipe, self._recordings = recipe, recordings
        self._by_id = {recording.id: recording for recording in recordings}
        self._drawn: tuple[str, tuple[NoiseRecording, int]] | None = None

    def items(self, utterance: Utterance, number: int, folder: str) -> dict[str, Item]:
        """Return the items of an utterance by condition; `folder` is its subset, `number` its own in it."""
        if utterance.chosen is None:
            return {}
        speech = utterance.chosen.audio
        if utterance.rejected is not None:
            return {CLEAN: CleanItem(speech, f"{folder}/{REJECTED_FOLDER}/{number}.wav")}
        rule, key, channel = self._recipe.mix, utterance.planned.key, utterance.planned.channel
        names = [behind(channel, name) for name in rule.condition_names]
        paths = {name: f"{folder}/{audio_folder(name)}/{audio_file(number, name)}" for name in names}
        clean = behind(channel, CLEAN)
        items: dict[str, Item] = {clean: CleanItem(speech, paths[clean])}
        for snr_db in rule.snrs_db:
            name = behind(channel, condition_name(snr_db))
            recording, crop_seed = self._noise(key, name)
            items[name] = MixItem(speech, recording.id, crop_seed, snr_db, paths[name])
        for condition in rule.conditions:
            name = behind(channel, condition.name)
            items[name] = self._acoustic_item(key, speech, condition, name, paths[name])
        return items

    def noise_row(self, item: Item) -> dict[str, Any]:
        """Return the manifest's fields about the noise of an item; none for a clean one."""
        if isinstance(item, CleanItem):
            return {}
        recording = self._by_id[item.recording]
        return {
            "noise_id": recording.id,
            "noise_category": recording.category,
            "noise_synthetic": recording.synthetic,
        }

    def _acoustic_item(
        self, key: str, speech: AudioRef, condition: Condition, name: str, path: str
    ) -> AcousticItem:
        recording, crop_seed = self._noise(key, name)
        second = None
        if condition.second_noise:
            noise_key = self._noise_key(key, name)
            second = draw_second(self._recordings, recording, self._recipe.seed, noise_key)
        plain = condition.model_dump(mode="json", exclude={"name", "snr_db"}, exclude_none=True)
        return AcousticItem(speech, recording.id, second, crop_seed, condition.snr_db, plain, path)

    def _noise(self, key: str, condition: str) -> tuple[NoiseRecording, int]:
        """Draw the noise of an utterance; the last draw is kept, as all its conditions may share it."""
        noise_key = self._noise_key(key, condition)
        if self._drawn is None or self._drawn[0] != noise_key:
            self._drawn = noise_key, draw_noise(self._recordings, self._recipe.seed, noise_key)
        return self._drawn[1]

    def _noise_key(self, key: str, condition: str) -> str:
        return f"{key}/{condition}" if self._recipe.mix.draw_per == "condition" else key


def by_noise(item: Item) -> tuple[str, int, str]:
    """Order items so that those with the same noise and speech follow one another."""
    return getattr(item, "recording", ""), getattr(item, "crop_seed", 0), item.path
