"""An emulated board on a pseudo-terminal, as a process: `python -m tests.robotd.transport.emulated_port KIND`."""

import argparse
import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Iterator

from robotd.files.plugins import Plugins
from robotd.sim.emulated import BOARDS
from robotd.sim.ptys import EmulatedPort
from tests.docs_pages import ROOT
from tests.robotd.bringup.desk import emulated


@contextlib.contextmanager
def answering(kind: str) -> Iterator[str]:
    """Inside, the board answers at the port given."""
    words = [sys.executable, "-m", "tests.robotd.transport.emulated_port", kind]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


async def main(kind: str) -> None:
    """Tell the port, and answer there until standard input ends."""
    loop = asyncio.get_running_loop()
    plugin = Plugins().get("robotd.boards", kind)
    port = EmulatedPort(emulated(kind, loop.time()), plugin(plugin.Settings()).line.baud)
    ended = asyncio.Event()
    loop.add_reader(sys.stdin, ended.set)
    sys.stdout.write(f"{port.end.path}\n")
    sys.stdout.flush()
    await ended.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.robotd.transport.emulated_port", description=__doc__)
    parser.add_argument("kind", choices=sorted(BOARDS))
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main(parser.parse_args().kind))
