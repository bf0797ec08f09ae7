"""spoken-casual: the text as somebody says it unprepared, rewritten by a chat model."""

from __future__ import annotations

from squtr.channels.rewriter import Rewriter


class SpokenCasual(Rewriter):
    """Have a text said as to a friend: fillers, restarts, another order.

    A model may answer "which vitamins help absorb iron?" with
    "so, um, iron, which vitamins, like, help absorb it?".
    """

    style = "spoken-casual"
