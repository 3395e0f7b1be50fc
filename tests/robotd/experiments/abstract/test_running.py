"""Abstract missions under way."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from motivation.alliance.parameters import Parameters
from robotd.experiments.abstract.draws import keys
from robotd.experiments.abstract.missions import Missions, outranks
from robotd.experiments.abstract.running import NOTHING, Running
from robotd.motivate import scenario

TICK_S, TAU_S, BEAT_S = 0.2, 10.5, 3.0
FAST, SLOW = (20.0, 10.0), (1.0, 0.5)  # of the two tasks
PHI_S, PSI_S, LAMBDA_S = 25.0, 12.0, 30.0


def pairs(times_s: tuple[tuple[float, float], ...], loss: float = 0.0, seeds: tuple[int, ...] = (1,)) -> Missions:
    key = keys(seeds, "test")
    params = Parameters.of(
        (len(key), 2, 2, 1), threshold=100.0, silence_timeout=TAU_S, beat_s=BEAT_S, fast_rate=FAST,
        slow_rate=[[SLOW[0]], [SLOW[1]]], patience=PHI_S, yield_time=PSI_S, give_up_time=LAMBDA_S,
        outranks=outranks(2),
    )  # fmt: skip
    missions = Missions.plain(
        key, np.broadcast_to(times_s, (len(key), 2, 2)).astype(float), params, TICK_S, loss=loss
    )
    return replace(missions, beat_phase=np.broadcast_to([0.7, 2.3], (len(key), 2)))


def to_the_end(missions: Missions, duration_s: float = 300.0) -> Running:
    running = Running(missions)
    for _ in running.ticks(duration_s):
        if (running.done >= running.missions.rounds).all():
            break
    return running


class Overheard(Running):
    """Writes down all that the first robot of the first mission hears, and what applies to it."""

    def __init__(self, missions: Missions) -> None:
        super().__init__(missions)
        self.events: list[dict[str, object]] = []

    def tick(self) -> None:
        known = self.known[0, 0].copy()
        super().tick()
        new = np.flatnonzero(self.known[0, 0] > known)
        self.events += [{"at_s": self.now, "done": {"task": str(task)}} for task in new]
        applies = {str(task): bool(able) for task, able in enumerate(self.applicable[0, 0])}
        self.events.append({"at_s": self.now, "applicable": applies})

    def _take_claims(self, frames) -> None:
        task, at = int(self._lately[0, 1]), float(frames.at[0, 0, 0])
        if frames.arrived[0, 0, 0] and task != NOTHING:
            heard = {"from": "teammate", "task": str(task), "elapsed_s": at - float(self._lately_from[0, 1])}
            self.events.append({"at_s": at, "heard": heard})
        super()._take_claims(frames)


def scripted(missions: Missions, events: list[dict[str, object]], duration_s: float) -> scenario.Scenario:
    sets = [
        {"name": str(j), "fast_rate": FAST[j], "slow_rate": SLOW[j], "patience_s": PHI_S, "yield_time_s": PSI_S,
         "give_up_time_s": LAMBDA_S}
        for j in range(2)
    ]  # fmt: skip
    times = {"tick_s": TICK_S, "duration_s": duration_s, "silence_timeout_s": TAU_S, "beat_s": BEAT_S}
    ranks = {"rank": 0.5, "ranks": {"teammate": 1.0}}
    own = {"threshold": 100.0, "set": sets, "event": events}
    return scenario.Scenario.model_validate({**times, **ranks, **own})


@pytest.mark.parametrize("loss", [0.0, 0.3, 1.0])
def test_a_robot_of_a_pair_decides_as_the_scenario_runner_does_on_what_it_receives(loss: float) -> None:
    missions = pairs(((70.0, 45.0), (90.0, 200.0)), loss)
    running = Overheard(missions)
    seen = [
        (running.now, running.state.level[0, 0].copy(), running.state.active[0, 0].copy())
        for _ in running.ticks(150.0)
    ]
    rows: Iterator[scenario.Row] = scenario.run(scripted(missions, running.events, 150.0))
    turns = 0
    for (now, level, active), row in zip(seen, rows, strict=True):
        assert row.time_s == now
        np.testing.assert_allclose(level, row.levels, atol=1e-9)
        assert [str(j) for j in np.flatnonzero(active)] == ([] if row.active is None else [row.active])
        turns += bool(active.any())
    assert 100 < turns < len(seen)  # it worked, and not always
    assert any("heard" in event for event in running.events) == (loss < 1.0)


def test_a_mission_ends_the_same_in_every_batch_and_however_many_others_are_let_go() -> None:
    many = pairs(((70.0, 45.0), (50.0, 80.0)), 0.3, tuple(range(1, 9)))
    running = Running(many)
    ended: dict[int, float] = {}
    for now in running.ticks(300.0):
        over = (running.done >= running.missions.rounds).all(axis=-1)
        ended |= dict.fromkeys(running.rows[over].tolist(), now)
        running.keep(~over)
    assert len(ended) == 8
    assert len(set(ended.values())) > 1
    for row in (0, 5):
        alone = to_the_end(pairs(((70.0, 45.0), (50.0, 80.0)), 0.3, (row + 1,)))
        assert alone.now == ended[row]


def test_both_tasks_are_done_side_by_side_and_neither_twice() -> None:
    running = to_the_end(pairs(((25.0, 25.0), (25.0, 25.0))))
    assert running.done.tolist() == [[1, 1]]
    assert running.now < 50.0  # less than one robot needs for both


def test_what_a_teammate_completed_is_known_within_a_beat_and_on_a_dead_radio_by_looking() -> None:
    missions = pairs(((25.0, np.inf), (np.inf, np.inf)))
    able = np.array([[[True, False], [False, True]]])
    missions = replace(missions, able=able, needs=np.array([[[False, False], [True, False]]]))
    begins = {}
    for name, radio_s, look_s in (("heard", np.inf, np.inf), ("seen", 0.0, 40.0), ("never", 0.0, np.inf)):
        running = Running(replace(missions, radio_at=np.full((1, 2), radio_s), look_s=look_s))
        begins[name] = next((now for now in running.ticks(200.0) if running.state.active[0, 1, 1]), None)
    assert begins["never"] is None
    assert begins["seen"] == pytest.approx(50.0, abs=0.3)  # looks at 40 s, then ten to the threshold
    assert begins["heard"] == pytest.approx(40.7, abs=0.3)  # done at 30, reported at 30.7


def test_a_dead_robot_stops_and_falls_silent_and_its_teammate_takes_over() -> None:
    missions = replace(pairs(((70.0, 25.0), (50.0, 70.0))), robot_at=np.array([[12.0, np.inf]]))
    running = to_the_end(missions)
    assert running.done.all()
    assert not running.state.active[0, 0].any()
    assert running.state.last_received[0, 1].max() < 12.0


def test_a_failed_sensor_blinds_or_lets_work_come_to_nothing_until_it_gives_up() -> None:
    missions = replace(pairs(((20.0, 20.0), (20.0, 20.0))), able=np.array([[[True, False], [False, False]]]))
    missions = replace(missions, sensor_at=np.zeros((1, 2, 2)))
    blind, deluded = Running(replace(missions, blind=np.ones((1, 2, 2), np.bool_))), Running(missions)
    assert not any(blind.state.active.any() for _ in blind.ticks(60.0))
    active = [bool(deluded.state.active.any()) for _ in deluded.ticks(60.0)]
    assert deluded.done.tolist() == [[0, 0]]
    assert sum(active) * TICK_S > LAMBDA_S
    assert not active[round((5.0 + LAMBDA_S + 1.0) / TICK_S)]


def test_a_recurring_task_is_done_as_often_as_it_is_needed() -> None:
    missions = replace(pairs(((20.0, 20.0), (20.0, 20.0))), rounds=np.array([[3, 1]]))
    assert to_the_end(missions).done.tolist() == [[3, 1]]


def test_shared_work_goes_on_where_another_stopped_and_else_begins_anew() -> None:
    missions = replace(pairs(((40.0, 40.0), (40.0, 40.0))), able=np.array([[[True, False], [True, False]]]))
    missions = replace(missions, robot_at=np.array([[35.0, np.inf]]), rounds=np.array([[1, 0]]))
    shared, own = to_the_end(missions), to_the_end(replace(missions, shared_work=False))
    assert shared.done[0, 0] == own.done[0, 0] == 1
    assert shared.now < own.now - 15.0
