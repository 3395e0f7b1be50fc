"""Where things are: systemd first, then the system's folders for root and the XDG ones for people."""

from pathlib import Path

import pytest

from robotd.folders import folder, socket_folders


@pytest.mark.parametrize(
    ("kind", "system", "xdg"),
    [
        ("config", "/etc/robotd", "/home/ann/.config/robotd"),
        ("state", "/var/lib/robotd", "/home/ann/.local/state/robotd"),
        ("log", "/var/log/robotd", "/home/ann/.local/state/robotd/log"),
        ("runtime", "/run/robotd", "/run/user/7/robotd"),
    ],
)
def test_root_uses_the_systems_folders_and_people_their_own(kind, system, xdg):
    environ = {"HOME": "/home/ann", "XDG_RUNTIME_DIR": "/run/user/7"}
    assert folder(kind, environ, uid=0) == Path(system)
    assert folder(kind, environ, uid=7) == Path(xdg)


def test_systemd_says_where_and_the_first_of_several_holds():
    environ = {"STATE_DIRECTORY": "/var/lib/robotd:/var/lib/other"}
    assert folder("state", environ, uid=7) == Path("/var/lib/robotd")


def test_without_a_runtime_folder_there_is_one_of_the_users_own():
    assert folder("runtime", {"HOME": "/home/ann"}, uid=7).name == "robotd-7"


def test_sockets_of_the_system_are_found_by_people_too(monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/7")
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    monkeypatch.setattr("os.getuid", lambda: 7)
    assert socket_folders() == (Path("/run/user/7/robotd"), Path("/run/robotd"))
    monkeypatch.setattr("os.getuid", lambda: 0)
    assert socket_folders() == (Path("/run/robotd"),)
