"""What the retrievers on text models of sentence-transformers share: the model, its prompts, what was cut."""

from __future__ import annotations

import functools

from squtr.needs import Need
from squtr.options import number_option
from squtr.retrievers.models import TextModel
from squtr.retrievers.prompts import Prompts, chosen_prompts

Asked = tuple[str | None, str | None, str | None]


class Prompted:
    """A retriever on one text model. `truncation` counts documents, and those cut at max_length."""

    def set_model(self, model: TextModel, asked: Asked, batch_size: int) -> None:
        """Keep the model and what was asked for: preset, query prompt, document prompt."""
        self.model, self._asked_prompts = model, asked
        self.batch_size = int(number_option("batch_size", batch_size, 1, 65536))
        self.truncation = {"documents": 0, "cut": 0}

    @functools.cached_property
    def prompts(self) -> Prompts:
        """The prompts in use. Raises UserError where they should be declared and are not."""
        return chosen_prompts(self.model.name, self.model.folder, *self._asked_prompts)

    def needs(self) -> list[Need]:
        """Return the packages, the device and the model."""
        return self.model.needs()
