"""Other programs on a robot's ports, and other distributions with the names of its packages."""

import importlib.metadata
import re
from collections.abc import Iterator
from pathlib import Path

from robotd import PACKAGES
from robotd.doctor.view import Finding, View, note, problem

_OWNED = re.compile(rf"^({'|'.join(PACKAGES)})(?:/__init__)?\.py,", re.MULTILINE)  # a line of RECORD
RULE = "sudo robotd install-service ROBOT.toml, which brings the udev rules"
CONFIG = ("/boot/firmware/config.txt", "/boot/config.txt")  # of a Raspberry Pi
WANTS = ("/etc/systemd/system/getty.target.wants", "/run/systemd/generator/getty.target.wants")
OWN_VENV = "install robotd into a virtual environment of its own: python3 -m venv"


def find_modem_manager(view: View) -> Iterator[Finding]:
    """ModemManager sends commands for modems to serial adapters."""
    if "ModemManager" in view.programs() and not view.has_rules:
        what = "ModemManager runs, and talks to every adapter that is plugged in"
        yield problem("modem-manager", what, f"{RULE}; or sudo systemctl disable --now ModemManager")


def find_brltty(view: View) -> Iterator[Finding]:
    """brltty takes adapters with the chips of Braille displays."""
    there = "brltty" in view.programs() or view.exists("/usr/bin/brltty", "/usr/sbin/brltty", "/sbin/brltty")
    if there and not view.has_rules:
        what = "brltty takes CP210x, CH34x and FTDI adapters for Braille displays"
        yield problem("brltty", what, f"{RULE}; or sudo apt remove brltty")


def _consoles(view: View) -> set[str]:
    """The devices that the kernel or a login writes to."""
    named = set(re.findall(r"\bconsole=((?:tty[A-Z]|serial)\w*)", view.text("/proc/cmdline")))
    for folder in WANTS:
        for unit in view.find(f"{folder}/serial-getty@*.service"):
            named.add(unit.name.partition("@")[2].removesuffix(".service"))
    return {view.real(f"/dev/{name}") for name in named}


def find_console(view: View) -> Iterator[Finding]:
    """A console on a port of the robot; on a Raspberry Pi also where no robot file names any."""
    primary = [("", "/dev/serial0")] if view.is_pi and not view.robot and view.exists("/dev/serial0") else []
    consoles = _consoles(view)
    for key, device in [*view.ports(), *primary]:
        real = view.real(device)
        if real in consoles:
            name, report = Path(real).name, problem if view.robot else note
            off = f"sudo systemctl disable --now serial-getty@{name}"
            advice = f"take console={name} out of the kernel's command line, and {off}"
            advice = "sudo raspi-config nonint do_serial_cons 1, then restart" if view.is_pi else advice
            yield report("login-console", f"{key}a login console is on {device} ({real})", advice)


def find_mini_uart(view: View) -> Iterator[Finding]:
    """The mini-UART's clock is that of the core, and the baud rate with it (Raspberry Pi, UART configuration)."""
    if not view.is_pi or "ttyS0" not in {Path(view.real(device)).name for _, device in view.ports()}:
        return
    settings = "\n".join(view.text(file) for file in CONFIG)
    if not re.search(r"^\s*(enable_uart=1|core_freq=\d+|force_turbo=1)\b", settings, re.MULTILINE):
        yield problem(
            "mini-uart-clock",
            "/dev/ttyS0 is the mini-UART, whose baud rate changes with the core's clock",
            f"add dtoverlay=disable-bt to {CONFIG[0]} and name /dev/ttyAMA0, or add enable_uart=1; then restart",
        )


def find_shadowed(view: View) -> Iterator[Finding]:
    """Packages that Python finds before robotd's."""
    for package in PACKAGES:
        for folder in view.path:
            if (folder / package / "__init__.py").is_file() or (folder / f"{package}.py").is_file():
                if folder.resolve() != view.own.resolve():
                    what = f"Python finds the package {package} in {folder}, not robotd's in {view.own}"
                    yield problem("shadowed-package", what, f"{OWN_VENV}, and unset PYTHONPATH")
                break


def find_overwritten(view: View) -> Iterator[Finding]:
    """Other distributions that own a package of robotd's name: in one folder, one has overwritten the other."""
    for distribution in importlib.metadata.distributions(path=[str(folder) for folder in view.path]):
        name = distribution.metadata["Name"] or ""
        owned = sorted(set(_OWNED.findall(distribution.read_text("RECORD") or "")))
        if name.lower() == "robotd" or not owned:
            continue
        here = Path(str(distribution.locate_file(""))).resolve() == view.own.resolve()
        fate = "has overwritten robotd's files, or the other way round" if here else "may hide robotd's"
        what = f"the distribution {name} has the package {', '.join(owned)} too, and {fate}"
        report = problem if here else note
        yield report("package-of-another", what, f"pip uninstall {name}; {OWN_VENV}")


CHECKS = (find_modem_manager, find_brltty, find_console, find_mini_uart, find_shadowed, find_overwritten)
