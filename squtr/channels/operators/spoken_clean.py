"""spoken-clean: the text as a careful transcriber tidies it, rewritten by a chat model."""

from __future__ import annotations

from squtr.channels.rewriter import Rewriter


class SpokenClean(Rewriter):
    """Have redundancy trimmed and the order kept. With another `model` it is its own control.

    A model may answer "which vitamins really do help absorb iron?" with "Which vitamins help absorb iron?".
    """

    style = "spoken-clean"
