"""Installing a robot as a service: which files are put where, with which modes, and what prevents it."""

import contextlib
import ipaddress
import os
import re
import sys
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path, PurePosixPath

from robotd.advice.exposure import is_loopback
from robotd.config.load import Mission, find_mission, load_robot
from robotd.config.robot import RobotFile
from robotd.guardian import halt_cache
from robotd.guardian.halt import parts_of
from robotd.transport.address import host_of, parse_address

CONFIG, STATE, LOG = (PurePosixPath(path) for path in ("/etc/robotd", "/var/lib/robotd", "/var/log/robotd"))
RULES = PurePosixPath("/etc/udev/rules.d/99-robotd.rules")  # after the rules that it overrides
UNITS, SYSUSERS = PurePosixPath("/etc/systemd/system"), PurePosixPath("/etc/sysusers.d")
TMPFILES = PurePosixPath("/etc/tmpfiles.d")
HOMES = tuple(PurePosixPath(path) for path in ("/home", "/root", "/run/user"))  # what ProtectHome= hides
USER = "robotd"
IN_UNIT = "/usr/bin/env robotd"
PUBLIC, SHARED, PRIVATE, FOLDER = 0o644, 0o640, 0o600, 0o750


@dataclass(frozen=True, slots=True)
class Installed:
    """A file for `path`; `owner`: it belongs to the service's user (else to root, and its group can read it)."""

    path: PurePosixPath
    content: bytes
    mode: int
    owner: bool = False


@dataclass
class Plan:
    """The files to install, the reasons against it, and warnings."""

    files: list[Installed] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def read_packaged(name: str) -> str:
    """A data file of the package."""
    return (resources.files("robotd.deploy") / "data" / name).read_text(encoding="utf-8")


def quote_unit(program: str) -> str:
    """A program's path as a unit's command line has it (systemd.service(5), "Command lines")."""
    escaped = program.replace("%", "%%")
    return f'"{escaped}"' if re.search(r"[\s;]", program) else escaped


def allowed_devices(unit: str) -> tuple[str, ...]:
    """The kinds of devices that a unit lets the service open, as named in /proc/devices."""
    return tuple(re.findall(r"^DeviceAllow=char-(\S+) rw$", unit, re.MULTILINE))


def is_hidden(path: Path | PurePosixPath) -> bool:
    """True for a path in a home, which the service cannot see."""
    return any(PurePosixPath(path).is_relative_to(home) for home in HOMES)


def own_program() -> Path:
    """The `robotd` beside the running interpreter."""
    return Path(sys.executable).parent / "robotd"


def plan_for(robot_file: Path, program: Path, interpreter: Path) -> Plan:
    """The plan for a robot file; ConfigError."""
    robot, mission = load_robot(robot_file)
    plan = Plan()
    _add_configuration(plan, robot_file, robot, mission)
    for path in (program, interpreter):
        if is_hidden(path):
            plan.refusals.append(
                f"{path} is in a home, which the service cannot see; install robotd elsewhere, for instance: "
                "python3 -m venv /opt/robotd && /opt/robotd/bin/pip install robotd-VERSION-py3-none-any.whl"
            )
    if re.search(r"""["'\\]""", str(program)):
        plan.refusals.append(
            f"{program}: systemd starts no program with quotes or backslashes in its path; link it"
        )
    _check_folders(plan, robot)
    unit = read_packaged("robotd.service").replace(IN_UNIT, quote_unit(str(program)))
    plan.files.append(Installed(UNITS / "robotd.service", unit.encode(), PUBLIC))
    _add_halt(plan, robot_file, program)
    plan.files.append(Installed(SYSUSERS / "robotd.conf", read_packaged("robotd.sysusers").encode(), PUBLIC))
    _check_ports(plan, robot, allowed_devices(unit))
    return plan


def _add_halt(plan: Plan, robot_file: Path, program: Path) -> None:
    """The files that stop the motors when a port appears: the udev rule, the unit, and the cached halts."""
    unit = read_packaged("robotd-halt@.service").replace(IN_UNIT, quote_unit(str(program)))
    plan.files.append(Installed(UNITS / "robotd-halt@.service", unit.encode(), PUBLIC))
    plan.files.append(Installed(RULES, read_packaged("robotd.rules").encode(), PUBLIC))
    targets = parts_of(robot_file).targets
    entries = [halt_cache.Entry(one.address.path, one.address.baud or one.line.baud, one.halt.hex())
               for one in targets if one.address.path and one.line.dtr is one.line.rts is None]  # fmt: skip
    ports = tuple(entry for entry in entries if halt_cache.has_rate(entry.baud))
    if ports and program.exists():
        cache = halt_cache.HaltCache(ports, complete=len(ports) == len(targets))
        content = halt_cache.format_cache(robot_file.read_bytes(), str(program), cache)
        plan.files.append(Installed(CONFIG / halt_cache.NAME, content, SHARED))


def _add_configuration(plan: Plan, robot_file: Path, robot: RobotFile, mission: Mission) -> None:
    here = robot_file.parent
    _add(plan, "the robot file", robot_file, CONFIG / "robot.toml")
    for name in robot.plugins:
        _add_referred(plan, "plugins", name, here, CONFIG)
    if (here / robot.mission).is_file():
        _add_referred(plan, "mission", robot.mission, here, CONFIG)
        mission_file = find_mission(robot.mission, here)
        for name in mission.content.plugins:
            below = CONFIG / PurePosixPath(robot.mission).parent
            _add_referred(plan, "plugins of the mission", name, mission_file.parent, below)
    if robot.radio.name != "none":
        _add_referred(plan, "radio.key_file", robot.radio.key_file, here, CONFIG, PRIVATE)
    if robot.http.token_file:
        _add_referred(plan, "http.token_file", robot.http.token_file, here, CONFIG, PRIVATE)


