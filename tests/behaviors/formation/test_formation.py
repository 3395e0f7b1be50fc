"""The sets of walkers in formation, on made sights: marks of 0.1 m on teammates r2 and r3, a beacon ahead."""

import math

import pytest

from behaviors.engine import Behaviors
from behaviors.formation.follow import BACK, BACK_S, BEFORE_S, LEFT_S, PASS_M, Follow
from behaviors.formation.keep import KeepFormation
from behaviors.formation.lead import Lead
from behaviors.formation.search import Search
from behaviors.formation.sighting import Spot, closeness
from behaviors.parts import Drive, Out, Percept, by_sector
from robotd.model.beliefs import Beliefs, Teammate
from robotd.model.choice import Choice
from robotd.model.facts import FactKind
from robotd.model.inputs import Inputs
from robotd.model.senses import Capabilities, Pose, Senses, Sight
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Assignment, Task

MARK_M = 0.1
LATELY_S = 1e3  # later than any test
NUMBERS = {"r1": 1, "r2": 2, "r3": 3}
LEAD = TaskEntry(Task("lead", (), "lead"), 1, completion="walked")
TABLE = NumberTable(
    tuple(Member(name, number, "walker") for name, number in NUMBERS.items()), (LEAD,),
    (FactKind("walked", 1, "flag"),), beat_s=0.1,
)  # fmt: skip
BODY = Capabilities(("camera", "mobile"), max_speed=0.2, wheel_base=0.13, radius=0.17)
BEHIND = {"r2": (-0.45, 0.45), "r3": (-0.45, -0.45)}


def beliefs(at_s: float = LATELY_S, **tasks: str) -> Beliefs:
    """What r1 knows: on what its teammates state to work, received `at_s` after the start."""
    teammates = {NUMBERS[name]: Teammate(at_s, task) for name, task in tasks.items()}
    return Beliefs(TABLE, 1, running=True, teammates=teammates)


def senses(
    walked_m: float = 0.0, heading: float = 0.0, stalled: bool = False, beacon: float | None = None,
    **places: tuple[float, float],
) -> Senses:  # fmt: skip
    """Teammates at places along the course, m ahead and left, and the beacon at a bearing, rad."""
    sights = [] if beacon is None else [Sight("mark", beacon, 0.03, None, "goal")]
    for name, place in places.items():
        spot = Spot(*place).turned(heading)
        sights.append(Sight("mark", spot.bearing, MARK_M / spot.far, None, name))
    return Senses(odometry=Pose(walked_m, 0.0, heading, 0.0), sights=tuple(sights), stalled=stalled)


def percept(now: float, *tasks: str, **what: object) -> Percept:
    return Percept(now, round(10 * now), senses(**what), BODY, None, by_sector(()), tasks=tasks)  # type: ignore[arg-type]


def drive(out: Out | None) -> Drive:
    assert out is not None
    assert out.drive is not None
    return out.drive


def fitness(group: object, **places: tuple[float, float]) -> float:
    return group.assess(percept(0.0, **places), beliefs(), Task("x", (), "x")).fitness  # type: ignore[attr-defined,no-any-return]


# -- what is seen


@pytest.mark.parametrize("angle", [0.0, 0.7, -2.0])
def test_a_place_turned_there_and_back_is_the_same(angle: float) -> None:
    assert Spot(0.3, -0.4).turned(angle).turned(-angle) == pytest.approx((0.3, -0.4))
    assert Spot(1.0, 0.0).turned(angle).bearing == pytest.approx(-angle)


def test_a_robot_is_fit_for_a_place_as_near_as_it_is_to_it_and_not_at_all_where_it_sees_none() -> None:
    assert closeness({2: Spot(0.3, -0.4)}, 0.0, (0.3, -0.4)) == 1.0
    assert closeness({2: Spot(0.3, 0.6)}, 0.0, (0.3, -0.4)) == pytest.approx(0.5)
    assert closeness({2: Spot(5.0, 5.0)}, 0.0, (0.3, -0.4)) == 0.0
    assert closeness({}, 0.0, (0.3, -0.4)) == 0.0


