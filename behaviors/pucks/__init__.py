"""Behavior sets of teams that hold pucks at several places at once (paper 003, section V)."""
