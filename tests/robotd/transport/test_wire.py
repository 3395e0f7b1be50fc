"""Addresses of ports, and what the line below may never do: block the loop."""

import asyncio
import gc
import os
import socket
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotd.model.serial import SetLine
from robotd.timing import clock
from robotd.transport.address import Address, parse_address
from robotd.transport.threads import in_thread
from tests.patience import WAIT_S
from tests.robotd.transport.serial_helper import descriptors, opened, until


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("/dev/ttyUSB0", Address(path="/dev/ttyUSB0")),
        ("serial:///dev/serial/by-id/usb-1", Address(path="/dev/serial/by-id/usb-1")),
        ("serial:///dev/ttyUSB0?57600", Address(path="/dev/ttyUSB0", baud=57600)),
        ("serial:///dev/ttyUSB0?baud=9600", Address(path="/dev/ttyUSB0", baud=9600)),
        ("tcp://10.0.0.7:8101", Address(host="10.0.0.7", port=8101)),
        ("tcp://[::1]:8101", Address(host="::1", port=8101)),
        ("udp://239.255.77.1:8422?interface=wlan0", Address(host="239.255.77.1", port=8422, interface="wlan0")),
        (
            "zenoh://tcp/10.0.0.7:7447,udp/[fe80::1%wlan0]:7448?listen=tcp/my_pi.lan:1",
            Address(endpoints=("tcp/10.0.0.7:7447", "udp/[fe80::1%wlan0]:7448"), listen="tcp/my_pi.lan:1"),
        ),
    ],
)
def test_the_forms_of_an_address(text, address):
    assert parse_address(text) == address
    assert parse_address(str(address)) == parse_address(text) or address.baud  # as people see it


@pytest.mark.parametrize(
    "text",
    ["", "ttyUSB0", "serial://ttyUSB0", "serial:///dev/x?fast", "serial:///dev/x?0", "tcp://host", "tcp://:1",
     "udp://239.255.77.1:8422", "udp://239.255.77.1:8422?interface=", "udp://239.255.77.1?interface=lo",
     "udp://10.0.0.1:8422?interface=lo", "udp://host:8422?interface=lo", "udp://239.1.1.1:1/x?interface=lo",
     "zenoh://", "zenoh://10.0.0.7:7447", "zenoh://tcp/host", "zenoh://tcp/host:0", "zenoh://tcp/host:65536",
     "zenoh://tls/host:1", "zenoh://tcp/host:1,", "zenoh://tcp/host:1?", "zenoh://tcp/host:1?listen=",
     "zenoh://tcp/host:1?iface=lo", "zenoh://tcp/ho st:1", "zenoh://tcp/host:1#iface=lo", "zenoh://tcp/host:١",
     "tcp://host:99999", "tcp://host:1/x", "http://host:1", "serial:///dev/x?²", "serial:///dev/x?2147483648",
     f"serial:///dev/x?{'9' * 5000}", "/dev/x\0", "tcp://ho\0st:1"],
)  # fmt: skip
def test_what_is_no_address_is_refused(text):
    with pytest.raises(ValueError, match=r"\S"):
        parse_address(text)


@settings(max_examples=60)
@given(
    st.sampled_from(
        ["", "/", "tcp://", "serial://", "tcp://[", "udp://", "udp://239.1.1.1:1?interface=", "zenoh://tcp/"]
    ),
    st.text(max_size=12),
)
def test_no_text_does_more_than_be_refused(prefix, text):
    try:
        parse_address(prefix + text)
    except ValueError:
        return


async def test_bytes_pass_both_ways_on_a_pty(pty):
    wire, protocol = await opened(pty.link)
    wire.write(b"\x00\x03\xff\n\r")
    pty.write(b"\x11\x13\x04\x7f")
    await until(lambda: len(protocol.data) == 4)
    assert pty.read() == b"\x00\x03\xff\n\r"
    wire.close()
    await until(lambda: protocol.lost)
    await wire.released()


async def test_b4_where_a_port_takes_three_bytes_and_then_the_rest_each_is_written_once(pty, monkeypatch):
    wire, protocol = await opened(pty.link)
    whole = bytes(range(1, 40))
    taken, really = [], os.write

    def short(fd, data):
        if fd != wire.fileno():
            return really(fd, data)
        taken.append(really(fd, data[:3] if not taken else data))
        return taken[-1]

    monkeypatch.setattr(os, "write", short)
    wire.write(whole)
    await until(lambda: sum(taken) >= len(whole))
    assert (taken[0], pty.read()) == (3, whole)
    wire.close()
    await until(lambda: protocol.lost)
    await wire.released()


