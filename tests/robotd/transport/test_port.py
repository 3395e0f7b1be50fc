"""The port over a line in virtual time."""

import asyncio
import logging
import math

import pytest

from robotd.model.serial import SetLine
from robotd.timing.virtual_loop import run_virtual
from robotd.transport.port import Port
from tests.robotd.transport.serial_helper import FakeOpener, Recorder, port_now, running


class Keeper:
    """A guardian that notes what it is given; `deaf` ones refuse."""

    def __init__(self, log, deaf=False):
        self.log = log
        self.deaf = deaf

    async def hold(self, name, fd, halt):
        if self.deaf:
            raise OSError("the guardian is gone")
        await asyncio.sleep(0.01)
        self.log.append(("held", name, fd, halt))

    async def release(self, name):
        self.log.append(("released", name))


def simulate(scene, device=None, keeper=None, stuck=False, address="/dev/board", error=None):
    """Run `scene(port, opener, device)` with the port running; the log of what was done to the line.

    `keeper`: "good" or "deaf"; `error`: of each opening, until the scene changes it.
    """
    device = device or Recorder()
    opener = FakeOpener(stuck=stuck)
    opener.error = error

    async def main():
        guardian = Keeper(opener.log, deaf=keeper == "deaf") if keeper else None
        port = Port("board", address, device, guardian, opener)
        async with running(port):
            await asyncio.sleep(0)
            await scene(port, opener, device)
        return port

    return opener.log, run_virtual(main())


async def beating(opener, seconds, every=0.5):
    """The device says something now and then."""
    for _ in range(round(seconds / every)):
        await asyncio.sleep(every)
        opener.answer(b".")


def writes(log):
    return [entry[1] for entry in log if entry[0] == "write"]


def test_a_board_is_held_then_halted_then_greeted():
    async def scene(port, opener, device):
        await asyncio.sleep(0.1)

    log, _ = simulate(scene, keeper="good")
    assert log[:3] == [("held", "board", 99, b"HALT"), ("write", b"HALT"), ("write", b"?")]


def test_a_modem_has_no_halt_and_needs_no_guardian():
    async def scene(port, opener, device):
        await asyncio.sleep(0.1)

    log, _ = simulate(scene, Recorder(halt=b""), keeper="good")
    assert log[0] == ("write", b"?")


def test_a_board_that_the_guardian_cannot_hold_is_never_written_to():
    async def scene(port, opener, device):
        await asyncio.sleep(1.0)
        assert "guardian" in port.status.detail

    assert not writes(simulate(scene, keeper="deaf")[0])


def test_the_status_is_opening_handshake_ready_and_closed():
    async def scene(port, opener, device):
        await asyncio.sleep(0.1)
        assert port.status.word == "handshake"
        assert not port.ready
        opener.answer()
        status = port.status
        assert (status.word, status.since, status.bytes_in, status.bytes_out) == ("ready", 0.1, 1, 5)
        assert port.ready

    _, port = simulate(scene)
    assert port.status.word == "closed"
    assert not port.ready


def test_what_the_device_wants_to_send_leaves_at_its_time_and_the_newest_wins():
    async def scene(port, opener, device):
        await asyncio.sleep(0.1)
        device.order(0.2, b"later")
        port.poke()
        await asyncio.sleep(0.05)
        assert writes(opener.log) == [b"HALT", b"?"]
        await asyncio.sleep(0.051)
        assert writes(opener.log)[2:] == [b"later"]
        for k in range(20):  # 25 ms of line at 9600 baud: those in between are superseded before they leave
            device.order(port_now(), b"speed %02d 0123456789abc" % k)
            port.poke()
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.1)

    log, _ = simulate(scene, address="serial:///dev/board?9600")
    written = [data for data in writes(log) if data.startswith(b"speed")]
    assert 2 <= len(written) <= 3
    assert written[-1] == b"speed 19 0123456789abc"


def test_modem_lines_change_only_when_all_before_them_has_left():
    async def scene(port, opener, device):
        await asyncio.sleep(0.1)
        device.order(0.1, b"x" * 96, SetLine(dtr=False), b"y")
        port.poke()
        await asyncio.sleep(0.5)

    log, _ = simulate(scene, address="serial:///dev/board?9600")
    at = log.index(("lines", False, 0))
    assert log[at - 1] == ("write", b"x" * 96)
    assert log[at + 1] == ("write", b"y")


