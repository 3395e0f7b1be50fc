"""sd_notify: what arrives, and that nothing is done where nobody listens."""

import os
import socket

import pytest

from robotd.guardian.systemd import notify, watchdog_s


@pytest.fixture
def manager(tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.settimeout(1.0)
        yield listening


def test_lines_arrive_together_on_a_socket_with_a_path(manager, tmp_path):
    manager.bind(str(tmp_path / "n"))
    assert notify("READY=1", "STATUS=running", environ={"NOTIFY_SOCKET": str(tmp_path / "n")})
    assert manager.recv(99) == b"READY=1\nSTATUS=running"


def test_an_abstract_socket_is_reached(manager):
    name = f"robotd-test-{os.getpid()}"
    manager.bind("\0" + name)
    assert notify("WATCHDOG=1", environ={"NOTIFY_SOCKET": "@" + name})
    assert manager.recv(99) == b"WATCHDOG=1"


def test_a_status_cannot_smuggle_in_another_assignment(manager, tmp_path):
    manager.bind(str(tmp_path / "n"))
    notify("STATUS=all well\nREADY=1", environ={"NOTIFY_SOCKET": str(tmp_path / "n")})
    assert manager.recv(99) == b"STATUS=all well"


@pytest.mark.parametrize("address", ["", "relative", "/nowhere/at/all", "@nobody-listens-here"])
def test_without_a_listener_nothing_happens(address):
    assert not notify("READY=1", environ={"NOTIFY_SOCKET": address})
    assert not notify("READY=1", environ={})


def test_a_listener_that_does_not_read_blocks_nobody(manager, tmp_path):
    manager.bind(str(tmp_path / "n"))
    environ = {"NOTIFY_SOCKET": str(tmp_path / "n")}
    sent = [notify("WATCHDOG=1", environ=environ) for _ in range(2000)]
    assert sent[0]
    assert not sent[-1]


def test_the_watchdogs_interval_is_for_the_process_that_systemd_means():
    assert watchdog_s({"WATCHDOG_USEC": "1500000"}) == 1.5
    assert watchdog_s({"WATCHDOG_USEC": "1500000", "WATCHDOG_PID": "7"}, pid=7) == 1.5
    assert watchdog_s({"WATCHDOG_USEC": "1500000", "WATCHDOG_PID": "7"}, pid=8) is None


@pytest.mark.parametrize("value", ["", "0", "-5", "soon", "²"])
def test_no_interval_where_systemd_gives_none(value):
    assert watchdog_s({"WATCHDOG_USEC": value}) is None