async def test_a_second_opening_is_refused_and_the_first_goes_on(pty):
    wire, _ = await opened(pty.link)
    with pytest.raises(OSError, match="temporarily unavailable"):
        await opened(pty.link)
    wire.close()
    await wire.released()
    again, _ = await opened(pty.link)
    again.abort()
    await again.released()


@pytest.mark.parametrize("pending", [False, True], ids=["idle", "with bytes unsent"])
async def test_f1_an_unplugged_device_is_lost_once_and_without_noise(pty, pending):
    noise = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: noise.append(context))
    wire, protocol = await opened(pty.link)
    if pending:
        wire.write(b"x" * 100_000)
        await asyncio.sleep(0.01)
        assert wire.unsent()
    pty.unplug()
    await until(lambda: protocol.lost)
    wire.write(b"into the void")
    wire.abort()
    await asyncio.sleep(0.02)
    assert len(protocol.lost) == 1
    assert not noise
    await asyncio.wait_for(wire.released(), WAIT_S)


async def test_f2_a_full_kernel_buffer_does_not_block_the_loop(pty):
    wire, _ = await opened(pty.link)
    wire.write(b"x" * 40_000)
    before = clock.processor_s()
    for _ in range(30):
        await asyncio.sleep(0.002)
    assert clock.processor_s() - before < 1.0  # a transport that spins blocks for 1.5 s here
    assert wire.unsent() > 10_000
    wire.abort()
    await wire.released()


async def test_a_close_that_blocks_in_the_kernel_blocks_a_thread_only(pty, monkeypatch):
    import serial

    gc.collect()  # ports of earlier tests, which would be closed by the close below as they are collected
    release = threading.Event()
    close = serial.Serial.close
    monkeypatch.setattr(serial.Serial, "close", lambda self: (release.wait(2 * WAIT_S), close(self)))
    wire, protocol = await opened(pty.link)
    wire.close()
    await until(lambda: protocol.lost)  # before the close that blocks could end
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(wire.released(), 0.05)
    release.set()
    await asyncio.wait_for(wire.released(), WAIT_S)


async def test_an_address_without_a_device_or_not_a_port_is_an_oserror(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        await opened(tmp_path / "none")
    with pytest.raises(OSError, match=r"\S"):
        await opened("/dev/null")


async def test_a_tcp_line_carries_bytes_and_has_no_modem_lines():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.settimeout(WAIT_S)
        wire, protocol = await opened(f"tcp://127.0.0.1:{server.getsockname()[1]}")
        peer, _ = server.accept()
        with peer:
            wire.write(b"hello")
            peer.settimeout(WAIT_S)
            assert peer.recv(9) == b"hello"
            peer.sendall(b"there")
            await until(lambda: protocol.data == b"there")
            with pytest.raises(OSError, match="no modem lines"):
                wire.set_line(SetLine(dtr=True))
        await until(lambda: protocol.lost)
        wire.abort()
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        with pytest.raises(ConnectionRefusedError):
            await opened(f"tcp://127.0.0.1:{deaf.getsockname()[1]}")


async def test_a_rate_that_the_device_does_not_have_is_an_oserror_with_the_reason(pty, monkeypatch):
    import serial

    def refuse(*_):
        raise ValueError("no such rate")

    monkeypatch.setattr(serial.Serial, "open", refuse)
    with pytest.raises(OSError, match="no such rate"):
        await opened(pty.link)


@pytest.mark.parametrize("error", [ImportError, OverflowError, KeyError])
async def test_whatever_work_in_a_thread_raises_ends_the_wait_for_it(error):
    def work():
        raise error

    with pytest.raises(error):
        await asyncio.wait_for(in_thread(work), WAIT_S)


async def test_descriptors_are_given_back(pty):
    before = descriptors(pty.name)
    for _ in range(3):
        wire, _ = await opened(pty.link)
        assert descriptors(pty.name) > before
        wire.close()
        await wire.released()
    assert descriptors(pty.name) == before
