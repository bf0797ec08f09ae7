"""Turn-taking by rule: where a simulated user interrupts an agent or gives a sign of listening, counted."""
