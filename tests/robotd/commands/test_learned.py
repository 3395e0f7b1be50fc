"""What a coordinator learns outlives its robot: saved when it changed, recalled, or set aside in words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from radio.keys import Keys
from radio.link import Radio
from radio.mock.channel import Channel
from radio.mock.modem import MockModem
from robotd.model.plain import Json
from robotd.model.streams import Stream
from robotd.record.log import NoSink, RunLog
from robotd.robot.faults import Faults
from robotd.robot.mind import Mind
from robotd.robot.permission import Permission
from robotd.robot.persistence import LEARNED
from robotd.robot.robot import Robot
from robotd.storage.store import FileStore, MemoryStore, Store
from tests.robotd.robot.stand_ins import (
    KEY,
    TABLE,
    TEAM,
    TICK_S,
    FakeBehaviors,
    FakeBoard,
    FakeCoordinator,
    faults_of,
)


@dataclass
class ToldLearner(FakeCoordinator):
    """Knows a number."""

    known: int = 0
    memory_name, memory_of_run = LEARNED, False
    memory_version: int = 0

    def memory(self) -> Json:
        return {"known": self.known}

    def recall(self, memory: Json) -> None:
        assert self.begun
        assert not self.steps
        if not isinstance(memory, dict):
            raise ValueError("it was learned by somebody else")
        self.known = memory["known"]

    def learns(self, known: int) -> None:
        self.known, self.memory_version = known, self.memory_version + 1


class CountingStore(MemoryStore):
    """Notes what is saved; refuses while `full`."""

    def __init__(self) -> None:
        super().__init__()
        self.saved: list[str] = []
        self.full = False

    def save(self, name: str, document: Json) -> None:
        if self.full and name == LEARNED:
            raise OSError(28, "No space left on device")
        self.saved.append(name)
        super().save(name, document)


def booted(store: Store, coordinator: Any = None) -> tuple[Robot, ToldLearner]:
    coordinator = coordinator or ToldLearner()
    channel = Channel(1, TABLE, key=KEY, team=TEAM, loss=0.0, base_station=True)
    radio = Radio(TABLE, 1, Keys((KEY,)), TEAM, MockModem(channel, 1), Stream(1, "red", "phase"), None, None)
    mind = Mind(TABLE, 1, coordinator, FakeBehaviors(), Permission("command"), 2)
    robot = Robot("red", mind, FakeBoard(), radio, Faults(), RunLog(NoSink(), {}), store)
    robot.begin(0.0)
    return robot, coordinator


def test_what_was_learned_is_saved_once_for_each_change_and_never_without() -> None:
    store = CountingStore()
    robot, learner = booted(store)
    robot.step(TICK_S, 1)
    assert LEARNED not in store.saved
    learner.learns(7)
    for n in range(2, 6):
        robot.step(n * TICK_S, n)
    assert store.saved.count(LEARNED) == 1
    assert store.load(LEARNED) == {"known": 7}


def test_a_restarted_robot_knows_it_before_its_first_tick_and_does_not_save_it_again() -> None:
    store = CountingStore()
    store.save(LEARNED, {"known": 7})
    robot, learner = booted(store)
    assert learner.known == 7
    assert not learner.steps
    robot.step(TICK_S, 1)
    assert store.saved.count(LEARNED) == 1
    assert robot.warnings == ()


def test_a_full_disk_is_a_fault_and_it_is_saved_as_soon_as_there_is_room() -> None:
    store = CountingStore()
    robot, learner = booted(store)
    learner.learns(7)
    store.full = True
    robot.step(TICK_S, 1)
    assert faults_of(robot) == ["state-not-saved"]
    assert store.load(LEARNED) is None
    store.full = False
    robot.step(2 * TICK_S, 2)
    assert store.load(LEARNED) == {"known": 7}


@pytest.mark.parametrize("text", ["", '{"known": ', "\0\0\0", '["foreign"]', "3"])
def test_a_spoilt_or_foreign_document_is_set_aside_with_a_message_and_the_robot_starts_unlearned(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "learned.json").write_text(text)
    robot, learner = booted(FileStore(tmp_path))
    assert learner.known == 0
    (warning,) = robot.warnings
    assert "learned.json is set aside as learned.corrupt: " in warning
    assert warning.endswith("; learned starts afresh")
    assert (tmp_path / "learned.corrupt").read_text() == text
    assert not (tmp_path / "learned.json").exists()
    learner.learns(1)
    robot.step(TICK_S, 1)
    assert FileStore(tmp_path).load(LEARNED) == {"known": 1}


def test_in_memory_a_foreign_document_is_set_aside_too() -> None:
    store = MemoryStore()
    store.save(LEARNED, [1])
    robot, learner = booted(store)
    assert (learner.known, store.load(LEARNED)) == (0, None)
    assert robot.warnings == ("learned is set aside: it was learned by somebody else; learned starts afresh",)


def test_a_coordinator_that_learns_nothing_has_nothing_stored_nor_recalled() -> None:
    store = CountingStore()
    store.save(LEARNED, {"known": 7})
    robot, _ = booted(store, FakeCoordinator())
    robot.step(TICK_S, 1)
    assert store.saved.count(LEARNED) == 1
    assert robot.mind.keeper is None
