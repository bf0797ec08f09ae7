"""The digest of all audio that a subset has, from what its manifest says."""

from __future__ import annotations

from squtr.dataset import Subset
from squtr.digest import digest


def audio_digest(subset: Subset) -> str | None:
    """Return the digest of all recordings' PCM by condition and query, None where no manifest tells it."""
    heard = [
        (condition, one.query_id, one.facts.get("pcm_sha256"))
        for condition, recordings in subset.conditions.items()
        for one in recordings
    ]
    return digest(sorted(heard)) if all(one[2] for one in heard) else None
