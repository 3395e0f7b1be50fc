"""The udev rules: which ports start a halt, and what is kept off them."""

import shutil
import subprocess
from pathlib import Path

import pytest

from robotd.deploy.service import allowed_devices, read_packaged
from tests.robotd.deploy.udev import Device, applied

ROOT = Path(__file__).parents[3]
RULES, UNIT = read_packaged("robotd.rules"), read_packaged("robotd-halt@.service")
FTDI, MODEM_4G = {"idVendor": "0403", "idProduct": "6001"}, {"idVendor": "12d1", "idProduct": "1506"}


@pytest.mark.parametrize(
    ("kernel", "attrs"),
    [("ttyUSB0", FTDI), ("ttyACM12", {"idVendor": "2341"}), ("ttyAMA0", {}), ("ttyS1", {"type": "4"}),
     ("ttyUSB2", MODEM_4G)],
)  # fmt: skip
def test_every_serial_port_starts_the_halt_of_that_very_port(kernel, attrs) -> None:
    device = applied(RULES, Device("tty", kernel, attrs))
    assert device.env["SYSTEMD_WANTS"] == f"robotd-halt@dev-{kernel}.service"
    assert "systemd" in device.tags


@pytest.mark.parametrize(
    ("subsystem", "kernel", "attrs"),
    [("tty", "tty1", {}), ("tty", "ptmx", {}), ("tty", "ttyS3", {"type": "0"}), ("block", "sda", {})],
)  # fmt: skip
def test_what_is_no_serial_port_is_left_alone(subsystem, kernel, attrs) -> None:
    device = applied(RULES, Device(subsystem, kernel, attrs))
    assert (device.env, device.tags) == ({}, set())


def test_a_port_that_goes_starts_nothing() -> None:
    assert applied(RULES, Device("tty", "ttyUSB0", FTDI), "remove").env == {}


def test_modem_manager_is_kept_off_adapters_of_robots_and_not_off_modems() -> None:
    assert applied(RULES, Device("tty", "ttyUSB0", FTDI)).env["ID_MM_DEVICE_IGNORE"] == "1"
    assert "ID_MM_DEVICE_IGNORE" not in applied(RULES, Device("tty", "ttyUSB2", MODEM_4G)).env


@pytest.mark.parametrize(
    ("product", "kept_off"),
    [("1a86/7523/264", True), ("403/6001/600", True), ("403/6015/1000", True), ("10c4/ea60/100", True),
     ("904/3000/100", False)],
)  # fmt: skip
def test_brltty_is_kept_off_adapters_of_robots_and_not_off_braille_displays(product, kept_off) -> None:
    words = {"BRLTTY_BRAILLE_DRIVER": "bm", "SYSTEMD_WANTS": "brltty@sys-1.service"}
    device = Device("usb", "1-1", {}, {"DEVTYPE": "usb_device", "PRODUCT": product, **words})
    env = applied(RULES, device).env
    assert {key: env[key] for key in words} == (dict.fromkeys(words, "") if kept_off else words)


def test_the_unit_halts_what_udev_names_and_may_open_the_ports_that_the_daemon_may() -> None:
    assert "ExecStart=/usr/bin/env robotd halt --plugged %f /etc/robotd/robot.toml\n" in UNIT
    assert allowed_devices(UNIT) == allowed_devices(read_packaged("robotd.service"))


def test_what_is_in_packaging_is_what_is_installed() -> None:
    assert (ROOT / "packaging/udev/99-robotd.rules").read_text(encoding="utf-8") == RULES
    assert (ROOT / "packaging/systemd/robotd-halt@.service").read_text(encoding="utf-8") == UNIT


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
def test_systemd_finds_nothing_wrong_with_the_unit_of_a_port(tmp_path) -> None:
    unit = tmp_path / "robotd-halt@dev-ttyUSB0.service"
    unit.write_text(UNIT, encoding="utf-8")
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("udevadm") is None, reason="no udevadm here")
def test_udev_finds_nothing_wrong_with_the_rules() -> None:
    words = ["udevadm", "verify", "--no-style", ROOT / "packaging/udev/99-robotd.rules"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if "Unknown command verb" in done.stderr:
        pytest.skip("an udevadm older than 254")
    assert done.returncode == 0, done.stdout + done.stderr
