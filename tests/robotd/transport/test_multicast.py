"""A multicast group as a line, on the loopback interface."""

import asyncio
import os
import socket

import pytest

from radio.udp.modem import Udp
from robotd.model.serial import SetLine
from robotd.sim.ptys import LOOPBACK, MulticastEnd
from robotd.transport.multicast import multicast_socket
from robotd.transport.port import Port
from tests.robotd.transport.serial_helper import opened, passing, port_now, running, until

GROUP = f"239.255.{100 + os.getpid() % 100}.3"  # of this process alone


@pytest.fixture
def address():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("", 0))
        return f"udp://{GROUP}:{probe.getsockname()[1]}?interface={LOOPBACK}"


async def test_each_write_is_a_datagram_to_all_in_the_group_and_to_oneself(address):
    wires, (one, two) = zip(*[await opened(address) for _ in range(2)], strict=True)
    wires[0].write(b"\x00first")
    wires[0].write(b"second")
    await until(lambda: len(one.pieces) == len(two.pieces) == 2)
    assert one.pieces == two.pieces == [b"\x00first", b"second"]
    assert wires[0].unsent() == 0
    assert wires[0].fileno() > 0
    wires[0].discard()
    with pytest.raises(OSError, match="no modem lines"):
        wires[0].set_line(SetLine(dtr=True))
    wires[0].close()
    wires[1].abort()
    await until(lambda: one.lost == two.lost == [None])
    wires[0].write(b"late")  # never raises
    await wires[0].released()
    await asyncio.sleep(0.01)
    assert len(two.pieces) == 2


async def test_an_interface_that_is_not_there_is_an_oserror_that_names_it(address):
    with pytest.raises(OSError, match="no network interface is called 'wlan77'"):
        await opened(address.replace("=lo", "=wlan77"))
    with pytest.raises(OSError):  # noqa: PT011 - the kernel's words: an address of this computer's, not a group
        multicast_socket("127.0.0.1", 0, LOOPBACK)


async def test_an_error_of_the_network_loses_the_line_with_its_reason(address):
    wire, protocol = await opened(address)
    wire.write(bytes(66_000))  # more than a datagram holds
    await until(lambda: protocol.lost)
    assert "long" in str(protocol.lost[0])


async def test_a_port_waits_for_its_interface_for_ever(address):
    port = Port("radio", address.replace("=lo", "=wlan77"), Udp(Udp.Settings()))
    async with running(port):
        await until(lambda: port.status.word == "lost")
        assert port.status.detail == "no such device"


async def test_frames_pass_between_the_driver_on_a_port_and_the_simulated_end():
    end, modem = MulticastEnd(), Udp(Udp.Settings())
    port = Port("radio", end.path, modem)
    async with running(port):
        await passing(port, end)
        assert end.transmit(port_now()) == []
    end.close()
