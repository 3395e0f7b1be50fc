"""Behavior sets of robots that walk in formation (paper 004, Experiments)."""
