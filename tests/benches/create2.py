"""Decoding a stream frame of a Create 2 against pycreate2's decoder on the robot's whole group, byte for byte."""

from collections.abc import Callable

from boards.create2.frames import PACKETS, SENSED, Layout, StreamParser
from tests.benches.measure import Figure, at_most, columns, ratio, rounds

GROUP_BYTES = 80  # of packet group 100, all that the robot senses
BOUND = 1.5
TIMES, REPEAT = 400, 60  # of one decoding, a round; rounds


def ours() -> tuple[Callable[[], object], int]:
    """What decodes one frame as it comes from the line: found, its checksum and packets checked; its bytes."""
    layout = Layout(SENSED)
    frame = layout.build([(37 * packet) % 120 for packet in SENSED])
    splitter = StreamParser(layout)
    assert len(splitter.feed(frame)) == 1
    return lambda: splitter.feed(frame), len(frame)


def theirs() -> tuple[Callable[[], object], int]:
    """The same of pycreate2, which is given a group without frame or checksum. ImportError without it."""
    from pycreate2.packets import SensorPacketDecoder

    data = bytes(37 * k % 120 for k in range(GROUP_BYTES))
    return lambda: SensorPacketDecoder(data), GROUP_BYTES


def run() -> list[Figure]:
    """The ratio of the times for a byte, measured in turn; one line without it where pycreate2 is not there."""
    assert set(SENSED) <= set(PACKETS)
    try:
        their_task, their_bytes = theirs()
    except ImportError as error:
        return [Figure("Create 2 frame against pycreate2", 0.0, "x", detail=f"not measured: {error}")]
    our_task, our_bytes = ours()
    measured = list(rounds((our_task, their_task), TIMES, REPEAT))
    value = ratio(measured) * their_bytes / our_bytes
    one, other = columns(measured)
    detail = f"per byte: {our_bytes} B in {one / other:.2f} of the time of {their_bytes} B"
    return [at_most("Create 2 frame against pycreate2", value, BOUND, detail)]
