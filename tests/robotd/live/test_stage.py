"""A run as a process: its commands, and that what was clicked gives the same run again."""

import fcntl
import json
import math
import os
import shlex
import threading
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import ANY

import pytest

from robotd.api import simulate
from robotd.config.events import parse
from robotd.live.runs import Run, command_of, run_of
from robotd.live.stage import Stage
from robotd.timing.virtual_loop import run_virtual
from tests.patience import WAIT_S

Data = dict[str, Any]


PIPE_BYTES = 4096  # what it writes is a few frames at most ahead of a test that is held up


class Played:
    """A stage in a thread of this process, with its input and what it writes."""

    def __init__(self, run: Run) -> None:
        self._source, self._commands = os.pipe()
        lines, sink = os.pipe()
        fcntl.fcntl(sink, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        os.set_blocking(self._source, False)
        stage = Stage(run, self._source, sink)
        self._lines = os.fdopen(lines, "rb")
        self._thread = threading.Thread(
            target=run_virtual, args=(stage.run(), run.speed), kwargs={"serving": True}
        )
        self._thread.start()
        self._sink = sink

    def do(self, **command: Any) -> None:
        os.write(self._commands, json.dumps(command).encode() + b"\n")

    def until(self, holds: Callable[[Data], bool]) -> Data:
        """What it writes next that fulfils this; AssertionError where it ends before."""
        for line in self._lines:
            if holds(data := json.loads(line)):
                return data
        raise AssertionError("it has ended")

    def close(self) -> None:
        os.close(self._commands)
        drain = threading.Thread(target=self._lines.read)
        drain.start()
        self._thread.join(WAIT_S)
        os.close(self._sink)
        drain.join(WAIT_S)
        os.close(self._source)
        self._lines.close()
        assert not self._thread.is_alive()


@pytest.fixture
def play() -> Iterator[Callable[[Run], Played]]:
    played: list[Played] = []

    def one(run: Run) -> Played:
        played.append(Played(run))
        return played[-1]

    yield one
    for each in played:
        each.close()


def is_a(kind: str) -> Callable[[Data], bool]:
    return lambda data: data["type"] == kind


def test_a_click_is_an_event_with_which_the_simulation_gives_the_same_run(play: Callable[[Run], Played]) -> None:
    stage = play(Run("patrol", seed=2, speed=20.0))
    assert stage.until(is_a("scene"))["mission"] == "patrol"
    frame = stage.until(lambda data: data["type"] == "frame" and data["t"] >= 5.0)
    assert {robot["name"]: robot["on"] for robot in frame["robots"]} == dict.fromkeys(
        ("amber", "olive", "slate"), True
    )
    stage.do(do="event", event="remove amber")
    clicked = stage.until(is_a("clicked"))["event"]
    gone = stage.until(lambda data: data["type"] == "frame" and data["robots"][0]["at"] is None)
    assert any(event["what"] == "remove" and event["robot"] == "amber" for event in gone["events"])
    stage.do(do="speed", factor=None)
    last = stage.until(lambda data: data["type"] == "frame" and len(data["facts"]) == 3)
    assert [robot["on"] for robot in last["robots"]] == [True, True, True]
    rest: list[Data] = []
    over = stage.until(lambda data: bool(rest.append(data)) or data["type"] == "over")  # type: ignore[func-returns-value]
    assert all(robot["on"] for data in rest if data["type"] == "frame" for robot in data["robots"])
    outcome = simulate("patrol", seed=2, events=[clicked])
    assert (over["accomplished"], over["t"]) == (outcome.accomplished, round(outcome.duration_s, 3))
    for command in ({"do": "event", "event": "return amber"}, {"do": "step", "seconds": 1.0}):
        stage.do(**command)
        assert stage.until(lambda data: data["type"] != "frame")["type"] == "refused"


def test_tasks_that_a_robot_introduced_are_shown_with_their_state_and_their_robot(
    play: Callable[[Run], Played],
) -> None:
    stage = play(Run("murdoch-box", speed=20.0))
    assert all(robot["jobs"] == [] for robot in stage.until(is_a("frame"))["robots"])

    def awarded(data: Data) -> bool:
        desk = data["robots"][0] if data["type"] == "frame" else {"jobs": []}
        return ["watch-box", "awarded", "lookout"] in [job[:3] for job in desk["jobs"]]

    assert {name for robot in stage.until(awarded)["robots"] for name, *_ in robot["jobs"]} >= {"relocate-box"}


def test_frames_that_are_lost_are_shown_with_their_sender_and_senses_by_their_bearing(
    play: Callable[[Run], Played],
) -> None:
    stage = play(Run("patrol", changes={"radio.loss": 0.5}, speed=None))
    scene = stage.until(is_a("scene"))
    assert (scene["range_m"], scene["reach"], scene["description"]) == (None, "the whole room", ANY)
    numbers = {robot["number"] for robot in scene["team"]}
    frames: list[Data] = []

    def late(data: Data) -> bool:
        frames.append(data)
        return data["type"] == "frame" and data["t"] >= 20.0

    last = stage.until(late)
    lost = [one for data in frames if data["type"] == "frame" for one in data["lost"]]
    assert len(lost) == last["radio"]["lost"] > 0
    assert sum(collided for *_, collided in lost) == last["radio"]["collided"]
    assert all({receiver, sender} <= numbers and receiver != sender for receiver, sender, _ in lost)
    seen = [robot["senses"] for robot in last["robots"]]
    assert {len(senses["ranges"]) for senses in seen} == {8}
    assert all(distance is None or 0 < distance <= high for one in seen for _, distance, high in one["ranges"])


def test_a_frame_says_what_is_brought_about_and_a_scene_what_a_camera_sees(play: Callable[[Run], Played]) -> None:
    stage = play(Run("cobos", speed=20.0))
    scene = stage.until(is_a("scene"))
    assert (scene["range_m"], scene["reach"]) == (10.0, "10 m")
    assert [robot["camera"] for robot in scene["team"]] == [[pytest.approx(math.pi, abs=1e-3), 5.0]] * 7
    frame = stage.until(is_a("frame"))
    assert (frame["counted"], frame["done"]) == (["0 of 6 pucks are held"], {})


def test_it_pauses_steps_and_goes_on(play: Callable[[Run], Played]) -> None:
    stage = play(Run("patrol", speed=50.0))
    stage.until(is_a("frame"))
    stage.do(do="pause")
    at = stage.until(lambda data: bool(data.get("paused")))["t"]
    stage.do(do="step", seconds=2.0)
    assert stage.until(lambda data: data.get("t", 0.0) > at)["t"] <= round(at + 2.0, 3)
    stage.do(do="bogus")
    assert "expected pause, play" in stage.until(is_a("refused"))["why"]
    stage.do(do="event", event="remove nobody")
    assert "nobody" in stage.until(is_a("refused"))["why"]
    stage.do(do="event", event="radio amber off")
    stage.do(do="play")
    stage.until(
        lambda data: data["type"] == "frame" and [one["muted"] for one in data["robots"]] == [True, False, False]
    )
    assert not stage.until(lambda data: data.get("t", 0.0) > at + 2.0)["paused"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ([], "mission"),
        ({"mission": "patrol", "events": [5]}, "events"),
        ({"mission": "patrol", "plugins": "x.py"}, "plugins"),
        ({"mission": "patrol", "changes": 5}, "changes"),
        ({"mission": "patrol", "coordinator": 5}, "coordinator"),
        ({"mission": "patrol", "speed": 10**400}, "speed"),
        ({"mission": 3}, "mission"),
        ({"mission": "patrol", "sneed": 1}, "seed"),
        ({"mission": "patrol", "seed": -1}, "at least 0"),
        ({"mission": "patrol", "seed": True}, "whole number"),
        ({"mission": "patrol", "speed": 0}, "speed"),
        ({"mission": "patrol", "speed": math.inf}, "speed"),
    ],
)
def test_what_is_no_run_is_refused(data: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        run_of(data)


def test_a_click_late_in_a_long_run_keeps_its_instant() -> None:
    assert str(parse("10234.35 remove blue")) == "10234.35 remove blue"


def test_the_command_is_quoted_for_a_shell_and_names_every_change() -> None:
    run = Run(
        "my mission.toml", 4, "alliance", {"radio.loss": 0.1, "x": "$(rm *)"}, ("3 remove amber",), ("a b.py",)
    )
    words = shlex.split(command_of(run, ["5 return amber"]))
    assert words[:5] == ["robotd", "sim", "my mission.toml", "--seed", "4"]
    assert words[5:9] == ["--coordinator", "alliance", "--plugin", "a b.py"]
    assert words[9:] == ["--set", "radio.loss=0.1", "--set", 'x="$(rm *)"', "--event", "3 remove amber",
                         "--event", "5 return amber"]  # fmt: skip


def test_a_run_that_came_as_json_is_the_same() -> None:
    run = Run("patrol", 4, "alliance", {"radio.loss": 0.1}, ("3 remove amber",), (), None)
    assert run_of(json.loads(json.dumps(run.__dict__))) == run
