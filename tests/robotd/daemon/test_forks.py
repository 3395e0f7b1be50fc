"""A process that a plug-in forks keeps no port, lock or address of the daemon taken when the daemon is gone."""

import fcntl
import os
import signal
import socket
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from robotd.daemon.forks import withhold
from tests.robotd.daemon.test_daemon import limited_descriptors


def refuse_second(path: Path, address: tuple[str, int]) -> list[str]:
    """What another process is refused now."""
    refused = []
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            refused.append("lock")
    with socket.socket() as own:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            own.bind(address)
        except OSError:
            refused.append("address")
    return refused


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(("withheld", "refused"), [(True, []), (False, ["lock", "address"])])
def test_a_forked_process_keeps_only_what_is_not_withheld_also_where_no_descriptor_is_left(
    tmp_path: Path, withheld: bool, full: bool, refused: list[str]
) -> None:
    path = tmp_path / "lock"
    path.touch()
    lock, listening = os.open(path, os.O_RDONLY), socket.create_server(("127.0.0.1", 0))
    fcntl.flock(lock, fcntl.LOCK_EX)
    address = listening.getsockname()
    reads, writes = os.pipe()
    with ExitStack() as stack:
        if withheld:
            stack.enter_context(withhold(lambda: [lock, listening.fileno(), -1]))
        if full:
            stack.enter_context(limited_descriptors())
        child = os.fork()
        if child == 0:
            with suppress(BaseException):
                stack.close()
                os.write(writes, b".")
                signal.pause()
            os._exit(0)
    os.close(writes)
    try:
        assert os.read(reads, 1) == b"."
        os.close(lock)
        listening.close()
        assert refuse_second(path, address) == refused
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reads)
