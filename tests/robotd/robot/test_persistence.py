"""What a robot keeps over a restart: the run it takes part in, and the memory of any coordinator."""

from typing import Any

import pytest

from robotd.model.beliefs import SILENT_BEATS
from robotd.model.inputs import Order
from robotd.model.keeper import Keeper
from robotd.model.plain import Json
from robotd.robot.persistence import RUN
from robotd.robot.robot import Robot
from robotd.robot.run_orders import LONGEST_BEATS, UNCHECKED
from robotd.storage.document import RETRY_S
from robotd.storage.store import MemoryStore
from tests.robotd.robot import stand_ins
from tests.robotd.robot.stand_ins import RUN as MISSION_START
from tests.robotd.robot.stand_ins import START, TABLE, FakeCoordinator, Field, faults_of, wheels

BEAT = TABLE.beat_s
STOP_RUN, RESET = Order("mission-stop", by="ann"), Order("mission-reset", by="ann")


class Counter(FakeCoordinator):
    """A coordinator that counts its decisions in tens, of one run or of all."""

    memory_name, memory_of_run = "counted", True
    count, memory_version = 0, 0

    def begin(self, *args: Any) -> None:
        super().begin(*args)
        self.count = 0 if self.memory_of_run else self.count

    def step(self, *args: Any) -> Any:
        self.count += 1
        self.memory_version = self.count // 10
        return super().step(*args)

    def memory(self) -> Json:
        return self.count

    def recall(self, memory: Json) -> None:
        if type(memory) is not int:
            raise ValueError("it is no count")
        self.count = memory


class CounterOfAllRuns(Counter):
    memory_of_run = False


class CounterOnceBegun(Counter):
    """Its version is part of a state that `begin` makes."""

    @property
    def memory_version(self) -> int:  # type: ignore[override]
        return self.state["version"]

    @memory_version.setter
    def memory_version(self, version: int) -> None:
        self.state["version"] = version

    def begin(self, *args: Any) -> None:
        self.state = {"version": 0}
        super().begin(*args)


class BrokenDisk(MemoryStore):
    """Takes nothing while there is trouble, and says so only later, as a thread that writes does."""

    def __init__(self) -> None:
        super().__init__()
        self.trouble = ""
        self.lost: set[str] = set()

    def is_pending(self, name: str) -> bool:
        return name in self.lost

    def failure_of(self, name: str) -> str:
        return self.trouble if name in self.lost else ""

    def save(self, name: str, document: Json) -> None:
        if self.trouble:
            self.lost.add(name)
            return
        self.lost.discard(name)
        super().save(name, document)


@pytest.fixture(params=[Counter, CounterOfAllRuns, CounterOnceBegun])
def counter(request: Any, monkeypatch: pytest.MonkeyPatch) -> type[Counter]:
    """Every mind of a field has this coordinator."""
    monkeypatch.setattr(stand_ins, "FakeCoordinator", request.param)
    kind: type[Counter] = request.param
    return kind


def count_of(robot: Robot) -> int:
    keeper = robot.mind.keeper
    assert isinstance(keeper, Counter)
    return keeper.count


def run_of(robot: Robot) -> tuple[int, bool]:
    return robot.mind.beliefs.run, robot.mind.beliefs.running


def started(names: tuple[str, ...] = ("red",), seconds: float = 5.0) -> Field:
    field = Field(())
    for name in names:
        field.boot(name, MemoryStore())
    return field.started(seconds)


# -- the run


def test_a_restarted_robot_knows_its_run_before_its_first_tick_unless_its_state_was_lost() -> None:
    field = started()
    again = field.boot("red", field.robots["red"].store)
    assert (run_of(again), again.mind.acting) == ((1, True), False)
    assert run_of(field.boot("red", MemoryStore())) == (0, False)


@pytest.mark.parametrize("keeps", [True, False])
def test_a_start_on_a_restarted_robot_opens_a_number_that_its_team_has_not_used(keeps) -> None:
    field = started(("red", "blue"), 10.0)
    store = field.robots["red"].store
    red = field.boot("red", store if keeps else MemoryStore())
    red.submit(MISSION_START)
    field.run(0.2)
    assert (red.run_asked, run_of(red)[0]) == ("mission-start", 1 if keeps else 0)
    field.run(6 * BEAT)
    assert run_of(red) == run_of(field.robots["blue"]) == (2, True)
    assert red.run_asked == ""


def test_a_run_that_opened_while_it_was_off_is_not_opened_again() -> None:
    field = started(("red", "blue"), 10.0)
    red = field.robots.pop("red")
    field.robots["blue"].submit(RESET)
    field.run(2 * BEAT)
    red = field.boot("red", red.store)
    red.submit(MISSION_START)
    field.run(8 * BEAT)
    assert run_of(red) == run_of(field.robots["blue"]) == (3, True)


