"""Conditions, systems, scores, statistics and the report."""
