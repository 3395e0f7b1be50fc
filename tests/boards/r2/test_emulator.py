"""The emulated board: when it speaks, what it takes, and what its line can do to a frame."""

from __future__ import annotations

import math

import pytest

from boards.mock.faulty_line import FAULTS, FaultyLine
from boards.mock.r2 import MockR2
from boards.r2 import frames as wire
from boards.r2.emulator import R2Emulator
from tests.boards.bench import world

FRAME = wire.frame(wire.HELLO, version=1)
DRIVE = {"number": 1, "left": 100, "right": 100, "opening": wire.LEAVE, "lift": wire.LEAVE, "tune": 255}


def switched_on():
    """An emulator after its first word, and what that was."""
    emulator = R2Emulator(MockR2(world(), "green"))
    return emulator, wire.FrameParser().feed(b"".join(emulator.transmit(0.0)))


def kinds(emulator, now):
    return [kind for kind, _ in wire.FrameParser().feed(b"".join(emulator.transmit(now)))]


def test_it_says_unasked_that_it_was_switched_on_and_is_silent_until_it_is_greeted():
    emulator, sent = switched_on()
    assert [(kind, fields.started) for kind, fields in sent] == [(wire.IDENTITY, 1)]
    assert emulator.wake_at is None
    emulator.receive(0.1, FRAME)
    assert emulator.wake_at == 0.1
    assert kinds(emulator, 0.1) == [wire.IDENTITY]
    assert emulator.wake_at == pytest.approx(0.15)
    assert kinds(emulator, 0.15) == [wire.SENSES]


def test_asked_late_it_skips_the_senses_that_nobody_took():
    emulator, _ = switched_on()
    emulator.receive(0.0, FRAME)
    emulator.transmit(0.0)
    assert kinds(emulator, 0.5) == [wire.SENSES]
    assert kinds(emulator, 0.52) == []
    assert kinds(emulator, 0.55) == [wire.SENSES]


def test_it_drives_for_nobody_who_has_not_greeted_it_and_stops_for_anybody():
    emulator, _ = switched_on()
    drive = wire.frame(wire.DRIVE, **DRIVE, expiry=500)
    emulator.receive(0.1, drive)
    assert emulator.body.driven(0.2) == (0, 0)
    emulator.receive(0.2, FRAME + drive)
    assert emulator.body.driven(0.3) == (0.1, 0.1)
    emulator.reboot(0.3)
    assert emulator.body.driven(0.3) == (0, 0)
    emulator.receive(0.4, FRAME + drive)
    emulator.receive(0.45, wire.HALT)
    assert emulator.body.driven(0.45) == (0, 0)


def test_a_greeting_does_not_keep_the_wheels_turning():
    emulator, _ = switched_on()
    emulator.receive(0.0, FRAME + wire.frame(wire.DRIVE, **DRIVE, expiry=60000))
    for n in range(1, 12):
        emulator.receive(n / 20, FRAME)
    assert emulator.body.driven(0.55) == (0, 0)


def sent(*faults, frames=1, times=1):
    """What becomes of `FRAME` on a line with faults: (time, bytes)."""
    line = FaultyLine(1, "green")
    for fault in faults:
        line.fault(fault, frames)
    for _ in range(times):
        line.send(0.0, FRAME)
    out = []
    while line.wake_at is not None:
        now = line.wake_at
        out += [(now, data) for data in line.take(now)]
    return out


def test_a_healthy_line_changes_nothing_and_a_fault_lasts_as_long_as_was_said():
    assert sent() == [(0.0, FRAME)]
    assert sent("mute", times=2) == [(0.0, FRAME)]
    assert sent("mute", frames=math.inf, times=9) == []


@pytest.mark.parametrize("fault", sorted(set(FAULTS) - {"mute"}))
def test_each_fault_does_to_a_frame_what_it_says(fault):
    out = sent(fault)
    data, times = b"".join(piece for _, piece in out), [at for at, _ in out]
    lengths = {"garbage": 7, "drop": -1, "insert": 1, "cut": len(FRAME) // 2 - len(FRAME), "twice": len(FRAME)}
    assert len(data) - len(FRAME) == lengths.get(fault, 0)
    assert times == sorted(times)
    expected_end = {"split": 0.01, "drip": 0.02 * (len(FRAME) - 1), "late": 0.2}.get(fault, 0.0)
    assert times[-1] == pytest.approx(expected_end)
    assert (data == FRAME) == (fault in ("split", "drip", "late"))


def test_frames_never_overtake_each_other():
    line = FaultyLine(1, "green")
    line.fault("late")
    line.send(0.0, b"first")
    line.send(0.05, b"second")
    assert line.take(0.1) == []
    assert line.take(0.2) == [b"first", b"second"]


def test_an_unknown_fault_is_refused_with_what_there_is():
    with pytest.raises(ValueError, match="it has: mute, garbage"):
        FaultyLine(1, "green").fault("static")
