"""A seeded mutator: damaged input for everything that reads bytes.

What is sound is cut, flipped, doubled, joined with other sound input, or replaced by noise.
"""

import hashlib
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from tests.hostile.decoders import Decoder

STEP_S = 0.7  # between two inputs: longer than what is taken must wait, shorter than a beat
MEANINGFUL = b"\x00\x7e\x7d\x11\x13\xff\x2b\x0d\x0a\x2c\x80\x01\x20\x40\x7f\x10"  # to some reader
LAST = 5  # inputs that a failure shows
LONGEST = 120  # of an input, bytes: three of the longest frames


T = TypeVar("T")


class Entropy:
    """Numbers of a seed, many and fast: one digest gives sixteen of them; the same seed gives the same."""

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


@dataclass(frozen=True)
class Failure:
    """Input `number` (from 0) to a decoder raised or was believed; `inputs` are the last ones, it at the end."""

    decoder: str
    number: int
    what: str
    inputs: tuple[bytes, ...]

    def __str__(self) -> str:
        shown = "\n".join(f"  {data.hex()}" for data in self.inputs)
        return f"{self.decoder}, input {self.number}: {self.what}; the last inputs:\n{shown}"


def mutated(entropy: Entropy, seeds: Sequence[bytes]) -> bytes:
    """One input: sound input changed in one to four ways."""
    data = bytearray(entropy.choice(seeds))
    for _ in range(1 + entropy.below(4)):
        _change(entropy, data, seeds)
    return bytes(data[:LONGEST])


CHANGES = ("flip", "flip", "set", "set", "insert", "cut", "truncate", "double", "join", "noise")


def _change(entropy: Entropy, data: bytearray, seeds: Sequence[bytes]) -> None:
    """Change `data` in one way."""
    match CHANGES[entropy.below(len(CHANGES))]:
        case "flip" if data:
            bit = entropy.below(8 * len(data))
            data[bit // 8] ^= 1 << bit % 8
        case "set" if data:
            data[entropy.below(len(data))] = entropy.choice(MEANINGFUL)
        case "insert":
            data.insert(entropy.below(len(data) + 1), entropy.choice(MEANINGFUL))
        case "cut" if data:
            start = entropy.below(len(data))
            del data[start : start + 1 + entropy.below(8)]
        case "truncate":
            del data[entropy.below(len(data) + 1) :]
        case "double":
            start = entropy.below(len(data) + 1)
            data[start:start] = data[start : start + 1 + entropy.below(12)]
        case "join":
            other = entropy.choice(seeds)
            data += other[entropy.below(len(other) + 1) :]
        case "noise":
            data[:] = entropy.bytes(entropy.below(48))


def fuzz(decoder: Decoder, count: int, seed: int) -> Failure | None:
    """`count` inputs to one decoder; the first failure."""
    entropy = Entropy(seed)
    last: deque[bytes] = deque(maxlen=LAST)
    for n in range(count):
        data = mutated(entropy, decoder.seeds)
        last.append(data)
        try:
            believed = decoder.feed(STEP_S * n, data)
        except Exception as error:  # noqa: BLE001 - whatever is raised is what is looked for
            return Failure(decoder.name, n, f"{type(error).__name__}: {error}", tuple(last))
        if believed:
            return Failure(decoder.name, n, decoder.wrong, tuple(last))
    return None
