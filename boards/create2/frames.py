"""The Open Interface of the iRobot Create 2 and the Roomba 500 to 800 as bytes, for driver and emulator alike.

After iRobot's "Create 2 Open Interface Specification based on the Roomba 600" (2016). Numbers are big-endian.
Commands have neither length nor checksum: the robot waits without end for the bytes that a cut command still
wants, and takes the next command for them. The stream of senses has both.
"""

import struct
from collections.abc import Sequence

from boards.parser import FrameParser

BAUD = 115200  # the others that the robot knows are too slow for the stream
START, BAUD_RATE, CONTROL, SAFE, FULL, STOP_OI = 128, 129, 130, 131, 132, 173
DRIVE, DRIVE_DIRECT, DRIVE_PWM = 137, 145, 146
SONG, PLAY, SENSORS, STREAM, QUERY, PAUSE, RESET = 140, 141, 142, 148, 149, 150, 7
OFF_MODE, PASSIVE_MODE, SAFE_MODE, FULL_MODE = 0, 1, 2, 3

DATA_BYTES: dict[int, int] = {
    RESET: 0, START: 0, BAUD_RATE: 1, CONTROL: 0, SAFE: 0, FULL: 0, 133: 0, 134: 0, 135: 0, 136: 0, DRIVE: 4,
    138: 1, 139: 3, PLAY: 1, SENSORS: 1, 143: 0, 144: 3, DRIVE_DIRECT: 4, DRIVE_PWM: 4, PAUSE: 1, 162: 2,
    163: 4, 164: 4, 165: 1, 167: 15, 168: 3, STOP_OI: 0,
}  # fmt: skip
"""Data bytes of each command of fixed length; `SONG`, `STREAM` and `QUERY` have lengths (`missing`)."""

PACKETS: dict[int, str] = {
    **dict.fromkeys(range(7, 19), "B"), 19: "h", 20: "h", 21: "B", 22: "H", 23: "h", 24: "b",
    **dict.fromkeys((25, 26, 27, 28, 29, 30, 31), "H"), 32: "B", 33: "H", **dict.fromkeys(range(34, 39), "B"),
    **dict.fromkeys(range(39, 43), "h"), 43: "H", 44: "H", 45: "B", **dict.fromkeys(range(46, 52), "H"), 52: "B",
    53: "B", **dict.fromkeys(range(54, 58), "h"), 58: "B",
}  # fmt: skip
"""Every single sensor packet and how it is packed; the encoders as unsigned, since only differences count."""

BUMPS, CLIFF_LEFT, CLIFF_FRONT_LEFT, CLIFF_FRONT_RIGHT, CLIFF_RIGHT, OVERCURRENT = 7, 9, 10, 11, 12, 14
CHARGING, VOLTAGE, CHARGE, CAPACITY, MODE, LEFT_COUNT, RIGHT_COUNT = 21, 22, 25, 26, 35, 43, 44
LIGHTS = (46, 47, 48, 49, 50, 51)  # left, front left, centre left, centre right, front right, right
LEFT_CURRENT, RIGHT_CURRENT = 54, 55
CLIFFS = (CLIFF_LEFT, CLIFF_FRONT_LEFT, CLIFF_FRONT_RIGHT, CLIFF_RIGHT)
BUMP_RIGHT, BUMP_LEFT, DROPS = 1, 2, 4 | 8  # bits of packet 7
OVER_RIGHT, OVER_LEFT = 8, 16  # bits of packet 14: the wheels

SENSED = (BUMPS, *CLIFFS, OVERCURRENT, CHARGING, VOLTAGE, CHARGE, CAPACITY, MODE, LEFT_COUNT, RIGHT_COUNT, 45,
          *LIGHTS, LEFT_CURRENT, RIGHT_CURRENT)  # fmt: skip
"""What the driver has streamed: 60 bytes every 15 ms, a third of the line."""
STREAM_S = 0.015

