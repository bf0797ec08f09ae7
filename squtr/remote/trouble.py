"""What can go wrong with one request, and with a service as a whole."""

from __future__ import annotations


class Trouble(Exception):
    """A request that gave nothing to use. `billed`: the service may have done, and charged, the work."""

    def __init__(self, reason: str, *, billed: bool = False, wait_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.billed, self.wait_seconds = billed, wait_seconds


class NoAnswer(Trouble):
    """The service was not reached, was too slow, or says that it cannot answer now. Asked again."""


class BrokenAnswer(Trouble):
    """An answer came and is not as it should be. Asked again; in the end the item's own failure."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, billed=True)


class Refused(Trouble):
    """The service will not do this request. Not asked again."""


class ServiceUnavailable(Exception):
    """No answer after all tries: the item fails for now, and is tried again at the next run."""
