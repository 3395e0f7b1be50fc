"""Following, standing guard, cleaning up and monitoring, by what one robot senses."""

import math

import pytest

from behaviors.engine import Behaviors
from behaviors.errands.cleanup_boxes import CleanupBoxes
from behaviors.errands.monitor_object import MonitorObject
from behaviors.errands.object_tracking import ObjectTracking
from behaviors.errands.sentry_duty import SentryDuty
from behaviors.layers.avoid_obstacles import AvoidObstacles
from behaviors.layers.bump_escape import BumpEscape
from behaviors.parts import Percept
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Choice
from robotd.model.facts import FactKind
from robotd.model.inputs import Inputs
from robotd.model.senses import Sight
from robotd.model.table import NumberTable
from robotd.model.tasks import Task
from tests.behaviors.senses import BODY, percept, sensing

BELIEFS = Beliefs(NumberTable((), (), (FactKind("alarms", 1, "count"),)), 1)
TRACK = Task("object-tracking", (("object", "red"),), "a.0")
GUARD = Task("sentry-duty", (("mark", "door"), ("x", "1.0"), ("y", "1.0")), "a.1")
CLEAN = Task("cleanup-boxes", (("colour", "green"),), "a.2")
ROOM = (10.0, 10.0)


def see(i: Percept, *sights: Sight) -> Percept:
    return sensing(i, sights=sights)


def mark(label: str, far: float, bearing: float = 0.0) -> Sight:
    return Sight("mark", bearing, None, far, label)


def box(far: float, bearing: float = 0.0, colour: str = "green") -> Sight:
    return Sight("puck", bearing, None, far, colour)


def tracking() -> ObjectTracking:
    made = ObjectTracking(ObjectTracking.Settings(room=ROOM))
    made.enter(0.0, TRACK)
    return made


@pytest.mark.parametrize(
    ("far", "bearing", "speed", "turn"),
    [(4.0, 0.0, 1, 0), (1.2, 0.0, 0, 0), (0.6, 0.0, -1, 0), (4.0, 0.3, 1, 1), (4.0, -0.8, 0, -1)],
)
def test_an_object_is_followed_at_a_safe_distance(far: float, bearing: float, speed: int, turn: int) -> None:
    out = tracking().behaviors[0].act(see(percept(), mark("red", far, bearing)), BELIEFS)
    assert (out.drive.speed > 0) - (out.drive.speed < 0) == speed
    assert (out.drive.turn > 0) - (out.drive.turn < 0) == turn


def test_an_object_out_of_the_picture_is_looked_for_first_where_it_was_then_all_about() -> None:
    follow = tracking().behaviors[0]
    follow.act(see(percept(), mark("red", 3.0, -0.4)), BELIEFS)
    assert follow.act(see(percept(10), mark("blue", 3.0, 0.4)), BELIEFS).drive.turn < 0.0
    turning = follow.act(percept(50), BELIEFS).drive
    assert (turning.speed, turning.turn > 0.0) == (0.0, True)
    assert follow.act(percept(150), BELIEFS).drive.turn != turning.turn  # a leg to another view


def test_a_robot_that_sees_the_object_is_fitter_and_the_nearer_the_fitter() -> None:
    fitness = [
        tracking().assess(see(percept(), *sights), BELIEFS, TRACK).fitness
        for sights in ((), (mark("blue", 1.0),), (mark("red", 5.0),), (mark("red", 1.0),))
    ]
    assert fitness[0] == fitness[1] < fitness[2] < fitness[3] <= 1.0


def guard(n: int, at: float, seen: dict[int, float] | None = None, heading: float = 0.0) -> Percept:
    return percept(n, seen, pose=(at, 1.0, heading))


def on_watch() -> SentryDuty:
    """One that has come to the mark at (1, 1), turned about and watches since tick 1."""
    made = SentryDuty(SentryDuty.Settings(alarm="alarms"))
    made.enter(0.0, GUARD)
    made.behaviors[0].act(guard(0, 0.9), BELIEFS)
    made.behaviors[0].act(guard(1, 0.9, {0: 0.5}, math.pi), BELIEFS)
    made.behaviors[0].act(guard(2, 0.9, {0: 0.5}, math.pi), BELIEFS)
    return made


def test_a_sentry_drives_to_its_mark_and_turns_about() -> None:
    made = SentryDuty(SentryDuty.Settings())
    made.enter(0.0, GUARD)
    keep = made.behaviors[0]
    assert keep.act(guard(0, -3.0), BELIEFS).drive.speed > 0.0
    by_sight = keep.act(see(guard(1, -3.0), mark("door", 3.0, 0.8)), BELIEFS)
    assert by_sight.drive.turn > 0.0  # the mark is where the camera sees it
    about = keep.act(see(guard(2, 0.9), mark("door", 0.3)), BELIEFS).drive
    assert about.speed == 0.0
    assert abs(about.turn) > 1.0


