"""Serial ports: whether they are there, may be opened, and keep their names; groups, and owners of files."""

import glob
import os
import re
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from robotd.doctor.view import SERVICE_USER, Finding, View, note, problem, text_of
from robotd.files.paths import SYSTEM, folder
from robotd.transport.device_names import claims_of

UNIT_GROUP = "dialout"  # what the unit adds to the groups of the service's user
FAST_MS = 1  # of an FTDI adapter, between two looks at what came


def find_missing(view: View) -> Iterator[Finding]:
    for key, device in view.ports():
        if not view.at(device).exists():
            names = [path.name for path in view.find("/dev/serial/by-id/*")]
            there = (
                f"plugged in are {', '.join(names)}" if names else "no adapter with a stable name is plugged in"
            )
            yield problem(
                "port-missing",
                f"{key}{device} is not there",
                f"plug it in, or name another port in the robot file; in /dev/serial/by-id {there}",
            )


def find_closed(view: View) -> Iterator[Finding]:
    """Ports that the person who asks, or the service's user, may not open."""
    groups, users = view.ids("group"), view.ids("passwd")
    names = {number: name for name, number in groups.items()}
    for key, device in view.ports():
        try:
            status = os.stat(view.at(device))
        except OSError:
            continue
        group = names.get(status.st_gid, str(status.st_gid))
        if not _may_open(status, view.uid, view.groups):
            user = view.user()
            listed = user in view.members(group)
            yield problem(
                "port-permission",
                f"{key}{user} may not open {device}, of the group {group}",
                "log out and in again, so that the new group counts"
                if listed
                else f"sudo adduser {user} {group}, then log out and in again",
            )
        if SERVICE_USER in users and group != UNIT_GROUP:
            own = {groups[name] for name in groups if SERVICE_USER in view.members(name)}
            if not _may_open(status, users[SERVICE_USER], {*own, groups.get(SERVICE_USER, -1)}):
                yield problem(
                    "service-group",
                    f"{key}the service may not open {device}, of the group {group}",
                    f"sudo adduser {SERVICE_USER} {group}, then sudo systemctl restart robotd",
                )


def find_group(view: View) -> Iterator[Finding]:
    """Who is not in the group of serial ports, while no port is there to be looked at."""
    group = view.ids("group").get(UNIT_GROUP)
    if view.uid != 0 and group is not None and group not in view.groups and not any(view.ports()):
        user = view.user()
        yield note(
            "port-group",
            f"{user} is not in the group {UNIT_GROUP}, which serial ports are of",
            f"sudo adduser {user} {UNIT_GROUP}, then log out and in again",
        )


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
            links = [
                f"/dev/serial/{kind}/{link.name}"
                for kind in ("by-id", "by-path")
                for link in view.find(f"/dev/serial/{kind}/*")
            ]
            stable = next((link for link in links if view.real(link) == device), "")
            yield note(
                "port-name",
                f"{key}{device} may be another device after the next start",
                f"name {stable} in the robot file" if stable else "name its link below /dev/serial/by-path",
            )


def find_shared(view: View) -> Iterator[Finding]:
    for key, device in view.ports():
        claims = claims_of(Path(device), str(view.at("/run/udev/links")))
        if len(claims) > 1:
            yield problem(
                "port-shared-name",
                f"{key}{len(claims)} adapters without a serial number have {device}",
                "name the port by its link below /dev/serial/by-path",
            )


def find_latency(view: View) -> Iterator[Finding]:
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
    group = view.ids("group").get(SERVICE_USER)
    if group is not None and view.uid != 0 and group not in view.groups:
        user = view.user()
        again = user in view.members(SERVICE_USER)
        yield note(
            "control-group",
            f"{user} may give no orders to a robot that runs as a service",
            "log out and in again, so that the new group counts"
            if again
            else f"sudo adduser {user} {SERVICE_USER}, then log out and in again; or use sudo",
        )


def find_keys(view: View) -> Iterator[Finding]:
    """Files of keys and tokens that others can read, or that the service cannot."""
    installed = view.at("/etc/robotd/team.key")
    for path in dict.fromkeys([*filter(None, _secrets(view)), installed]):
        try:
            status = os.stat(path)
        except OSError:
            continue
        mode = stat.S_IMODE(status.st_mode)
        if mode & 0o077:
            yield problem(
                "key-mode",
                f"{path} can be read by others (mode {mode:04o})",
                f"chmod 0600 {path}; if a stranger may have read it, make another: robotd keygen",
            )
        if path == installed and view.ids("passwd").get(SERVICE_USER, status.st_uid) != status.st_uid:
            yield problem(
                "key-owner",
                f"{path} is not of the user {SERVICE_USER}: the service cannot read it",
                f"sudo chown {SERVICE_USER}: {path}",
            )


def find_tokens(view: View) -> Iterator[Finding]:
    """A file of tokens that is not there, or that holds keys of the team."""
    keys, tokens = _secrets(view)
    if tokens is not None and not tokens.exists():
        yield problem(
            "token-missing", f"{tokens} is not there: the daemon does not start", f"robotd keygen {tokens}"
        )
    elif tokens is not None and keys is not None and _keys_in(tokens) & _keys_in(keys):
        what = f"{tokens} holds a key of {keys}: whoever sees a token can sign frames of the team"
        yield problem("token-is-key", what, "robotd keygen http.token, and name that file in token_file of [http]")


def _keys_in(path: Path) -> set[str]:
    return set(re.findall(r"\b[0-9a-f]{64}\b", text_of(path).lower()))


def _secrets(view: View) -> list[Path | None]:
    """The files of keys and of tokens that the robot file names; None where it names none."""
    found: list[Path | None] = []
    for part, key, default in (("radio", "key_file", "team.key"), ("http", "token_file", "")):
        table = view.robot.get(part)
        named = table.get(key, default) if isinstance(table, dict) else ""
        found.append(view.folder / named if isinstance(named, str) and named and "\0" not in named else None)
    return found


def find_folders(view: View) -> Iterator[Finding]:
    """Files of another, as of a run by `sudo`, where the service or the person who asks must write."""
    users = view.ids("passwd")
    places = [(SERVICE_USER, SYSTEM[kind][1]) for kind in ("state", "log")] if SERVICE_USER in users else []
    if view.uid != 0:
        users[view.user()] = view.uid
        places.append((view.user(), folder("state", view.environ, view.uid)))  # logs are below it
    for user, place in places:
        for path in (view.at(str(place)), *view.find(f"{glob.escape(str(place))}/**/*")):
            if os.path.lexists(path) and os.lstat(path).st_uid != users[user]:
                what = f"{path} does not belong to {user}, who cannot write there"
                yield problem("folder-owner", what, f"sudo chown -R {user}: {place}")
                break


CHECKS = (
    find_missing,
    find_closed,
    find_group,
    find_unstable,
    find_shared,
    find_latency,
    find_control_group,
    find_keys,
    find_tokens,
    find_folders,
)