HEADER = 19
BANNERS = (b"bl-start", b"r3_robot")  # how what a robot prints after a reset begins, by firmware
_BANNER_BYTES = max(map(len, BANNERS))

PADDING = bytes(64)
"""Ends any command that was cut: the longest, a list of all 52 packets, still wants 52 bytes. As data zeros are
harmless (speed 0, an empty list); a START would be read as "128 packets follow". A stray 0 is no command."""
HALT = PADDING + bytes([START, SAFE, DRIVE_DIRECT, 0, 0, 0, 0, START, STOP_OI])
"""Stops the wheels whatever was cut half-way before, and leaves a robot that can sleep and charge."""


def drive(left: int, right: int) -> bytes:
    """Wheel speeds in mm/s; the right one goes first."""
    return struct.pack(">Bhh", DRIVE_DIRECT, right, left)


def listed(command: int, packets: Sequence[int]) -> bytes:
    """`STREAM` or `QUERY` for packets by number."""
    return bytes([command, len(packets), *packets])


def song(slot: int, notes: Sequence[tuple[int, int]]) -> bytes:
    """Store at most 16 (MIDI note, 64ths of a second) in a slot of 0 to 4, and play it."""
    return bytes([SONG, slot, len(notes), *(value for note in notes for value in note), PLAY, slot])


def missing(begun: Sequence[int]) -> int:
    """How many bytes more a command wants of which `begun` are there, its number first; 0 for a whole one."""
    command, have = begun[0], len(begun) - 1
    if command in (STREAM, QUERY):
        return 1 if have == 0 else 1 + begun[1] - have
    if command == SONG:
        return 2 - have if have < 2 else 2 + 2 * begun[2] - have
    return DATA_BYTES.get(command, 0) - have


class Layout:
    """The stream frame for one list of packets: 19, N, (number, data)..., checksum."""

    def __init__(self, packets: Sequence[int]) -> None:
        self.packets = tuple(packets)
        self._struct = struct.Struct(">BB" + "".join("B" + PACKETS[packet] for packet in packets) + "B")
        self.size = self._struct.size
        self.head = bytes([HEADER, self.size - 3])

    def build(self, values: Sequence[int]) -> bytes:
        parts = [part for pair in zip(self.packets, values, strict=True) for part in pair]
        whole = self._struct.pack(*self.head, *parts, 0)
        return whole[:-1] + bytes([-sum(whole) % 256])

    def parse(self, frame: bytes) -> dict[int, int]:
        """The values by packet; ValueError, its message the reason in one word."""
        if len(frame) != self.size or frame[:2] != self.head:
            raise ValueError("length")
        if sum(frame) % 256:
            raise ValueError("checksum")
        parts = self._struct.unpack(frame)
        if parts[2:-1:2] != self.packets:
            raise ValueError("packets")
        return dict(zip(self.packets, parts[3:-1:2], strict=True))


class StreamParser(FrameParser[dict[int, int]]):
    """The frames of one layout: values by packet. A 19 may be inside a frame too, so each is tried, and only a
    frame of the length, the packets and the checksum asked for counts. `banners`: resets that the robot has
    printed."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.banners = 0
        self.header = layout.head
        self._layout = layout
        self._skipped = b""  # the last bytes that were in no frame

    def reset(self) -> None:
        super().reset()
        self._skipped = b""

    def size(self, begun: bytes) -> int:
        return self._layout.size

    def parse(self, whole: bytes) -> dict[int, int]:
        frame = self._layout.parse(whole)
        self._skipped = b""
        return frame

    def skip(self, junk: bytes) -> None:
        super().skip(junk)
        seen = self._skipped + junk
        found = max(seen.rfind(banner) + len(banner) if banner in seen else 0 for banner in BANNERS)
        self.banners += found > 0
        self._skipped = seen[found:][-_BANNER_BYTES + 1 :]

    def damaged(self, begun: bytes) -> None:
        self.skip(begun)
