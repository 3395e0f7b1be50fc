"""What reads a modem's line: frames in whatever bytes come, in whatever pieces."""

from __future__ import annotations

from collections import Counter
from typing import Generic, TypeVar

Frame = TypeVar("Frame")


class FrameParser(Generic[Frame]):
    """Never raises, and holds a bounded part of what is incomplete. `counts`: what was dropped, by reason."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._part = bytearray()

    def reset(self) -> None:
        """Forget what was begun: the line was opened anew."""
        self._part.clear()

    def feed(self, data: bytes) -> list[Frame]:
        """What `data` completes, in order."""
        raise NotImplementedError
