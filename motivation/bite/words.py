"""BITE's own statements: where a robot is in the graph, and what it states at a point of interaction.

A `path` is the whole stack: of each level the behavior and its occurrence, the number of steps along the chain
that led to it, so that all that is received shows to which time round it belongs. Four levels at most, from the
root, of six and seven bits; the last four bits are the phase. A `ballot` is about a point of its sender's path.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from robotd.model.statements import Statement, StatementKind

KINDS = (
    StatementKind("path", 0, (("path", "bytes7"),), key=0, priority=3),
    StatementKind(
        "ballot", 0, (("what", "u8"), ("point", "u8"), ("occurrence", "u8"), ("value", "u24")), key=2, priority=4
    ),
)
LEVELS, NODES, OCCURRENCES = 4, 63, 128
NODE_BITS, OCCURRENCE_BITS, PHASE_BITS = 6, 7, 4
EXECUTES, ENDED, DECIDES, FINISHED, LISTENS, CLOSED = range(6)  # phases of the behavior on top of a stack
CALL, VOTE, WINNER, OPEN, BIDS, AWARD, DONE, SENSED = range(1, 9)  # what a ballot is
PAGE = 16  # times its page is added to what a ballot is, where its values need several
MOST_CHOICES = 24  # bits of a value


@dataclass(frozen=True, slots=True)
class Step:
    """A behavior on a path, by number, and its occurrence."""

    node: int
    occurrence: int


@dataclass(frozen=True, slots=True)
class Path:
    """A robot's stack from the root, and the phase of its top."""

    steps: tuple[Step, ...] = ()
    phase: int = LISTENS

    def shares(self, other: "Path", depth: int) -> bool:
        """Whether two paths are one above level `depth`."""
        return self.steps[:depth] == other.steps[:depth] and len(self.steps) >= depth <= len(other.steps)


def is_newer(one: int, other: int) -> bool:
    """Whether occurrence `one` comes after `other`, counted round."""
    return 0 < (one - other) % OCCURRENCES < OCCURRENCES // 2


def path_statement(path: Path) -> Statement:
    """How a path travels."""
    bits = 0
    for k in range(LEVELS):
        step = path.steps[k] if k < len(path.steps) else Step(0, 0)
        bits = (bits << NODE_BITS | step.node) << OCCURRENCE_BITS | step.occurrence
    whole = bits << PHASE_BITS | path.phase
    return Statement("path", (tuple(float(byte) for byte in whole.to_bytes(7, "big")),))


def path_of(statement: Statement) -> Path:
    """The inverse of `path_statement`; levels after an empty one are left out."""
    (values,) = statement.fields
    assert isinstance(values, tuple)
    bits = int.from_bytes(bytes(int(value) for value in values), "big")
    phase, bits = bits & (1 << PHASE_BITS) - 1, bits >> PHASE_BITS
    steps: list[Step] = []
    for _ in range(LEVELS):
        occurrence, bits = bits & OCCURRENCES - 1, bits >> OCCURRENCE_BITS
        node, bits = bits & NODES, bits >> NODE_BITS
        steps = [Step(node, occurrence), *steps] if node else []
    return Path(tuple(steps), min(phase, CLOSED))


@dataclass(frozen=True, slots=True)
class Ballot:
    """`what` with its page, the number of the point that it is about, the occurrence, a value below 2^24."""

    what: int
    point: int
    occurrence: int
    value: int


def ballot_statement(one: Ballot) -> Statement:
    return Statement("ballot", (one.what, one.point, one.occurrence, one.value))


def ballot_of(statement: Statement) -> Ballot:
    return Ballot(*(int(field) for field in statement.fields))  # type: ignore[arg-type]


def mask_of(numbers: Sequence[int]) -> int:
    """Numbers from 1 as a set of bits."""
    return sum(1 << number - 1 for number in set(numbers))


def numbers_of(mask: int) -> list[int]:
    """The inverse of `mask_of`, in order."""
    return [k + 1 for k in range(mask.bit_length()) if mask >> k & 1]
