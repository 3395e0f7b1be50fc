"""`robotd run` as a process: what it reports of a configuration, what it imports, and how it is stopped."""

import json
import os
import re
import signal
import subprocess
import sys

from robotd.config.load import find_mission
from robotd.files.paths import module_command
from robotd.record.replay import replay
from robotd.robot.build import mind_of_part
from tests.robotd.daemon.home import write


def test_robotd_run_reports_the_faults_of_a_configuration_and_nothing_more(home, runtime) -> None:
    write(home, start="sometimes")
    command = [sys.executable, "-m", "robotd", "run", str(home / "green.toml")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
    assert ran.stderr.startswith(f"{home / 'green.toml'}:3: start: ")


def test_what_lies_in_the_working_folder_is_not_imported(home, runtime) -> None:
    for name in ("behaviors", "radio", "json", "queue", "random"):
        (home / f"{name}.py").write_text("raise SystemExit(9)")
    write(home, start="sometimes")
    command = module_command("robotd.daemon", "green.toml")
    ran = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr.startswith("green.toml:3: start: ")) == (2, True)


def test_robotd_run_is_stopped_in_order_by_sigterm(home, runtime) -> None:
    slow = "[control]\ntick_hz = 4.0\nticks_per_decision = 1\n"  # its guardian gives a busy machine 0.6 s a tick
    kept = re.sub(r"\[control\]\n(?:[^\[\n]+\n)*", "", find_mission("cleanup").read_text(encoding="utf-8"))
    (home / "slow.toml").write_text(f"{kept}\n{slow}", encoding="utf-8")
    robot_file = home / "green.toml"
    robot_file.write_text(robot_file.read_text().replace('mission = "cleanup"', 'mission = "slow.toml"'))
    read, write_ = os.pipe()
    guardian = subprocess.Popen(
        [sys.executable, "-m", "robotd", "run", str(robot_file), "--report", str(write_)],
        pass_fds=[write_], stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    os.close(write_)
    events = {}
    with os.fdopen(read) as reports:
        for line in reports:
            event = json.loads(line)
            events[event["event"]] = event
            if event["event"] == "ready":
                guardian.send_signal(signal.SIGTERM)
    _, err = guardian.communicate(timeout=30.0)
    assert (guardian.returncode, "Traceback" in err) == (0, False)
    assert (events["stop"]["cause"], events["stop"]["code"], events["stop"]["child_code"]) == ("", 0, 0)
    assert replay(home / "log", mind_of_part).difference is None
