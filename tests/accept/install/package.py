"""Line 2: the Debian packages: what is in them, lintian, and install to purge in a clean root of debootstrap's."""

import contextlib
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from robotd.timing import clock
from tests.accept.check import Check, Found, besides
from tests.accept.desk import ROOT, CommandError, Desk, undisturb
from tests.robotd.transport.emulated_port import COMMAND, emulating

MACHINES = {"amd64": 0x3E, "arm64": 0xB7}  # of an ELF file, the word at byte 18
SUITE, MIRROR = "bookworm", "http://deb.debian.org/debian"
WANTED = (
    "opt/robotd/bin/robotd", "usr/bin/robotd", "etc/robotd/robot.toml", "lib/systemd/system/robotd.service",
    "lib/systemd/system/robotd-halt@.service", "lib/udev/rules.d/99-robotd.rules",
    "usr/share/doc/robotd/operation.md", "usr/share/doc/robotd/copyright",
)  # fmt: skip
FOLDERS = {
    "RUNTIME": "/run/robotd",
    "STATE": "/var/lib/robotd",
    "LOGS": "/var/log/robotd",
}  # as systemd makes them
SYSTEM = ("run", "tmp", "proc", "var/lib/dpkg", "var/cache", "var/log/dpkg.log")  # what the system itself keeps
BACKUPS = ("passwd-", "group-", "shadow-", "gshadow-")
START_S = 30.0
WAITING = "waiting for start"  # the state of a robot that has its board


def packages(desk: Desk) -> dict[str, Path]:
    """The packages of this code by architecture, built once."""

    def build() -> list[str]:
        desk.run(ROOT / "packaging/deb/build", *MACHINES).checked()
        return [str(next((ROOT / "dist").glob(f"robotd_*_{arch}.deb"))) for arch in MACHINES]

    return dict(zip(MACHINES, map(Path, desk.kept("packages", build)), strict=True))


def contents(desk: Desk) -> Found:
    figures, bad = [], []
    for arch, package in packages(desk).items():
        tree = desk.folder / f"tree-{arch}"
        shutil.rmtree(tree, ignore_errors=True)
        desk.run("dpkg-deb", "-x", package, tree).checked()
        libraries = [path for path in tree.rglob("*.so*") if path.is_file()]
        foreign = [path.name for path in libraries
                   if int.from_bytes(path.read_bytes()[18:20], "little") != MACHINES[arch]]  # fmt: skip
        bad += [f"{arch}: {path}" for path in WANTED if not os.path.lexists(tree / path)] + foreign
        figures.append(f"{arch}: {package.stat().st_size / 1e6:.0f} MB, {len(libraries)} libraries")
    return Found(besides("; ".join(figures), bad), "each file there, each library of its machine", not bad)


def lint(desk: Desk) -> Found:
    if shutil.which("lintian") is None:
        raise CommandError("lintian is not installed: apt install lintian")
    ran = desk.run("lintian", "--fail-on", "error", *packages(desk).values())
    errors = [line for line in ran.out.splitlines() if line.startswith("E:")]
    warnings = sum(line.startswith("W:") for line in ran.out.splitlines())
    return Found(besides(f"{warnings} warnings", errors, "errors"), "no errors", ran.code == 0 and not errors)


def clean_root(desk: Desk) -> Path:
    """A root with a minimal Debian, Python and adduser, made once and copied for each try."""
    if os.geteuid() or shutil.which("debootstrap") is None:
        raise CommandError("a clean root needs root's rights and debootstrap: apt install debootstrap")
    base, root = desk.folder / "base", desk.folder / "root"
    if not (base / "usr/bin/python3").exists():
        shutil.rmtree(base, ignore_errors=True)
        include = "--include=adduser,python3"
        desk.run("debootstrap", "--variant=minbase", include, SUITE, base, MIRROR).checked()
    desk.run("rm", "-rf", root).checked()
    desk.run("cp", "-a", base, root).checked()
    return root


