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


COMMANDS = {
    "getent": "exit 0",
    "chown": 'shift; ls "$@"',
    "udevadm": "",
    "systemctl": 'case "$2" in is-active) test -e active/$3 ;; start) touch active/$3 ;; esac',
    "deb-systemd-invoke": 'case "$1" in stop) rm active/$2 ;; *) echo "$2 is disabled" >&2; exit 1 ;; esac',
}


class Dpkg:
    """The scripts of the package on a computer in `root`, whose services are files of `root`/active."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for folder in ("bin", "etc", "active", "run/systemd/system", "opt/lib"):
            (root / folder).mkdir(parents=True)
        for name, line in COMMANDS.items():
            (root / "bin" / name).write_text(f"#!/bin/sh\n{line}\n")
            (root / "bin" / name).chmod(0o755)

    def call(self, script: str, *args: str) -> None:
        text = (DEB / script).read_text(encoding="utf-8")
        for place, here in (("/etc/robotd", "etc"), ("/run/", "run/"), ("/opt/robotd/lib", "opt/lib")):
            text = text.replace(place, f"{self.root}/{here}")
        environ = {**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}"}
        done = subprocess.run(
            ["sh", "-c", text, script, *args], env=environ, cwd=self.root, check=False, capture_output=True
        )
        assert done.returncode == 0, done.stderr

    @property
    def active(self) -> set[str]:
        return {path.name for path in (self.root / "active").iterdir()}


@pytest.mark.parametrize("kept", [True, False])
def test_a_robot_file_that_a_person_deleted_does_not_end_the_configuration(kept: bool, tmp_path: Path) -> None:
    dpkg = Dpkg(tmp_path)
    if kept:
        (tmp_path / "etc/robot.toml").write_text("")
    dpkg.call("postinst", "configure")
    assert not kept or (tmp_path / "etc/robot.toml").stat().st_mode & 0o777 == 0o640


# what dpkg calls: an upgrade, each of its operations that fails, and an earlier script that fails
CALLS = (
    ("prerm upgrade", "postinst configure"), ("prerm upgrade", "postinst abort-upgrade"),
    ("prerm upgrade", "prerm failed-upgrade", "postinst configure"), ("prerm remove", "postinst abort-remove"),
    ("prerm deconfigure", "postinst abort-deconfigure"),
)  # fmt: skip


@pytest.mark.parametrize("calls", CALLS, ids=" ".join)
@pytest.mark.parametrize("active", [set(), {"robotd.service"}])
def test_what_ran_runs_again_after_dpkg_is_done_enabled_or_not_and_nothing_else_starts(
    calls: tuple[str, ...], active: set[str], tmp_path: Path
) -> None:
    dpkg = Dpkg(tmp_path)
    for name in active:
        (tmp_path / "active" / name).touch()
    for call in calls:
        dpkg.call(*call.split())
        assert dpkg.active == (active if call.startswith("postinst") else set())
    for name in active:
        (tmp_path / "active" / name).unlink()  # stopped by a person: the next upgrade does not start it
    for call in ("prerm upgrade", "postinst configure"):
        dpkg.call(*call.split())
    assert dpkg.active == set()


def test_a_note_of_a_removal_does_not_start_what_is_installed_later(tmp_path: Path) -> None:
    dpkg = Dpkg(tmp_path)
    (tmp_path / "active/robotd.service").touch()
    for call in ("prerm remove", "postrm remove", "postinst configure"):
        dpkg.call(*call.split())
    assert dpkg.active == set()
