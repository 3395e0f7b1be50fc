"""Finding the locations, reporting, and what holds for all sets: settings, freezing, being carried off."""

import json
import math

import pytest

from behaviors.cleanup.find_locations_methodical import FindLocationsMethodical
from behaviors.cleanup.find_locations_wander import FindLocationsWander
from behaviors.cleanup.move_spill.behavior_set import MoveSpill
from behaviors.cleanup.report_progress import ReportProgress
from behaviors.layers.avoid_obstacles import AvoidObstacles
from behaviors.layers.bump_escape import BumpEscape
from behaviors.layers.clear_gripper import ClearGripper
from boards.mock.anatomy import HELD_AT
from boards.mock.scenario import apply
from boards.mock.settings import WorldSettings
from robotd.model.tasks import Feedback
from tests.behaviors.harness import Team, behaviors
from tests.compiled import Altered

NO = Feedback(applicable=False)
FINDING = (FindLocationsMethodical, FindLocationsWander)
ALL = (AvoidObstacles, BumpEscape, ClearGripper, *FINDING, MoveSpill, ReportProgress)
SPILLS = [
    {"name": "left", "x_m": 0.9, "y_m": 1.2, "objects": 2, "spread_m": 0.2},
    {"name": "right", "x_m": 2.3, "y_m": 1.2, "objects": 2, "spread_m": 0.2},
]
SMALL = WorldSettings(width_m=3.2, depth_m=3.6, spills=SPILLS)
ENTRANCE = {"report-progress": {"entrance_x_m": 1.6, "entrance_y_m": 0.45, "tune_s": 3.0}}


def reported(team):
    return {fact.name: fact.value for _, _, fact in team.facts}


def errors(team):
    """How far the told places are from where they lie in the SMALL room, m."""
    facts = reported(team)
    right = {"spill-left": (0.8, 0.6), "spill-right": (2.4, 0.6), "goal": (1.6, 3.0)}
    return {name: math.dist(facts[name], at) for name, at in right.items()}


def test_walking_along_the_walls_finds_the_locations_and_is_done_once():
    team = Team(("green", "blue"), SMALL)
    team.bots["green"].choose(0.0, "find-locations-methodical")
    took = team.run(lambda: team.done("green", "find-locations-methodical"), 120.0)
    assert took < 120.0
    assert max(errors(team).values()) < 0.35
    assert "located" in reported(team)
    assert team.bots["blue"].beliefs.flag("located")
    assert not team.bots["blue"].feedback["find-locations-wander"].applicable


def test_wandering_finds_the_locations_without_side_sensors_in_four_times_its_time():
    team = Team(("green",), SMALL, settings={"find-locations-wander": {"leg_s": 25.0}}, seed=2)
    apply(team.world, "dead", "green", "side-range", 0.0)
    bot = team.bots["green"]
    bot.choose(0.0, "find-locations-wander")
    took = team.run(lambda: team.done("green", "find-locations-wander"), 150.0)
    assert took == pytest.approx(100.0, abs=1.0)
    assert max(errors(team).values()) < 0.35
    assert bot.feedback["find-locations-methodical"].missing == ("side-range",)


def test_a_wanderer_that_was_held_fast_reports_no_places_and_begins_again():
    team = Team(("green",), SMALL, settings={"find-locations-wander": {"leg_s": 25.0}})
    apply(team.world, "seize", "green", "", 0.0)
    bot = team.bots["green"]
    bot.choose(0.0, "find-locations-wander")
    team.run(lambda: team.now >= 102.0, 105.0)
    assert "located" not in reported(team)
    apply(team.world, "release", "green", "", team.now)
    took = team.run(lambda: team.done("green", "find-locations-wander"), 210.0)
    assert took < 210.0
    assert max(errors(team).values()) < 0.35


@pytest.mark.parametrize("seed", [2, 3])
def test_a_finder_that_begins_among_spill_objects_takes_none_of_them_for_a_wall(seed):
    heap = [{"name": "left", "x_m": 1.6, "y_m": 0.8, "objects": 7, "spread_m": 0.45}, SPILLS[1]]
    team = Team(("green",), WorldSettings(width_m=3.2, depth_m=3.6, spills=heap), seed=seed)
    team.bots["green"].choose(0.0, "find-locations-methodical")
    team.run(lambda: team.done("green", "find-locations-methodical"), 240.0)
    assert max(errors(team).values()) < 0.5


def test_an_object_caught_beside_the_one_in_hand_is_put_back_where_it_lay_and_both_are_moved_in_the_end():
    team = Team(("green",), SMALL)
    robot, bot = team.world.robots["green"], team.bots["green"]
    hand = bot.behaviors._sets["move-spill-left"].behaviors
    grasp = next(one for one in hand if one.name == "grasp")
    bot.choose(0.0, "find-locations-methodical")
    team.run(lambda: team.done("green", "find-locations-methodical"), 120.0)
    bot.choose(team.now, "move-spill-left")
    team.run(lambda: grasp.state.step == "lift", 120.0)
    caught = next(puck for puck in team.world.pucks if puck.spill == "left" and not puck.holder)
    lay = robot.to_room(HELD_AT, 0.0)
    caught.body.position = lay
    team.run(lambda: grasp.state.step == "return", 10.0)
    assert math.dist(caught.body.position, lay) > 0.2
    team.run(lambda: bot.behaviors._sets["move-spill-left"].memory.phase == "back-off", 10.0)
    assert math.dist(caught.body.position, lay) < 0.1
    assert team.run(lambda: team.world.delivered("left") == 2, 300.0) < 300.0


