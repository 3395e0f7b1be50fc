"""`python -m tests.hostile.attack`: frames of an attacker that hears everything and has no key; none is believed.

It records each frame of the team (whether or not the victim heard it), and plays, cuts, joins and changes what it
has; it knows the frame's layout, and the keys of another team and of this team's past. The victim restarts now and
then with what its disk holds; teammates do not, and everything of theirs must be heard.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from radio.authentication import Authentication
from radio.codec import MAC, Codec, Header, encode_header
from radio.keys import Keys
from radio.link import Radio
from radio.reservation import BLOCK
from radio.suspicion import MAX_JUDGED
from robotd.model.plain import Json
from robotd.model.statements import Statement
from robotd.model.streams import Stream
from tests.hostile.fuzz import Entropy
from tests.radio.helper import HandModem, activity, saved, sealed, table

TABLE = table()
KEY, OWN, PAST, OTHER = (bytes([n]) * 32 for n in range(1, 5))
KEYS, TEAM = Keys((KEY,), {3: (OWN,)}), 7
BATCH = 50  # frames of the attacker between two of the team
RESTART = 40  # batches between two restarts of the victim
KEPT = 400  # recordings that the attacker holds


@dataclass
class Result:
    """What became of an attack: frames `sent` by kind, how many were `taken`; the team's, how many were heard."""

    sent: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    taken: int = 0
    stopped: int = 0  # times that the victim was stopped or silenced by a frame of the attacker
    restarts: int = 0
    genuine: int = 0
    heard: int = 0

    @property
    def held(self) -> bool:
        """Whether nothing of the attacker's was believed and nothing of the team's was lost but to restarts."""
        owed = self.genuine - self.restarts * 2 * (BLOCK + 1)
        return self.taken == self.stopped == 0 and self.heard >= owed


