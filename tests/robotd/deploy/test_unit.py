"""The systemd unit: clean, hardened, and allowing exactly what the documentation says the service uses."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from robotd.deploy.service import allowed_devices, is_allowed, is_hidden, read_packaged

ROOT = Path(__file__).parents[3]
UNIT = ROOT / "packaging" / "systemd" / "robotd.service"
WRITABLE = {"StateDirectory": "/var/lib/", "LogsDirectory": "/var/log/", "RuntimeDirectory": "/run/"}
needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")


def setting(name, unit):
    """All values of a setting of the unit, in order."""
    return re.findall(rf"^{name}=(.*)$", unit, re.MULTILINE)


def named_paths(text):
    """Paths of files and devices in a document's code spans and examples; the ~ ones are people's own."""
    return {path.rstrip("/.:") for path in re.findall(r"(?<![\w~/.:])/(?:[\w.-]+/)*[\w.-]+/?", text)}


def unreachable(paths, unit):
    """Those of `paths` that the service names or uses and its unit hides, with the reason."""
    writable = [base + name for key, base in WRITABLE.items() for name in setting(key, unit)]
    writable += [path for value in setting("ReadWritePaths", unit) for path in value.split()]
    bad = []
    for path in sorted(paths):
        if is_hidden(Path(path)) and setting("ProtectHome", unit) == ["yes"]:
            bad.append((path, "ProtectHome"))
        elif path.startswith("/dev/") and not is_allowed(Path(path), allowed_devices(unit)):
            bad.append((path, "DeviceAllow"))
        elif path.startswith(("/var/", "/run/", "/srv/")) and not any(
            path == base or path.startswith(base + "/") for base in writable
        ):
            bad.append((path, "ReadWritePaths"))
    return bad


@pytest.mark.parametrize("name", ["operation.md", "stop.md"])
def test_every_path_and_device_that_the_documents_name_is_allowed(name):
    paths = named_paths((ROOT / "docs" / name).read_text())
    assert unreachable(paths, UNIT.read_text()) == []


def test_each_kind_of_device_that_the_unit_allows_is_documented():
    text = (ROOT / "docs" / "operation.md").read_text()
    assert all(f"/dev/{kind}" in text for kind in allowed_devices(UNIT.read_text()))


def test_the_installed_program_carries_the_same_unit():
    assert read_packaged("robotd.service") == UNIT.read_text()
    assert read_packaged("robotd.sysusers") == (UNIT.parent / "robotd.sysusers").read_text()


def test_the_stop_is_the_guardians_and_bounded():
    unit = UNIT.read_text()
    assert setting("KillMode", unit) == ["mixed"]
    assert setting("ExecStopPost", unit)[0].endswith("robotd halt /etc/robotd/robot.toml")
    assert float(setting("WatchdogSec", unit)[0]) <= 2
    assert setting("PrivateDevices", unit) == []


UNITS = ("robotd.service", "robotd-halt@.service", "robotd-base-station.service")


@needs_systemd
@pytest.mark.parametrize("name", UNITS)
def test_systemd_finds_nothing_wrong_with_a_unit_and_its_exposure_is_at_most_two(name):
    for command in (["verify"], ["security", "--offline=true", "--threshold=20"]):
        done = subprocess.run(["systemd-analyze", *command, UNIT.parent / name], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout.splitlines()[-1:]


def test_no_unit_leaves_a_core_dump_with_keys_in_it_and_a_cause_in_the_runtime_folder_survives_the_restart():
    for name in UNITS:
        assert setting("LimitCORE", (UNIT.parent / name).read_text()) == ["0"]
    assert setting("RuntimeDirectoryPreserve", UNIT.read_text()) == ["restart"]