def test_a_device_that_always_wants_to_be_called_does_not_stop_the_clock():
    class Restless(Recorder):
        def transmit(self, now):
            super().transmit(now)
            self.wake_at = now
            return []

    device = Restless()

    async def scene(port, opener, device):
        await asyncio.sleep(0.5)

    simulate(scene, device)
    assert 50 <= device.transmitted <= 110


def test_silence_closes_and_opens_again_with_a_halt_first_and_growing_patience():
    async def scene(port, opener, device):
        opener.answer()
        await beating(opener, 2.0)
        assert port.status.word == "ready"
        await asyncio.sleep(8.0)
        assert port.status.word == "silent"
        assert port.status.detail.startswith("sent nothing for")
        assert port.status.since == pytest.approx(3.0)
        assert len(opener.times) == 4
        assert all(b - a > 1.0 for a, b in zip(opener.times[1:], opener.times[2:], strict=False))
        opener.answer()
        assert port.status.word == "ready"
        assert port.status.reopened == 3

    log, _ = simulate(scene)
    assert writes(log)[:6] == [b"HALT", b"?", b"HALT", b"HALT", b"?", b"HALT"]


class Babbler(Recorder):
    """A board at another baud rate: bytes come, and none of them is an answer unless `sane`."""

    sane = False

    def receive(self, now, data):
        self.received += data
        self.ready = self.sane


def test_a_device_that_babbles_and_never_answers_is_silent_until_it_does():
    async def scene(port, opener, device):
        await beating(opener, 5.0, every=0.1)
        assert port.status.word == "silent"
        assert port.status.detail.startswith("sent nothing that can be read for")
        device.sane = True
        await beating(opener, 5.0, every=0.1)
        assert port.status.word == "ready"
        opened = len(opener.times)
        device.sane = False  # it restarts, and answers again before its patience is over
        await beating(opener, 0.5, every=0.1)
        device.sane = True
        await beating(opener, 5.0, every=0.1)
        assert (port.status.word, len(opener.times)) == ("ready", opened)

    simulate(scene, Babbler())


def test_a_device_that_may_be_silent_for_ever_is_never_reopened():
    async def scene(port, opener, device):
        opener.answer()
        await asyncio.sleep(3600.0)
        assert port.status.word == "ready"
        assert len(opener.times) == 1

    simulate(scene, Recorder(silence_s=math.inf))


def test_a_port_that_is_left_while_it_gives_up_a_silent_line_closes_it_all_the_same():
    async def scene(port, opener, device):
        await asyncio.sleep(1.001)
        assert port.status.word == "silent"  # and its halt is on its way
        assert "close" not in [entry[0] for entry in opener.log]

    log, _ = simulate(scene)
    assert [entry[0] for entry in log][-2:] == ["write", "close"]
    assert writes(log)[-1] == b"HALT"


def test_a_lost_board_is_looked_for_all_the_time_as_it_may_drive_on_until_it_is_halted():
    async def scene(port, opener, device):
        opener.answer()
        opener.error = FileNotFoundError(2, "No such file or directory")
        opener.unplug()
        await asyncio.sleep(10.0)
        gaps = [b - a for a, b in zip(opener.times[1:], opener.times[2:], strict=False)]
        assert gaps == pytest.approx([0.05] * len(gaps))
        opener.error = None
        del opener.log[:]
        await asyncio.sleep(0.051)
        assert writes(opener.log) == [b"HALT", b"?"]

    simulate(scene)


