"""What has happened, by number: bounded, each with its cause, whatever a plug-in hands out."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from robotd.model.choice import Choice, Event
from robotd.model.inputs import Fault, Order
from robotd.robot.snapshot import Snapshot
from robotd.status.events import KEPT, MOST_OF_TICK, EventLog
from robotd.status.model import EventsPart
from tests.robotd.robot.snapshots import snapshot


class Log(EventLog):
    """An event log that counts how often it reports changes; fed with ticks of its own making."""

    def __init__(self) -> None:
        super().__init__("b1", self._count)
        self.reports = 0

    def _count(self) -> None:
        self.reports += 1

    def tick(self, *events: Event, orders: tuple[Order, ...] = (), faults: tuple[Fault, ...] = ()) -> None:
        self.watch(ticked(*events, orders=orders, faults=faults))


def ticked(*events: Event, orders: tuple[Order, ...] = (), faults: tuple[Fault, ...] = ()) -> Snapshot:
    made = snapshot()
    decision = replace(made.decision, choice=Choice(events=events) if events else None)
    return replace(made, inputs=replace(made.inputs, orders=orders, faults=faults), decision=decision)


def lines(log: EventLog, since: int = 0) -> list[tuple[Any, ...]]:
    document = log.document(since)
    EventsPart.model_validate(document)
    return [(one["n"], one["kind"], one["what"], one["cause"]) for one in document["events"]]


async def test_orders_faults_states_and_decisions_are_events_with_their_causes() -> None:
    log = Log()
    log.tick()
    log.tick(Event("activated", "look", "find", "motivation 100 of 100", {"motivation": 100.0}),
             orders=(Order("start", (), "ann"),), faults=(Fault("port-lost", "unplugged", 9.0),))  # fmt: skip
    log.tick()
    assert lines(log) == [
        (1, "state", "running", "permitted to move"),
        (2, "lost", "lost gripper", "gripper is dead"),
        (3, "order", "order start", "by ann"),
        (4, "fault", "fault port-lost", "unplugged"),
        (5, "activated", "activated look (find)", "motivation 100 of 100"),
        (6, "cleared", "fault port-lost cleared", "its cause is over after 991.0 s"),
    ]
    (one,) = [one for one in log.document(4)["events"] if one["n"] == 5]
    assert (one["set"], one["task"], one["data"], one["at_s"]) == ("look", "find", {"motivation": 100.0}, 990.0)
    await asyncio.sleep(0)
    assert log.reports == 3  # once for each tick that had events


async def test_a_drive_by_hand_is_one_event_however_many_orders_it_takes() -> None:
    log = Log()
    for tick in range(40):
        orders = (Order("drive", ("0.1", "0"), "ann"),) if tick < 20 or tick >= 30 else ()
        made = ticked(orders=orders)
        log.watch(replace(made, inputs=replace(made.inputs, now=made.inputs.now + tick / 10)))
    assert [line[1:] for line in lines(log) if line[1] == "order"] == [("order", "driven by hand", "by ann")] * 2


async def test_an_order_to_drive_that_a_tick_takes_too_late_is_no_event_as_it_drives_nothing() -> None:
    log = Log()
    now = ticked().inputs.now
    for waited_s in (0.5, 0.4):
        log.tick(orders=(Order("drive", ("0.1", "0"), "ann", now - waited_s),))
        assert [line[1] for line in lines(log)].count("order") == (waited_s < 0.5)


async def test_what_is_kept_is_bounded_and_what_is_lost_is_counted() -> None:
    log = Log()
    flood = [Event("bid", "look", "find", "x" * 10_000)] * (2 * MOST_OF_TICK)
    for _ in range(ticks := 2 * KEPT // MOST_OF_TICK):
        log.tick(*flood)
    document, all_ = log.document(0), ticks * MOST_OF_TICK
    assert (len(document["events"]), document["last"], document["lost"]) == (KEPT, all_, all_ - KEPT)
    assert all(len(one["cause"]) <= 500 for one in document["events"])
    assert (log.document(document["last"])["events"], log.document(document["last"])["lost"]) == ([], 0)
    assert log.document(document["last"] + 9)["lost"] == 0  # of a client that counted on


async def test_a_cursor_is_a_number_of_this_start_and_of_another_start_everything() -> None:
    log = Log()
    assert [log.number(cursor) for cursor in ("0", "7", "b1.7", "b2.7")] == [0, 7, 7, 0]
    for wrong in ("", "-1", "x", "1.5x", "b1.", "9" * 20, "\u0663"):
        with pytest.raises(ValueError, match="expected the number"):
            log.number(wrong)


async def test_whatever_a_plug_in_hands_out_is_described() -> None:
    log = Log()
    circular: dict[str, Any] = {}
    circular["self"] = circular
    for data in ({"a": float("nan")}, {"a": object()}, {1: {2: b""}}, circular, {(1,): 2}):
        log.tick(Event("odd", "", "", "why", data))
    odd = [one["data"] for one in log.document(2)["events"]]
    assert (odd[0], odd[3], len(odd)) == ({"a": None}, {}, 5)
