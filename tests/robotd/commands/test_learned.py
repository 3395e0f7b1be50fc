"""`robotd learned`: what a person sees of a memory, and how it is forgotten."""

import json
from pathlib import Path
from typing import Any

import pytest

from robotd.__main__ import main
from robotd.files.state import lock_folder
from robotd.storage.store import FileStore
from tests.motivation.alliance.one_learner import Learner, trial

ROBOT = """
name = "red"
mission = "cleanup"
state_folder = "kept"
[board]
name = "mock"
[radio]
name = "none"
"""


@pytest.fixture(scope="module")
def memory() -> Any:
    """Red's: it pushes quicker than blue; gold was heard on find."""
    robot = Learner({"push": {}, "find": {}}).works(6.0)
    robot.hears(trial("push", 9.0)).hears(trial("find", 30.0), sender="gold").step()
    return robot.memory


@pytest.fixture
def place(memory: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with red's robot file, its state folder, and no daemon's sockets."""
    for variable in ("STATE", "CONFIGURATION", "RUNTIME"):
        monkeypatch.setenv(f"{variable}_DIRECTORY", str(tmp_path / variable.lower()))
    (tmp_path / "robot.toml").write_text(ROBOT)
    FileStore(tmp_path / "kept").save("learned", memory)
    return tmp_path


def learned(*words: object) -> int:
    return main(["learned", *map(str, words)])


def test_a_table_has_each_set_and_teammate_and_json_is_the_document_itself(place, memory, capsys) -> None:
    assert learned(place / "robot.toml") == 0
    head, columns, *rows, foot = capsys.readouterr().out.splitlines()
    assert head.startswith("red has learned (")
    assert " ".join(columns.split()) == "set robot trials task time patience slow fast yield time category"
    assert [row.split() for row in rows[:3]] == [
        ["push", "red", "(itself)", "1", "6.0", "-", "-", "1.250", "6.0", "1"],
        ["blue", "1", "9.0", "6.0", "1.125"],
        ["gold", "0", "-", "6.0", "1.125"],
    ]
    assert [row.split()[0] for row in rows[3:]] == ["find", "blue", "gold"]
    assert rows[5].split()[1:3] == ["1", "30.0"]
    assert "category" in foot
    assert learned(place / "robot.toml", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document == {"file": str(place / "kept" / "learned.json"), "learned": memory}
    keys = "set task robot trials task_time_s patience_s slow_rate fast_rate yield_time_s category learns"
    assert {frozenset(row) for row in document["learned"]["values"]} == {frozenset(keys.split())}


def test_a_folder_will_do_and_without_either_it_is_the_installed_robot_or_the_own_folder(
    place, memory, capsys
) -> None:
    assert learned(place / "kept") == 0
    FileStore(place / "state").save("learned", memory)
    assert learned() == 0
    assert str(place / "state" / "learned.json") in capsys.readouterr().out
    FileStore(place / "state" / "red").save("learned", memory)
    for name in ("red", str(place), "*"):  # of a name that is none the own folder is meant
        own = "red/" if name == "red" else ""
        assert learned("--robot", name) == (0 if own else 1)
        assert f"{place / 'state'}/{own}learned.json" in "".join(capsys.readouterr())
    (place / "configuration").mkdir()
    (place / "configuration" / "robot.toml").write_text(ROBOT.replace("kept", "../kept"))
    assert learned() == 0
    assert str(Path("..") / "kept" / "learned.json") in capsys.readouterr().out
    assert [learned(place / "robot.toml", "--robot", name) for name in ("red", "blue")] == [0, 1]
    assert "not blue" in capsys.readouterr().err


def test_reset_forgets_and_a_second_time_there_is_nothing(place, memory, capsys) -> None:
    assert [learned(place / "robot.toml", *words) for words in (["--reset"], ["--reset"], [])] == [0, 0, 0]
    out = capsys.readouterr().out
    assert "learned.json: 3 trials of blue, gold, red" in out
    assert out.count("nothing was learned: there is no ") == 2
    FileStore(place / "kept").save("learned", memory)
    asked = [place / "kept", "--json"]
    assert [learned(*asked, "--reset"), learned(*asked, "--reset"), learned(*asked)] == [0, 0, 0]
    documents = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [document.get("removed") for document in documents] == [True, False, None]
    assert documents[2]["learned"] is None


def test_the_memory_of_a_running_robot_is_not_reset(place, capsys) -> None:
    for text in (None, "unreadable"):
        if text is not None:
            (place / "kept" / "learned.json").write_text(text)
        with lock_folder(place / "kept"):  # as a daemon does
            assert learned(place / "kept", "--reset") == 1
        assert "runs now" in capsys.readouterr().err
        assert learned(place / "kept", "--reset") == 0
    assert learned(place / "none", "--reset") == 2  # no robot file, and no folder
    assert not (place / "none").exists()


OF_ROBOTS = '{"robot": "red", "values": [{"set": "push", "robot": %s, "trials": %s}]}'


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"robot": "red"}', '{"robot": "red", "values": [1]}', "\udcff", OF_ROBOTS % ('"red"', '"x"'),
     OF_ROBOTS % ("{}", 1)],
)  # fmt: skip
def test_what_cannot_be_shown_is_reported_and_left_alone_but_can_be_removed(place, capsys, text) -> None:
    path = place / "kept" / "learned.json"
    path.write_text(text, errors="surrogateescape")
    assert learned(place / "kept") == 1
    assert str(path) in capsys.readouterr().err
    assert path.exists()
    assert learned(place / "kept", "--reset") == 0
    assert not path.exists()


def test_a_robot_file_that_is_none_is_bad_usage(place, capsys) -> None:
    (place / "robot.toml").write_text("name = ")
    assert [learned(place / "robot.toml"), learned(place / "not-there.toml")] == [2, 2]
    assert "robot.toml" in capsys.readouterr().err
