"""Plan: what a recipe would take, and what of it is missing on this machine. Nothing is done."""