def test_side_by_side_the_middle_robot_is_fittest_to_lead_and_the_outer_ones_for_their_sides() -> None:
    """With one neighbour missed, the middle robot takes itself for an outer one (trap B-13)."""
    sets = {
        "lead": Lead(Lead.Settings(team_m=(-0.45, 0.0))),
        "left": Follow(Follow.Settings(of=("lead",), side="left", team_m=(0.22, -0.67))),
        "right": Follow(Follow.Settings(of=("lead",), side="right", team_m=(0.22, 0.67))),
    }

    def best(**places: tuple[float, float]) -> str:
        return max(sets, key=lambda name: fitness(sets[name], **places))

    left, right = (0.0, 0.44), (0.0, -0.44)
    assert best(r2=left, r3=right) == "lead"
    assert best(r2=right, r3=(0.0, -0.88)) == "left"
    assert best(r2=left, r3=(0.0, 0.88)) == "right"
    assert best(r2=left) == "right"


# -- search


def test_a_search_looks_to_both_sides_and_is_over_when_enough_teammates_were_seen() -> None:
    group = Search(Search.Settings(sees=2, look_s=1.6))
    here, task = beliefs(1.5, r2="search", r3="search"), Task("search", (), "search")
    group.enter(0.0, task)
    turns = [drive(group.one.act(percept(now, r2=(0.0, 0.4)), here)).turn for now in (0.1, 0.5, 1.3)]
    assert turns[0] > 0.0 > turns[1]
    assert turns[2] > 0.0
    group.one.act(percept(2.0), here)
    assert not group.assess(percept(2.0), here, task).done
    group.one.act(percept(2.2, r3=(0.0, -0.4)), here)
    assert group.assess(percept(2.2), here, task).done


def test_a_search_waits_for_no_teammate_that_it_does_not_receive() -> None:
    group = Search(Search.Settings(sees=2, look_s=1.6))
    group.enter(0.0, Task("search", (), "search"))
    for here in (beliefs(r2="search", r3="search"), beliefs(0.0, r2="search", r3="search")):
        assert not group.one.state.over
        group.one.act(percept(1.7, r2=(0.0, 0.4)), here)
    assert group.one.state.over


def test_a_search_ends_facing_the_course_and_past_the_end_of_the_way_none_begins() -> None:
    group, task = Search(Search.Settings(look_s=1.0, to_m=4.7)), Task("search", (), "search")
    group.enter(0.0, task)
    assert drive(group.one.act(percept(1.1, r2=(0.0, 0.4), heading=0.9), beliefs(r2="search"))).turn < 0.0
    assert not group.one.state.over
    assert group.assess(percept(1.2, walked_m=4.6), beliefs(), task).applicable
    assert not group.assess(percept(1.2, walked_m=4.8), beliefs(), task).applicable


# -- the formation as a whole


def watch(*, seen_s: float, until_s: float, task: str = "follow-left", lead: str = "lead") -> bool:
    """Whether the formation is over for a robot on `task` that has seen r2, on `lead`, for so long."""
    group = KeepFormation(KeepFormation.Settings(follows={"follow-left": "lead"}, lost_s=2.0, find_s=6.0))
    group.enter(0.0, Task("triangle", (), "triangle"))
    for tick in range(round(10 * until_s)):
        now = tick / 10
        places = {"r2": (0.5, -0.4)} if now < seen_s else {"r3": (0.0, -0.9)}
        group.one.act(percept(now, "triangle", task, **places), beliefs(now, r2=lead))
    return group.one.state.over


def test_a_formation_is_over_for_a_robot_that_has_lost_the_one_that_it_follows() -> None:
    assert not watch(seen_s=1.0, until_s=2.9)
    assert watch(seen_s=1.0, until_s=3.2)


def test_it_takes_longer_until_the_leader_must_have_been_seen_at_first() -> None:
    assert not watch(seen_s=0.0, until_s=5.9)
    assert watch(seen_s=0.0, until_s=6.2)


def test_a_leader_loses_no_robot_and_a_leader_that_has_ended_is_not_lost() -> None:
    assert not watch(seen_s=0.0, until_s=9.0, task="lead")
    group = KeepFormation(KeepFormation.Settings(follows={"follow-left": "lead"}, lost_s=2.0))
    group.one.act(percept(0.0, "triangle", "follow-left", r2=(0.5, -0.4)), beliefs(r2="lead"))
    group.one.act(percept(5.0, "triangle", "follow-left"), beliefs(r2="triangle"))
    group.one.act(percept(9.0, "triangle", "follow-left"), beliefs(r2="triangle"))
    assert not group.one.state.over


