"""spoken-formal: the text as a speaker says it to an audience, rewritten by a chat model."""

from __future__ import annotations

from squtr.channels.rewriter import Rewriter


class SpokenFormal(Rewriter):
    """Have a text said in whole, long sentences with hardly a hesitation.

    A model may answer "which vitamins help absorb iron?" with
    "I should like to know which vitamins help absorb iron.".
    """

    style = "spoken-formal"
