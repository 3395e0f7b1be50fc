"""Where things are: systemd first, then the system's folders for root and the XDG ones for people."""

import argparse
from pathlib import Path

import pytest

from robotd.__main__ import main
from robotd.files.paths import folder, folder_option, no_folder, socket_folders


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


def test_systemd_decides_with_the_first_of_several_and_without_a_runtime_folder_there_is_one_of_the_user():
    environ = {"STATE_DIRECTORY": "/var/lib/robotd:/var/lib/other"}
    assert folder("state", environ, uid=7) == Path("/var/lib/robotd")
    assert folder("runtime", {"HOME": "/home/ann"}, uid=7).name == "robotd-7"


def test_sockets_of_the_system_are_found_by_people_too(monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/7")
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    monkeypatch.setattr("os.getuid", lambda: 7)
    assert socket_folders() == (Path("/run/user/7/robotd"), Path("/run/robotd"))
    monkeypatch.setattr("os.getuid", lambda: 0)
    assert socket_folders() == (Path("/run/robotd"),)


def test_a_folder_is_one_that_is_there_or_that_can_be_made(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    assert no_folder(tmp_path) == no_folder(tmp_path / "new" / "below") == ""
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        assert no_folder(path) == f"{tmp_path}/file is no folder: choose one that is there, or that can be made"
    assert no_folder(tmp_path / "nowhere").startswith(f"{tmp_path}/nowhere is no folder")
    assert folder_option(str(tmp_path)) == tmp_path
    with pytest.raises(argparse.ArgumentTypeError, match="expected the name of a folder"):
        folder_option("")


@pytest.mark.parametrize(
    "words",
    ["base-station cleanup --state", "bundle cleanup --out", "demo --out", "experiment optimality --out",
     "export run.jsonl --csv", "export run.jsonl --parquet",
     "install-service robot.toml --root", "plot run.jsonl --out", "sim cleanup --out"],
)  # fmt: skip
def test_a_file_in_place_of_a_folder_is_refused_before_anything_is_done(tmp_path, capsys, words):
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as end:
        main([*words.split(), str(tmp_path / "file")])
    assert end.value.code == 2
    assert f"argument {words.split()[-1]}: {tmp_path}/file is no folder: " in capsys.readouterr().err
