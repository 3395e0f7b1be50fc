"""BITE: teamwork as interaction behaviors that a mission exchanges point by point (paper 004)."""

from motivation.bite.coordinator import Bite
from motivation.bite.interactions import Allocate, Decide, Interaction, Point, Shares, Terminate

__all__ = ["Allocate", "Bite", "Decide", "Interaction", "Point", "Shares", "Terminate"]
