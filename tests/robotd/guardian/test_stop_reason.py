"""The cause of the last stop: kept until acknowledged, wherever it can be, whatever the disk and the clock do."""

import datetime as dt
import json
import os
from pathlib import Path

import pytest

from robotd.guardian.stop_reason import MAX_CAUSE, UNREADABLE, CauseFile, cause_file
from robotd.timing import clock


def test_a_cause_is_there_until_it_is_acknowledged(tmp_path):
    causes = CauseFile("green", [tmp_path / "state"])
    assert causes.read() is None
    assert causes.write("it froze")
    assert CauseFile("green", [tmp_path / "state"]).read().startswith("it froze (at 2")
    assert CauseFile("red", [tmp_path / "state"]).read() is None
    causes.forget()
    assert causes.read() is None
    causes.forget()


def test_a_full_disk_leaves_the_cause_to_the_next_folder_and_the_old_one_whole(tmp_path):
    disk, memory = tmp_path / "disk", tmp_path / "memory"
    disk.mkdir()
    (disk / "stop-green.new").symlink_to("/dev/full")
    causes = CauseFile("green", [disk, memory])
    assert causes.write("it froze")
    assert (memory / "stop-green.json").exists()
    assert causes.read().startswith("it froze")
    assert not CauseFile("green", [disk, Path("/proc/robotd"), Path("/dev/null/x")]).write("again")


def test_the_room_that_was_reserved_takes_a_cause_when_the_disk_is_full(tmp_path, monkeypatch):
    causes = CauseFile("green", [tmp_path])
    with causes.reserved():
        before = (tmp_path / "stop-green.new").stat()
        assert causes.write("it froze")
        after = (tmp_path / "stop-green.json").stat()
        assert (after.st_ino, after.st_size) == (before.st_ino, before.st_size)  # no block more
    with causes.reserved():
        assert len(list(tmp_path.iterdir())) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["stop-green.json"]


DEEP = '{"cause": ' + "[" * 100_000
LONG = '{"cause": "' + "x" * 200_000


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cause": 1}', "\x00", DEEP, "[" * 900, LONG])
def test_a_record_that_cannot_be_read_still_is_a_cause(tmp_path, text):
    (tmp_path / "stop-green.json").write_text(text)
    assert CauseFile("green", [tmp_path]).read() == UNREADABLE


def test_what_is_no_file_still_is_a_cause_and_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "stop-green.json")
    (tmp_path / "stop-red.json").mkdir()
    assert {CauseFile(name, [tmp_path]).read() for name in ("green", "red")} == {UNREADABLE}


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("cause", ["a\x00b", "a\ud800b", "a\nb", "x" * 900, "caf\u00e9", "\N{ROBOT FACE}" * 900])
def test_any_cause_fits_a_line_a_file_and_an_environment(tmp_path, monkeypatch, cause, encoding):
    monkeypatch.setattr("sys.getfilesystemencoding", lambda: encoding)
    (tmp_path / "stop-green.json").write_text(json.dumps({"cause": cause, "at": 1}))
    for written in (False, True):
        words = CauseFile("green", [tmp_path]).read()
        assert len(words) <= MAX_CAUSE
        assert words.encode(encoding)
        assert words.isprintable()
        assert words != UNREADABLE or not written
        assert CauseFile("green", [tmp_path]).write(cause) or written


def test_a_runtime_folder_of_another_user_is_not_believed(tmp_path, monkeypatch):
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path / "run"))
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "stop-robot.json").write_text('{"cause": "a lie", "at": 1}')
    assert cause_file(tmp_path / "robot.toml").read() == "a lie (at 1)"
    (tmp_path / "run").chmod(0o777)
    assert cause_file(tmp_path / "robot.toml").read() is None


@pytest.mark.parametrize("year", [1970, 2038, 9999])
def test_the_clock_may_have_any_time(tmp_path, monkeypatch, year):
    monkeypatch.setattr(clock, "wall", lambda: dt.datetime(year, 1, 1, tzinfo=dt.UTC))
    causes = CauseFile("green", [tmp_path])
    assert causes.write("it froze")
    assert f"(at {year}-01-01" in causes.read()


def test_the_robot_file_names_whose_causes_they_are_and_where(tmp_path, monkeypatch):
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "system"))
    path = tmp_path / "robot.toml"
    path.write_text('name = "green"\nstate_folder = "own"\n')
    assert cause_file(path).write("it froze")
    assert (tmp_path / "own" / "stop-green.json").exists()
    for text in (b'name = "../../etc/x"', b"", b"name = ", b"\xff", b"name = 3\nstate_folder = 4"):
        path.write_bytes(text)  # what is wrong with it is not the guardian's business
        assert cause_file(path).write("it froze")
        (tmp_path / "system" / "stop-robot.json").unlink()
