"""Fun-ASR-Nano through FunASR: an audio encoder before a language model of 0.6 billion weights.

The language model is told, in Chinese, which language to write and to leave numbers as they are spoken. It
decodes greedily: its own settings would draw at random. One recording a call, for FunASR decodes it no other
way once the model's second, CTC, head is there.

Seen with FunASR 1.4.16 and a tiny model of random weights. Not reached: the model itself.
"""

from __future__ import annotations

import importlib
from typing import Any

from squtr.errors import UserError
from squtr.hub import pinned_model
from squtr.options import text_option
from squtr.recognisers.funasr import FunAsrModel
from squtr.recognisers.model_files import FilesOf
from squtr.recognisers.model_files import model_files as find_files
from squtr.records import Samples

NAMES = {"zh": "中文", "en": "英文", "ja": "日文"}
_PINNED = pinned_model("FunAudioLLM/Fun-ASR-Nano-2512", "272c57b82523ada6fd87095e955f8e29100979ab")
_FILES = FilesOf(
    "Fun-ASR",
    "FunASR",
    ("config.yaml", "configuration.json", "model.pt", "am.mvn", "*.tiktoken", "*/*.json", "*/*.txt"),
    ("config.yaml", "configuration.json", "model.pt"),
)


class FunAsr(FunAsrModel):
    """The Recogniser protocol on a Fun-ASR model of FunASR.

    model: a folder with the repository's files, or a repository on the Hugging Face hub with `revision`, a
    commit of 40 hexadecimal digits; the default is Fun-ASR-Nano-2512. spoken: the language as the model's
    card names it, such as 韩文, for a model that knows more than Chinese, English and Japanese. device: cpu
    or cuda:0; threads: on the CPU. Raises UserError for a faulty option.
    """

    name = "Fun-ASR"
    decided_by = (*FunAsrModel.decided_by, "transformers")
    modules = ("transformers",)

    def __init__(
        self,
        model: str = _PINNED.repository,
        revision: str | None = None,
        spoken: str | None = None,
        device: str = "cpu",
        threads: int = 1,
    ) -> None:
        super().__init__(find_files(model, revision, _FILES, _PINNED), device, threads)
        self._spoken = None if spoken is None else text_option("spoken", spoken)

    def settings(self) -> tuple[Any, ...]:
        """Return the language's name, if one was given."""
        return (self._spoken,)

    def asked(self, language: str) -> dict[str, Any]:
        """Return language, number style and greedy decoding. Raises UserError for a language without name."""
        name = self._spoken or NAMES.get(language)
        if name is None:
            raise UserError(
                f"Fun-ASR is told a language by a name, and there is none here for {language!r}. Give it as"
                " the model's card writes it: spoken=韩文."
            )
        return {"language": name, "itn": False, "llm_kwargs": {"do_sample": False, "num_beams": 1}}

    def input(self, samples: Samples) -> Any:
        """Return a tensor: FunASR leaves arrays out where a language model is asked."""
        return importlib.import_module("torch").from_numpy(samples)
