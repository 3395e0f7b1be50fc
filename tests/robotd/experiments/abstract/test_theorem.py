"""What theorem 1 excuses."""

from dataclasses import replace

import numpy as np

from robotd.experiments.abstract.draws import keys
from robotd.experiments.abstract.missions import Missions
from robotd.experiments.abstract.theorem import excused, failed, horizon
from robotd.experiments.termination import draw_missions

NONE_DONE = np.zeros((1, 3), np.int64)


def sound(**changes: object) -> Missions:
    """Two robots and three tasks: 0 by robot 0 alone, 1 by robot 1 alone, 2 by both, and 2 needs 0."""
    missions = draw_missions(keys([1], "theorem"), 2, 3)
    plain = Missions.plain(missions.key, np.full((1, 2, 3), 30.0), missions.params, 1.5)
    able = np.array([[[True, False, True], [False, True, True]]])
    needs = np.zeros((1, 3, 3), np.bool_)
    needs[0, 2, 0] = True
    return replace(plain, able=able, needs=needs, **changes)  # type: ignore[arg-type]


def test_nothing_is_excused_while_no_robot_has_failed() -> None:
    assert excused(sound(), 1e6, NONE_DONE).tolist() == [[False, False, False]]


def test_the_tasks_of_dead_robots_and_those_that_need_them_are_excused_from_their_death_on() -> None:
    missions = sound(robot_at=np.array([[10.0, np.inf]]))
    assert excused(missions, 9.0, NONE_DONE).tolist() == [[False, False, False]]
    assert excused(missions, 10.0, NONE_DONE).tolist() == [[True, False, True]]
    done = np.array([[1, 0, 0]])  # before it died
    assert excused(missions, 10.0, done).tolist() == [[False, False, False]]


def test_a_dead_radio_excuses_nothing() -> None:
    assert not excused(sound(radio_at=np.zeros((1, 2))), 1e6, NONE_DONE).any()


def test_a_task_that_no_robot_was_ever_able_to_do_is_not_excused() -> None:
    able = np.array([[[False, False, True], [False, True, True]]])
    assert excused(replace(sound(), able=able), 1e6, NONE_DONE).tolist() == [[False, False, False]]


def test_a_blind_robot_has_failed_at_that_task_and_a_deluded_one_at_all() -> None:
    sensor_at = np.full((1, 2, 3), np.inf)
    sensor_at[0, 1, 1] = 5.0
    blind = sound(sensor_at=sensor_at, blind=np.ones((1, 2, 3), np.bool_))
    deluded = sound(sensor_at=sensor_at)
    assert failed(blind, 5.0)[0, 1].tolist() == [False, True, False]
    assert failed(deluded, 5.0)[0, 1].tolist() == [True, True, True]
    assert not failed(deluded, 4.0).any()


def test_the_horizon_lies_behind_the_last_failure_and_grows_with_the_work() -> None:
    base = horizon(sound())[0]
    assert np.isfinite(base)
    assert horizon(sound(robot_at=np.array([[500.0, np.inf]])))[0] == base + 500.0
    assert horizon(sound(rounds=np.array([[2, 1, 1]])))[0] > base


def test_drawn_missions_cover_every_task_and_need_nothing_in_a_circle() -> None:
    missions = draw_missions(keys(range(300), "termination"), 3, 5)
    assert missions.able.any(axis=1).all()
    assert not missions.able.all()
    assert not (missions.needs & (np.arange(5) >= np.arange(5)[:, None])).any()
    assert (missions.params.slow_rate < missions.params.fast_rate[..., None]).all()
    for at in (missions.robot_at, missions.radio_at, missions.sensor_at):
        assert 0.02 < np.isfinite(at).mean() < 0.4
