"""Real robots, and a stop that always works: every line that this work is shown by, in its order."""
