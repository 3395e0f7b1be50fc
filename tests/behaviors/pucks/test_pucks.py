"""Visiting places, and finding and holding pucks: by what one robot senses, and with bodies in a room."""

import dataclasses
import math

import pytest

from behaviors.engine import Behaviors
from behaviors.layers.avoid_obstacles import AvoidObstacles
from behaviors.layers.bump_escape import BumpEscape
from behaviors.parts import Percept
from behaviors.pucks.find_attach import FindAttach
from behaviors.pucks.visit import Visit
from boards.mock.driver import MockR2
from boards.mock.settings import BodySpec, WorldSettings
from boards.mock.world import World
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Choice
from robotd.model.inputs import Inputs
from robotd.model.senses import Sight
from robotd.model.table import NumberTable
from robotd.model.tasks import Assignment, Task
from tests.behaviors.senses import BODY, percept, sensing

BELIEFS = Beliefs(NumberTable((), (), ()), 1)
PLACE = Task("visit", (("x", "5.0"), ("y", "1.0")), "t0")
RED = Task("find-attach", (("x", "5.0"), ("y", "1.0"), ("colour", "red")), "t1")


def at(x: float, *sights: Sight, n: int = 0, seen: dict[int, float] | None = None) -> Percept:
    return sensing(percept(n, seen, pose=(x, 1.0, 0.0)), sights=sights)


def puck(far: float, held: bool = False, bearing: float = 0.0, colour: str = "red") -> Sight:
    return Sight("puck", bearing, float(held), far, colour)


def visiting() -> Visit:
    made = Visit(Visit.Settings())
    made.enter(0.0, PLACE)
    return made


def attaching() -> FindAttach:
    made = FindAttach(FindAttach.Settings())
    made.enter(0.0, RED)
    return made


def test_a_visitor_drives_into_the_circle_rests_there_and_comes_back_when_it_was_pushed_out() -> None:
    go = visiting().behaviors[0]
    assert [go.act(at(x), BELIEFS).drive.speed > 0.0 for x in (1.0, 2.6, 3.1, 2.6, 2.4)] == [1, 1, 0, 0, 1]


def test_a_visitor_whose_way_is_blocked_rests_at_the_edge_of_the_circle() -> None:
    go = visiting().behaviors[0]
    speeds = [go.act(at(2.6, n=n), BELIEFS).drive.speed for n in range(0, 120, 5)]
    assert speeds[0] > 0.0
    assert speeds[-1] == 0.0


@pytest.mark.parametrize(("x", "progress"), [(1.0, 0.0), (2.4, 0.0), (2.6, 1.0), (5.0, 1.0)])
def test_the_progress_of_a_visit_is_one_at_the_place(x: float, progress: float) -> None:
    made = visiting().assess(at(x), BELIEFS, PLACE)
    assert (made.applicable, made.done, made.progress) == (True, False, progress)


@pytest.mark.parametrize(
    ("x", "sights", "progress"),
    [
        (1.0, (puck(4.0),), 0.0),
        (3.0, (), 0.5),
        (3.0, (puck(2.0),), 0.5),
        (3.0, (puck(2.0, held=True), puck(3.0)), 0.5),
        (3.0, (puck(0.3, held=True), puck(3.0)), 0.75),  # it holds one itself
        (3.0, (puck(0.3), puck(3.0, held=True)), 0.5),
        (3.0, (puck(2.0, held=True), puck(3.0, held=True)), 1.0),
        (3.0, (puck(2.0, held=True), puck(2.0, colour="blue")), 1.0),
        (3.0, (puck(2.0, held=True, colour="blue"),), 0.5),
        (3.0, (puck(2.0, held=True), puck(4.9, bearing=math.pi / 2)), 1.0),  # that one is of another place
    ],
)
def test_progress_is_one_while_all_pucks_of_the_colour_at_the_place_are_seen_held(
    x: float, sights: tuple[Sight, ...], progress: float
) -> None:
    made = attaching().assess(at(x, *sights), BELIEFS, RED)
    assert (made.applicable, made.done, made.progress) == (True, False, progress)


@pytest.mark.parametrize(
    ("sights", "holding"),
    [
        ((puck(0.3, held=True), puck(3.0, held=True)), True),
        ((puck(0.3, held=True), puck(3.0)), True),
        ((puck(2.0, held=True), puck(3.0, held=True)), False),  # one robot more than needed sees all held
        ((puck(0.3), puck(3.0, held=True)), False),
        ((), False),
    ],
)
def test_a_robot_at_rest_at_a_puck_that_is_held_holds_it_and_an_onlooker_does_not(
    sights: tuple[Sight, ...], holding: bool
) -> None:
    assert attaching().assess(at(3.0, *sights), BELIEFS, RED).holding == holding


def test_a_robot_drives_to_the_nearest_puck_that_is_not_held_and_keeps_to_it() -> None:
    attach = attaching().behaviors[0]
    attach.act(at(4.0, puck(1.0, held=True, bearing=-0.5), puck(1.2, bearing=0.4)), BELIEFS)
    assert attach.act(at(4.0, puck(1.0, bearing=-0.5), puck(1.2, bearing=0.4), n=5), BELIEFS).drive.turn > 0.0
    other = attach.act(at(4.0, puck(1.0, bearing=-0.5), puck(1.2, held=True, bearing=0.4), n=10), BELIEFS)
    assert other.drive.turn < 0.0  # another robot was there first