@pytest.mark.parametrize(
    ("orders", "run"),
    [
        ((MISSION_START,), (1, True)),
        ((MISSION_START, RESET), (2, True)),
        ((RESET, MISSION_START), (2, True)),
        ((MISSION_START, STOP_RUN), (2, False)),
        ((STOP_RUN, Order("mission-start", (UNCHECKED,))), (2, True)),
    ],
)
def test_run_orders_wait_until_a_live_teammate_would_have_sent_and_are_applied_in_their_order(orders, run) -> None:
    field = Field(("red",))
    red = field.robots["red"]
    for order in orders:
        red.submit(order)
    field.run(LONGEST_BEATS * BEAT - 1.0)
    assert (red.run_asked, run_of(red)) == (orders[-1].kind, (0, False))
    field.run(2.0)
    assert (red.run_asked, run_of(red)) == ("", run)
    assert LONGEST_BEATS > SILENT_BEATS


def test_an_order_for_a_new_team_and_one_that_opens_no_run_do_not_wait() -> None:
    field = Field(("red",))
    red = field.robots["red"]
    red.submit(START)
    red.submit(Order("mission-start", (UNCHECKED,), "ann"))
    field.run(0.2)
    assert (run_of(red), red.mind.acting) == ((1, True), True)


@pytest.mark.parametrize(
    ("document", "run", "warnings"),
    [
        *((bad, 0, 1) for bad in (7, [1, True], [999, True, 1], [-1, True, 1], ["1", True, 1], {"run": 1})),
        ([5, True, TABLE.digest ^ 1], 5, 0),
    ],
)
def test_a_damaged_run_is_set_aside_and_one_of_another_mission_not_resumed(document, run, warnings) -> None:
    store = MemoryStore()
    store.save(RUN, document)
    robot = Field(()).boot("red", store)
    assert (run_of(robot), len(robot.warnings)) == ((run, False), warnings)


# -- memory


def test_the_memory_of_any_coordinator_outlives_its_process_and_that_of_one_run_not_the_run(counter) -> None:
    field = started()
    store, before = field.robots["red"].store, count_of(field.robots["red"])
    assert isinstance(field.robots["red"].mind.keeper, Keeper)
    assert before > 10
    assert before - 10 < count_of(field.boot("red", store)) <= before
    store.save(RUN, [2, True, TABLE.digest])
    assert (count_of(field.boot("red", store)) == 0) == counter.memory_of_run


@pytest.mark.parametrize("document", ["much", {"run": 1}, {"run": 1, "memory": "much"}, [], 1.5])
def test_a_damaged_memory_is_set_aside_and_the_robot_starts(counter, document) -> None:
    store = MemoryStore()
    store.save(RUN, [1, True, TABLE.digest])
    store.save("counted", document)
    robot = Field(()).boot("red", store)
    assert count_of(robot) == 0
    assert "counted starts afresh" in " ".join(robot.warnings)


# -- a disk that takes nothing


def test_nothing_is_sent_under_an_epoch_that_is_not_on_the_disk_and_saving_is_tried_again() -> None:
    field, store = Field(()), BrokenDisk()
    store.trouble = "No space left on device"
    red = field.boot("red", store)
    field.run(5 * BEAT)
    assert (red.radio.statistics.sent, red.store.load("radio")) == (0, None)
    store.trouble = ""
    field.run(RETRY_S + 3 * BEAT)
    assert red.radio.statistics.sent > 0


# -- a memory that cannot be kept


def raises() -> Json:
    raise LookupError("no row")


def test_a_memory_that_raises_stops_the_motors_in_that_tick_until_acknowledged(counter, monkeypatch) -> None:
    field = started()
    red = field.robots["red"]
    assert wheels(field)["red"] != (0.0, 0.0)
    keeper = red.mind.keeper
    assert isinstance(keeper, Counter)
    monkeypatch.setattr(keeper, "memory", raises)
    keeper.memory_version = 99
    field.run(0.1)
    assert (wheels(field)["red"], faults_of(red)) == ((0.0, 0.0), ["tick-raised"])
    monkeypatch.undo()
    field.run(0.1)
    assert (wheels(field)["red"], faults_of(red)) == ((0.0, 0.0), ["tick-raised"])
    red.submit(Order("acknowledge", by="ann"))
    field.run(0.1)
    assert faults_of(red) == []


def test_a_run_that_changed_is_saved_though_a_memory_before_it_raises(counter, monkeypatch) -> None:
    red = started().robots["red"]
    monkeypatch.setattr(red._persistence._documents[0], "content", raises)
    red.radio.stop_team(6.0, red.mind.beliefs)
    red.mind.beliefs = red.mind.beliefs.opened(7, running=True)
    red.step(6.0, 60)
    assert red.store.load(RUN) == [7, True, TABLE.digest]
    assert faults_of(red) == ["stopped", "tick-raised"]


@pytest.mark.parametrize("memory", [{1, 2}, [float("nan")], object(), "x" * (1 << 20)])
def test_a_memory_that_is_no_json_is_not_saved_and_the_robot_goes_on(counter, monkeypatch, memory) -> None:
    monkeypatch.setattr(counter, "memory", lambda self: memory)
    field = started()
    assert faults_of(field.robots["red"]) == ["state-not-saved"]
    assert wheels(field)["red"] != (0.0, 0.0)
