"""Pushing at the ends of a box, changing ends, going home: driven alone in the simulated world."""

import json
import math

import pytest

from behaviors.box_pushing.go_home import GoHome
from behaviors.box_pushing.push import Push, name_count
from behaviors.engine import Behaviors
from boards.mock.scenario import apply
from boards.mock.settings import BodySpec, WorldSettings
from boards.mock.world import World
from robotd.model.beliefs import Beliefs, Teammate
from robotd.model.facts import Fact, FactKind
from robotd.model.table import NumberTable
from robotd.model.tasks import Task
from tests.behaviors.harness import Solo
from tests.boards.hand import move

TABLE = NumberTable((), (), (FactKind("pushed-left", 1, "count"), FactKind("pushed-right", 2, "count")))
TASKS = {
    "push-left": Task("push", (("end", "left"),), "push-left"),
    "push-right": Task("push", (("end", "right"),), "push-right"),
    "go-home": Task("go-home", (("from", "left"),), "go-home"),
}
WORLD = WorldSettings(spills=(), box={"x_m": 3.0, "y_m": 1.6, "goal_y_m": 6.0})


class Lone(Solo):
    """One robot at an end of the box."""

    def __init__(self, end="left", settings=None, lacks=()):
        world = World(WORLD, [BodySpec("green", "r2", 1, lacks=lacks, end=end)], 1)
        super().__init__(world, behaviors(settings or {}), TABLE, TASKS)

    def hears(self, end, count):
        """A teammate reports a push at an end that ended now."""
        self.beliefs = self.beliefs.joined(Fact(name_count(end), (float(count),), self.now))

    def applies(self, name):
        self.run(0.4)
        return self.feedback[name].applicable


def behaviors(settings):
    home = {"home_x_m": 5.0, "home_y_m": 0.8, **settings.get("go-home", {})}
    sets = {name: Push(Push.Settings(**settings.get(name, {}))) for name in ("push-left", "push-right")}
    return Behaviors({}, {**sets, "go-home": GoHome(GoHome.Settings(**home))})


@pytest.mark.parametrize("end", ["left", "right"])
def test_at_the_start_it_takes_the_end_that_it_faces_for_the_one_whose_turn_it_is(end):
    bot = Lone(end)
    other = "right" if end == "left" else "left"
    assert bot.applies(f"push-{end}")
    assert not bot.applies(f"push-{other}")


def test_a_push_lasts_its_time_moves_its_end_counts_and_uses_itself_up():
    bot = Lone("left")
    bot.run(0.4)
    assert bot.does("push-left") == pytest.approx(3.5, abs=0.5)
    assert bot.beliefs.count("pushed-left") == 1
    assert math.degrees(bot.world.box.pose()[2]) < -3.0
    assert not bot.applies("push-left")


def test_its_own_push_calls_for_one_at_the_other_end_once_it_has_settled():
    bot = Lone("left", {"push-right": {"listen_s": 2.0}})
    bot.run(0.4).does("push-left")
    assert bot.applies("push-right")
    early = Lone("left", {"push-right": {"listen_s": 30.0}})
    early.run(0.4).does("push-left")
    assert not early.applies("push-right")


def test_a_teammates_push_at_the_other_end_calls_for_the_next_and_one_at_its_own_does_the_work():
    bot = Lone("left")
    bot.run(0.4).does("push-left")
    bot.run(4.0).hears("right", 1)
    assert bot.applies("push-left")
    bot.run(4.0).hears("left", 2)
    assert not bot.applies("push-left")


def test_a_push_at_the_other_end_that_ends_during_its_own_counts_for_the_next():
    bot = Lone("left")
    bot.run(0.4)
    bot.chosen = "push-left"
    bot.run(1.5).hears("right", 1)
    bot.run(10.0, lambda: bool(bot.done))
    assert bot.applies("push-left")


@pytest.mark.parametrize(("end", "other", "sign"), [("left", "right", 1), ("right", "left", -1)])
def test_it_changes_ends_and_stands_well_inside_of_the_other(end, other, sign):
    bot = Lone(end, {f"push-{other}": {"listen_s": 0.0}})
    bot.run(0.4).does(f"push-{end}")
    assert bot.applies(f"push-{other}")
    bot.does(f"push-{other}")
    x, y, angle = bot.world.box.pose()
    at = bot.world.pose("green")
    along = (at[0] - x) * math.cos(angle) + (at[1] - y) * math.sin(angle)
    assert sign * along == pytest.approx(0.8, abs=0.06)
    assert bot.beliefs.count(name_count(other)) == 1


def test_alone_it_walks_the_box_on_by_both_ends_and_keeps_it_square():
    bot = Lone("left", {name: {"listen_s": 0.0} for name in ("push-left", "push-right")})
    bot.run(0.4)
    for k in range(6):
        bot.does("push-right" if k % 2 else "push-left")
    _, y, angle = bot.world.box.pose()
    assert y - 1.6 > 0.2
    assert abs(math.degrees(angle)) < 8.0


