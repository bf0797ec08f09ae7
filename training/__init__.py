"""Training of the models that the package carries."""
