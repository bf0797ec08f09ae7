"""spoken-succinct: the text as a dictation tool compresses it, rewritten by a chat model."""

from __future__ import annotations

from squtr.channels.rewriter import Rewriter


class SpokenSuccinct(Rewriter):
    """Have a text compressed as in a textbook, its order built anew.

    A model may answer "which vitamins help absorb iron?" with "Vitamins promoting iron absorption?".
    """

    style = "spoken-succinct"