def test_a_parent_sees_on_what_the_sets_below_it_work() -> None:
    keep = KeepFormation(KeepFormation.Settings(follows={"follow-left": "lead"}))
    engine = Behaviors({}, {"keep": keep, "lead": Lead(Lead.Settings())})
    path = [Assignment("keep", Task("triangle", (), "triangle")), Assignment("lead", LEAD.task)]
    engine.act(Inputs(0.0, 0, senses(), BODY), beliefs(), Choice(tuple(path)))
    assert engine._percept is not None
    assert engine._percept.tasks == ("triangle", "lead")


# -- lead


def lead(**settings: object) -> Lead:
    wants = {"follow-left": BEHIND["r2"], "follow-right": BEHIND["r3"]}
    group = Lead(Lead.Settings(**{"wants": wants, "to_m": 3.0, **settings}))  # type: ignore[arg-type]
    group.enter(0.0, LEAD.task)
    return group


ROLES = {"r2": "follow-left", "r3": "follow-right"}
CROSSED = {"r2": "follow-right", "r3": "follow-left"}


def test_a_leader_walks_ahead_waits_for_its_followers_and_walks_on() -> None:
    group = lead()
    speeds = [
        drive(group.one.act(percept(now, walked_m=way, **places), beliefs(**ROLES))).speed
        for now, way, places in ((0.0, 0.0, {}), (3.0, 0.5, {}), (4.0, 0.5, BEHIND), (4.1, 0.5, {}))
    ]
    assert [speed > 0.0 for speed in speeds] == [True, False, False, True]


def test_a_leader_waits_for_followers_on_the_wrong_sides_but_not_for_ever() -> None:
    group = lead(wait_s=20.0)
    for now, walks in ((0.0, True), (4.0, False), (19.0, False), (20.1, False), (20.2, True)):
        out = group.one.act(percept(now, walked_m=0.0 if now == 0.0 else 0.5, **BEHIND), beliefs(**CROSSED))
        assert (drive(out).speed > 0.0) == walks


def test_a_leader_does_not_wait_for_a_place_that_no_robot_takes() -> None:
    group, places = lead(), {"r2": BEHIND["r2"]}
    group.one.act(percept(0.0), beliefs(r2="follow-left"))
    group.one.act(percept(3.0, walked_m=0.5, **places), beliefs(r2="follow-left"))
    assert drive(group.one.act(percept(3.1, walked_m=0.5, **places), beliefs(r2="follow-left"))).speed > 0.0


def test_a_leader_steers_to_the_beacon_and_where_it_sees_none_as_at_its_start() -> None:
    assert drive(lead().one.act(percept(0.0, beacon=0.4), beliefs())).turn > 0.0
    assert drive(lead().one.act(percept(0.0, heading=0.4), beliefs())).turn < 0.0


def test_at_the_end_of_the_way_the_leader_is_done_and_asserts_the_completion() -> None:
    group = lead()
    assert not group.one.act(percept(0.0, walked_m=2.9), beliefs()).facts  # type: ignore[union-attr]
    out = group.one.act(percept(1.0, walked_m=3.0), beliefs())
    assert [fact.name for fact in out.facts] == ["walked"]  # type: ignore[union-attr]
    assert group.assess(percept(1.0, walked_m=3.0), beliefs(), LEAD.task).done


# -- follow


def follow(side: str = "left", **settings: object) -> Follow:
    group = Follow(Follow.Settings(of=("lead",), side=side, **settings))  # type: ignore[arg-type]
    group.enter(0.0, Task("follow", (), "follow"))
    return group


def heading_of(out: Out | None) -> float:
    """Which way it turns: 1 left, -1 right, 0 straight on."""
    turn = drive(out).turn
    return 0.0 if abs(turn) < 0.1 else math.copysign(1.0, turn)


@pytest.mark.parametrize(("side", "turn"), [("left", 1.0), ("right", -1.0), ("behind", 0.0)])
def test_a_follower_walks_to_its_side_of_the_leader(side: str, turn: float) -> None:
    out = follow(side).one.act(percept(0.0, r2=(1.2, 0.0)), beliefs(r2="lead", r3=""))
    assert heading_of(out) == turn
    assert drive(out).speed > 0.0