def test_half_way_it_finds_back_to_the_end_that_it_came_from():
    bot = Lone("left", {"push-right": {"listen_s": 0.0}})
    bot.run(0.4).does("push-left")
    bot.chosen = "push-right"
    bot.run(9.0)
    bot.chosen = ""
    assert bot.world.pose("green")[0] > 2.5
    bot.hears("right", 1)
    assert bot.applies("push-left")
    bot.does("push-left")
    assert bot.world.pose("green")[0] < 2.4


def test_without_side_range_it_pushes_at_its_end_and_cannot_change_to_the_other():
    bot = Lone("left", {"push-right": {"listen_s": 0.0}}, lacks=("side-range",))
    bot.run(0.4).does("push-left")
    assert not bot.applies("push-right")
    assert bot.feedback["push-right"].missing == ("side-range",)


def test_one_that_changes_no_ends_stays_whatever_is_due_at_the_other():
    bot = Lone("left", {"push-right": {"listen_s": 0.0, "changes_ends": False}})
    bot.run(0.4)
    assert bot.applies("push-right")  # it is where it was put, and takes that for its end
    move(bot.world, "green", 3.0, 4.0)
    assert not bot.applies("push-right")


def test_a_robot_that_comes_makes_it_stay_at_its_end_for_a_while():
    bot = Lone("left", {"push-right": {"listen_s": 6.0}})
    bot.run(7.0).does("push-left")
    assert bot.applies("push-right")
    bot.beliefs = Beliefs(TABLE, 1, facts=bot.beliefs.facts, teammates={2: Teammate(bot.now)})
    assert not bot.applies("push-right")
    assert bot.run(7.0).applies("push-right")


@pytest.mark.parametrize(
    ("task", "claimed_s", "silent_s", "free"),
    [
        ("push-right", 10.0, 0.0, False),  # on its way there
        ("push-right", 2.0, 0.0, True),  # a push at hand: motivation alone decides whether to wait
        ("push-right", 50.0, 0.0, True),  # stuck
        ("push-right", 14.0, 5.0, True),  # silent
        ("push-left", 10.0, 0.0, True),
    ],
)
def test_it_does_not_set_out_for_an_end_to_which_a_teammate_is_on_its_way(task, claimed_s, silent_s, free):
    bot = Lone("left", {"push-right": {"listen_s": 0.0}})
    bot.run(52.0).does("push-left")
    teammate = Teammate(bot.now - silent_s, task, "", bot.now - claimed_s)
    bot.beliefs = Beliefs(TABLE, 1, facts=bot.beliefs.facts, teammates={2: teammate})
    assert bot.applies("push-right") is free


def test_carried_off_nothing_applies_and_put_back_it_is_its_turn_again():
    bot = Lone("left")
    bot.run(0.4).does("push-left")
    apply(bot.world, "remove", "green", "", bot.now)
    assert not bot.applies("push-left")
    apply(bot.world, "return", "green", "", bot.now)
    assert bot.applies("push-left")


def test_an_end_that_is_ahead_is_pushed_more_gently_and_one_behind_harder():
    speeds = {}
    for turned in (-0.15, 0.0, 0.15):
        bot = Lone("right")
        bot.world.box.body.angle = turned
        place = bot.world.box.place_at("right", 0.155)
        move(bot.world, "green", *place, math.pi / 2 + turned)
        bot.run(3.0)
        bot.chosen = "push-right"
        bot.run(1.0)
        speeds[turned] = bot.board.driven(bot.now)
    assert sum(speeds[0.15]) < sum(speeds[0.0]) < sum(speeds[-0.15])


def test_it_goes_home_only_when_no_robot_has_pushed_at_the_other_end_for_long():
    bot = Lone("right", {"go-home": {"alone_s": 5.0}})
    assert not bot.applies("go-home")
    bot.run(4.0).hears("left", 1)
    assert not bot.run(4.0).applies("go-home")
    assert bot.run(2.0).applies("go-home")
    bot.does("go-home", 90.0)
    assert math.dist(bot.world.pose("green")[:2], (5.0, 0.8)) < 0.8
    assert not bot.applies("go-home")


def test_what_they_remember_freezes_to_json_and_thaws():
    bot = Lone("left", {"push-right": {"listen_s": 0.0}})
    bot.run(0.4).does("push-left")
    bot.chosen = "push-right"
    bot.run(5.0)
    frozen = json.loads(json.dumps(bot.behaviors.freeze(), allow_nan=False))
    other = behaviors({"push-right": {"listen_s": 0.0}})
    other.thaw(frozen)
    assert other.freeze() == bot.behaviors.freeze()
