"""A team's key: random, private, never overwritten, changed in three steps."""

import os
import shlex
import stat

import pytest

from robotd.__main__ import main
from robotd.files import keyfile


def run(*arguments):
    return main(["keygen", *map(str, arguments)])


@pytest.fixture
def path(tmp_path):
    assert run(tmp_path / "team.key") == 0
    return tmp_path / "team.key"


def keys(path):
    return keyfile.lines_of(path.read_text())


def test_a_key_is_64_hexadecimal_digits_that_only_the_owner_reads_and_two_differ(tmp_path):
    before = os.umask(0)
    try:
        assert [run(tmp_path / "a"), run(tmp_path / "b")] == [0, 0]
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600
    assert len(bytes.fromhex((tmp_path / "a").read_text().strip())) == 32
    assert (tmp_path / "a").read_text() != (tmp_path / "b").read_text()


def test_an_existing_file_or_link_is_never_overwritten(tmp_path, capsys):
    (tmp_path / "team.key").write_text("precious")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    assert [run(tmp_path / "team.key"), run(tmp_path / "link")] == [1, 1]
    assert (tmp_path / "team.key").read_text() == "precious"
    assert not (tmp_path / "elsewhere").exists()
    assert "team.key exists" in capsys.readouterr().err


def test_a_key_is_changed_in_three_steps_between_which_two_hold(path, capsys):
    (old,) = keys(path)[""]
    assert [run(path, "--rotate", step) for step in ("use", "drop")] == [1, 1]  # out of turn
    assert keys(path)[""] == (old,)
    assert run(path, "--rotate", "add") == 0
    first, new = keys(path)[""]
    assert first == old != new
    assert "--rotate use" in capsys.readouterr().out
    assert run(path, "--rotate", "add") == 1
    assert run(path, "--rotate", "use") == 0
    assert keys(path)[""] == (new, old)
    assert run(path, "--rotate", "drop") == 0
    assert keys(path)[""] == (new,)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    shown = "".join(capsys.readouterr())
    assert not {old.hex()[:8], new.hex()[:8]} & {shown[at : at + 8] for at in range(len(shown))}


def test_a_robot_may_have_a_key_of_its_own_and_it_is_changed_alike(path, capsys):
    team = keys(path)[""]
    assert [run(path, "--robot", "green"), run(path, "--robot", "green")] == [0, 1]
    assert run(path, "--robot", "green", "--rotate", "add") == 0
    assert (keys(path)[""], len(keys(path)["green"])) == (team, 2)
    assert [run(path, "--robot", "red", "--rotate", "add"), run(path, "--robot", "No Name")] == [1, 1]
    assert "red has no key" in capsys.readouterr().err


@pytest.mark.parametrize("own", [[], ["--robot", "green"]])
def test_the_command_that_a_step_prints_does_the_next_step_of_the_same_key(tmp_path, capsys, own):
    file = tmp_path / "keys of 100% robots"
    assert run(file) == 0
    assert not own or run(file, *own) == 0
    before = keys(file)
    assert run(file, *own, "--rotate", "add") == 0
    for _ in ("use", "drop"):
        words = shlex.split(capsys.readouterr().out.splitlines()[-1].partition("run: ")[2])
        assert words[0] == "robotd"
        assert main(words[1:]) == 0
    assert {name for name, now in keys(file).items() if now != before[name]} == {own[-1] if own else ""}
    assert "run: " not in capsys.readouterr().out


def test_a_file_that_is_not_there_or_is_none_is_an_error_that_shows_no_key(tmp_path, capsys):
    assert run(tmp_path / "none" / "team.key") == 1
    assert run(tmp_path / "team.key", "--rotate", "add") == 1
    (tmp_path / "team.key").write_text("secret words")
    assert run(tmp_path / "team.key", "--rotate", "add") == 1
    printed = capsys.readouterr().err
    assert printed.count("No such file") == 2
    assert "line 1" in printed
    assert "secret" not in printed
