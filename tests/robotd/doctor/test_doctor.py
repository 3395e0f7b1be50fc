"""`robotd doctor`: each finding where it is planted below a root of its own, and none beside it."""

import dataclasses
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from robotd.__main__ import main
from robotd.commands import doctor
from robotd.commands.doctor import examine
from robotd.doctor.view import View, read_robot
from robotd.files.refusal import advise_install
from tests.docs_pages import ROOT

ANN, SERVICE, DIALOUT, UUCP = 12345, 987, 20, os.getgid() + 5000
NOW = 1_800_000_000.0
MINI_UART = {"/dev/ttyS0": "", "/dev/serial0": "->ttyS0"}
PI = {"/proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\0"}
PORT = {"/dev/ttyUSB0": ""}
ROBOT = {"board": {"name": "create2", "port": "/dev/ttyUSB0"}, "radio": {"name": "none"}}
ON_UART = {"board": {"name": "r2", "port": "serial:///dev/serial0?115200"}}
RULES = {"/etc/udev/rules.d/99-robotd.rules": ""}
GROUPS = "root:x:0:\ndialout:x:{gid}:{members}\nrobotd:x:986:{orders}\n"
HWMON, OSRELEASE = "/sys/class/hwmon/hwmon1", "/proc/sys/kernel/osrelease"
THROTTLED = "/sys/devices/platform/soc/soc:firmware/get_throttled"


def planted(root: Path, files: Mapping[str, str], **changes: Any) -> View:
    """A computer that has these files; a text that begins with `->` is a link."""
    for name, text in files.items():
        path = root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("->"):
            path.symlink_to(text.removeprefix("->"))
        else:
            path.write_text(text, encoding="utf-8")
            path.chmod(0o660)
    view = View(
        root,
        uid=ANN,
        groups=frozenset({os.getgid()}),
        now=NOW,
        path=(),
        environ={"HOME": "/home/ann"},
        own=root / "own",
        folder=root,
    )
    return dataclasses.replace(view, **changes)


def users(members: str = "", orders: str = "", gid: int | None = None) -> dict[str, str]:
    """Ann, the service's user, and the group that the planted devices are of."""
    return {
        "/etc/passwd": f"root:x:0:0::/:/bin/sh\nann:x:{ANN}:100::/:/bin/sh\nrobotd:x:{SERVICE}:986::/:\n",
        "/etc/group": GROUPS.format(gid=os.getgid() if gid is None else gid, members=members, orders=orders),
    }


def found(root: Path, files: Mapping[str, str], **changes: Any) -> list[str]:
    return [finding.name for finding in examine(planted(root, files, **changes))]


def test_a_computer_in_order_has_no_finding(tmp_path: Path) -> None:
    link = {"/dev/serial/by-id/usb-1": "->../../ttyUSB0"}
    robot = {"board": {"name": "create2", "port": "/dev/serial/by-id/usb-1"}, "radio": {"key_file": "team.key"}}
    files = {**PORT, **link, **users(), **RULES, "/usr/bin/brltty": "", THROTTLED: "0\n", "/team.key": "",
             "/proc/1/comm": "ModemManager\n", "/proc/sys/kernel/sched_rt_runtime_us": "950000\n",
             "/run/systemd/system/unit": "", "/run/systemd/timesync/synchronized": "",
             "/proc/self/limits": "Max nice priority         0     0\nMax realtime priority     99     99\n",
             "/sys/bus/usb-serial/devices/ttyUSB0/latency_timer": "1\n"}  # fmt: skip
    view = planted(tmp_path, files, robot=robot, groups=frozenset({os.getgid(), 986}))
    (tmp_path / "team.key").chmod(0o600)
    assert examine(view) == []


