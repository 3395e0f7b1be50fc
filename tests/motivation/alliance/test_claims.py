"""Who keeps a task: attempts, claims that cross on the air, yielding and giving up."""

from .lone_robot import THETA, Robot


def test_a_new_attempt_restarts_patience_but_resets_no_motivation() -> None:
    robot = Robot(patience=6.0).hears(elapsed=0.0).until(7.0)
    before = robot.level
    robot.hears(elapsed=0.0).until(13.0)
    assert robot.level == before + 12 * 0.25


def test_a_first_statement_of_a_newer_claim_does_not_reset_an_active_set() -> None:
    robot = Robot().until(8.0).hears(elapsed=1.0).until(8.5)
    assert (robot.level, robot.active) == (THETA, [0])


def test_an_older_claim_takes_a_set_back_in_its_first_three_beats() -> None:
    robot = Robot().until(8.0).hears(elapsed=4.0).until(8.5)  # began at 4, this robot's at 5
    assert (robot.level, robot.active) == (0.0, [])
    assert robot.result.reset_by.tolist() == [[True, False]]


def test_after_the_yield_time_a_robot_yields_to_a_newer_claim() -> None:
    robot = Robot(yield_time=6.0).until(10.0).hears(elapsed=0.0).until(11.0)  # active since 5
    assert robot.active == [0]
    assert robot.until(11.5).active == []
    assert robot.result.yields_to.tolist() == [[True, False]]


def test_after_the_yield_time_a_robot_does_not_yield_to_an_older_claim() -> None:
    robot = Robot(yield_time=6.0).until(14.5).hears(elapsed=13.0).until(20.0)
    assert robot.active == [0]


def test_after_the_yield_time_a_robot_alone_continues() -> None:
    assert Robot(yield_time=6.0).until(60.0).active == [0]


def test_after_the_give_up_time_a_robot_gives_up_regardless() -> None:
    robot = Robot(give_up_time=6.0).until(11.0)
    assert robot.active == [0]
    assert robot.until(11.5).active == []
    assert robot.result.gave_up.tolist() == [True]
    assert not robot.result.yields_to.any()


def share_of_time_with_one_on_the_task(literal_paper_rule: bool) -> float:
    """Two equal robots, one endless task, 300 s; both state what they do every 3 s, so their claims cross."""
    robots = [
        Robot(teammates=1, tick=0.2, yield_time=20.0, outranks=i == 1, literal_paper_rule=literal_paper_rule)
        for i in range(2)
    ]
    one = 0
    for n in range(1, 1501):
        claims = [robot.state.claimed_at[0] if robot.active else None for robot in robots]
        for robot, claim in zip(robots, reversed(claims), strict=True):
            if n % 15 == 0 and claim is not None:
                robot.hears(elapsed=robot.now - claim)
            robot.until(n * 0.2)
        one += sum(bool(robot.active) for robot in robots) == 1
    return one / 1500


def test_two_equal_robots_settle_which_works_and_literal_paper_rule_they_do_not() -> None:
    assert share_of_time_with_one_on_the_task(literal_paper_rule=False) > 0.85
    assert share_of_time_with_one_on_the_task(literal_paper_rule=True) < 0.4
