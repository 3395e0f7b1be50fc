"""The guardian with real processes on a pty: whatever becomes of the daemon, the motors are halted."""

import contextlib
import json
import math
import os
import re
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from robotd.guardian import guardian as module
from robotd.guardian.guardian import SILENCE_S, Guardian
from robotd.guardian.messages import BEAT
from robotd.guardian.reports import Reporter
from robotd.guardian.stop_reason import CauseFile
from robotd.timing import clock
from tests.patience import BACKLOG_BYTES, GIVE, LONG_S, WAIT_S
from tests.robotd.transport.serial_helper import Pty

ROOT = Path(__file__).parents[3]
GUARD = f"""{GIVE}
import json, sys
from pathlib import Path
from robotd.guardian import guardian, process, reports

limits = json.loads(sys.argv[3])
give(limits["silence_s"], guardian, "SILENCE_S")
give(limits["stop_s"], guardian, "STOP_S")
give({LONG_S}, guardian, "EXIT_S", "REAP_S")
give({LONG_S}, process, "REAP_S")
give({LONG_S}, reports, "WRITE_S")
give({BACKLOG_BYTES}, guardian, "BACKLOG_BYTES")
sys.exit(guardian.guard(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[4:]))
"""
CHILD = [sys.executable, "-m", "tests.robotd.guardian.guardian_child"]


