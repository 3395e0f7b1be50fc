"""What `robotd doctor` sees of a computer: files below a root folder, and its user; nothing is changed."""

import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from robotd.timing import clock

OWN = Path(__file__).parents[2]  # the folder that has robotd's packages
SERVICE_USER = "robotd"
RULES = "99-robotd.rules"
UDEV = ("/etc/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d")
OF_ROBOT = {"board", "mission", "add_ons"}  # keys that a robot file alone has
OF_MISSION = {"team", "tasks", "sets"}
PLUGGED = ("ttyUSB", "ttyACM")  # kinds of serial devices that are looked at where no robot file names any


@dataclass(frozen=True)
class Finding:
    """Something to change, and how. A problem keeps a robot from working or makes it unsafe; a note may matter."""

    name: str
    severity: Literal["problem", "note"]
    what: str
    do: str


def problem(name: str, what: str, do: str) -> Finding:
    return Finding(name, "problem", what, do)


def note(name: str, what: str, do: str) -> Finding:
    return Finding(name, "note", what, do)


@dataclass(frozen=True)
class View:
    """A computer, and its user with an environment. `path`: where Python looks for packages, of which `own` has
    robotd's; `now`: the wall clock, s since 1970; `robot`: the robot file in `folder` as read, {} for none."""

    root: Path = Path("/")
    uid: int = field(default_factory=os.getuid)
    groups: frozenset[int] = field(default_factory=lambda: frozenset({os.getgid(), *os.getgroups()}))
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    now: float = field(default_factory=lambda: clock.wall().timestamp())
    path: tuple[Path, ...] = field(default_factory=lambda: tuple(map(Path, sys.path)))
    own: Path = OWN
    robot: Mapping[str, Any] = field(default_factory=dict)
    folder: Path = Path()

    def at(self, path: str) -> Path:
        """An absolute path, below the root folder."""
        return self.root / path.lstrip("/")

    def text(self, path: str) -> str:
        """A file's text; '' where it cannot be read."""
        return text_of(self.at(path))

    def exists(self, *paths: str) -> bool:
        """Whether any of these is there."""
        return any(os.path.lexists(self.at(path)) for path in paths)

    def find(self, pattern: str) -> list[Path]:
        """The files that a pattern below the root fits, sorted; those that may not be listed are left out."""
        return sorted(self.root.glob(pattern.lstrip("/")))

    def real(self, device: str) -> str:
        """A device's own name, all links followed."""
        inside = os.path.relpath(os.path.realpath(self.at(device)), os.path.realpath(self.root))
        return f"/{inside}"

    def ids(self, table: str) -> dict[str, int]:
        """The numbers of users (`passwd`) or groups (`group`) by name."""
        rows = (line.split(":") for line in self.text(f"/etc/{table}").splitlines())
        return {row[0]: int(row[2]) for row in rows if len(row) > 2 and row[2].isdigit()}

    def user(self) -> str:
        """The user's name."""
        return next((name for name, uid in self.ids("passwd").items() if uid == self.uid), str(self.uid))

    def members(self, group: str) -> set[str]:
        """The users that are listed as members of a group."""
        rows = (line.split(":") for line in self.text("/etc/group").splitlines())
        return next((set(row[3].split(",")) for row in rows if len(row) > 3 and row[0] == group), set())

    def programs(self) -> set[str]:
        """The names of the programs that run, as the kernel shortens them to 15 letters."""
        return {text_of(path).strip() for path in self.find("/proc/[0-9]*/comm")}

    @property
    def has_rules(self) -> bool:
        """Whether robotd's udev rules are installed."""
        return self.exists(*(f"{folder}/{RULES}" for folder in UDEV))

    @property
    def is_pi(self) -> bool:
        return self.text("/proc/device-tree/model").startswith("Raspberry Pi")

    def ports(self) -> Iterator[tuple[str, str]]:
        """The serial devices of the robot file, each with its key; without one those that are plugged in."""
        if not self.robot:
            yield from (("", f"/dev/{path.name}") for kind in PLUGGED for path in self.find(f"/dev/{kind}*"))
            return
        add_ons = self.robot.get("add_ons")
        numbered = enumerate(add_ons) if isinstance(add_ons, list) else ()
        parts = [*((key, self.robot.get(key)) for key in ("board", "radio")),
                 *((f"add_ons.{number}", part) for number, part in numbered)]  # fmt: skip
        for key, part in parts:
            port = part.get("port") if isinstance(part, dict) else None
            device = re.fullmatch(r"(?:serial://)?(/[^?\0]+)(?:\?.*)?", port) if isinstance(port, str) else None
            if device is not None:
                yield f"{key}.port: ", device[1]


def text_of(path: Path) -> str:
    """A file's text without NULs; '' where it cannot be read."""
    try:
        return path.read_bytes().replace(b"\0", b"").decode(errors="replace")
    except OSError:
        return ""


def read_robot(path: Path) -> dict[str, Any]:
    """A robot file's values; OSError, ValueError. `robotd check` reports what is wrong with them."""
    try:
        robot = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: {error}") from None
    if robot and not robot.keys() & OF_ROBOT:
        what = "a mission file, which names no ports" if robot.keys() & OF_MISSION else "no robot file"
        raise ValueError(f"{path}: this is {what}; expected a robot file, which has [board] (robotd check {path})")
    return robot
