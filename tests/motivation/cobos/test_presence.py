"""Who is in a network, by statements that are relayed."""

from motivation.cobos import presence
from robotd.model.statements import Heard, Statement


def frame(at: float, sender: int, *statements: Statement) -> Heard:
    return Heard(at, sender, 1, running=True, same_mission=True, statements=statements)


TEAM = (1, 2, 3, 4, 5, 6, 7, 9, 12)


def chain(robots: int, beats: int, *, silent: int = 0, after: int = 0) -> list[dict[int, float]]:
    """What each robot of a line knows, in reach of its neighbours; `silent` stops at beat `after`."""
    seen: list[dict[int, float]] = [{} for _ in range(robots)]
    for beat in range(beats):
        for k in range(robots):
            now = 3.0 * (beat + k / robots)
            if TEAM[k] == silent and beat >= after:
                continue
            reports = presence.reported(TEAM[k], seen[k], TEAM, now, 3.0)
            for other in (k - 1, k + 1):
                if 0 <= other < robots:
                    seen[other] = presence.received(
                        TEAM[other], seen[other], TEAM, [frame(now, TEAM[k], *reports)], 3.0
                    )
    return seen


def test_a_robot_two_hops_away_belongs_to_the_network() -> None:
    seen = chain(3, 6)
    assert presence.network(seen[0], 18.0, 12.0) == {2, 3}
    assert presence.network(seen[2], 18.0, 12.0) == {1, 2}


def test_a_robot_that_left_is_gone_everywhere_within_the_window_and_a_beat_and_no_relay_keeps_it() -> None:
    for beats in range(5, 20):
        seen = chain(3, beats, silent=3, after=4)
        gone = 3.0 * beats > 3.0 * 4 + 12.0 + 3.0
        for robot in (0, 1):
            assert (3 in presence.network(seen[robot], 3.0 * beats, 12.0)) <= (not gone)


def test_nine_robots_take_two_statements_and_the_ninth_is_relayed() -> None:
    seen = {robot: 0.0 for robot in TEAM if robot != 1}
    reports = presence.reported(1, seen, TEAM, 3.0, 3.0)
    assert [one.kind for one in reports] == ["presence", "presence-more"]
    latest = presence.received(2, {}, TEAM, [frame(5.0, 1, *reports)], 3.0)
    assert latest == {1: 5.0} | {robot: 2.0 for robot in TEAM if robot not in (1, 2)}


def test_no_robot_of_another_mission_or_team_is_present() -> None:
    foreign = Heard(5.0, 2, 1, running=True, same_mission=False, statements=())
    assert presence.received(1, {}, TEAM, [foreign, frame(5.0, 30)], 3.0) == {}


def test_an_old_frame_does_not_make_anybody_older() -> None:
    latest = presence.received(1, {2: 9.0}, TEAM, [frame(5.0, 2)], 3.0)
    assert latest == {2: 9.0}
