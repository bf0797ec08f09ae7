"""Teaches squtr-e2e, the small end-to-end embedder; run `python -m training.end_to_end.train --help`."""
