"""Events happen at their times, in order, and wait for the robots that they concern."""

import asyncio
from typing import Any

import pytest

from robotd.config.events import ScenarioEvent, parse
from robotd.model.inputs import Order
from robotd.sim.director import Director
from robotd.timing.virtual_loop import run_virtual


class World:
    def __init__(self, reported: list[Any]) -> None:
        self._told = reported

    busy_until = 0.0  # no robot can be put back before

    def box_came_m(self, now: float) -> float:
        return 0.1 * now

    def may_return(self, name: str, now: float) -> bool:
        return now >= self.busy_until

    def record(self, verb: str, who: str, arg: str, now: float) -> None:
        self._told.append((now, "body", verb, who, arg))


@pytest.fixture(autouse=True)
def _record_body_verbs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("robotd.sim.director.apply", World.record)


class Air:
    def __init__(self, reported: list[Any]) -> None:
        self._told = reported

    def switch(self, number: int, on: bool, now: float) -> None:
        self._told.append((now, "radio", number, on))

    def set_loss(self, number: int, share: float, now: float) -> None:
        self._told.append((now, "loss", number, share))


class Stage:
    """Writes down what is asked of it."""

    def __init__(self) -> None:
        self.reported: list[Any] = []
        self.noted: list[tuple[float, str, str]] = []
        self.world: Any = World(self.reported)
        self.airs: Any = Air(self.reported)
        self.numbers = {"green": 1, "blue": 2}
        self.holding: dict[str, set[str]] = {}
        self.outcome: dict[str, Any] = {}

    def order(self, name: str, order: Order) -> None:
        self.reported.append(("order", name, order))

    def end(self, name: str, verb: str) -> None:
        self.reported.append((verb, name))

    def reboot(self, name: str) -> None:
        self.reported.append(("reboot", name))

    def note(self, event: ScenarioEvent, name: str, now: float) -> None:
        self.noted.append((now, event.verb, name))


def played(
    *script: str, busy_until: float = 0.0, holding: dict[str, set[str]] | None = None, for_s: float = 100.0
) -> Stage:
    """Play for so long on virtual time; `holding`: the robots that have a task from 9.9 s on."""
    stage = Stage()
    stage.world.busy_until = busy_until
    director = Director(stage)

    async def play() -> None:
        asyncio.get_running_loop().call_at(9.9, stage.holding.update, holding or {})
        task = asyncio.ensure_future(director.play([parse(line) for line in script]))
        await asyncio.sleep(for_s)
        task.cancel()
        if task.done():
            task.result()

    run_virtual(play())
    stage.outcome = director.outcome()
    return stage


def test_events_happen_at_their_times_whatever_their_order_in_the_file() -> None:
    stage = played("7.3 kill blue", "2 seize green", "0 kill green")
    assert stage.noted == [(0.0, "kill", "green"), (2.0, "seize", "green"), (7.3, "kill", "blue")]


def test_what_has_happened_and_what_has_not_is_in_the_outcome_the_latter_with_why() -> None:
    lines = ("1 kill green", "2 seize holder:find", "2 return green", "9999 kill blue")
    assert played(*lines, busy_until=1e9, for_s=5.0).outcome == {
        "happened": [{"at_s": 1.0, "verb": "kill", "robot": "green", "arg": ""}],
        "never_happened": {
            "2 seize holder:find": "no robot had the task find",
            "2 return green": "the others were never all busy at the other end of the box",
            "9999 kill blue": "the run ended before it",
        },
    }


def test_events_of_one_time_happen_in_file_order() -> None:
    stage = played("2 seize green", "2 release green", "2 kill green")
    assert [verb for _, verb, _ in stage.noted] == ["seize", "release", "kill"]


def test_a_removed_robots_radio_is_out_of_reach_and_one_that_is_off_stays_off() -> None:
    stage = played("1 remove green", "2 return green")
    assert [reported for reported in stage.reported if reported[1] == "radio"] == [
        (1.0, "radio", 1, False), (2.0, "radio", 1, True),
    ]  # fmt: skip
    for script, reached in (
        (("1 radio green off", "2 remove green", "3 return green", "4 radio green on"), [False] * 3 + [True]),
        (("1 remove green", "2 radio green on", "3 return green"), [False, False, True]),
    ):
        assert [reported[3] for reported in played(*script).reported if reported[1] == "radio"] == reached


def test_an_event_of_a_role_that_no_robot_fills_waits_and_happens_once() -> None:
    stage = played("1 kill holder:find", "5 seize blue", holding={"find": {"green", "blue"}})
    assert stage.noted == [(5.0, "seize", "blue"), (pytest.approx(10.0), "kill", "blue")]


def test_a_return_waits_until_there_is_room_and_happens_once() -> None:
    stage = played("1 remove green", "2 return green", "3 seize blue", busy_until=5.5)
    assert stage.noted == [
        (1.0, "remove", "green"),
        (3.0, "seize", "blue"),
        (pytest.approx(5.6), "return", "green"),
    ]


def test_an_event_waits_until_the_box_has_come_so_far() -> None:
    stage = played("box:1.2 seize blue", "box:0.6 remove green")
    assert stage.noted == [
        (pytest.approx(6.0, abs=0.21), "remove", "green"),
        (pytest.approx(12.0, abs=0.21), "seize", "blue"),
    ]


def test_what_the_box_never_came_to_is_left_over() -> None:
    stage = played("box:1.2 seize blue", for_s=5.0)
    assert stage.noted == []
    assert list(stage.outcome["never_happened"]) == ["box:1.2 seize blue"]