def test_in_its_place_a_follower_stops_and_before_it_waits_and_then_turns_back() -> None:
    group = follow("behind")
    here = beliefs(r2="lead")
    assert drive(group.one.act(percept(0.0, r2=(0.46, 0.0)), here)).speed == 0.0
    assert drive(group.one.act(percept(1.0, r2=(0.0, 0.5)), here)).speed >= 0.0
    group = follow("behind")
    group.one.act(percept(0.0, r2=(-0.3, 0.1)), here)
    assert drive(group.one.act(percept(BEFORE_S - 0.1, r2=(-0.3, 0.1)), here)).turn == 0.0
    assert abs(drive(group.one.act(percept(BEFORE_S + 0.1, r2=(-0.3, 0.1)), here)).turn) > 1.0


def test_across_the_course_a_follower_walks_slowly_and_round_a_teammate_behind_it() -> None:
    group, here = follow("left", across=0.4), beliefs(r2="lead", r3="follow-right")
    free = group.one.act(percept(0.0, r2=(0.45, 0.9)), here)
    assert drive(free).speed <= 0.4
    place, teammate = Spot(0.0, 1.35), Spot(0.0, 0.5)
    assert group.one._way(place, [], 0.0) == place
    assert group.one._way(place, [teammate], 0.0) == Spot(-PASS_M["left"], 0.5)
    assert follow("right").one._way(Spot(0.0, -1.35), [Spot(0.0, -0.5)], 0.0) == Spot(-PASS_M["right"], -0.5)
    assert group.one._way(place, [Spot(0.0, -0.5), Spot(0.9, 0.5)], 0.0) == place


def test_a_leader_that_is_received_no_more_leads_no_more() -> None:
    out = follow("left").one.act(percept(9.0, r2=(0.5, 0.0), r3=(2.0, 0.0)), beliefs(0.0, r2="lead"))
    assert drive(out).speed == 0.0


def test_out_of_sight_of_the_leader_a_follower_goes_to_where_its_place_was() -> None:
    group, here = follow("behind"), beliefs(r2="lead")
    assert drive(group.one.act(percept(0.0), here)).speed == 0.0  # it has never seen it
    group.one.act(percept(0.1, r2=(1.45, 0.0)), here)
    assert drive(group.one.act(percept(1.0, walked_m=0.5), here)).speed > 0.0
    assert drive(group.one.act(percept(2.0, walked_m=0.97), here)).speed == 0.0


def test_a_follower_that_stalls_backs_up_for_a_while() -> None:
    group, here = follow("behind"), beliefs(r2="lead")
    assert drive(group.one.act(percept(0.0, r2=(1.5, 0.0), stalled=True), here)) == Drive(-BACK, 0.0)
    assert drive(group.one.act(percept(BACK_S - 0.1, r2=(1.5, 0.0)), here)).speed == -BACK
    assert drive(group.one.act(percept(BACK_S + 0.1, r2=(1.5, 0.0)), here)).speed > 0.0


def test_a_follower_is_done_at_the_end_of_its_way_or_in_its_place_when_the_leader_has_ended() -> None:
    task = Task("follow", (), "follow")
    group = follow("behind", to_m=2.0)
    group.one.act(percept(0.0, walked_m=1.9, r2=(0.5, 0.0)), beliefs(r2="lead"))
    assert not group.assess(percept(0.0), beliefs(), task).done
    group.one.act(percept(0.1, walked_m=2.0, r2=(0.5, 0.0)), beliefs(r2="lead"))
    assert group.assess(percept(0.1), beliefs(), task).done
    for ahead, done in ((0.5, True), (1.5, False)):
        group = follow("behind", to_m=9.0)
        group.one.act(percept(0.0, r2=(ahead, 0.0)), beliefs(r2="lead"))
        group.one.act(percept(0.1, r2=(ahead, 0.0)), beliefs(r2="triangle"))
        assert not group.one.state.over
        group.one.act(percept(0.2 + LEFT_S, r2=(ahead, 0.0)), beliefs(r2="triangle"))
        assert group.one.state.over == done
