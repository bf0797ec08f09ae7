"""What a stage gets of the machines it runs on. It decides how fast a build is, never its bytes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from squtr.section import Section


class Share(Section):
    """What one stage gets of the machines: GPUs a worker (by `--engine ray`) and items a model call."""

    gpus: Annotated[float, Field(ge=0, le=64)] = 0.0
    batch: Annotated[int, Field(ge=1, le=4096)] = 1


class Resources(Section):
    """How the stages run. It decides no byte, so it is no part of a recipe's digest."""

    speak: Share = Share()
    transcribe: Share = Share()
    judge: Share = Share()

    def share(self, stage: str) -> Share:
        """Return a stage's share; a stage without one here needs no model."""
        found: Share = getattr(self, stage, Share())
        return found
