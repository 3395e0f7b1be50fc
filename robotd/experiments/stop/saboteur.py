"""A plug-in file: a layer that turns a robot on the spot as fast as it can, and at a sign brings its daemon down.

It does what no behavior may: it looks at files, never returns, takes all memory. That is what it is for.
"""

import os
import resource
from typing import Literal

from pydantic import Field

from behaviors import parts
from behaviors.parts import Behavior, Drive, Nothing, Out, Percept
from robotd.model.beliefs import Beliefs

SPIN_RAD_S = 100.0  # beyond any body: it turns as fast as it can, and nothing gets into its way
LARGEST, SMALLEST = 1 << 22, 64  # bytes of what is taken at a time, until not even the smallest is to be had


class Saboteur(Behavior[Nothing]):
    """The layer."""

    class Settings(parts.Settings):
        """Its table in the mission file."""

        deed: Literal["none", "blocked loop", "memory", "exception"] = Field(
            "none", description="what it does once the sign is there; none: it keeps turning"
        )
        sign: str = Field(description="the file that is the sign")

    name = "saboteur"

    def __init__(self, settings: Settings) -> None:
        super().__init__(Nothing())
        self._settings = settings
        self._hoard: list[bytes] = []

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        """Turn, until the sign is there."""
        if self._settings.deed != "none" and os.path.exists(self._settings.sign):
            self._misbehave()
        return Out(Drive(0.0, SPIN_RAD_S))

    def _misbehave(self) -> None:
        if self._settings.deed == "exception":
            raise RuntimeError("the behavior failed")
        if self._settings.deed == "memory":
            self._exhaust()
        while True:
            pass

    def _exhaust(self) -> None:
        """Let the process have no more memory than it has, use up what is left, and meet the MemoryError."""
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[0])
        size = pages * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        piece = LARGEST
        while piece >= SMALLEST:
            try:
                while True:
                    self._hoard.append(bytes(piece))
            except MemoryError:
                piece //= 2
        raise MemoryError("no memory is left")


ROBOTD = {"robotd.behaviors": {"saboteur": Saboteur}}