def live(desk: Desk) -> Found:
    """Install, run as the unit does against an emulated board, upgrade, purge: what is there then, and was not."""
    root, package = clean_root(desk), packages(desk)["amd64"]
    before = files(root)
    steps: dict[str, bool] = {}
    install(desk, root, package)
    with emulating("create2", "--tcp", "0") as (board,):
        name_port(root, board["port"])
        word = state(desk, root)
        steps[f"runs and is {word or 'silent'}"] = word == WAITING
    install(desk, root, newer(desk, package))
    version = desk.run("chroot", root, "dpkg-query", "-W", "-f", "${Version}", "robotd").out
    steps["upgrades"] = version.endswith("+1")
    steps["keeps the configuration"] = board["port"] in (root / "etc/robotd/robot.toml").read_text(
        encoding="utf-8"
    )
    leave_traces(desk, root)
    desk.run("chroot", root, "dpkg", "--purge", "robotd").checked()
    left = sorted(files(root) ^ before)
    users = [name for name in ("passwd", "group", "shadow") if "robotd" in (root / "etc" / name).read_text()]
    steps["purge leaves nothing"] = not left and not users
    bad = [step for step, ok in steps.items() if not ok] + left + users
    return Found(besides(", ".join(steps), bad), "each step, no file or user left", not bad)


def files(root: Path) -> set[str]:
    """Every file below a root, and folders of ours, but what the system itself keeps."""
    found = (path.relative_to(root).as_posix() for path in root.rglob("*")
             if path.is_symlink() or not path.is_dir() or "robotd" in path.name)  # fmt: skip
    return {path for path in found if not path.startswith(SYSTEM) and not path.endswith(BACKUPS)}


def install(desk: Desk, root: Path, package: Path) -> None:
    shutil.copy(package, root / "robotd.deb")
    desk.run("chroot", root, "dpkg", "-i", "/robotd.deb").checked()
    (root / "robotd.deb").unlink()


def name_port(root: Path, port: str) -> None:
    file = root / "etc/robotd/robot.toml"
    text = file.read_text(encoding="utf-8").replace("/dev/serial/by-id/PUT-THE-BOARD-HERE", port)
    file.write_text(text.replace("#[http]", "[http]\nport = 0"), encoding="utf-8")


def newer(desk: Desk, package: Path) -> Path:
    """The same package as a later version."""
    tree, made = desk.folder / "newer", desk.folder / "newer.deb"
    shutil.rmtree(tree, ignore_errors=True)
    desk.run("dpkg-deb", "-R", package, tree).checked()
    control = tree / "DEBIAN/control"
    lines = [line + "+1" * line.startswith("Version: ") for line in control.read_text().splitlines()]
    control.write_text("\n".join(lines) + "\n")
    desk.run("dpkg-deb", "-Zgzip", "-z1", "-b", tree, made).checked()
    return made


def state(desk: Desk, root: Path) -> str:
    """The robot's state while the unit's command line runs as the service's user; '' where that fails."""
    for folder in FOLDERS.values():
        desk.run("chroot", root, "install", "-d", "-o", "robotd", "-g", "robotd", folder).checked()
    with running(root, "robotd", "run", "/etc/robotd/robot.toml") as process:
        end, never, word = clock.monotonic() + START_S, threading.Event(), ""
        while word != WAITING and clock.monotonic() < end:
            never.wait(0.5)
            ran = desk.run("chroot", root, "robotd", "status", "--json")
            document: Any = ran.document() if ran.code == 0 else {}
            word = document.get("state", {}).get("word", "")
        process.send_signal(signal.SIGTERM)
        return word if process.wait(START_S) == 0 else ""


@contextlib.contextmanager
def running(root: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    environ = {
        "PATH": "/opt/robotd/bin:/usr/bin:/bin:/usr/sbin",
        **{f"{name}_DIRECTORY": path for name, path in FOLDERS.items()},
    }
    command = ["chroot", "--userspec=robotd:robotd", str(root), *words]
    process = subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL)
    undisturb(process.pid)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def leave_traces(desk: Desk, root: Path) -> None:
    """What a robot in service leaves: an installed service, a key, and what was learned."""
    desk.run(*COMMAND, "keygen", root / "etc/robotd/team.key").checked()
    (root / "var/lib/robotd/amber").mkdir(exist_ok=True)
    robot, program = root / "etc/robotd/robot.toml", "/opt/robotd/bin/robotd"
    desk.run(*COMMAND, "install-service", robot, "--root", root, "--program", program).checked()
    wants = root / "etc/systemd/system/multi-user.target.wants"
    wants.mkdir(parents=True, exist_ok=True)
    (wants / "robotd.service").symlink_to("/lib/systemd/system/robotd.service")


CHECKS = (
    Check("2.1", "packages for amd64 and arm64", "make deb", contents),
    Check("2.2", "lintian", "lintian --fail-on error dist/*.deb", lint),
    Check("2.3", "install, run, upgrade, purge in a clean root", "dpkg -i; dpkg --purge robotd", live),
)