def test_what_moves_near_a_sentry_raises_the_alarm_once() -> None:
    keep = on_watch().behaviors[0]
    calm = [keep.act(guard(n, 0.9, {0: 0.52}, math.pi), BELIEFS) for n in range(22, 40)]
    assert [out.facts for out in calm] == [()] * 18
    loud = keep.act(guard(41, 0.9, {0: 0.3}, math.pi), BELIEFS)
    assert [(fact.name, fact.value) for fact in loud.facts] == [("alarms", (1.0,))]
    assert loud.sound is not None
    assert keep.act(guard(45, 0.9, {0: 0.7}, math.pi), BELIEFS).facts == ()  # not again so soon
    assert keep.act(guard(700, 0.9, {0: 0.7}, math.pi), BELIEFS).facts != ()


def test_the_nearest_robot_is_the_fittest_sentry() -> None:
    made = SentryDuty(SentryDuty.Settings())
    near, far = (made.assess(guard(0, x), BELIEFS, GUARD).fitness for x in (2.0, 6.0))
    assert 0.0 < far < near < 1.0


def cleaning() -> CleanupBoxes:
    made = CleanupBoxes(CleanupBoxes.Settings(room=ROOM))
    made.enter(0.0, CLEAN)
    return made


def phases(*inputs: Percept) -> list[str]:
    push = cleaning().behaviors[0]
    return [push.state.phase for one in inputs if push.act(one, BELIEFS) is not None]


def test_a_box_is_rounded_aimed_at_pushed_to_its_wall_and_left() -> None:
    """The box lies at (3, 5), the nearest wall is the one at x = 0: it is pushed from x = 3.7."""
    seen = see(percept(0, pose=(6.0, 5.0, math.pi)), box(3.0))
    behind = see(percept(1, pose=(3.7, 5.0, math.pi)), box(0.7))
    pushing = see(percept(2, pose=(3.0, 5.0, math.pi), bumped=0), box(0.3))
    at_wall = see(percept(3, pose=(0.45, 5.0, math.pi), bumped=0), box(0.3))
    assert phases(seen, behind, behind, pushing, at_wall, percept(40)) == [
        "round", "aim", "push", "push", "back", "seek",
    ]  # fmt: skip


@pytest.mark.parametrize("sight", [box(2.0, colour="red"), box(2.8)], ids=["another colour", "at the wall"])
def test_another_box_or_one_at_the_wall_is_left_where_it_is(sight: Sight) -> None:
    assert phases(see(percept(pose=(3.0, 5.0, math.pi)), sight)) == ["seek"]


def test_no_layer_turns_it_away_from_the_box_that_it_pushes() -> None:
    push = cleaning().behaviors[0]
    push.state.phase, push.state.x = "push", 0.0
    out = push.act(percept(1, {0: 0.05}, pose=(3.0, 5.0, math.pi), bumped=0), BELIEFS)
    assert out.lines == ("pushing",)
    assert {wire.target for wire in push.wires} == {"avoid-obstacles", "bump-escape"}


def test_an_overhead_camera_logs_a_thing_when_it_appears_and_when_it_moves() -> None:
    made = MonitorObject(MonitorObject.Settings(x_m=5.0, y_m=5.0))
    made.enter(0.0, Task("monitor-object"))
    log = made.behaviors[0]
    entries = []
    for n, sights in enumerate([(mark("red", 2.0),), (mark("red", 2.1),), (mark("red", 3.0), box(1.0)), ()]):
        assert log.act(see(percept(n), *sights), BELIEFS) is None
        entries.append(log.state.entries)
    assert entries == [1, 1, 3, 3]
    assert log.state.last["red"] == pytest.approx((5.0, 8.0, 0.2))


def test_an_idle_robot_continues_to_avoid_collisions() -> None:
    """Paper 002, section VII-A: idle robots execute passive collision avoidance alone."""
    kinds = {"avoid-obstacles": AvoidObstacles, "bump-escape": BumpEscape}
    layers = {name: kind(kind.Settings()) for name, kind in kinds.items()}
    team = Behaviors(layers, {"object-tracking": ObjectTracking(ObjectTracking.Settings(room=ROOM))})
    for n, bumped in ((0, None), (1, 0)):
        i = percept(n, bumped=bumped)
        command = team.act(Inputs(i.now, i.n, i.senses, BODY), BELIEFS, Choice()).command
        assert (command.left + command.right < 0.0) == (bumped is not None)
