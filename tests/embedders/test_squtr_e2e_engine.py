"""The embedded end-to-end model on real speech of texts that it was not taught."""

from __future__ import annotations

import numpy as np
import pytest

from squtr.content import content
from squtr.embedders.squtr_e2e import SqutrE2e
from squtr.embedders.whisper_states import whisper_states
from squtr.records import Document, Waveform
from squtr.voices.espeak import Espeak
from squtr.voices.speakers import read_speakers

pytestmark = pytest.mark.engines

QUESTIONS = (
    "How do volcanoes form?",
    "What is the best way to cook rice?",
    "When did the first world war begin?",
    "How much money do I need to retire?",
    "Which vitamins are in oranges?",
    "How can I learn to play the piano?",
    "Why do cats sleep so much?",
    "How do aeroplanes stay in the air?",
)


@pytest.fixture(scope="module")
def sounds() -> list[Waveform]:
    speakers = read_speakers(content("data_build", "speakers.jsonl"), "espeak", "en")
    return [Espeak().speak(question, speakers[7 * place], 1) for place, question in enumerate(QUESTIONS)]


def test_speech_finds_its_text_far_more_often_than_by_chance(sounds: list[Waveform]) -> None:
    embedder = SqutrE2e()
    texts = embedder.embed_documents([Document(text, "", text) for text in QUESTIONS])
    found = np.stack([embedder.embed_audio(sound, "en") for sound in sounds]) @ texts.T
    right = (found.argmax(axis=1) == np.arange(len(QUESTIONS))).mean()
    assert right >= 0.6, f"{right:.2f} at rank 1; chance is {1 / len(QUESTIONS):.2f}"


def test_the_same_sound_has_the_same_vector(sounds: list[Waveform]) -> None:
    embedder = SqutrE2e()
    first, again = (embedder.embed_audio(sounds[0], "en") for _ in range(2))
    assert first.tobytes() == again.tobytes()


def test_states_are_those_of_the_sound_alone(sounds: list[Waveform]) -> None:
    frames = whisper_states(sounds[0])
    assert frames.shape == (round(sounds[0].seconds * 25), 512)
    assert frames.dtype == np.float32 and frames.std() > 0.1
