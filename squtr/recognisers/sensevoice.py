"""SenseVoice through FunASR: Mandarin, Cantonese, English, Japanese and Korean from one small model.

`generate` is told the language and `use_itn=False`: numbers as words and no punctuation, which error rates
pass over anyway. What it gives begins with tags for language, mood, events and number style, such as
`<|zh|><|NEUTRAL|><|Speech|><|woitn|>`; they are cut off. FunASR's own rich_transcription_postprocess would
put emoji in their place.

Seen with FunASR 1.4.16 and a tiny SenseVoice of random weights. Not reached: the model itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from squtr.errors import UserError
from squtr.hub import pinned_model
from squtr.recognisers.funasr import FunAsrModel
from squtr.recognisers.model_files import FilesOf
from squtr.recognisers.model_files import model_files as find_files
from squtr.records import Transcription, Waveform

LANGUAGES = ("zh", "yue", "en", "ja", "ko")
_PINNED = pinned_model("FunAudioLLM/SenseVoiceSmall", "3eb3b4eeffc2f2dde6051b853983753db33e35c3")
_PIECES = "chn_jpn_yue_eng_ko_spectok.bpe.model"
_FILES = FilesOf(
    "SenseVoice",
    "FunASR",
    ("config.yaml", "configuration.json", "model.pt", "am.mvn", _PIECES),
    ("config.yaml", "configuration.json", "model.pt", _PIECES),
)
_TAG = re.compile(r"<\|[^|<>]*\|>")


class SenseVoice(FunAsrModel):
    """The Recogniser protocol on a SenseVoice model of FunASR.

    model: a folder with the repository's files, or a repository on the Hugging Face hub with `revision`, a
    commit of 40 hexadecimal digits; the default is SenseVoiceSmall. device: cpu or cuda:0; threads: on the
    CPU. Raises UserError for a faulty option.
    """

    name = "SenseVoice"
    decided_by = (*FunAsrModel.decided_by, "sentencepiece")
    modules = ("sentencepiece",)

    def __init__(
        self,
        model: str = _PINNED.repository,
        revision: str | None = None,
        device: str = "cpu",
        threads: int = 1,
    ) -> None:
        super().__init__(find_files(model, revision, _FILES, _PINNED), device, threads)

    def transcribe_many(self, audios: Sequence[Waveform], language: str) -> list[Transcription]:
        """Transcribe several recordings in one call of the model, which masks what it pads."""
        return self._heard(audios, language)

    def asked(self, language: str) -> dict[str, Any]:
        """Return the language and that numbers stay words. Raises UserError for one that it does not know."""
        if language not in LANGUAGES:
            raise UserError(f"SenseVoice knows {', '.join(LANGUAGES)}, not {language!r}.")
        return {"language": language, "use_itn": False}

    def text(self, given: str) -> str:
        """Return the words without the tags before and between them."""
        return " ".join(_TAG.sub(" ", given).split())
