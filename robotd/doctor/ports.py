"""Serial ports: whether they are there, may be opened, and keep their names."""

import os
import re
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from robotd.doctor.view import SERVICE_USER, Finding, View, note, problem
from robotd.transport.device_names import claims_of

UNIT_GROUP = "dialout"  # what the unit adds to the groups of the service's user
BY_PATH = "name the port by its link below /dev/serial/by-path"
FAST_MS = 1  # of an FTDI adapter, between two looks at what came


def find_missing(view: View) -> Iterator[Finding]:
    """Ports of the robot file that are not plugged in."""
    for key, device in view.ports():
        if not view.at(device).exists():
            names = ", ".join(path.name for path in view.find("/dev/serial/by-id/*"))
            there = f"plugged in are {names}" if names else "no adapter with a stable name is plugged in"
            advice = f"plug it in, or name another port in the robot file; in /dev/serial/by-id {there}"
            yield problem("port-missing", f"{key}{device} is not there", advice)


def find_closed(view: View) -> Iterator[Finding]:
    """Ports that this user, or the service's, may not open."""
    groups, users = view.ids("group"), view.ids("passwd")
    names = {number: name for name, number in groups.items()}
    for key, device in view.ports():
        try:
            status = os.stat(view.at(device))
        except OSError:
            continue
        group = names.get(status.st_gid, str(status.st_gid))
        if not _may_open(status, view.uid, view.groups):
            what = f"{key}{view.user()} may not open {device}, of the group {group}"
            yield problem("port-permission", what, _join(view, group))
        if SERVICE_USER in users and group != UNIT_GROUP:
            own = {groups[name] for name in groups if SERVICE_USER in view.members(name)}
            if not _may_open(status, users[SERVICE_USER], {*own, groups.get(SERVICE_USER, -1)}):
                yield problem(
                    "service-group",
                    f"{key}the service may not open {device}, of the group {group}",
                    f"sudo adduser {SERVICE_USER} {group}, then sudo systemctl restart robotd",
                )


def find_group(view: View) -> Iterator[Finding]:
    """A person outside the group of serial ports, while no port is there to be looked at."""
    group = view.ids("group").get(UNIT_GROUP)
    if view.uid != 0 and group is not None and group not in view.groups and not any(view.ports()):
        what = f"{view.user()} is not in the group {UNIT_GROUP}, which serial ports are of"
        yield note("port-group", what, _join(view, UNIT_GROUP))


def _join(view: View, group: str) -> str:
    """What makes this user a member of a group; a login keeps the groups that it began with."""
    user = view.user()
    if user in view.members(group):
        return "log out and in again, so that the new group counts"
    return f"sudo adduser {user} {group}, then log out and in again"


def _may_open(status: os.stat_result, uid: int, groups: Collection[int]) -> bool:
    """Whether a user may read and write a file."""
    mode = stat.S_IMODE(status.st_mode)
    if status.st_uid == uid:
        mode >>= 6
    elif status.st_gid in groups:
        mode >>= 3
    return uid == 0 or mode & 0o6 == 0o6


def find_unstable(view: View) -> Iterator[Finding]:
    """Ports of the robot file named by a number that depends on the order of plugging."""
    for key, device in view.ports() if view.robot else ():
        if re.fullmatch(r"/dev/tty(USB|ACM)\d+", device) and view.at(device).exists():
            links = (f"/dev/serial/{kind}/{link.name}" for kind in ("by-id", "by-path")
                     for link in view.find(f"/dev/serial/{kind}/*"))  # fmt: skip
            stable = next((link for link in links if view.real(link) == device), "")
            what = f"{key}{device} may be another device after the next start"
            yield note("port-name", what, f"name {stable} in the robot file" if stable else BY_PATH)


def find_shared(view: View) -> Iterator[Finding]:
    """By-id names that lead to either of several adapters."""
    for key, device in view.ports():
        claims = claims_of(Path(device), str(view.at("/run/udev/links")))
        if len(claims) > 1:
            what = f"{key}{len(claims)} adapters without a serial number have {device}"
            yield problem("port-shared-name", what, BY_PATH)


def find_latency(view: View) -> Iterator[Finding]:
    """Latency timers of FTDI adapters, ms (FTDI AN232B-04): what is received waits for so long."""
    for key, device in view.ports():
        name = Path(view.real(device)).name
        file = f"/sys/bus/usb-serial/devices/{name}/latency_timer"
        value = view.text(file).strip()
        if value.isdigit() and int(value) > FAST_MS:
            yield note(
                "port-latency",
                f"{key}the adapter of {device} collects for {value} ms what it has received",
                f"echo {FAST_MS} | sudo tee {file}; for good, a udev rule that sets ATTR{{latency_timer}}",
            )


def find_control_group(view: View) -> Iterator[Finding]:
    """A user who may not connect to the control socket of the service."""
    group = view.ids("group").get(SERVICE_USER)
    if group is not None and view.uid != 0 and group not in view.groups:
        what = f"{view.user()} may give no orders to a robot that runs as a service"
        yield note("control-group", what, f"{_join(view, SERVICE_USER)}; or use sudo")


CHECKS = (
    find_missing,
    find_closed,
    find_group,
    find_unstable,
    find_shared,
    find_latency,
    find_control_group,
)
