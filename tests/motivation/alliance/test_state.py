"""The shown levels, clocks, memory, freezing, and sweeps of many robots at once."""

import json
from typing import Any

import numpy as np

from motivation.alliance.equations import acquiescence, complete, hear, step
from motivation.alliance.parameters import Parameters, State

from .lone_robot import THETA, TICK, Robot


def test_impatience_grows_while_another_set_is_active_and_motivation_does_not() -> None:
    robot = Robot(2, fast_rate=[2.0, 1.0]).until(8.0)
    assert robot.state.impatience.tolist() == [THETA, 8.0]
    assert robot.state.level.tolist() == [THETA, 0.0]


def test_acquiescence_grows_to_the_yield_time_if_a_teammate_is_heard_and_to_the_give_up_time_if_not() -> None:
    robot = Robot(2, yield_time=20.0, give_up_time=40.0).until(15.0)
    assert acquiescence(robot.state, robot.params, robot.now).tolist() == [2.5, 0.0]
    robot.hears(elapsed=0.0)
    assert acquiescence(robot.state, robot.params, robot.now).tolist() == [5.0, 0.0]
    assert acquiescence(robot.state, robot.params, 100.0).tolist() == [THETA, 0.0]


# -- clocks, memory, freezing, sweeps


def test_nothing_depends_on_where_the_clock_starts() -> None:
    def levels(origin: float) -> list[float]:
        robot = Robot(2, yield_time=3.0, preempts=[False, True], fast_rate=[2.0, 0.5], slow_rate=0.1)
        found = []
        for n in range(1, 200):
            now = origin + n * TICK
            if n % 9 == 0:
                hear(robot.state, robot.params, robot.mask(0, n % 2), now, (n % 5) * 1.0)
            if n % 40 == 0:
                complete(robot.state, np.array([True, False]), now)
            step(robot.state, robot.params, now, TICK, np.array([True, n % 70 < 60]))
            found += robot.state.level.tolist()
        return found

    assert levels(0.0) == levels(4096.0)


def test_a_claim_announced_as_longer_than_all_of_time_or_shorter_than_the_growth_is_harmless() -> None:
    for elapsed in (0.0, 0.001, 1e12):
        assert Robot().hears(elapsed=elapsed).until(0.5).level == 0.0


def test_memory_does_not_grow_with_time_or_statements() -> None:
    robot = Robot(patience=6.0, give_up_time=9.0).until(3.0, states_every=1.0)
    size = len(json.dumps(robot.state.freeze()))
    robot.until(600.0, states_every=1.0)
    assert len(json.dumps(robot.state.freeze())) < size + 200


def test_a_sweep_of_missions_and_robots_gives_each_robot_what_it_gets_alone() -> None:
    lead, sets, teammates = (2, 3), 2, 2
    shape = (*lead, sets, teammates)
    fast = np.linspace(1.0, 4.0, 12).reshape(*lead, sets)
    common: dict[str, Any] = {"yield_time": 4.0, "give_up_time": 9.0, "preempts": [False, True]}
    common |= {"slow_rate": 0.1, "patience": 7.0}
    params = Parameters.of(shape, threshold=THETA, silence_timeout=12.0, fast_rate=fast, **common)
    state = State.start(shape)
    applicable = np.ones((*lead, sets), np.bool_)
    alone = {at: Robot(sets, teammates, fast_rate=fast[at], **common) for at in np.ndindex(lead)}
    for n in range(1, 120):
        now = n * TICK
        who = np.zeros(shape, np.bool_)
        for at, robot in alone.items():
            robot.n = n
            if (n + 3 * at[0] + 5 * at[1]) % 11 == 0:
                who[at][0, n % 2] = True
                robot.hears(n % 2, elapsed=float(at[1]))
        elapsed = np.broadcast_to(np.arange(3.0)[None, :, None, None], shape)
        hear(state, params, who, now, elapsed)
        step(state, params, now, TICK, applicable)
        for at, robot in alone.items():
            step(robot.state, robot.params, now, TICK, robot.applicable)
            assert state.level[at].tolist() == robot.state.level.tolist()
            assert state.active[at].tolist() == robot.state.active.tolist()
