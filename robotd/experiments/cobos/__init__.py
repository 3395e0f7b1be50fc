"""Experiments on COBOS in a room of radio islands (paper 003, section V)."""
