"""Numbers of a seed, many and fast: one digest gives sixteen of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Entropy:
    """A stream of numbers; the same seed gives the same."""

    def __init__(self, seed: int) -> None:
        self._hash = hashlib.blake2b(seed.to_bytes(8, "big"))
        self._count = 0
        self._block = b""
        self._used = 64

    def bytes(self, count: int) -> bytes:
        """So many bytes."""
        out = b""
        while len(out) < count:
            if self._used >= 64:
                digest = self._hash.copy()
                digest.update(self._count.to_bytes(8, "big"))
                self._block, self._used, self._count = digest.digest(), 0, self._count + 1
            part = self._block[self._used : self._used + count - len(out)]
            self._used += len(part)
            out += part
        return out

    def below(self, limit: int) -> int:
        """A number from 0 to `limit` - 1; even to a thousandth for limits below 2**20."""
        return int.from_bytes(self.bytes(4), "big") % limit

    def choice(self, of: Sequence[T]) -> T:
        """One of these."""
        return of[self.below(len(of))]
