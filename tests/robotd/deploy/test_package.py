"""The Debian package: its commented configuration, and scripts that take away what was installed."""

import os
import re
import subprocess
from pathlib import Path, PurePosixPath

import pytest

from robotd.advice.check import check
from robotd.deploy import service
from tests.docs_pages import ROOT

DEB = ROOT / "packaging" / "deb"
EXAMPLE = (DEB / "robot.toml").read_text(encoding="utf-8")
INSTALLED = (
    service.CONFIG, service.STATE, service.LOG, service.RULES, service.UNITS / "robotd.service",
    service.UNITS / "robotd-halt@.service", service.UNITS / "robotd.service.d", service.SYSUSERS / "robotd.conf",
    service.TMPFILES / "robotd.conf",
)  # fmt: skip


def problems(text: str, folder: Path) -> list[str]:
    (folder / "robot.toml").write_text(text, encoding="utf-8")
    return [problem.message for problem in check(str(folder / "robot.toml"), here=False).problems]


def test_the_installed_robot_file_is_valid_as_it_is_and_with_all_that_it_shows(tmp_path: Path) -> None:
    assert problems(EXAMPLE, tmp_path) == []
    (tmp_path / "mine.py").write_text("ROBOTD = {}\n", encoding="utf-8")
    shown = re.sub(r"^#(?=\[|\w+ = )", "", EXAMPLE.replace('name = "none"\n', ""), flags=re.MULTILINE)
    assert shown.count("\n#") < EXAMPLE.count("\n#")
    assert problems(shown, tmp_path) == []
    assert problems(shown.replace("max_mb", "max_mbs"), tmp_path) != []


@pytest.mark.parametrize("name", ["postinst", "prerm", "postrm", "build"])
def test_each_script_is_one_for_its_shell(name: str) -> None:
    first = (DEB / name).read_text(encoding="utf-8").partition("\n")[0]
    shell = "bash" if first.endswith("bash") else "sh"
    assert subprocess.run([shell, "-n", DEB / name], check=False).returncode == 0


@pytest.mark.parametrize("path", INSTALLED, ids=str)
def test_a_purge_takes_away_what_the_service_and_its_installation_leave(path: PurePosixPath) -> None:
    purged = (DEB / "postrm").read_text(encoding="utf-8").partition("= purge ]")[2].partition("\nfi\n")[0]
    assert str(path) in purged.split()


@pytest.mark.parametrize("kept", [True, False])
def test_a_robot_file_that_a_person_deleted_does_not_end_the_configuration(kept: bool, tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    if kept:
        (tmp_path / "etc/robot.toml").write_text("")
    for name, line in (("getent", "exit 0"), ("chown", 'shift; ls "$@"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    script = (DEB / "postinst").read_text(encoding="utf-8").replace("/etc/robotd", str(tmp_path / "etc"))
    script = script.replace("/run/systemd/system", str(tmp_path / "none"))
    environ = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", script, "postinst", "configure"], env=environ, check=False, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert not kept or (tmp_path / "etc/robot.toml").stat().st_mode & 0o777 == 0o640