class Guarded:
    """A guardian as a process, its reports, and what the board on the pty received."""

    def __init__(self, folder, mode="good", argv=None, environ=None, silence_s=LONG_S, stop_s=LONG_S):
        self.pty = Pty(folder)
        self.state = folder / "state"
        read, write = os.pipe()
        environ = {
            "PATH": os.environ["PATH"], "STATE_DIRECTORY": str(self.state),
            "RUNTIME_DIRECTORY": str(folder / "run"), **(environ or {}),
        }  # fmt: skip
        child = argv or [*CHILD, str(self.pty.link), mode]
        limits = json.dumps({"silence_s": silence_s, "stop_s": stop_s})
        command = [sys.executable, "-c", GUARD, str(folder / "robot.toml"), str(write), limits, *child]
        self.process = subprocess.Popen(
            command, pass_fds=[write], cwd=ROOT, env=environ,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        os.close(write)
        self._reports = os.fdopen(read, "rb", buffering=0)  # what was read is waited for no more
        self.child = self.report("child")["pid"]

    def report(self, event):
        """The next report, which must be an `event`."""
        assert select.select([self._reports], [], [], WAIT_S)[0], f"no {event} in time"
        values = json.loads(self._reports.readline())
        assert values.pop("event") == event
        return values

    def driving(self):
        """Return once the daemon is ready and drives."""
        self.report("ready")
        received = b""
        end = clock.monotonic() + WAIT_S
        while received.count(b"D") < 2:
            assert clock.monotonic() < end
            select.select([self.pty.master], [], [], 0.5)
            received += self.pty.read()
        return received

    def after(self, seconds):
        """What the board receives within the next `seconds`."""
        select.select([], [], [], seconds)
        return self.pty.read()

    def close(self):
        for pid in (self.process.pid, self.child):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(WAIT_S)
        for file in (self.process.stdout, self.process.stderr, self._reports):
            file.close()
        self.pty.unplug()


@pytest.fixture
def guarded(tmp_path):
    with contextlib.ExitStack() as stack:

        def start(*arguments, **options):
            made = Guarded(tmp_path, *arguments, **options)
            stack.callback(made.close)
            return made

        yield start


def stopped(one, code=1):
    """The stop report, after checks: halted before anything is waited for, and nothing written afterwards."""
    report = one.report("stop")
    assert one.process.wait(WAIT_S) == code
    assert report["halts"] == {"board": True}
    assert report["seen_at_s"] <= report["halted_at_s"] <= report["reaped_at_s"]
    assert one.pty.read().endswith(b"<halt>")
    assert one.after(0.2) == b""
    return report


def test_a_killed_daemon_is_halted_at_once_and_the_next_start_knows(guarded):
    one = guarded()
    assert re.match(rb"(<halt>\?*)+D", one.driving())  # each opening halts before anything else is said
    killed = clock.monotonic()
    os.kill(one.child, signal.SIGKILL)
    report = stopped(one)
    assert killed <= report["seen_at_s"]
    assert report["cause"] == "the daemon died: killed by SIGKILL"
    assert "robotd: stopped: the daemon died" in one.process.stderr.read()
    again = guarded()
    again.driving()
    assert "latched: the daemon died: killed by SIGKILL" in again.process.stdout.readline()


@pytest.mark.parametrize("mode", ["freeze", "hang"])
def test_a_daemon_that_is_frozen_or_whose_tick_hangs_is_halted_and_never_writes_again(guarded, mode):
    one = guarded(mode, silence_s=SILENCE_S)
    ready = one.report("ready")
    report = stopped(one)
    assert report["seen_at_s"] - ready["at_s"] > SILENCE_S
    assert report["cause"] == "the daemon finished no tick for 0.25 s"
    with pytest.raises(ProcessLookupError):
        os.kill(one.child, signal.SIGCONT)


@pytest.mark.parametrize(
    ("mode", "kind", "times"),
    [("good", signal.SIGTERM, 1), ("good", signal.SIGINT, 1), ("slow-end", signal.SIGTERM, 5)],
)
def test_an_orderly_stop_halts_too_and_leaves_no_cause_also_where_its_signal_repeats(guarded, mode, kind, times):
    one = guarded(mode)
    one.driving()
    for _ in range(times):
        one.process.send_signal(kind)
        select.select([], [], [], 0.02)
    assert stopped(one, code=0)["cause"] == ""
    assert not list(one.state.glob("*"))


def test_a_daemon_that_does_not_receive_the_order_to_stop_is_killed_when_its_time_is_up(guarded):
    one = guarded("deaf", stop_s=0.5)
    one.driving()
    asked = clock.monotonic()
    one.process.send_signal(signal.SIGTERM)
    report = one.report("stop")
    assert report["seen_at_s"] - asked >= 0.5
    assert report["cause"] == "the daemon did not stop when asked"
    assert one.process.wait(WAIT_S) == 1
    assert one.pty.read().endswith(b"<halt>")


def test_a_frozen_daemon_that_is_asked_to_stop_is_not_given_the_time_of_an_orderly_stop(guarded):
    one = guarded("freeze", silence_s=0.5)
    end = clock.monotonic() + WAIT_S
    while _state(one.child) in "RSD":
        assert clock.monotonic() < end
        select.select([], [], [], 0.002)
    one.report("ready")
    one.process.send_signal(signal.SIGTERM)
    asked, late = "the daemon did not stop when asked", "the daemon finished no tick for 0.5 s"
    assert stopped(one)["cause"] in (asked, late)  # the second where it was asked too late


def test_while_it_starts_the_second_signal_ends_it_at_once_and_is_no_fault(guarded):
    one = guarded("slow-start")
    one.process.send_signal(signal.SIGTERM)
    while not select.select([one._reports], [], [], 0.05)[0]:  # two that come together count as one
        one.process.send_signal(signal.SIGTERM)
    assert one.report("stop")["cause"] == "stopped while starting"
    assert one.process.wait(WAIT_S) == 0
    assert not list(one.state.glob("*"))


@pytest.mark.parametrize(
    ("ends", "code", "cause"), [(signal.SIGTERM, 0, ""), (signal.SIGKILL, 1, "the daemon died: killed by SIGKILL")]
)
def test_processes_that_a_plug_in_left_end_with_the_daemon(guarded, ends, code, cause):
    one = guarded("children")
    one.driving()
    left = [int(pid) for pid in one.process.stdout.readline().split()]
    assert len(left) == 2
    assert all(map(_alive, left))
    os.kill(one.child if code else one.process.pid, ends)
    assert stopped(one, code)["cause"] == cause
    assert not any(map(_alive, left))


def test_a_robot_whose_launcher_is_killed_stops_in_order(guarded):
    one = guarded()
    one.driving()
    one._reports.close()
    assert one.process.wait(WAIT_S) == 0
    assert one.pty.read().endswith(b"<halt>")
    assert not list(one.state.glob("*"))


def test_the_cause_is_the_exception_that_was_not_caught_and_a_full_or_read_only_disk_hinders_no_stop(guarded):
    one = guarded("raise", environ={"STATE_DIRECTORY": "/dev/full/state", "RUNTIME_DIRECTORY": "/proc/robotd"})
    one.driving()
    report = stopped(one)
    assert (report["cause"], report["saved"]) == ("the daemon failed: ValueError: of the plug-in", False)


def test_a_message_that_is_none_is_dropped_and_the_watch_goes_on(guarded):
    one = guarded("nonsense")
    events = [json.loads(one._reports.readline())["event"] for _ in range(6)]
    assert events == ["unreadable"] * 5 + ["ready"]
    os.kill(one.child, signal.SIGKILL)
    stopped(one)


def test_a_daemon_whose_guardian_is_killed_stops_and_ends_by_itself(guarded):
    one = guarded()
    one.driving()
    one.process.kill()
    one.process.wait(WAIT_S)
    end = clock.monotonic() + WAIT_S
    received = b""
    while _alive(one.child):
        assert clock.monotonic() < end
        received += one.after(0.02)
    assert (received + one.pty.read()).endswith(b"<halt>")


def _alive(pid):
    return _state(pid) != "Z"


def _state(pid):
    """Of a process, a letter of proc(5); Z where it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # the second where it goes between opening and reading
        return "Z"


def test_a_board_that_takes_no_more_bytes_holds_up_nothing(guarded):
    one = guarded()
    one.driving()
    slave = os.open(one.pty.name, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(slave, b"D" * 4096)
    os.kill(one.child, signal.SIGKILL)
    report = one.report("stop")
    assert one.process.wait(WAIT_S) == 1
    os.close(slave)
    assert report["halts"] == {"board": True}
    assert (one.pty.read() + one.after(0.05)).endswith(b"<halt>")


DIED = "the daemon died: killed by SIGABRT"


@pytest.mark.parametrize(("ends", "code", "cause"), [("sys.exit(2)", 2, ""), ("os.abort()", 1, DIED)])
def test_a_daemon_that_refuses_its_configuration_is_no_fault_and_one_that_dies_while_starting_is(
    guarded, ends, code, cause
):
    one = guarded(argv=[sys.executable, "-c", f"import os, sys; {ends}"])
    report = one.report("stop")
    assert (report["code"], report["saved"], report["cause"]) == (code, True if cause else None, cause)
    assert one.process.wait(WAIT_S) == code
    assert one.process.stderr.read() == (f"robotd: stopped: {cause}\n" if cause else "")


def test_a_daemon_that_cannot_be_started_is_reported_and_leaves_nothing(tmp_path, capfd):
    guardian = Guardian([str(tmp_path / "none")], CauseFile("green", [tmp_path / "state"]), Reporter(None))
    assert guardian.run() == 1
    assert "the daemon cannot be started: No such file" in capfd.readouterr().err
    assert list((tmp_path / "state").iterdir()) == []


@pytest.mark.parametrize(
    "message", [{"halt": "00"}, {"name": "board", "halt": "0x"}, {"name": "board"}, {"name": "board", "halt": 7}]
)
def test_a_descriptor_with_a_message_that_cannot_be_used_is_closed(tmp_path, message):
    guardian = Guardian([], CauseFile("green", [tmp_path]), Reporter(None))
    read, write = os.pipe()
    with open(read, "rb") as end:
        guardian._take(json.dumps({"kind": "hold", **message}).encode(), [write])
        assert end.read() == b""  # the end of the file: nothing holds the other end


def test_a_child_that_floods_does_not_keep_the_guardian_from_its_clock_and_signals():
    guardian = Guardian([], CauseFile("green", []), Reporter(None))
    guardian._link = endless = SimpleNamespace(taken=0)

    def beats(*_):
        endless.taken += 1
        assert endless.taken <= 10_000
        return BEAT, [], 0, None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "recv_fds", beats)
        guardian._serve()
    assert endless.taken > module.BACKLOG_BYTES / 1000  # the last words of one that has died are all read


def test_systemd_is_informed_of_readiness_ticks_and_stopping(guarded, tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(WAIT_S)
        environ = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "400000"}
        one = guarded(environ=environ)
        assert manager.recv(99) == b"READY=1"
        assert [manager.recv(99) for _ in range(3)] == [b"WATCHDOG=1"] * 3
        os.kill(one.child, signal.SIGSTOP)
        manager.settimeout(0.3)  # thrice the time between two
        late = 0
        with contextlib.suppress(TimeoutError):
            while late < 1000:  # those of the ticks before
                assert manager.recv(99) == b"WATCHDOG=1"
                late += 1
        assert late < 1000
        os.kill(one.child, signal.SIGKILL)
        one.report("ready")
        one.report("stop")


def test_the_watch_is_as_patient_as_the_ticks_are_slow_and_no_more(tmp_path, monkeypatch):
    guardian = Guardian([], CauseFile("green", [tmp_path]), Reporter(None))
    monkeypatch.setattr(guardian, "_send", lambda message: None)
    assert guardian._patience(1e6)[0] == math.inf  # while it starts
    for period_s, limit_s in ((0.05, 0.25), (0.1, 0.25), (0.4, 1.0)):
        guardian._message({"kind": "ready", "period_s": period_s})
        guardian._beat(10.0)
        left, end = guardian._patience(10.125)
        assert (left, end.cause) == (limit_s - 0.125, f"the daemon finished no tick for {limit_s:g} s")
    guardian._asked = 1
    guardian._pass_on_stop(20.0)
    assert guardian._patience(20.0)[0] == 1.0  # for it to receive the order
    guardian._message({"kind": "stopping"})
    left, end = guardian._patience(20.5)
    assert (left, end.cause) == (1.5, "the daemon did not stop when asked")


def test_systemd_is_sent_a_sign_of_life_four_times_in_its_interval_as_long_as_ticks_come(tmp_path, monkeypatch):
    sent = []
    monkeypatch.setattr(module, "notify", lambda *lines: sent.append(lines))
    monkeypatch.setenv("WATCHDOG_USEC", "1000000")
    guardian = Guardian([], CauseFile("green", [tmp_path]), Reporter(None))
    guardian._beat(0.0)  # before it is ready
    assert sent == []
    guardian._message({"kind": "ready", "period_s": 0.125})
    for k in range(9):
        guardian._beat(k * 0.125)
    assert sent == [("READY=1",), *[("WATCHDOG=1",)] * 5]


def test_the_guardian_imports_nothing_of_third_parties():
    code = (
        "import sys; before = set(sys.modules); import robotd.guardian.guardian;"
        "print(*sorted({name.split('.')[0] if not name.startswith('robotd') else name"
        " for name in set(sys.modules) - before}))"
    )
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    others = {name for name in out.stdout.split() if name not in sys.stdlib_module_names}
    rooms = {
        "robotd.files.paths",
        "robotd.files.refusal",
        "robotd.files.text",
        "robotd.timing.clock",
        "robotd.transport.tty",
    }
    parts = ("guardian", "messages", "ports", "process", "reports", "stop_reason")
    own = {f"robotd.guardian.{name}" for name in parts}
    packages = {"robotd", "robotd.files", "robotd.guardian", "robotd.timing", "robotd.transport"}
    assert others == {*rooms, *own, *packages}
