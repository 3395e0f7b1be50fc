"""COBOS: tasks that need an unknown number of robots, in networks of limited range (paper 003)."""

from motivation.cobos.coordinator import Cobos

__all__ = ["Cobos"]
