"""Folders of files and sockets: those that systemd sets, else the system's for root and XDG ones for people."""

import argparse
import os
import stat
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

SYSTEM = {
    "config": ("CONFIGURATION_DIRECTORY", Path("/etc/robotd")),
    "state": ("STATE_DIRECTORY", Path("/var/lib/robotd")),
    "log": ("LOGS_DIRECTORY", Path("/var/log/robotd")),
    "runtime": ("RUNTIME_DIRECTORY", Path("/run/robotd")),
}
_XDG = {
    "config": ("XDG_CONFIG_HOME", ".config", ""),
    "state": ("XDG_STATE_HOME", ".local/state", ""),
    "log": ("XDG_STATE_HOME", ".local/state", "log"),
}


def folder(kind: str, environ: Mapping[str, str] | None = None, uid: int | None = None) -> Path:
    """The folder for `kind`: config, state, log or runtime. It need not exist."""
    environ = os.environ if environ is None else environ
    uid = os.getuid() if uid is None else uid
    variable, system = SYSTEM[kind]
    given = environ.get(variable, "").partition(":")[0]  # systemd lists several with colons
    if given:
        return Path(given)
    if uid == 0:
        return system
    if kind == "runtime":
        base = environ.get("XDG_RUNTIME_DIR")
        path = Path(base) / "robotd" if base else Path(tempfile.gettempdir()) / f"robotd-{uid}"
        return path if is_trusted(path, uid) else folder("state", environ, uid) / "run"
    variable, default, below = _XDG[kind]
    home = environ.get("HOME") or os.path.expanduser("~")
    return Path(environ.get(variable) or Path(home) / default) / "robotd" / below


def installed_robot() -> Path:
    """The robot file of this computer, if one is installed."""
    return folder("config") / "robot.toml"


def is_trusted(path: Path, uid: int | None = None) -> bool:
    """False where another user owns the folder `path`, or may write to it; True for one that is missing."""
    try:
        kinds = [os.lstat(path), os.stat(path)]  # a link too may be a stranger's
    except FileNotFoundError:
        return not os.path.islink(path)
    except OSError:
        return False
    mine = (0, os.getuid() if uid is None else uid)
    open_to_all = stat.S_IMODE(kinds[1].st_mode) & (stat.S_IWOTH | stat.S_ISVTX) == stat.S_IWOTH
    return all(kind.st_uid in mine for kind in kinds) and stat.S_ISDIR(kinds[1].st_mode) and not open_to_all


def no_folder(path: Path) -> str:
    """Why `path` is no folder and can become none: a file is there, or on the way to it; '' where it can."""
    there = next((each for each in (path, *path.parents) if os.path.lexists(each)), None)
    if there is None or os.path.isdir(there):
        return ""
    return f"{there} is no folder: choose one that is there, or that can be made"


def module_command(module: str, *words: str) -> list[str]:
    """`python -m MODULE WORDS` as a command that imports nothing from the working folder."""
    return [sys.executable, "-P", "-m", module, *words]


def folder_option(text: str) -> Path:
    """The type of an option of the command line that names a folder, there or to be made."""
    if not text:
        raise argparse.ArgumentTypeError("expected the name of a folder, found none")
    path = Path(text)
    if problem := no_folder(path):
        raise argparse.ArgumentTypeError(problem)
    return path


def socket_folders() -> tuple[Path, ...]:
    """Where sockets of running daemons may be: this user's folder, then the system's."""
    mine, system = folder("runtime"), SYSTEM["runtime"][1]
    return (mine,) if mine == system else (mine, system)


def sync_folder(path: Path) -> None:
    """Let the names of the files in a folder survive a power cut; OSError."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
