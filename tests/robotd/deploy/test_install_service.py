"""`robotd install-service`: the right files with the right modes, or every reason why it could not work."""

import os
import shutil
import stat
import subprocess
from pathlib import Path, PurePosixPath
from types import SimpleNamespace

import pytest

from boards.r2.driver import R2
from robotd.__main__ import main
from robotd.commands import install_service
from robotd.commands.keygen import write_key
from robotd.config.load import load_robot
from robotd.deploy import service as installing
from robotd.guardian.halt_cache import Entry, HaltCache, read_cache

PROGRAM = "/opt/robotd/bin/robotd"
MISSION = """
name = "patrol"
team = { green = { number = 1, type = "r2" } }
tasks = { report-progress = { number = 1, completion = "reports", recurring = true } }
facts = { reports = { number = 1, kind = "count" } }
coordinator = { name = "alliance" }
[sets.report-progress]
task = "report-progress"
motivation = { slow_rate = 1.0, fast_rate = 2.0, patience_s = 9.0, yield_time_s = 9.0, give_up_time_s = 9.0 }
"""
ROBOT = """
name = "green"
mission = "{mission}"
{top}
[board]
name = "r2"
port = "{port}"
[radio]
name = "transparent"
port = "/dev/serial/by-id/usb-radio"
key_file = "{key}"
{rest}
"""


@pytest.fixture
def here(tmp_path):
    """A folder with a mission and a key, in which `robot` writes a robot file; and a root to install below."""
    folder = tmp_path / "here"
    (folder / "missions").mkdir(parents=True)
    (folder / "missions" / "mine.toml").write_text(MISSION)
    write_key(folder / "team.key")
    return folder


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Somebody's home, with a key in it."""
    home = tmp_path / "home" / "ann"
    home.mkdir(parents=True)
    write_key(home / "team.key")
    monkeypatch.setattr(installing, "HOMES", (*installing.HOMES, PurePosixPath(tmp_path / "home")))
    return home


def robot(folder, mission="missions/mine.toml", port="/dev/ttyUSB0", key="team.key", top="", rest=""):
    path = folder / "robot.toml"
    path.write_text(ROBOT.format(mission=mission, port=port, key=key, top=top, rest=rest))
    return path


def run(*arguments, program=PROGRAM):
    return main(["install-service", *map(str, arguments), "--program", program])


def installed(root):
    """Every file below `root`, with its mode."""
    files = [path for path in root.rglob("*") if path.is_file()]
    return {f"/{path.relative_to(root)}": oct(stat.S_IMODE(path.stat().st_mode)) for path in files}


def test_everything_is_put_in_its_place_with_its_mode(here, tmp_path):
    root = tmp_path / "root"
    mask = os.umask(0)
    try:
        assert run(robot(here), "--root", root) == 0
    finally:
        os.umask(mask)
    assert installed(root) == {
        "/etc/robotd/robot.toml": "0o640",
        "/etc/robotd/missions/mine.toml": "0o640",
        "/etc/robotd/team.key": "0o600",
        "/etc/systemd/system/robotd.service": "0o644",
        "/etc/systemd/system/robotd-halt@.service": "0o644",
        "/etc/udev/rules.d/99-robotd.rules": "0o644",
        "/etc/sysusers.d/robotd.conf": "0o644",
        "/etc/tmpfiles.d/robotd.conf": "0o644",
    }
    assert stat.S_IMODE((root / "etc/robotd").stat().st_mode) == 0o750
    unit = (root / "etc/systemd/system/robotd.service").read_text()
    assert f"ExecStart={PROGRAM} run /etc/robotd/robot.toml" in unit
    assert f"ExecStopPost={PROGRAM} halt /etc/robotd/robot.toml" in unit
    unit = (root / "etc/systemd/system/robotd-halt@.service").read_text()
    assert f"ExecStart={PROGRAM} halt --plugged %f /etc/robotd/robot.toml" in unit
    found, mission = load_robot(root / "etc/robotd/robot.toml")
    assert (found.name, mission.content.name) == ("green", "patrol")


