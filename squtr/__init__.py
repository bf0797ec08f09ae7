"""squtr: build and score spoken-query retrieval benchmarks, and measure what was realised."""

__version__ = "0.1.0"
