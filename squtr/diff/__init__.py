"""What differs between two builds, by record and by stage, and what explains it."""

from squtr.diff.compare import Comparison, compare

__all__ = ["Comparison", "compare"]
