"""Where things are: under systemd as it says, else the system's folders for root and the XDG ones for people."""

from __future__ import annotations

import os
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
        return Path(base) / "robotd" if base else Path(tempfile.gettempdir()) / f"robotd-{uid}"
    variable, default, below = _XDG[kind]
    home = environ.get("HOME") or os.path.expanduser("~")
    return Path(environ.get(variable) or Path(home) / default) / "robotd" / below


def socket_folders() -> tuple[Path, ...]:
    """Where sockets of running daemons may be: this user's folder, then the system's."""
    mine, system = folder("runtime"), SYSTEM["runtime"][1]
    return (mine,) if mine == system else (mine, system)
