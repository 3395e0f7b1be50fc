"""A daemon's skeleton for the guardian's tests: PTY MODE. It says "D" each tick through a port that is kept.

Modes: good; deaf (an order to stop is not received); hang and freeze (the fifth tick never ends: it computes, or
its process is stopped); slow-start; slow-end; raise; children (it leaves two processes, one in its own process
group, that keep all descriptors); nonsense (it sends what is no message).
"""

import asyncio
import math
import os
import signal
import sys

from robotd.guardian import client
from robotd.guardian.client import GuardianLink
from robotd.timing.ticker import Ticker
from robotd.transport.port import Port
from tests.patience import LONG_S
from tests.robotd.transport.serial_helper import Recorder, until

PERIOD_S = 0.05
NONSENSE = (b"\xff", b"[1]", b'{"kind": "hold"}', b'{"kind": "ready"}', b"[" * 4000)


def leave_child(begin):
    pid = os.fork()
    if pid == 0:
        begin()
        signal.pause()
        os._exit(0)
    return pid


async def main(path, mode):
    client.REPLY_S = LONG_S  # a guardian that a busy machine holds up is not dead
    link = GuardianLink.from_environment()
    device = Recorder(halt=b"<halt>", silence_s=math.inf)
    port = Port("board", path, device, keeper=link)
    tasks = [asyncio.create_task(port.run())]
    await until(lambda: device.connected)
    if mode == "slow-start":
        await asyncio.sleep(LONG_S)
    if mode != "children":
        sys.stdout.write(f"latched: {link.last_stop}\n")
        sys.stdout.flush()
    if mode == "children":
        sys.stdout.write(f"{leave_child(os.setsid)} {leave_child(lambda: None)}\n")
        sys.stdout.flush()
    for data in NONSENSE if mode == "nonsense" else ():
        link._send(data)
    link.ready(PERIOD_S)
    tasks.append(asyncio.create_task(ticks(device, port, link, mode)))
    stop, death = asyncio.create_task(link.stop_asked.wait()), asyncio.create_task(link.died.wait())
    await asyncio.wait([death] if mode == "deaf" else [stop, death], return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    if mode == "slow-end":
        await asyncio.sleep(0.5)
    link.bye()
    return 3 if death.done() else 0


async def ticks(device, port, link, mode):
    loop = asyncio.get_running_loop()
    ticker = Ticker(PERIOD_S)
    while True:
        n = await ticker.next()
        while mode == "hang" and n >= 4:
            pass
        if mode == "freeze" and n >= 4:
            os.kill(os.getpid(), signal.SIGSTOP)
        if mode == "raise" and n >= 9:
            link.failed("ValueError: of the plug-in")
            os._exit(1)
        device.order(loop.time(), b"D")
        port.poke()
        link.beat()


if __name__ == "__main__":
    os._exit(asyncio.run(main(*sys.argv[1:])))