def test_a_lost_modem_is_asked_for_at_growing_intervals_for_ever(caplog):
    async def scene(port, opener, device):
        opener.answer()
        opener.error = FileNotFoundError(2, "No such file or directory")
        opener.unplug()
        await asyncio.sleep(60.0)
        assert (port.status.word, port.status.detail) == ("lost", "no such device")
        gaps = [b - a for a, b in zip(opener.times[1:], opener.times[2:], strict=False)]
        assert gaps[:4] == pytest.approx([0.2, 0.4, 0.8, 1.6])
        assert max(gaps) <= 2.001
        opener.error = None
        await asyncio.sleep(2.0)
        opener.answer()
        assert port.status.word == "ready"

    with caplog.at_level(logging.INFO):
        simulate(scene, Recorder(halt=b""))
    texts = [record.getMessage() for record in caplog.records if record.name == "robotd.transport.port"]
    assert len(texts) == 2
    assert texts[0].endswith("lost: the device hung up")
    assert "back after 62.0 s" in texts[1]


def test_a_port_that_is_not_there_at_the_start_is_logged_once(caplog):
    async def scene(port, opener, device):
        await asyncio.sleep(30.0)
        assert port.status.word == "lost"
        assert "group" in port.status.detail

    with caplog.at_level(logging.INFO):
        simulate(scene, error=PermissionError(13, "Permission denied"))
    assert len([record for record in caplog.records if record.name == "robotd.transport.port"]) == 1


def test_a_reopened_port_was_released_by_the_guardian_before():
    async def scene(port, opener, device):
        opener.answer()
        opener.unplug()
        await asyncio.sleep(0.5)

    log, _ = simulate(scene, keeper="good")
    kinds = [entry[0] for entry in log]
    assert kinds[:2] == ["held", "write"]
    assert kinds.index("released") < kinds.index("held", 1)


def test_every_change_is_reported_in_its_moment_so_that_a_short_outage_is_seen():
    changes = []

    async def scene(port, opener, device):
        port.on_change = lambda status: changes.append((port_now(), status.word, status.detail))
        await asyncio.sleep(0.1)
        opener.answer()
        opener.unplug()
        await asyncio.sleep(0.3)
        opener.answer()
        opener.error = FileNotFoundError(2, "No such file or directory")
        await asyncio.sleep(1.5)

    simulate(scene)
    assert [(word, detail) for _, word, detail in changes] == [
        ("ready", "/dev/board"), ("lost", "the device hung up"), ("ready", "/dev/board"),
        ("silent", "sent nothing for 1 s"), ("lost", "no such device"), ("closed", "/dev/board"),
    ]  # fmt: skip
    assert changes[1][0] == 0.1


def test_a_device_that_takes_no_bytes_is_lost_and_what_was_unsent_is_dropped():
    async def scene(port, opener, device):
        await asyncio.sleep(1.9)
        assert port.status.word == "handshake"
        await asyncio.sleep(0.2)
        assert (port.status.word, port.status.detail) == ("silent", "takes no bytes for 2 s")

    log, _ = simulate(scene, Recorder(silence_s=math.inf), stuck=True)
    assert [data for data in writes(log) if data != b"HALT"] == []


def test_stopping_halts_waits_the_transmit_time_and_closes():
    times = []

    async def scene(port, opener, device):
        await asyncio.sleep(0.5)
        opener.answer()
        times.append(port_now())

    log, _ = simulate(scene, address="serial:///dev/board?1200")
    assert log[-2] == ("write", b"HALT")
    assert log[-1] == ("close", pytest.approx(times[0] + 4 * 10 / 1200 + 0.02))


def test_stopping_a_stuck_device_is_over_in_two_seconds():
    async def scene(port, opener, device):
        await asyncio.sleep(0.5)

    log, _ = simulate(scene, stuck=True)
    assert [entry[0] for entry in log[-3:]] == ["write", "close", "abort"]
    assert log[-1][1] < 0.5 + 1.5  # and half a second at most for the descriptor


def test_a_driver_that_raises_leaves_the_line_halted_and_closed():
    class Broken(Recorder):
        def connect(self, now):
            raise RuntimeError("a bug")

    async def main():
        opener = FakeOpener()
        with pytest.raises(RuntimeError, match="a bug"):
            await Port("board", "/dev/board", Broken(), None, opener).run()
        return opener.log

    assert [entry[0] for entry in run_virtual(main())] == ["write", "close"]


def test_an_address_that_is_none_is_refused_at_once():
    async def main():
        Port("board", "COM3", Recorder())

    with pytest.raises(ValueError, match="no port"):
        run_virtual(main())
