"""`robotd run` as a process: what it reports of a configuration, what it imports, and how it is stopped."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import robotd
from robotd.record.replay import replay
from robotd.robot.build import mind_of_part
from tests.patience import WAIT_S, patient
from tests.robotd.daemon.home import write

START = "import sys; sys.argv[0] = 'robotd'; from robotd.__main__ import main; sys.exit(main())"


def test_robotd_run_reports_the_faults_of_a_configuration_and_nothing_more(home, runtime) -> None:
    write(home, start="sometimes")
    command = [sys.executable, "-m", "robotd", "run", str(home / "green.toml")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S, check=False)
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
    assert ran.stderr.startswith(f"{home / 'green.toml'}:3: start: ")


def test_what_lies_in_the_working_folder_is_not_imported(home, runtime) -> None:
    for name in ("behaviors", "radio", "json", "queue", "random"):
        (home / f"{name}.py").write_text("raise SystemExit(9)")
    write(home, start="sometimes")
    command, environment = ["-P", "-c", START, "run", "green.toml"], {**os.environ, "PYTHONPATH": f".{os.pathsep}"}
    ran = subprocess.run(
        [sys.executable, *command], cwd=home, env=environment, capture_output=True, text=True, timeout=WAIT_S,
        check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr.startswith("green.toml:3: start: ")) == (2, True), ran.stderr


def test_a_folder_that_pythonpath_names_in_full_and_that_of_robotd_are_looked_in(monkeypatch, tmp_path) -> None:
    own = str(Path(robotd.__file__).parents[1])
    for here, kept in ((str(tmp_path), []), (own, [own])):
        monkeypatch.chdir(here)
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([".", "/opt/parts", "", "below"]))
        monkeypatch.setattr(sys, "path", [here, "/opt/parts", os.path.join(here, "below"), "/elsewhere"])
        robotd.ignore_working_folder()
        assert sys.path == [*kept, "/opt/parts", "/elsewhere"]
        assert os.environ["PYTHONPATH"] == "/opt/parts"


def test_robotd_run_is_stopped_in_order_by_sigterm(home, runtime) -> None:
    read, write_ = os.pipe()
    guardian = subprocess.Popen(
        patient("robotd", "run", str(home / "green.toml"), "--report", str(write_)),
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
    _, err = guardian.communicate(timeout=WAIT_S)
    assert (guardian.returncode, "Traceback" in err) == (0, False)
    assert (events["stop"]["cause"], events["stop"]["code"], events["stop"]["child_code"]) == ("", 0, 0)
    assert replay(home / "log", mind_of_part).difference is None
