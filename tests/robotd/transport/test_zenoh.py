"""Zenoh as a line, on the loopback interface; where the package is missing, what people are advised."""

import asyncio
import socket
import sys
from importlib.util import find_spec

import pytest

from radio.zenoh.modem import Zenoh
from robotd.model.serial import SetLine
from robotd.sim.ptys import ZenohEnd
from robotd.transport.pacing import BURST_MESSAGES
from robotd.transport.port import Port
from robotd.transport.zenoh import WAITING, Network, ZenohWire
from tests.robotd.transport.serial_helper import Received, opened, passing, running, until

with_package = pytest.mark.skipif(find_spec("zenoh") is None, reason="needs eclipse-zenoh, of the extra zenoh")


def endpoint():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"tcp/127.0.0.1:{probe.getsockname()[1]}"


async def test_without_the_package_the_port_is_lost_and_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "zenoh", None)
    port = Port("radio", "zenoh://tcp/127.0.0.1:7447", Zenoh(Zenoh.Settings()))
    async with running(port):
        await until(lambda: port.status.word == "lost")
        assert port.status.detail == "Zenoh needs the package eclipse-zenoh: pip install 'robotd[zenoh]'"
    with pytest.raises(OSError, match=r"robotd\[zenoh\]"):
        ZenohEnd()


async def test_a_loop_that_is_busy_gets_the_newest_messages_and_no_more_than_it_can_hold():
    protocol = Received()
    wire = ZenohWire(protocol)
    for k in range(WAITING + 10):
        wire.received(bytes((k,)))
    await asyncio.sleep(0)
    assert len(protocol.pieces) == BURST_MESSAGES  # a turn of the loop
    await until(lambda: len(protocol.pieces) >= WAITING)
    assert protocol.pieces == [bytes((k,)) for k in range(10, WAITING + 10)]
    wire.received(b"next")
    await asyncio.sleep(0)
    assert protocol.pieces[-1] == b"next"


@with_package
async def test_each_write_is_a_message_to_all_others_of_a_router_and_not_to_oneself():
    router, came = endpoint(), []
    hub = Network((), router, came.append)
    away = endpoint()
    (one, first), (two, second) = [await opened(f"zenoh://{each}") for each in (f"{away},{router}", router)]
    for sent in (b"\x00first", b"second"):
        await until(lambda sent=sent: one.write(sent) or sent in second.pieces)
    assert one.unsent() == 0
    assert one.fileno() == -1
    assert set(came) == set(second.pieces) == {b"\x00first", b"second"}
    assert first.pieces == []
    with pytest.raises(OSError, match="no modem lines"):
        one.set_line(SetLine(dtr=True))
    one.close()
    two.abort()
    await until(lambda: first.lost == second.lost == [None])
    one.write(b"late")  # never raises
    one.close()
    await one.released()
    hub.close()
    with pytest.raises(OSError, match="closed"):
        hub.put(b"late")


@with_package
async def test_teammates_that_listen_need_no_router_and_may_come_later():
    names = [endpoint() for _ in range(2)]
    everyone = ",".join(names)
    one, first = await opened(f"zenoh://{everyone}?listen={names[0]}")  # its own name among them does no harm
    two, second = await opened(f"zenoh://{everyone}?listen={names[1]}")
    await until(lambda: one.write(b"one") or two.write(b"two") or (first.pieces and second.pieces))
    assert (set(first.pieces), set(second.pieces)) == ({b"two"}, {b"one"})
    two.close()
    await until(lambda: second.lost)
    assert first.lost == []
    one.close()
    await until(lambda: first.lost)


@with_package
async def test_where_no_router_answers_or_a_port_is_taken_the_opening_fails_in_words():
    router = endpoint()
    with pytest.raises(OSError, match="Unable to connect") as refused:
        await opened(f"zenoh://{router}")
    assert ".rs" not in str(refused.value)
    hub = Network((), router, lambda _: None)
    with pytest.raises(OSError, match="in use"):
        await opened(f"zenoh://{endpoint()}?listen={router}")
    hub.close()


@with_package
async def test_a_port_sees_its_router_go_and_is_back_with_it():
    end, modem = ZenohEnd(), Zenoh(Zenoh.Settings())
    port = Port("radio", end.path, modem)
    async with running(port):
        await passing(port, end)
        end.close()
        await until(lambda: port.status.word == "lost")
        again = Network((), end.path.removeprefix("zenoh://"), lambda _: None)
        await until(lambda: port.ready)
        assert port.status.reopened == 1
    again.close()
