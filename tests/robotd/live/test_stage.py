"""A run as a process: its commands, and that what was clicked gives the same run again."""

import json
import math
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from robotd.api import simulate
from robotd.live.stage import Run, Stage, run_of
from robotd.timing.virtual_loop import run_virtual

Data = dict[str, Any]


class Played:
    """A stage in a thread of this process, with its input and what it writes."""

    def __init__(self, run: Run) -> None:
        self._source, self._commands = os.pipe()
        lines, sink = os.pipe()
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
        """What it writes next that fulfils this; no other test is as quick to fail: it would read for ever."""
        for line in self._lines:
            if holds(data := json.loads(line)):
                return data
        raise AssertionError("it has ended")

    def close(self) -> None:
        os.close(self._commands)
        drain = threading.Thread(target=self._lines.read)
        drain.start()
        self._thread.join(30.0)
        os.close(self._sink)
        drain.join(30.0)
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
    assert any(event["cause"] == "remove" and event["robot"] == "amber" for event in gone["events"])
    stage.do(do="speed", factor=None)
    last = stage.until(lambda data: data["type"] == "frame" and len(data["facts"]) == 3)
    assert [robot["on"] for robot in last["robots"]] == [True, True, True]
    over = stage.until(is_a("over"))
    outcome = simulate("patrol", seed=2, events=[clicked])
    assert (over["accomplished"], over["t"]) == (outcome.accomplished, round(outcome.duration_s, 3))
    stage.do(do="event", event="return amber")
    assert "over" in stage.until(is_a("refused"))["why"]


def test_it_pauses_steps_and_goes_on(play: Callable[[Run], Played]) -> None:
    stage = play(Run("patrol", speed=50.0))
    stage.until(is_a("frame"))
    stage.do(do="pause")
    at = stage.until(lambda data: bool(data.get("paused")))["t"]
    stage.do(do="step", seconds=2.0)
    assert stage.until(lambda data: data.get("t", 0.0) > at)["t"] <= at + 2.0
    stage.do(do="bogus")
    assert "expected pause, play" in stage.until(is_a("refused"))["why"]
    stage.do(do="event", event="remove nobody")
    assert "nobody" in stage.until(is_a("refused"))["why"]
    stage.do(do="play")
    assert not stage.until(lambda data: data.get("t", 0.0) > at + 2.0)["paused"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ([], "mission"),
        ({"mission": 3}, "mission"),
        ({"mission": "patrol", "sneed": 1}, "seed"),
        ({"mission": "patrol", "seed": -1}, "at least 0"),
        ({"mission": "patrol", "seed": True}, "whole number"),
        ({"mission": "patrol", "speed": 0}, "positive"),
        ({"mission": "patrol", "speed": math.inf}, "positive"),
    ],
)
def test_what_is_no_run_is_refused(data: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        run_of(data)


def test_a_run_that_came_as_json_is_the_same() -> None:
    run = Run("patrol", 4, "alliance", {"radio.loss": 0.1}, ("3 remove amber",), (), None)
    assert run_of(json.loads(json.dumps(run.__dict__))) == run
