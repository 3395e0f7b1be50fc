"""When a set takes over at the latest: the numbers are those of the law itself, run on virtual time."""

import math

import pytest

from motivation.alliance.timing import Times, takeover_s

from .lone_robot import THETA, TICK, Robot

TAU = 12.0


@pytest.mark.parametrize(
    ("slow", "held_s", "seconds"),
    [
        (1.0, 200.0, 100.0),  # the slow rate arrives first
        (1.0, 60.0, 64.0),  # 60 s at 1, then the last 40 at 10
        (2.0, math.inf, 50.0),
        (0.0, 60.0, 70.0),
        (0.0, math.inf, math.inf),
    ],
)
def test_a_takeover_follows_equation_1(slow: float, held_s: float, seconds: float) -> None:
    assert takeover_s(100.0, 10.0, slow, held_s) == pytest.approx(seconds)


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize(("slow", "patience"), [(0.5, 30.0), (0.5, 6.0), (1.5, 30.0), (0.1, 4.0)])
def test_the_law_takes_over_no_later_than_is_said_and_in_that_tick(
    slow: float, patience: float, exclusive: bool
) -> None:
    own = Times(
        THETA, fast_rate=2.0, slow_rate=slow, patience_s=patience, yields_s=60, gives_up_s=90, exclusive=exclusive
    )
    for states_every, timeout in ((0.0, TAU), (3.0, math.inf)):
        robot = Robot(silence_timeout=TAU, slow_rate=slow, patience=patience, exclusive=exclusive).hears()
        while not robot.active:
            robot.until(robot.now + TICK, states_every)
        latest = own.beside_claim_s("blue", timeout)
        assert latest - TICK <= robot.now <= latest + 2 * TICK  # a reset costs a tick, and so may a time-out


@pytest.mark.parametrize(("exclusive", "seconds"), [(False, 50.0), (True, 60.0 + 50.0)])
def test_beside_one_that_gives_up_and_tries_again_only_the_slow_rate_gets_there(
    exclusive: bool, seconds: float
) -> None:
    own = Times(
        THETA, fast_rate=2.0, slow_rate=0.2, patience_s=30, yields_s=60, gives_up_s=90, exclusive=exclusive
    )
    latest = own.beside_attempts_s("blue", ("blue", "gold"), gives_up_s=20.0)
    assert latest == seconds
    robot = Robot(slow_rate=0.2, exclusive=exclusive)
    while not robot.active:
        attempt = robot.now % 20.0
        if attempt % 3.0 == 0.0:
            robot.hears(elapsed=attempt)
        robot.until(robot.now + TICK)
    assert latest - 2 * TICK <= robot.now <= latest + 2 * TICK
    assert own.beside_attempts_s("blue", ("blue", "gold"), gives_up_s=30.0) == own.beside_claim_s("blue")
