"""Modems on the one port: connected again by itself, whatever name the device comes back under."""

import asyncio

import pytest

from radio.mock.channel import Channel
from radio.mock.modem import MockModem
from robotd.sim.ptys import FRAME_BYTES, EmulatedPort, PtyEnd
from robotd.timing.virtual_loop import run_virtual
from robotd.transport.port import Port
from tests.radio.helper import KEY, table
from tests.radio.modems import KINDS, frame_of
from tests.robotd.transport.serial_helper import FakeOpener, port_now, running, until

SERIAL = [kind for kind in KINDS if not kind.datagrams]
ANSWERING = [kind for kind in KINDS if kind.answers]


@pytest.mark.parametrize("kind", SERIAL, ids=repr)
async def test_e6_e18_a_modem_unplugged_and_plugged_in_under_another_name_is_used_again(kind, tmp_path):
    channel, link, modem = Channel(1, table(2), key=KEY, team=1), tmp_path / "by-id-radio", kind.driver()
    teammate = MockModem(channel, 2)
    teammate.received(port_now())

    def plug(k):
        made = EmulatedPort(kind.emulator(channel, 1, port_now()), modem.line.baud, PtyEnd(FRAME_BYTES))
        channel.watch(made.kick)
        link.unlink(missing_ok=True)
        link.symlink_to(made.end.path)
        return made

    words = []
    device = plug(1)
    port = Port("radio", str(link), modem)
    port.on_change = lambda status: words.append(status.word)
    async with running(port):
        await until(lambda: port.ready)
        for k in (1, 2):
            now = port_now()
            modem.send(now, frame_of(k), now)
            port.poke()
            heard = []
            await until(lambda heard=heard: heard.extend(teammate.received(port_now())) or heard)
            assert [frame for _, frame in heard] == [frame_of(k)]
            if k == 1:
                channel.unwatch(device.kick)
                device.close()
                await until(lambda: words[-1] == "lost")
                device = plug(2)
                await until(lambda: port.ready)
    assert words == ["opening", "handshake", "ready", "lost", "ready", "closed"]
    channel.unwatch(device.kick)
    device.close()


@pytest.mark.parametrize("kind", ANSWERING, ids=repr)
def test_e18_a_mute_modem_is_opened_again_and_again_and_reported_as_silent(kind):
    async def main():
        opener = FakeOpener()
        port = Port("radio", "/dev/radio", kind.driver(), None, opener)
        async with running(port):
            await asyncio.sleep(60.0)
            assert port.status.word == "silent"
            assert "sent nothing for" in port.status.detail
            assert 3 <= len(opener.times) <= 10
            assert not port.device.alive(port_now())

    run_virtual(main())
