"""Who keeps a task: attempts, claims that cross on the air, yielding and giving up."""

from __future__ import annotations

from motivation.alliance.equations import hear

from .lone_robot import THETA, Robot


def test_a_new_attempt_restarts_patience_but_resets_nobody() -> None:
    robot = Robot(patience=6.0).hears(elapsed=0.0).until(7.0)
    before = robot.level
    robot.hears(elapsed=0.0).until(13.0)
    assert robot.level == before + 12 * 0.25


def test_a_statement_of_the_same_claim_does_not_restart_patience() -> None:
    robot = Robot(patience=6.0).hears(elapsed=0.0).until(7.0)
    before = robot.level
    assert robot.hears(elapsed=5.0).until(7.5).level == before + 1.0


def test_a_claim_that_began_a_beat_after_the_last_is_not_yet_a_new_attempt() -> None:
    robot = Robot(patience=6.0).hears(elapsed=0.0).until(7.0).hears(elapsed=4.0)
    assert not robot.state.attempt.any()
    robot = Robot(patience=6.0).hears(elapsed=0.0).until(7.0).hears(elapsed=3.9)
    assert robot.state.attempt[0, 0]


def test_a_claim_of_unstated_age_goes_on_while_its_sender_is_heard() -> None:
    robot = Robot().hears().until(11.5).hears()
    assert robot.state.began[0, 0] == 0.0


def test_a_claim_of_unstated_age_begins_anew_after_silence_that_equals_the_timeout_nearly() -> None:
    for late, began in ((-5e-9, 0.0), (-5e-10, 12.0 - 5e-10)):
        robot = Robot().hears()
        hear(robot.state, robot.params, robot.mask(0, 0), 12.0 + late)
        assert robot.state.began[0, 0] == began


def test_a_claim_of_unstated_age_begins_anew_after_silence() -> None:
    robot = Robot().hears().until(12.0).hears()
    assert robot.state.began[0, 0] == 12.0
    assert robot.state.patience_start[0, 0] == 12.0


# -- claims that cross on the air


def ranked(**changed: float) -> Robot:
    """Teammate 0 wins a tie against this robot, mate 1 does not."""
    return Robot(outranks=[True, False], **changed)


def test_a_first_statement_of_a_newer_claim_does_not_reset_an_active_set() -> None:
    robot = Robot().until(8.0).hears(elapsed=1.0).until(8.5)
    assert (robot.level, robot.active) == (THETA, [0])


def test_an_older_claim_takes_a_set_back_in_its_first_three_beats() -> None:
    robot = Robot().until(8.0).hears(elapsed=4.0).until(8.5)  # began at 4, this robot's at 5
    assert (robot.level, robot.active) == (0.0, [])
    assert robot.result.reset_by.tolist() == [[True, False]]


def test_an_older_claim_no_longer_takes_it_back_after_three_beats() -> None:
    assert Robot().until(13.0).hears(elapsed=10.0).until(13.5).active == []
    assert Robot().until(13.5).hears(elapsed=10.0).until(14.0).active == [0]


def late_attempt() -> Robot:
    """Active since 10.5 s although mate 0 was heard; at 12 s it says that it began again at 9 s."""
    return Robot(slow_rate=1.0).hears(elapsed=8.0).until(12.0).hears(elapsed=3.0)


def test_an_older_claim_takes_it_back_in_a_new_attempt_too_unless_the_task_is_done_by_then() -> None:
    robot = late_attempt()
    assert (robot.active, robot.state.claimed_at[0]) == ([0], 10.5)
    assert robot.until(12.5).active == []
    assert late_attempt().done().until(12.5).active == [0]


def test_of_two_claims_within_a_fifth_of_a_beat_the_lower_number_keeps_it() -> None:
    assert ranked().until(8.0).hears(0, elapsed=2.5).until(8.5).active == []
    assert ranked().until(8.0).hears(1, elapsed=2.5).until(8.5).active == [0]
    assert ranked().until(8.0).hears(0, elapsed=2.0).until(8.5).active == [0]


# -- acquiescence


def test_after_the_yield_time_a_robot_yields_to_a_newer_claim() -> None:
    robot = Robot(yield_time=6.0).until(10.0).hears(elapsed=0.0).until(11.0)  # active since 5
    assert robot.active == [0]
    assert robot.until(11.5).active == []
    assert robot.result.yields_to.tolist() == [[True, False]]


def test_after_the_yield_time_a_robot_does_not_yield_to_an_older_claim() -> None:
    robot = Robot(yield_time=6.0).until(14.5).hears(elapsed=13.0).until(20.0)
    assert robot.active == [0]


def test_after_the_yield_time_a_robot_alone_goes_on() -> None:
    assert Robot(yield_time=6.0).until(60.0).active == [0]


def test_a_robot_does_not_yield_to_a_teammate_that_fell_silent() -> None:
    assert Robot(yield_time=20.0).until(10.0).hears(elapsed=0.0).until(25.0).active == [0]


def test_of_two_claims_within_a_beat_the_higher_number_yields() -> None:
    assert ranked(yield_time=6.0).until(11.0).hears(0, elapsed=3.0).until(11.5).active == []
    assert ranked(yield_time=6.0).until(11.0).hears(1, elapsed=3.0).until(11.5).active == [0]


def test_after_the_give_up_time_a_robot_gives_up_regardless() -> None:
    robot = Robot(give_up_time=6.0).until(11.0)
    assert robot.active == [0]
    assert robot.until(11.5).active == []
    assert robot.result.gave_up.tolist() == [True]
    assert not robot.result.yields_to.any()


def test_literal_paper_rule_a_first_statement_resets_an_active_set() -> None:
    robot = Robot(literal_paper_rule=True).until(30.0).hears(elapsed=1.0).until(30.5)
    assert robot.active == []


def test_literal_paper_rule_a_robot_yields_to_whoever_is_heard() -> None:
    robot = Robot(literal_paper_rule=True, yield_time=6.0).until(2.0).hears(elapsed=2.0)
    robot.until(22.0, states_every=3.0)
    assert robot.active == []
    assert Robot(literal_paper_rule=True, yield_time=6.0).until(22.0).active == [0]


def share_of_time_with_one_on_the_task(literal_paper_rule: bool) -> float:
    """Two equal robots, one endless task, 300 s; both state what they do every 3 s, so their claims cross."""
    robots = [
        Robot(mates=1, tick=0.2, yield_time=20.0, outranks=i == 1, literal_paper_rule=literal_paper_rule)
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


def test_two_equal_robots_settle_who_works_and_literal_paper_rule_they_do_not() -> None:
    assert share_of_time_with_one_on_the_task(literal_paper_rule=False) > 0.85
    assert share_of_time_with_one_on_the_task(literal_paper_rule=True) < 0.4
