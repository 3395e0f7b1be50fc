"""sd_notify: what arrives, and that nothing is done without a listener."""

import os
import socket

import pytest

from robotd.guardian.reports import notify, watchdog_s


@pytest.fixture
def manager(tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.settimeout(60.0)
        yield listening


@pytest.mark.parametrize("abstract", [False, True])
def test_lines_arrive_together_and_a_status_cannot_smuggle_in_another_assignment(manager, tmp_path, abstract):
    address = f"@robotd-test-{os.getpid()}" if abstract else str(tmp_path / "n")
    manager.bind(address.replace("@", "\0"))
    assert notify("READY=1", "STATUS=all well\nWATCHDOG=1", environ={"NOTIFY_SOCKET": address})
    assert manager.recv(99) == b"READY=1\nSTATUS=all well"


@pytest.mark.parametrize("address", ["", "relative", "/nowhere/at/all", "@nobody-listens-here"])
def test_without_a_listener_nothing_happens(address):
    assert not notify("READY=1", environ={"NOTIFY_SOCKET": address})
    assert not notify("READY=1", environ={})


def test_a_listener_that_does_not_read_blocks_nothing(manager, tmp_path):
    manager.bind(str(tmp_path / "n"))
    environ = {"NOTIFY_SOCKET": str(tmp_path / "n")}
    sent = [notify("WATCHDOG=1", environ=environ) for _ in range(2000)]
    assert sent[0]
    assert not sent[-1]


@pytest.mark.parametrize(
    ("environ", "interval"),
    [
        ({"WATCHDOG_USEC": "1500000"}, 1.5),
        ({"WATCHDOG_USEC": "1500000", "WATCHDOG_PID": "7"}, 1.5),
        ({"WATCHDOG_USEC": "1500000", "WATCHDOG_PID": "8"}, None),  # for another process
        *(({"WATCHDOG_USEC": value}, None) for value in ("", "0", "-5", "soon", "²")),
    ],
)
def test_the_watchdogs_interval_is_for_the_process_that_systemd_means(environ, interval):
    assert watchdog_s(environ, pid=7) == interval
