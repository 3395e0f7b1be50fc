"""Commands that drive a board while a person watches: run as the child of a guardian that shares the terminal."""

import asyncio
import contextlib
import os
import signal
import termios
from collections.abc import Awaitable, Callable, Sequence

from robotd.files.paths import module_command
from robotd.files.refusal import INTERRUPTED
from robotd.guardian.client import GuardianLink
from robotd.guardian.guardian import Guardian
from robotd.guardian.reports import Reporter
from robotd.guardian.stop_reason import CauseFile

STDIN = 0


def run_in_foreground(module: str, words: Sequence[str]) -> int:
    """Run `python -m MODULE WORDS` under a guardian, and leave the terminal as it was; the exit status."""
    before = termios.tcgetattr(STDIN) if os.isatty(STDIN) else None
    child = module_command(module, *words)
    try:
        return Guardian(child, CauseFile("", []), Reporter(None), foreground=True).run()
    finally:
        if before is not None:
            with contextlib.suppress(termios.error):  # the terminal itself may be gone
                termios.tcsetattr(STDIN, termios.TCSADRAIN, before)


async def serve(work: Callable[[GuardianLink | None], Awaitable[int]]) -> int:
    """The child's side: `work` until it ends, or is cancelled by a signal or the guardian; the exit status.

    Works without a guardian too, for what drives nothing.
    """
    link = GuardianLink.from_environment()
    task = asyncio.ensure_future(work(link))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)
    ends = [link.stop_asked, link.died] if link is not None else []
    waits = [asyncio.ensure_future(end.wait()) for end in ends]
    await asyncio.wait([task, *waits], return_when=asyncio.FIRST_COMPLETED)
    for one in (*waits, task):
        one.cancel()
    await asyncio.wait([task])
    code = INTERRUPTED if task.cancelled() else task.result()
    if link is not None:
        link.bye()
        link.close()
    return code