def _add_referred(plan: Plan, key: str, name: str, here: Path, there: PurePosixPath, mode: int = SHARED) -> None:
    """Copy a file that another one names relatively, to the same place beside it; an absolute one stays."""
    if PurePosixPath(name).is_absolute():
        if is_hidden(Path(name)) or is_hidden(Path(name).resolve()):
            plan.refusals.append(f"{key}: {name} is in a home, which the service cannot see; name it relative")
    elif ".." in PurePosixPath(name).parts:
        plan.refusals.append(f"{key}: {name} leads out of the robot file's folder; put it beside that file")
    else:
        _add(plan, key, here / name, there / name, mode)


def _add(plan: Plan, what: str, source: Path, target: PurePosixPath, mode: int = SHARED) -> None:
    try:
        plan.files.append(Installed(target, source.read_bytes(), mode, owner=mode == PRIVATE))
    except OSError as error:
        plan.refusals.append(f"{what}: {source} cannot be read: {error.strerror}")


def _check_folders(plan: Plan, robot: RobotFile) -> None:
    for key, name, writable in (
        ("state_folder", robot.state_folder, STATE),
        ("log.folder", robot.log.folder, LOG),
    ):
        if name not in ("", "none") and not PurePosixPath(name).is_relative_to(writable):
            plan.refusals.append(f"{key}: the service may not write to {name}; leave it out, or name {writable}")


def _check_ports(plan: Plan, robot: RobotFile, devices: tuple[str, ...]) -> None:
    """Warn of devices that the unit does not allow; allow the addresses of networks and of the status page."""
    serving = [part.host for part in (robot.http, robot.foxglove) if part.enabled]
    networks = set() if all(map(is_loopback, serving)) else {"any"}
    ports = [("board.port", robot.board.port), ("radio.port", robot.radio.port)]
    ports += [(f"add_ons.{k}.port", part.port) for k, part in enumerate(robot.add_ons)]
    for key, text in ports:
        if not text:
            continue
        address = parse_address(text)
        if address.interface or address.listen:
            networks.add("any")  # teammates' addresses are not known beforehand
        elif address.endpoints:
            networks |= {_network(host) for host in map(host_of, address.endpoints) if not is_loopback(host)}
        elif address.host and not is_loopback(address.host):
            networks.add(_network(address.host))
        elif address.path and not is_allowed(Path(address.path), devices):
            plan.warnings.append(
                f"{key}: {address.path} is none of the devices that the unit allows ({', '.join(devices)}); "
                "allow it with: systemctl edit robotd"
            )
    if networks:
        lines = "".join(f"IPAddressAllow={network}\n" for network in sorted(networks))
        path = UNITS / "robotd.service.d" / "network.conf"
        plan.files.append(Installed(path, f"[Service]\n{lines}".encode(), PUBLIC))


def is_allowed(device: Path, devices: tuple[str, ...]) -> bool:
    """True where a device file is of an allowed kind; a stable name that is not plugged in counts as one."""
    real = PurePosixPath(device.resolve())
    if real.is_relative_to("/dev/serial") or real.is_relative_to("/dev/pts"):
        return True
    return real.parent == PurePosixPath("/dev") and real.name.rstrip("0123456789") in devices


def _network(host: str) -> str:
    """The address that the unit must allow for a host: `any` for a name."""
    with contextlib.suppress(ValueError):
        return str(ipaddress.ip_address(host))
    return "any"


def user_of(plan: Plan) -> Plan:
    """The part of a plan that makes the service's user."""
    return Plan([entry for entry in plan.files if entry.path.parent == SYSUSERS])


def for_image(plan: Plan) -> Plan:
    """The plan for an image without the service's user: the first boot sets the owners."""
    files = [entry for entry in plan.files if entry.path.is_relative_to(CONFIG)]
    folders = {folder for entry in files for folder in entry.path.parents if folder.is_relative_to(CONFIG)}
    owned = [(folder, FOLDER, "root") for folder in sorted(folders)]
    owned += [(entry.path, entry.mode, USER if entry.owner else "root") for entry in files]
    lines = [f"z {_quote_tmpfile(path)} {mode:04o} {owner} {USER} -" for path, mode, owner in owned]
    text = "# Owners of the files of robotd, set at the first boot.\n" + "\n".join(lines) + "\n"
    return Plan([*plan.files, Installed(TMPFILES / "robotd.conf", text.encode(), PUBLIC)])


def _quote_tmpfile(path: PurePosixPath) -> str:
    """A path as tmpfiles.d(5) reads it."""
    escaped = str(path).replace("%", "%%").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def write(plan: Plan, root: Path, owner: tuple[int, int] | None) -> None:
    """Put the plan's files below `root`, each whole or not at all; `owner`: the service's user and group.

    A key that is there already is never replaced by another one: FileExistsError.
    """
    targets = [(root / entry.path.relative_to("/"), entry) for entry in plan.files]
    for path, entry in targets:
        if entry.mode == PRIVATE and path.exists() and path.read_bytes() != entry.content:
            raise FileExistsError(f"{path} is another key; remove it first if it is not needed")
    for path, entry in targets:
        configuration = entry.path.is_relative_to(CONFIG)
        path.parent.mkdir(parents=True, exist_ok=True)
        if configuration:
            os.chmod(path.parent, FOLDER)
        fresh = path.with_name(path.name + ".new")
        fresh.unlink(missing_ok=True)
        with open(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(entry.content)
            os.fchmod(file.fileno(), entry.mode)
            if owner is not None and configuration:
                os.fchown(file.fileno(), owner[0] if entry.owner else 0, owner[1])
                os.chown(path.parent, 0, owner[1])
        fresh.replace(path)