def test_the_first_boot_of_an_image_gives_each_file_to_its_owner(here, tmp_path, capsys):
    root = tmp_path / "root"
    assert run(robot(here), "--root", root) == 0
    lines = (root / "etc/tmpfiles.d/robotd.conf").read_text().splitlines()
    assert lines[1:] == [
        'z "/etc/robotd" 0750 root robotd -',
        'z "/etc/robotd/missions" 0750 root robotd -',
        'z "/etc/robotd/robot.toml" 0640 root robotd -',
        'z "/etc/robotd/missions/mine.toml" 0640 root robotd -',
        'z "/etc/robotd/team.key" 0600 robotd robotd -',
    ]
    out = capsys.readouterr().out
    assert f"systemctl --root={root} enable robotd" in out
    assert f"warning: {PROGRAM}: no such program in the image yet" in out


def test_installed_for_real_the_user_is_made_before_the_files_are_given_to_it(here, tmp_path, monkeypatch):
    root, did, given = tmp_path / "root", [], {}
    program = root / "opt/robotd"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    there = SimpleNamespace(pw_uid=987, gr_gid=986)

    def known(name):
        assert (name, did) == ("robotd", ["systemd-sysusers"])
        return there

    def ran(words, check):
        assert (root / "etc/sysusers.d/robotd.conf").exists()
        did.append(Path(words[0]).name)

    monkeypatch.setattr(install_service, "ROOT", root)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("os.chown", lambda path, *who: given.update({str(path.relative_to(root)): who}))
    monkeypatch.setattr("os.fchown", lambda file, *who: given.update({os.readlink(f"/proc/self/fd/{file}"): who}))
    monkeypatch.setattr("subprocess.run", ran)
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    monkeypatch.setattr("pwd.getpwnam", known)
    monkeypatch.setattr("grp.getgrnam", known)
    assert run(robot(here), "--root", root, program="/opt/robotd") == 0
    assert did == ["systemd-sysusers", "systemctl", "udevadm"]
    assert given[f"{root}/etc/robotd/team.key.new"] == (987, 986)
    assert given[f"{root}/etc/robotd/robot.toml.new"] == given["etc/robotd"] == (0, 986)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
@pytest.mark.parametrize("name", ["plain", "My Robots", "100%", "semi;colon", "$HOME"])
def test_a_program_in_a_folder_of_any_name_can_be_started(here, tmp_path, name):
    program = tmp_path / name / "robotd"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    run(robot(here), "--root", tmp_path / "root", program=str(program))
    unit = tmp_path / "root/etc/systemd/system/robotd.service"
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_halt_of_a_serial_port_is_cached_beside_the_robot_file_and_valid_for_that_file_alone(here, tmp_path):
    root = tmp_path / "root"
    run(robot(here, port="/dev/ttyUSB0"), "--root", root, program="/bin/true")
    there = root / "etc/robotd/robot.toml"
    port = Entry("/dev/ttyUSB0", 115200, R2.halt.hex())
    assert read_cache(there) == HaltCache((port,), complete=True)
    there.write_text(there.read_text() + "# another port, say\n")
    assert read_cache(there) is None
    run(robot(here, port="tcp://10.0.0.7:8101"), "--root", tmp_path / "tcp", program="/bin/true")
    assert not (tmp_path / "tcp/etc/robotd/halt.json").exists()


def test_a_dry_run_prints_the_plan_and_changes_nothing(here, tmp_path, capsys):
    assert run(robot(here), "--root", tmp_path / "root", "--dry-run") == 0
    assert "0600 robotd /etc/robotd/team.key" in capsys.readouterr().out
    assert not (tmp_path / "root").exists()


