"""Adapters that share a by-id name are distinguished by path, and a shared name is not opened."""

import errno

import pytest

from robotd.bringup.robotfile import stable
from robotd.transport.device_names import BY_ID, claims_of, is_shared, refuse_shared

NAME = "usb-1a86_USB_Serial-if00-port0"


class Devices:
    """Folders as udev makes them: two adapters with names by path, and one by-id name."""

    def __init__(self, root):
        self.root, self.by_id, self.by_path = root, root / "serial/by-id", root / "serial/by-path"
        for folder in (self.by_id, self.by_path):
            folder.mkdir(parents=True)
        for n in (0, 1):
            self.tty(n).touch()
            self.path(n).symlink_to(self.tty(n))

    def tty(self, n):
        return self.root / f"ttyUSB{n}"

    def path(self, n):
        return self.by_path / f"usb-0:1.{n}"

    def name(self, n, name=NAME):
        (self.by_id / name).unlink(missing_ok=True)
        (self.by_id / name).symlink_to(self.tty(n))
        return self.by_id / name

    def stable(self, port):
        return stable(str(port), (str(self.by_id), str(self.by_path)), str(self.root))


@pytest.fixture
def devices(tmp_path):
    return Devices(tmp_path / "dev")


@pytest.mark.parametrize("leads_to", [0, 1])
def test_a_port_whose_by_id_name_is_shared_is_named_by_its_path(devices, leads_to):
    link = devices.name(leads_to)
    for n in (0, 1):
        port, remark = devices.stable(devices.tty(n))
        assert port == str(devices.path(n))
        assert remark
    assert devices.stable(link)[0] == str(devices.path(leads_to))
    assert devices.stable(f"serial://{devices.tty(0)}?9600")[0] == f"serial://{devices.path(0)}?9600"


def test_adapters_with_names_of_their_own_keep_them(devices):
    links = [devices.name(n, f"usb-FTDI_A{n}") for n in (0, 1)]
    assert [devices.stable(devices.tty(n)) for n in (0, 1)] == [(str(link), "") for link in links]


def test_a_built_in_port_without_a_by_id_name_makes_no_name_shared(devices):
    link = devices.name(0)
    devices.path(1).unlink()
    (devices.root / "ttyAMA0").touch()
    (devices.by_path / "platform-uart").symlink_to(devices.root / "ttyAMA0")
    assert devices.stable(devices.tty(0)) == (str(link), "")


@pytest.mark.parametrize("first", ["\\x2fserial", "serial"], ids=["before udev 250", "since"])
def test_udevs_own_record_of_claims_decides(devices, tmp_path, first):
    link = devices.name(0)
    claims = tmp_path / "links" / f"{first}\\x2fby-id\\x2f{NAME}"
    claims.mkdir(parents=True)
    (claims / "c188:0").touch()
    where = str(tmp_path / "links"), str(devices.root)
    assert not is_shared(link, devices.by_path, *where)
    (claims / "c188:1").touch()
    (claims / ".lock").touch()
    assert claims_of(link, *where) == ["c188:0", "c188:1"]
    assert is_shared(link, devices.by_path, *where)


def test_a_shared_name_is_not_opened_and_any_other_is(tmp_path):
    claims = tmp_path / f"serial\\x2fby-id\\x2f{NAME}"
    claims.mkdir()
    (claims / "c188:0").touch()
    refuse_shared(f"{BY_ID}/{NAME}", str(tmp_path))
    (claims / "c188:1").touch()
    for path in (f"{BY_ID}/usb-other", "/dev/serial/by-path/usb-0:1.1", "/dev/ttyUSB0"):
        refuse_shared(path, str(tmp_path))
    with pytest.raises(OSError, match="by-path") as refused:
        refuse_shared(f"{BY_ID}/{NAME}", str(tmp_path))
    assert refused.value.errno == errno.ENOTUNIQ
