"""A daemon's skeleton for the guardian's tests: PTY MODE. It says "D" each tick through a port that is kept.

Modes: good; deaf (an order to stop is not heard); hang (the fifth tick never ends); slow-start.
"""

import asyncio
import sys

from robotd.guardian.client import GuardianLink
from robotd.timing.ticker import Ticker
from robotd.transport.port import Port
from tests.robotd.transport.serial_helper import Recorder, until

PERIOD_S = 0.05


async def main(path, mode):
    link = GuardianLink.from_environment()
    device = Recorder(halt=b"<halt>", silence_s=60.0)
    port = Port("board", path, device, keeper=link)
    tasks = [asyncio.create_task(port.run())]
    await until(lambda: device.connected, 5.0)
    if mode == "slow-start":
        await asyncio.sleep(60.0)
    sys.stdout.write(f"latched: {link.last_stop}\n")
    sys.stdout.flush()
    link.ready(PERIOD_S)
    tasks.append(asyncio.create_task(ticks(device, port, link, mode)))
    stop, death = asyncio.create_task(link.stop_asked.wait()), asyncio.create_task(link.died.wait())
    await asyncio.wait([death] if mode == "deaf" else [stop, death], return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    link.bye()
    return 3 if death.done() else 0


async def ticks(device, port, link, mode):
    loop = asyncio.get_running_loop()
    ticker = Ticker(PERIOD_S)
    while True:
        n = await ticker.next()
        while mode == "hang" and n == 4:
            pass
        device.order(loop.time(), b"D")
        port.poke()
        link.beat()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