def test_installing_again_replaces_but_never_another_key(here, tmp_path, capsys):
    root = tmp_path / "root"
    assert run(robot(here), "--root", root) == 0
    assert run(robot(here, port="/dev/ttyACM0"), "--root", root) == 0
    assert "ttyACM0" in (root / "etc/robotd/robot.toml").read_text()
    (here / "team.key").unlink()
    write_key(here / "team.key")
    before = (root / "etc/robotd/team.key").read_text()
    assert run(robot(here), "--root", root) == 1
    assert "another key" in capsys.readouterr().err
    assert (root / "etc/robotd/team.key").read_text() == before


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"key": "HOME/team.key"}, "home/ann/team.key is in a home"),
        ({"key": "../team.key"}, "leads out of the robot file's folder"),
        ({"top": 'state_folder = "/home/ann/state"'}, "state_folder: the service may not write"),
        ({"rest": '[log]\nfolder = "/srv/logs"'}, "log.folder: the service may not write"),
    ],
)
def test_what_the_service_could_not_use_is_refused_with_all_reasons(here, home, tmp_path, capsys, changes, words):
    shutil.copy(home / "team.key", tmp_path / "team.key")
    changes = {key: value.replace("HOME", str(home)) for key, value in changes.items()}
    assert run(robot(here, **changes), "--root", tmp_path / "root", program=f"{home}/bin/robotd") == 1
    err = capsys.readouterr().err
    assert [each for each in (words, "ann/bin/robotd", "/opt/robotd") if each not in err] == []
    assert not (tmp_path / "root").exists()


def test_a_device_that_the_unit_does_not_allow_is_a_warning(here, tmp_path, capsys):
    assert run(robot(here, port="/dev/ttyXR0"), "--root", tmp_path / "root") == 0
    assert "board.port: /dev/ttyXR0 is none of the devices" in capsys.readouterr().out
    owned = {"top": 'state_folder = "/var/lib/robotd/green"', "rest": '[log]\nfolder = "none"'}
    assert run(robot(here, **owned), "--root", tmp_path / "root") == 0
    assert "none of the devices" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("radio", "port", "rest", "allowed"),
    [
        ("", "tcp://10.0.0.7:8101", "", ["10.0.0.7"]),
        ("", "tcp://base.local:8101", "", ["any"]),
        ("", "/dev/ttyUSB0", '[http]\nhost = "0.0.0.0"', ["any"]),
        ("", "/dev/ttyUSB0", '[foxglove]\nenabled = true\nhost = "0.0.0.0"', ["any"]),
        ("", "/dev/ttyUSB0", '[foxglove]\nhost = "0.0.0.0"', []),
        ("", "tcp://127.0.0.1:8101", "", []),
        ("", "/dev/ttyUSB0", '[http]\nhost = "localhost"', []),
        ("udp", "udp://239.255.77.1:8422?interface=wlan0", "", ["any"]),
        ("zenoh", "zenoh://tcp/10.0.0.7:7447?listen=tcp/0.0.0.0:7447", "", ["any"]),
        ("zenoh", "zenoh://udp/[fd00::7]:7447,tcp/10.0.0.7:7447", "", ["10.0.0.7", "fd00::7"]),
        ("zenoh", "zenoh://tcp/127.0.0.1:7447", "", []),
    ],
)
def test_the_unit_lets_the_service_reach_the_addresses_that_it_names_or_any_where_they_are_unknown(
    here, tmp_path, radio, port, rest, allowed
):
    path, root = robot(here, port="/dev/ttyUSB0" if radio else port, rest=rest), tmp_path / "root"
    if radio:
        text = path.read_text().replace('"transparent"', f'"{radio}"')
        path.write_text(text.replace("/dev/serial/by-id/usb-radio", port))
    assert run(path, "--root", root) == 0
    extra = root / "etc/systemd/system/robotd.service.d/network.conf"
    lines = "".join(f"IPAddressAllow={address}\n" for address in allowed)
    assert (extra.read_text() if extra.exists() else "") == (f"[Service]\n{lines}" if lines else "")


def test_a_bad_robot_file_or_program_and_no_root_are_refused(here, tmp_path, monkeypatch, capsys):
    assert run(robot(here, top="speed = 3"), "--root", tmp_path / "root") == 2
    for program in ("/opt/it's/robotd", '/opt/"x"/robotd', "/opt/back\\slash/robotd"):
        assert run(robot(here), "--root", tmp_path / "root", program=program) == 1
        assert f"{program}: systemd starts no program" in capsys.readouterr().err
        assert not (tmp_path / "root").exists()
    assert run(robot(here), "--dry-run") == 1
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert run(robot(here), program="/bin/true") == 1
    printed = capsys.readouterr().err
    assert [word for word in (f"{PROGRAM}: no such program", "only root") if word not in printed] == []