def test_a_finder_that_was_carried_off_begins_its_round_again():
    team = Team(("green",), SMALL)
    bot = team.bots["green"]
    bot.choose(0.0, "find-locations-methodical")
    team.run(lambda: team.now >= 15.0, 20.0)
    assert bot.feedback["find-locations-methodical"].progress > 0.0
    apply(team.world, "remove", "green", "", team.now)
    team.run(lambda: team.now >= 17.0, 5.0)
    assert not bot.feedback["find-locations-methodical"].applicable
    apply(team.world, "return", "green", "", team.now)
    team.run(lambda: team.now >= 18.0, 5.0)
    assert bot.feedback["find-locations-methodical"].progress == 0.0
    team.run(lambda: team.done("green", "find-locations-methodical"), 120.0)
    assert max(errors(team).values()) < 0.35


def test_a_report_is_a_tune_at_the_entrance_and_counts_on():
    team = Team(("green",), SMALL, settings=ENTRANCE)
    bot = team.bots["green"]
    for count in (1, 2):
        bot.choose(team.now, "report-progress")
        team.run(lambda: bot.feedback.get("report-progress", NO).applicable, 1.0)
        assert bot.feedback["report-progress"].applicable
        team.run(lambda: bot.chosen == "", 30.0)
        assert bot.beliefs.count("reports") == count
        assert len(team.world.tunes) == count
    assert team.done("green", "report-progress")


def test_a_reporter_whose_way_is_blocked_reports_from_as_near_as_it_can_come():
    world = WorldSettings(width_m=3.2, depth_m=3.6, spills=SPILLS)
    team = Team(("blue", "gold", "green"), world, settings=ENTRANCE)  # the middle place is gold's
    bot = team.bots["green"]
    bot.choose(0.0, "report-progress")
    assert team.run(lambda: team.done("green", "report-progress"), 60.0) < 60.0


@pytest.mark.parametrize("kind", ALL)
def test_every_setting_says_what_it_means_and_unknown_ones_are_refused(kind):
    fields = kind.Settings.model_fields
    assert fields
    assert all(field.description for field in fields.values())
    with pytest.raises(ValueError, match="surprise"):
        kind.Settings(surprise=1)


@pytest.mark.parametrize("name", ["find-locations-methodical", "find-locations-wander", "report-progress"])
def test_a_thawed_robot_continues_in_the_midst_of_its_work_exactly_as_the_frozen_one(name):
    team = Team(("green",), SMALL, settings=ENTRANCE)
    bot = team.bots["green"]
    bot.choose(0.0, name)
    team.run(lambda: team.n >= 40, 10.0)
    twin = behaviors(ENTRANCE)
    twin.thaw(json.loads(json.dumps(bot.behaviors.freeze(), allow_nan=False)))
    act, same = bot.behaviors.act, []

    def both(i, beliefs, choice):
        acted = act(i, beliefs, choice)
        same.append(acted == twin.act(i, beliefs, choice))
        return acted

    bot.behaviors = Altered(bot.behaviors, act=both)
    team.run(lambda: team.n >= 120, 20.0)
    assert same == [True] * 80
    assert bot.behaviors.freeze() == twin.freeze()


def test_move_spill_thaws_in_every_phase():
    spill = [{"name": "left", "x_m": 0.9, "y_m": 1.2, "objects": 1, "spread_m": 0.0}]
    team = Team(("green",), WorldSettings(width_m=3.2, depth_m=3.6, spills=spill))
    bot = team.bots["green"]
    bot.choose(0.0, "find-locations-methodical")
    team.run(lambda: team.done("green", "find-locations-methodical"), 120.0)
    bot.choose(team.now, "move-spill-left")
    twin, act, wrong, seen = behaviors(), bot.behaviors.act, [], set()

    def both(i, beliefs, choice):
        phase = bot.behaviors._sets["move-spill-left"].memory.phase
        if phase not in seen:
            seen.add(phase)
            twin.thaw(json.loads(json.dumps(bot.behaviors.freeze(), allow_nan=False)))
        acted = act(i, beliefs, choice)
        if acted != twin.act(i, beliefs, choice):
            wrong.append((i.now, phase))
        return acted

    bot.behaviors = Altered(bot.behaviors, act=both)
    team.run(lambda: bot.behaviors._sets["move-spill-left"].memory.delivered == 1, 120.0)
    assert {"go", "scan", "zero-in", "grasp", "carry", "release"} <= seen
    assert wrong == []