class Attacker:
    """Makes frames from what it has heard; none of them is one that the victim has yet to hear."""

    def __init__(self, seed: int) -> None:
        self.entropy = Entropy(seed)
        self.recorded: list[bytes] = []
        self._strangers = {
            "another team's number": Authentication(TABLE, 2, Keys((KEY,)), TEAM + 1, None, 1 << 20),
            "another team's key": Authentication(TABLE, 2, Keys((OTHER,)), TEAM, None, 1 << 20),
            "a key that was dropped": Authentication(TABLE, 2, Keys((PAST,)), TEAM, None, 1 << 20),
            "a teammate's key for another": Authentication(TABLE, 2, Keys((OWN,)), TEAM, None, 1 << 20),
            "the team's key for one with its own": Authentication(TABLE, 3, Keys((KEY,)), TEAM, None, 1 << 20),
        }
        self._records = Codec(TABLE).encode(Statement("stop", (2, 77)))
        self.kinds: dict[str, Callable[[], bytes]] = {
            "forged": self._forged,
            "replayed": lambda: self.entropy.choice(self.recorded),
            "flipped": self._flipped,
            "truncated": lambda: self._some()[: self.entropy.below(len(self._some()))],
            "lengthened": lambda: self._some() + self.entropy.bytes(1 + self.entropy.below(8)),
            "another sender's number": lambda: self._changed(1, bytes([1 + self.entropy.below(3)])),
            "a later epoch": lambda: self._changed(5, (1 << 22).to_bytes(3, "big")),
            "joined": self._joined,
            "noise": lambda: self.entropy.bytes(self.entropy.below(48)),
            **{kind: self._sealer(kind) for kind in self._strangers},
        }

    def frame(self, kind: str) -> bytes:
        """A frame of a kind."""
        return self.kinds[kind]()

    def _some(self) -> bytes:
        return self.entropy.choice(self.recorded)

    def _forged(self) -> bytes:
        header = Header(1 + self.entropy.below(3), 1, running=True, digest=TABLE.digest, epoch=1 << 22, counter=1)
        return encode_header(header) + self._records + self.entropy.bytes(MAC)

    def _flipped(self) -> bytes:
        frame = bytearray(self._some())
        bit = self.entropy.below(8 * len(frame))
        frame[bit // 8] ^= 1 << bit % 8
        return bytes(frame)

    def _changed(self, at: int, to: bytes) -> bytes:
        frame = self._some()
        return frame[:at] + to + frame[at + len(to) :]

    def _joined(self) -> bytes:
        """The body of one with the authenticator of another."""
        return self._some()[:-MAC] + self._some()[-MAC:]

    def _sealer(self, kind: str) -> Callable[[], bytes]:
        number = 3 if kind.startswith("the team's") else 2
        return lambda: sealed(self._strangers[kind], number, TABLE.digest, self._records)


class Victim:
    """Robot 1, whose modem hears the attacker and its teammates; it is ticked by hand and restarts at will."""

    def __init__(self) -> None:
        self.modem = HandModem()
        self.now = 0.0
        self.radio = self._started(None)

    def restart(self) -> None:
        """Start with what was saved."""
        self.radio = self._started(self.radio.memory())

    def _started(self, memory: Json) -> Radio:
        radio = saved(Radio(TABLE, 1, KEYS, TEAM, self.modem, Stream(1, "victim", "phase"), memory, None))
        radio.begin(self.now)
        return radio

    def hears(self, *frames: bytes) -> int:
        """How many of these frames are taken; all arrive a second after the last."""
        self.now += 1.0
        taken = 0
        for first in range(0, len(frames), MAX_JUDGED):
            self.modem.inbox = [(self.now, frame) for frame in frames[first : first + MAX_JUDGED]]
            taken += len(self.radio.receive(self.now))
        return taken + len(self.radio.receive(self.now + 0.6))

    @property
    def is_stopped(self) -> bool:
        """Whether a frame has stopped or silenced it."""
        return self.radio.stopped_by is not None or bool(self.radio.faults)


def attack(count: int, seed: int) -> Result:
    """`count` frames of the attacker, in batches between the team's."""
    result, attacker, victim, codec = Result(), Attacker(seed), Victim(), Codec(TABLE)
    teammates = {n: Authentication(TABLE, n, KEYS, TEAM, None, 5) for n in (2, 3)}
    own, records = Authentication(TABLE, 1, KEYS, TEAM, None, None), codec.encode(activity())
    attacker.recorded = [sealed(own, 1, TABLE.digest, records)]  # of its former life, which its memory knows of
    victim.restart()
    kinds, n = sorted(attacker.kinds), 0
    while sum(result.sent.values()) < count:
        n += 1
        for number, teammate in teammates.items():
            frame = sealed(teammate, number, TABLE.digest, records)
            result.genuine += 1
            result.heard += victim.hears(frame)
            attacker.recorded = [*attacker.recorded, frame][-KEPT:]
        chosen = [kinds[i % len(kinds)] for i in range(n * BATCH, (n + 1) * BATCH)]
        result.taken += victim.hears(*map(attacker.frame, chosen))
        result.sent.update(chosen)
        result.stopped += victim.is_stopped
        if n % RESTART == 0:
            result.refused.update(dict(victim.radio.statistics.refused))
            victim.now += 3.0
            victim.restart()
            result.restarts += 1
            result.taken += victim.hears(*attacker.recorded)
    result.refused.update(dict(victim.radio.statistics.refused))
    return result


def main() -> int:
    """Exit status 0 where nothing was believed that should not be."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.attack", description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000, help="frames of the attacker (default 1000000)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    result = attack(options.count, options.seed)
    sys.stdout.write(
        f"{sum(result.sent.values())} hostile frames of {len(result.sent)} kinds, {result.restarts} restarts: "
        f"{result.taken} taken, {result.stopped} stops; {result.heard} heard of the team's {result.genuine}\n"
        + "".join(f"  refused as {reason}: {count}\n" for reason, count in sorted(result.refused.items()))
    )
    return 0 if result.held else 1


if __name__ == "__main__":
    sys.exit(main())
