"""A team's key: random, private, never overwritten."""

import os
import stat

from robotd.__main__ import main
from robotd.files import keyfile


def run(*arguments):
    return main(["keygen", *map(str, arguments)])


def test_a_key_is_64_hexadecimal_digits_that_only_the_owner_reads(tmp_path):
    before = os.umask(0)
    try:
        assert run(str(tmp_path / "team.key")) == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "team.key").stat().st_mode) == 0o600
    assert len(bytes.fromhex((tmp_path / "team.key").read_text().strip())) == 32


def test_two_keys_differ(tmp_path):
    run(str(tmp_path / "a"))
    run(str(tmp_path / "b"))
    assert (tmp_path / "a").read_text() != (tmp_path / "b").read_text()


def test_an_existing_file_or_link_is_never_overwritten(tmp_path, capsys):
    (tmp_path / "team.key").write_text("precious")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    assert run(str(tmp_path / "team.key")) == 1
    assert run(str(tmp_path / "link")) == 1
    assert (tmp_path / "team.key").read_text() == "precious"
    assert not (tmp_path / "elsewhere").exists()
    assert "team.key exists; a team's key is never overwritten: name another file" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_told(tmp_path, capsys):
    assert run(str(tmp_path / "none" / "team.key")) == 1
    assert "cannot be written" in capsys.readouterr().err


def keys(path):
    return keyfile.lines_of(path.read_text())


def test_a_key_is_changed_in_three_steps_between_which_two_hold(tmp_path, capsys):
    path = tmp_path / "team.key"
    run(str(path))
    (old,) = keys(path)[""]
    assert run(str(path), "--rotate", "add") == 0
    first, new = keys(path)[""]
    assert first == old != new
    assert "--rotate use" in capsys.readouterr().out
    assert run(str(path), "--rotate", "use") == 0
    assert keys(path)[""] == (new, old)
    assert run(str(path), "--rotate", "drop") == 0
    assert keys(path)[""] == (new,)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    shown = capsys.readouterr()
    assert old.hex()[:8] not in shown.out + shown.err
    assert new.hex()[:8] not in shown.out + shown.err


def test_a_step_out_of_turn_is_refused_and_changes_nothing(tmp_path, capsys):
    path = tmp_path / "team.key"
    run(str(path))
    before = path.read_text()
    for step in ("use", "drop"):
        assert run(str(path), "--rotate", step) == 1
    assert f"the team has one key in it, --rotate {step} needs 2" in capsys.readouterr().err
    assert path.read_text() == before
    run(str(path), "--rotate", "add")
    assert run(str(path), "--rotate", "add") == 1


def test_a_robot_may_have_a_key_of_its_own_and_it_is_changed_alike(tmp_path, capsys):
    path = tmp_path / "team.key"
    run(str(path))
    team = keys(path)[""]
    assert run(str(path), "--robot", "green") == 0
    assert run(str(path), "--robot", "green") == 1
    assert run(str(path), "--robot", "green", "--rotate", "add") == 0
    assert (keys(path)[""], len(keys(path)["green"])) == (team, 2)
    assert run(str(path), "--robot", "red", "--rotate", "add") == 1
    assert "red has no key in it" in capsys.readouterr().err
    assert run(str(path), "--robot", "No Name") == 1


def test_a_file_that_is_not_there_or_is_none_is_told(tmp_path, capsys):
    assert run(str(tmp_path / "team.key"), "--rotate", "add") == 1
    (tmp_path / "team.key").write_text("secret words")
    assert run(str(tmp_path / "team.key"), "--rotate", "add") == 1
    told = capsys.readouterr().err
    assert "No such file" in told
    assert "line 1 is not a key" in told
    assert "secret" not in told
