"""Learning, both papers' experiments and the theorem: every line that this work is shown by, in its order."""
