"""The command line: help, usage, versions and exit statuses; never a traceback."""

import importlib.metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from robotd import __main__
from robotd.__main__ import main
from robotd.control import client


def ended(*arguments: str) -> Any:
    """The exit status of a command line, whether returned or raised by the parser of options."""
    try:
        return main(arguments)
    except SystemExit as end:
        return end.code


def test_help_and_version_are_no_failures(capsys) -> None:
    assert [ended("--help"), ended("--version")] == [0, 0]
    version = capsys.readouterr().out.splitlines()[-1]
    assert re.fullmatch(rf"robotd {importlib.metadata.version('robotd')} \((pure Python|compiled)\)", version)


@pytest.mark.parametrize(
    "arguments",
    [
        ("simm",),
        ("--bogus",),
        ("sim",),
        ("sim", "cleanup", "--sed", "x"),
        ("run",),
        *(("run", "robot.toml", "--report", text) for text in ("x", "-1", "99999", "9" * 30)),
    ],
)
def test_bad_usage_is_reported_in_one_line_after_the_usage_and_ends_with_2(arguments, capsys) -> None:
    assert ended(*arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("usage: robotd")
    assert printed.err.splitlines()[-1].startswith("robotd")


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        (["instal-service"], "install-service"),
        (["sim", "cleanup", "--prosesses"], "--processes"),
        (["plot", "x", "--formt=svg"], "--format"),
        (["--versoin"], "--version"),
        (["mission", "strat"], "start"),
        (["new", "modem", "x"], "radio"),
        (["plot", "x", "--format", "pgn"], "png"),
    ],
)
def test_a_misspelt_command_or_option_is_refused_with_the_nearest(arguments, near, capsys) -> None:
    assert ended(*arguments) == 2
    assert f"did you mean '{near}" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("line", "status"),
    [("statsu", 2), ("mission strat", 2), ("status", 1), ("mission start", 1), ("sim cleanup --seed x", 2),
     ("sim robto.toml", 2), ("new mission mine", 2), ("learned none.toml", 2), ("replay none.jsonl", 2)],
)  # fmt: skip
def test_with_json_a_refusal_is_one_object_with_its_error(line, status, tmp_path, monkeypatch, capsys) -> None:
    (tmp_path / "mine.toml").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(client, "socket_folders", lambda: (tmp_path,))
    assert ended(*line.split(), "--json") == status
    assert list(json.loads(capsys.readouterr().out)) == ["error"]


@pytest.mark.parametrize("name", ["robto.toml", "./robto", "robto.tml"])
@pytest.mark.parametrize("words", [("check",), ("sim",), ("bundle", "--out", "out")])
def test_a_file_name_is_no_mission_name_and_the_nearest_file_is_named(
    name, words, tmp_path, monkeypatch, capsys
) -> None:
    (tmp_path / "robot.toml").touch()
    monkeypatch.chdir(tmp_path)
    assert ended(*words, name) == 2
    printed = "".join(capsys.readouterr())
    assert "no such file; did you mean 'robot.toml'" in printed


def test_the_status_of_a_command_is_that_of_the_process_and_of_control_c_that_of_its_signal(
    monkeypatch, capsys
) -> None:
    def interrupted(options: Any) -> int:
        raise KeyboardInterrupt

    for run, status in ((lambda options: 0, 0), (lambda options: 2, 2), (interrupted, 130)):
        module = SimpleNamespace(add_arguments=lambda parser: None, run=run)
        monkeypatch.setattr(__main__, "_module", lambda name, module=module: module)
        assert ended("demo") == status
    assert capsys.readouterr().err == "robotd: interrupted; what was written so far stays\n"


@pytest.mark.parametrize(
    ("line", "status", "printed"),
    [
        ("--version >/dev/full", 1, "robotd: the output: No space left on device"),
        ("--version | true; exit ${PIPESTATUS[0]}", None, ""),
        ("run /nowhere/robot.toml", 2, "/nowhere/robot.toml: no such robot file"),
        ("sim cleanup --log none --speed fast", 2, "robotd: --speed fast: expected"),
    ],
)
def test_as_a_process_it_never_shows_a_traceback(line, status, printed) -> None:
    argv = ["bash", "-c", f"{sys.executable} -m robotd {line}"]
    ran = subprocess.run(argv, capture_output=True, text=True, timeout=600, check=False)
    assert ran.returncode == status if status is not None else ran.returncode in (0, 1)
    assert "Traceback" not in ran.stderr
    assert printed in ran.stderr


def test_any_name_prints_on_any_terminal() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "robotd", "check", "Zoë-\N{ROBOT FACE}.toml"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode == 2
    assert b"Traceback" not in ran.stderr
    assert b"Zo" in ran.stdout


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_nothing_that_is_opened_gets_the_number_of_a_closed_standard_stream(closed: str, tmp_path: Path) -> None:
    """What is written on standard error, by whatever part of the program, would go to the motors."""
    program = tmp_path / "program.py"
    program.write_text(
        """
import subprocess, sys
from robotd.__main__ import main
main(["--version"])
OPEN = "import os; port = os.open('port', os.O_RDWR | os.O_CREAT | os.O_APPEND); os.write(port, b'%d ' % port)"
exec(OPEN)
subprocess.run([sys.executable, "-c", OPEN], check=True)
""",
        encoding="utf-8",
    )
    subprocess.run(["bash", "-c", f"{sys.executable} {program.name} {closed}"], cwd=tmp_path, check=True)
    own, childs = map(int, (tmp_path / "port").read_text(encoding="utf-8").split())
    assert min(own, childs) > 2
