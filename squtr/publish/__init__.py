"""Data sets on their way out and in: published as Parquet, exported to other layouts, imported as is."""
