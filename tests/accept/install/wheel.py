"""Line 1: a wheel in a fresh environment, from a file and from a checkout, used outside any checkout."""

import shutil
import sys
from pathlib import Path

from tests.accept.check import Check, Found, besides
from tests.accept.desk import ROOT, Desk
from tests.robotd.transport.emulated_port import emulating

USES = {
    "version": "--version",
    "sim": "sim patrol --duration 5 --log none --json",
    "mission": "check patrol",
    "template": "new board my-base",
    "page": "live --help",
    "service": "install-service --help",
}


def from_file(desk: Desk) -> Found:
    wheels = desk.folder / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    tools = fresh(desk, "tools")
    desk.run(tools / "bin/pip", "wheel", "-q", "--no-deps", "-w", wheels, ROOT).checked()
    (wheel,) = wheels.glob("robotd-*.whl")
    return installed(desk, "file", f"{wheel}[sim]", f"{wheel.stat().st_size / 1e6:.1f} MB; ")


def from_checkout(desk: Desk) -> Found:
    return installed(desk, "checkout", f"{ROOT}[sim]")


def fresh(desk: Desk, name: str) -> Path:
    """A new virtual environment."""
    home = desk.folder / name
    shutil.rmtree(home, ignore_errors=True)
    desk.run(sys.executable, "-m", "venv", home).checked()
    return home


def installed(desk: Desk, name: str, requirement: str, figure: str = "") -> Found:
    """What of `USES` an environment with this alone does, whether it emulates a board, and what it leaves."""
    home, place = fresh(desk, name), desk.folder / f"{name}-place"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    desk.run(home / "bin/pip", "install", "-q", requirement).checked()
    program = str(home / "bin/robotd")
    codes = {use: desk.run(program, *words.split(), cwd=place).code for use, words in USES.items()}
    with emulating("create2+xbee", program=(program,), cwd=place) as (board, _):
        codes["emulate"] = desk.run(program, "board", board["port"], "--json", cwd=place).code
    codes["pip check"] = desk.run(home / "bin/pip", "check").code
    codes["pip uninstall"] = desk.run(home / "bin/pip", "uninstall", "-q", "-y", "robotd").code
    left = [path.name for path in home.rglob("site-packages/*") if path.name.partition("-")[0] in PACKAGES]
    bad = [use for use, code in codes.items() if code] + [f"{name} is left" for name in left]
    return Found(besides(f"{figure}{len(codes)} uses", bad, "failed"), "none failed, nothing left", not bad)


PACKAGES = ("robotd", "boards", "radio", "behaviors", "motivation")
CHECKS = (
    Check("1.1", "a wheel from a file, in a fresh environment", "pip install robotd-*.whl[sim]", from_file),
    Check("1.2", "a checkout, in a fresh environment", "pip install .[sim]", from_checkout),
)