def test_a_robot_rests_at_its_puck_and_nothing_drives_it_off() -> None:
    attach = attaching().behaviors[0]
    assert attach.act(at(4.5, puck(0.5)), BELIEFS).drive.speed > 0.0
    out = attach.act(at(4.5, puck(0.24), n=5), BELIEFS)
    assert (out.drive.speed, out.lines) == (0.0, ("at-puck",))
    out = attach.act(at(4.5, puck(0.24, held=True), n=10), BELIEFS)
    assert (out.drive.speed, out.lines) == (0.0, ("at-puck", "holding"))


def test_a_puck_that_stays_dark_is_driven_nearer_to() -> None:
    attach = attaching().behaviors[0]
    speeds = [attach.act(at(4.5, puck(0.24), n=n), BELIEFS).drive.speed > 0.0 for n in range(0, 40, 4)]
    assert speeds[0] is False
    assert True in speeds


def test_of_two_robots_at_one_puck_one_leaves_for_the_dark_one() -> None:
    attach, both = attaching().behaviors[0], (puck(0.25, held=True), puck(2.0, bearing=2.0))
    held = [attach.act(at(4.5, *both, n=n, seen={45: 0.2}), BELIEFS).lines for n in range(0, 420, 5)]
    assert held[0] == ("at-puck", "holding")
    assert () in held
    alone = attaching().behaviors[0]
    assert all(alone.act(at(4.5, *both, n=n), BELIEFS).lines for n in range(0, 420, 5))


def test_where_all_are_held_one_robot_more_rests() -> None:
    assert attaching().behaviors[0].act(at(4.0, puck(1.5, held=True)), BELIEFS).drive.speed == 0.0


class Room:
    """Robots on one task in a room of 8 x 8 m, four ticks a second."""

    def __init__(self, pucks: int, *blind: tuple[str, ...]) -> None:
        cluster = {"colour": "red", "x_m": 5.0, "y_m": 5.0, "pucks": pucks}
        size = {"width_m": 8.0, "depth_m": 8.0, "max_speed_m_s": 0.4}
        camera = {"fov_deg": 360.0, "reach_m": 5.0}
        specs = [
            BodySpec(f"r{k}", "robot", k, hull="pioneer", camera=camera, blind_to=colours, x_m=k, y_m=1.0)
            for k, colours in enumerate(blind, 1)
        ]
        self.world = World(WorldSettings(spills=(), clusters={"t1": cluster}, **size), specs, 1)
        self.boards = [MockR2(self.world, spec.name) for spec in specs]
        task = dataclasses.replace(RED, args=(("x", "5.0"), ("y", "5.0"), ("colour", "red")))
        self.choice, self.ticks = Choice(run=(Assignment("attach", task),)), 0
        self.minds = [
            Behaviors(
                {"avoid-obstacles": AvoidObstacles(AvoidObstacles.Settings()),
                 "bump-escape": BumpEscape(BumpEscape.Settings())},
                {"attach": FindAttach(FindAttach.Settings())},
            )
            for _ in specs
        ]  # fmt: skip

    def drive(self, seconds: float) -> list[float]:
        """The progress that each robot reports in the end."""
        for _ in range(round(4 * seconds)):
            self.ticks += 1
            now = self.ticks / 4
            inputs = [Inputs(now, self.ticks, board.senses(now), board.capabilities(now)) for board in self.boards]
            for k, (board, mind, i) in enumerate(zip(self.boards, self.minds, inputs, strict=True), 1):
                acted = mind.act(i, Beliefs(BELIEFS.table, k), self.choice)
                board.command(now, acted.command)
        pairs = zip(self.minds, inputs, strict=True)
        return [mind.assess(i, BELIEFS, "attach", self.choice.run[0].task).progress for mind, i in pairs]


def test_as_many_robots_as_pucks_hold_them_all_and_see_it() -> None:
    room = Room(2, (), ("blue",))
    assert room.drive(30.0) == [1.0, 1.0]
    assert set(room.world.holders().values()) == {"r1", "r2"}
    room.drive(30.0)
    assert room.world.held_at("t1") == (2, 2)  # they stay


def test_a_robot_that_misses_the_colour_searches_the_place_and_holds_nothing() -> None:
    room = Room(2, (), ("red",))
    assert room.drive(40.0) == [0.75, 0.5]
    assert set(room.world.holders().values()) == {"r1"}
    before = room.world.pose("r2")
    room.drive(10.0)
    assert math.dist(room.world.pose("r2")[:2], (5.0, 5.0)) < 3.0
    assert math.dist(room.world.pose("r2")[:2], before[:2]) > 0.3


def test_the_body_of_these_tests_has_what_the_sets_need_but_a_camera() -> None:
    assert BODY.lacking(Visit.needs) == ()
    assert BODY.lacking(FindAttach.needs) == ("camera",)
