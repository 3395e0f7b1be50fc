"""The base station of the simulated channel: beacons that assign TDMA slots, and nothing else.

It is not a robot and takes no part in the mission. Beacon k is a pure function of k.
"""

from __future__ import annotations

import hashlib
import math
from functools import lru_cache

from radio.codec import MAC, Codec, Header, encode_header
from radio.framing import wrap
from radio.pacing import STRETCH
from radio.slots import PARTS
from robotd.model.statements import Statement
from robotd.model.table import NumberTable

NUMBER = 0
_COUNTERS = 1 << 16


class BaseStation:
    """Beacons for all robots of `table`, authentic under `key` and `team`."""

    def __init__(self, table: NumberTable, key: bytes, team: int, first_epoch: int = 1) -> None:
        self.period = table.beat_s * STRETCH
        self._hash = hashlib.blake2s(key=key, digest_size=MAC, person=team.to_bytes(8, "big"))
        self._digest, self._first_epoch = table.digest, first_epoch
        hundredths = math.ceil(round(table.beat_s * PARTS, 6))  # no beacon may promise less than a beat
        fields = (len(table.team), hundredths)
        self._record = Codec(table).encode(Statement("beacon", fields))
        self.beacon = lru_cache(maxsize=4)(self._beacon)
        self.size = len(self._beacon(0))

    def _beacon(self, k: int) -> bytes:
        epoch, counter = self._first_epoch + k // _COUNTERS, k % _COUNTERS
        header = Header(NUMBER, run=0, running=False, digest=self._digest, epoch=epoch, counter=counter)
        body = encode_header(header) + self._record
        digest = self._hash.copy()
        digest.update(body)
        return wrap(body + digest.digest())