PLANTS: list[tuple[str, dict[str, str], dict[str, Any]]] = [
    ("port-missing", {}, {"robot": ROBOT}),
    ("port-permission", PORT, {"groups": frozenset()}),
    ("port-permission", PORT | users(), {"groups": frozenset({986})}),
    ("port-group", users(gid=DIALOUT + 1), {"groups": frozenset({986})}),
    ("port-name", PORT, {"robot": ROBOT}),
    ("port-latency", PORT | {"/sys/bus/usb-serial/devices/ttyUSB0/latency_timer": "16\n"}, {}),
    ("control-group", users(), {}),
    ("modem-manager", {"/proc/812/comm": "ModemManager\n"}, {}),
    ("brltty", {"/usr/bin/brltty": ""}, {}),
    ("brltty", {"/proc/4/comm": "brltty\n"}, {}),
    ("login-console", PI | MINI_UART | {"/proc/cmdline": "console=serial0,115200"}, {}),
    ("mini-uart-clock", PI | MINI_UART, {"robot": ON_UART}),
    ("clock-unset", {}, {"now": 86400.0}),
    ("clock-unsynchronised", {"/run/systemd/system/unit": ""}, {}),
    ("throttled", {THROTTLED: "5\n"}, {}),
    ("throttled-before", {THROTTLED: "50000\n"}, {}),
    ("throttled", {f"{HWMON}/name": "rpi_volt\n", f"{HWMON}/in0_lcrit_alarm": "1\n"}, {}),
    ("realtime-off", {"/proc/sys/kernel/sched_rt_runtime_us": "0\n"}, {}),
    ("realtime-groups", {"/sys/fs/cgroup/cpu/system.slice/cpu.rt_runtime_us": "0\n"}, {}),
    ("realtime-groups", {OSRELEASE: "6.6\n", "/boot/config-6.6": "CONFIG_RT_GROUP_SCHED=y\n"}, {}),
    ("priority", {"/proc/self/limits": "Max nice priority     0  0\nMax realtime priority   0  0\n"}, {}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "files", "changes"), PLANTS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_what_is_planted_is_found_and_nothing_else(
    name: str, files: dict[str, str], changes: dict[str, Any], tmp_path: Path
) -> None:
    (finding,) = examine(planted(tmp_path, files, **changes))
    assert finding.name == name
    assert finding.what
    assert finding.do


@pytest.mark.parametrize(
    ("files", "changes"),
    [
        (PORT, {"uid": 0, "groups": frozenset()}),
        (PORT, {"uid": os.getuid(), "groups": frozenset()}),
        (users(), {"uid": 0}),
        (users(), {"groups": frozenset({os.getgid(), 986})}),
        ({"/proc/812/comm": "ModemManager\n", "/usr/bin/brltty": "", **RULES}, {}),
        ({"/usr/bin/brltty": "", "/lib/udev/rules.d/99-robotd.rules": ""}, {}),
        (MINI_UART | {"/proc/cmdline": "console=ttyS0"}, {}),  # neither a Pi nor a port of the robot
        (PI | {"/dev/ttyAMA0": "", "/dev/serial0": "->ttyAMA0"}, {"robot": ON_UART}),
        (PI | MINI_UART | {"/boot/config.txt": "enable_uart=1\n"}, {"robot": ON_UART}),
        ({"/run/systemd/system/unit": "", "/run/chrony/chronyd.pid": "1"}, {}),
        ({THROTTLED: "garbage"}, {}),
        ({OSRELEASE: "6.6\n", "/boot/config-6.6": "# CONFIG_RT_GROUP_SCHED is not set\n"}, {}),
        ({"/proc/self/limits": "Max nice priority     0  0\nMax realtime priority   0  0\n"}, {"uid": 0}),
        ({}, {"robot": {"board": {"name": "mock"}, "add_ons": "none", "radio": {"port": "udp://239.1.1.1:1"}}}),
        ({}, {"robot": {"board": 3, "radio": {"port": 5, "key_file": 7}}}),
    ],
)  # fmt: skip
def test_what_is_in_order_is_no_finding(files: dict[str, str], changes: dict[str, Any], tmp_path: Path) -> None:
    assert found(tmp_path, files, **changes) == []


def test_who_is_listed_in_a_group_has_to_log_in_again(tmp_path: Path) -> None:
    view = planted(tmp_path, PORT | users("ann", "ann"), groups=frozenset())
    assert [(finding.name, "adduser" in finding.do) for finding in examine(view)] == [
        ("port-permission", False), ("control-group", False),
    ]  # fmt: skip


def test_the_service_needs_the_group_of_a_port_that_is_not_dialout(tmp_path: Path) -> None:
    files = PORT | users() | {"/etc/group": f"uucp:x:{os.getgid()}:\n"}
    assert found(tmp_path, files) == ["service-group"]
    (tmp_path / "etc/group").write_text(f"uucp:x:{os.getgid()}:robotd\n")
    assert found(tmp_path, {}) == []


def test_a_port_is_named_by_its_stable_link(tmp_path: Path) -> None:
    files = PORT | {"/dev/ttyUSB1": "", "/dev/serial/by-id/usb-0": "->../../ttyUSB1",
                    "/dev/serial/by-path/pci-1": "->../../ttyUSB0"}  # fmt: skip
    (finding,) = examine(planted(tmp_path, files, robot=ROBOT))
    assert "/dev/serial/by-path/pci-1" in finding.do


def test_a_name_that_two_adapters_claim_is_a_problem_and_of_one_it_is_none(tmp_path: Path) -> None:
    name, claims = "/dev/serial/by-id/usb-1a86", "/run/udev/links/serial\\x2fby-id\\x2fusb-1a86"
    files = PORT | {name: "->../../ttyUSB0", f"{claims}/c188:0": "", f"{claims}/c188:1": ""}
    robot = {"board": {"name": "create2", "port": name}}
    assert found(tmp_path, files, robot=robot) == ["port-shared-name"]
    (tmp_path / claims.lstrip("/") / "c188:1").unlink()
    assert found(tmp_path, {}, robot=robot) == []


@pytest.mark.parametrize(("mode", "names"), [(0o644, ["key-mode"]), (0o640, ["key-mode"]), (0o600, [])])
def test_a_key_that_others_can_read_is_a_problem(mode: int, names: list[str], tmp_path: Path) -> None:
    view = planted(tmp_path, {"/mine.key": ""}, robot={"radio": {"key_file": "mine.key"}})
    (tmp_path / "mine.key").chmod(mode)
    assert [finding.name for finding in examine(view)] == names


KEY, OTHER = "cafe0123" * 8, "0123cafe" * 8


@pytest.mark.parametrize(
    ("tokens", "mode", "names"),
    [
        (f"ann {OTHER}\n", 0o600, []),
        (OTHER, 0o644, ["key-mode"]),
        (None, 0o600, ["token-missing"]),
        (f"# of ann\nann {KEY.upper()}\n{OTHER}\n", 0o600, ["token-is-key"]),
        ("->team.key", 0o600, ["token-is-key"]),
    ],
)
def test_a_file_of_tokens_is_looked_at_as_one_of_keys_and_is_none(
    tokens: str | None, mode: int, names: list[str], tmp_path: Path
) -> None:
    files = {"/team.key": KEY} | ({"/http.token": tokens} if tokens is not None else {})
    view = planted(tmp_path, files, robot={"radio": {}, "http": {"token_file": "http.token"}})
    for file in tmp_path.glob("*.[kt]*"):
        file.chmod(mode)
    (tmp_path / "team.key").chmod(0o600)
    assert [finding.name for finding in examine(view)] == names


def test_keys_are_reported_in_one_order_that_of_the_robot_file_first(tmp_path: Path) -> None:
    keys = {f"/{name}.key": "" for name in ("a", "b", "c")} | {"/etc/robotd/team.key": ""}
    for name in ("a", "b", "c"):
        view = planted(tmp_path / name, keys, robot={"radio": {"key_file": f"{name}.key"}})
        for key in keys:
            view.at(key).chmod(0o644)
        first, second = [finding.what for finding in examine(view)]
        assert f"/{name}.key" in first
        assert "/etc/robotd/team.key" in second


def test_a_nul_in_a_name_is_left_to_the_check_of_the_file(tmp_path: Path) -> None:
    robot = {"board": {"port": "/dev/ttyUSB0\0"}, "radio": {"key_file": "team\0.key"}}
    assert found(tmp_path, {}, robot=robot) == []


def test_the_installed_key_must_be_of_the_services_user(tmp_path: Path) -> None:
    view = planted(tmp_path, users() | {"/etc/robotd/team.key": ""}, uid=0)
    (tmp_path / "etc/robotd/team.key").chmod(0o600)
    assert [finding.name for finding in examine(view)] == ["key-owner"]
    passwd = tmp_path / "etc/passwd"
    passwd.write_text(passwd.read_text().replace(f":{SERVICE}:", f":{os.getuid()}:"))
    assert examine(view) == []


def test_a_file_of_another_where_the_service_or_the_person_writes_is_a_problem(tmp_path: Path) -> None:
    home = "/home/ann[1]**"  # as no pattern
    files = users() | {"/var/lib/robotd/amber/radio.json": "", f"{home}/.local/state/robotd/log/x.jsonl": ""}
    mine = frozenset({os.getgid(), 986})
    findings = examine(planted(tmp_path, files, groups=mine, environ={"HOME": home}))
    assert {finding.name for finding in findings} == {"folder-owner"}
    assert {finding.do for finding in findings} == {
        "sudo chown -R robotd: /var/lib/robotd", f"sudo chown -R ann: {home}/.local/state/robotd",
    }  # fmt: skip
    passwd = tmp_path / "etc/passwd"
    passwd.write_text(passwd.read_text().replace(f":{SERVICE}:", f":{os.getuid()}:"))
    assert found(tmp_path, {}, uid=0) == []


def test_a_console_on_a_port_of_the_robot_is_a_problem_by_a_login_too(tmp_path: Path) -> None:
    robot = {"board": {"name": "r2", "port": "/dev/ttyS1"}}
    files = {"/dev/ttyS1": "", "/etc/systemd/system/getty.target.wants/serial-getty@ttyS1.service": ""}
    (finding,) = examine(planted(tmp_path, files, robot=robot))
    assert (finding.name, finding.severity, "serial-getty@ttyS1" in finding.do) == (
        "login-console",
        "problem",
        True,
    )
    robot["board"]["port"] = "/dev/ttyS2"
    assert found(tmp_path, {"/dev/ttyS2": ""}, robot=robot) == []


def test_a_package_of_another_that_comes_first_or_lies_over_ours_is_a_problem(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    ours = {f"/own/{name}/__init__.py": "" for name in ("robotd", "boards", "radio", "behaviors", "motivation")}
    record = "radio/__init__.py,,\nradio/fm.py,,\n"
    theirs = {"/other/radio/__init__.py": "", "/other/radio-2.dist-info/METADATA": "Name: radio\nVersion: 2\n",
              "/other/radio-2.dist-info/RECORD": record}  # fmt: skip
    view = planted(tmp_path, ours | theirs, own=own)

    def names(*path: Path) -> list[tuple[str, str]]:
        return [(one.name, one.severity) for one in examine(dataclasses.replace(view, path=path))]

    assert names(own) == []
    assert names(own, other) == [("package-of-another", "note")]
    assert names(other, own) == [("shadowed-package", "problem"), ("package-of-another", "note")]
    shutil.copytree(other / "radio-2.dist-info", own / "radio-2.dist-info")
    assert names(own) == [("package-of-another", "problem")]
    (own / "radio-2.dist-info/METADATA").write_text("Name: robotd\nVersion: 1\n")
    assert names(own) == []


def test_a_command_that_meets_a_package_of_another_names_it_and_the_doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = ImportError("cannot import name 'Keys'", name="radio.keys")
    assert advise_install(error) == ""  # ours, and so a fault of ours
    (tmp_path / "radio").mkdir()
    (tmp_path / "radio/__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "radio", raising=False)
    assert str(tmp_path / "radio") in advise_install(error)
    assert "robotd doctor" in advise_install(error)


def test_a_problem_ends_it_with_1_notes_alone_with_0_and_a_file_that_cannot_be_read_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    view = planted(tmp_path, {THROTTLED: "50005\n"})
    monkeypatch.setattr(doctor, "_view_for", lambda file: (view, ()))
    assert main(["doctor", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["ok"], [one["name"] for one in document["findings"]]) == (False, ["throttled"])
    (tmp_path / THROTTLED.lstrip("/")).write_text("50000\n")
    assert main(["doctor"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("0 problems, 1 note")
    monkeypatch.undo()
    (tmp_path / "robot.toml").write_text("name = ")
    for file in ("robot.toml", "none.toml"):
        assert main(["doctor", str(tmp_path / file), "--json"]) == 2
        assert list(json.loads(capsys.readouterr().out)) == ["error"]


@pytest.mark.parametrize(
    ("text", "names"), [(None, []), ("name = ", ["robot-file-broken"]), ("", []), ("->/", ["robot-file-unread"])]
)
def test_the_installed_robot_file_is_looked_at_where_none_is_named(
    text: str | None, names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    planted(tmp_path, {} if text is None else {"/robot.toml": text})
    monkeypatch.setattr(doctor, "folder", lambda kind, environ, uid: tmp_path)
    monkeypatch.setattr(doctor, "CHECKS", ())
    assert main(["doctor", "--json"]) == ("robot-file-broken" in names)
    assert [finding["name"] for finding in json.loads(capsys.readouterr().out)["findings"]] == names


@pytest.mark.parametrize(("mission", "word"), [(True, "a mission file"), (False, "no robot file")])
def test_another_kind_of_file_is_refused_with_what_was_expected(
    mission: bool, word: str, tmp_path: Path, capsys: Any
) -> None:
    path = ROOT / "docs/examples/steps.toml" if mission else ROOT / "pyproject.toml"
    assert main(["doctor", str(path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert f"{path}: this is {word}" in printed.err
    assert "expected a robot file, which has [board]" in printed.err


def test_the_robot_file_that_the_readme_shows_names_two_ports(tmp_path: Path) -> None:
    (block,) = re.findall(r"```toml\n(name.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "robot.toml").write_text(block, encoding="utf-8")
    view = View(robot=read_robot(tmp_path / "robot.toml"))
    assert [key for key, _ in view.ports()] == ["board.port: ", "radio.port: "]


def test_the_page_has_each_finding_and_no_other() -> None:
    text = (ROOT / "docs" / "operation.md").read_text(encoding="utf-8")
    table = text.partition("| finding |")[2].partition("\n\n")[0]
    sources = "".join(file.read_text(encoding="utf-8") for file in sorted((ROOT / "robotd/doctor").glob("*.py")))
    names = set(
        re.findall(r'(?:problem|note|report|\))\(\s*"([a-z-]+)"', sources + Path(doctor.__file__).read_text())
    )
    names |= set(re.findall(r'Finding\(\s*"([a-z-]+)"', sources))
    assert set(re.findall(r"`([a-z-]+)`", "".join(re.findall(r"^\|([^|]*)\|", table, re.MULTILINE)))) == names
    assert {name for name, _, _ in PLANTS} < names
