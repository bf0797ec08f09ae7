"""Acoustic conditions beyond plain noise: rooms, telephone lines, bursts, a second noise.

One operator is one file. Its settings are a frozen section of a recipe; `draw(rng)` gives frozen parameters;
the parameters' `apply(...)` changes samples and returns them with what was realised. What was drawn and what
was realised go into the manifest together, so that the speech in a recording can be made again and measured.
"""

from __future__ import annotations
