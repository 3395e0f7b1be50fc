"""Experiments on BITE: what interaction costs, and what it is worth (paper 004)."""
