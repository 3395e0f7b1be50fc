"""Lines of algorithms 1 and 2 that need a team at work, a scenario each; robots come, go and reboot meanwhile."""

import json
import math
from typing import Any

import pytest

from motivation.cobos.models import Record
from motivation.cobos.settings import TaskTerms
from motivation.cobos.state import WORKS, State
from robotd.model.facts import Fact
from tests.motivation.cobos.abstract import PLACES, Bot, World, terms

E_S = 250.0


def of(*names: str, **changes: Any) -> dict[str, TaskTerms]:
    """The idle task and some others, introduced at once."""
    tasks = {name: own for name, own in terms().items() if name in ("t0", *names)}
    return {
        name: own if own.idle else own.model_copy(update={"from_s": 0.0, **changes}) for name, own in tasks.items()
    }


def state_of(bot: Bot) -> State:
    return bot.coordinator._state


def at_work(*works: str, pucks: tuple[int, ...], sees: tuple[str, ...], **options: Any) -> World:
    """Robots that are at the places of their tasks ('' idle) and know all tasks."""
    starts = [PLACES[name or "t0"] for name in works]
    world = World(pucks, sees=sees, starts=starts, **options)
    for bot, name in zip(world.bots, works, strict=True):
        bot.beliefs = bot.beliefs.learn([Fact(task.known) for task in bot.coordinator._plan.tasks])
        state_of(bot).introduced = tuple(range(1, len(world.tasks)))
        if name:
            state_of(bot).task = list(world.tasks).index(name)
            state_of(bot).place = WORKS
            state_of(bot).records = tuple(record.changed(open=False) for record in state_of(bot).records)
    return world


def beats(world: World, seconds: float) -> None:
    until = world.now + seconds
    while world.now < until:
        world.beat()


def kinds(bot: Bot, kind: str) -> list[float]:
    return [at for at, event in bot.events if event.kind == kind]


# -- algorithm 1


def test_line_6_a_task_that_is_recruited_for_does_not_lapse() -> None:
    world = at_work("t3", "t4", pucks=(0, 0, 2, 1), sees=("red", "red"), tasks=of("t3", "t4", required=0))
    first = world.bots[0]
    while not state_of(first).recruits:
        world.beat()
    lapsed = kinds(first, "lapsed")
    for _ in range(5):
        world.beat()
        assert state_of(first).since[0] == world.now
    assert kinds(first, "lapsed") == lapsed


@pytest.mark.parametrize("recruits", [True, False])
def test_line_29_robots_without_a_task_recruit_for_the_first_for_which_there_are_too_few(recruits: bool) -> None:
    tasks = of("t3", "t4", required=1)
    tasks["t4"] = tasks["t4"].model_copy(update={"required": 3})
    world = World((0, 0, 1, 3), sees=("red",) * 3, tasks=tasks, parameters={"recruits": recruits})
    beats(world, 120.0)
    found = sorted((state_of(bot).task, state_of(bot).recruits) for bot in world.bots)
    assert found == ([(1, False), (2, True), (2, True)] if recruits else [(0, False), (0, False), (1, False)])
    assert [bot.works_on for bot in world.bots if state_of(bot).place == WORKS] == ["t3"]


def test_line_32_a_robot_that_backed_off_stays_in_its_network_while_its_teammate_recruits() -> None:
    tasks = of("t3", "t4", required=2)
    tasks["t4"] = tasks["t4"].model_copy(update={"required": 1})
    world = at_work("t3", "t3", "t4", pucks=(0, 0, 2, 1), sees=("red", "blue", "red"), tasks=tasks)
    holder, blind, _ = world.bots
    world.range_m = 100.0
    beats(world, 15.0)  # all know that the third can do t3: it is not archived
    world.range_m = 10.0
    beats(world, E_S + 15.0)
    assert kinds(blind, "backed-off")
    assert (state_of(blind).task, state_of(blind).place, blind.xy) == (1, WORKS, PLACES["t3"])
    assert (state_of(holder).task, state_of(holder).recruits) == (1, True)
    assert math.dist(holder.xy, PLACES["t3"]) > 1.0


def test_line_34_a_robot_without_a_task_goes_home() -> None:
    world = at_work("t3", "", pucks=(0, 0, 1, 0), sees=("red", "red"), tasks=of("t3"))
    beats(world, 30.0)
    lost = world.bots[1]
    lost.xy = (15.0, 15.0)
    beats(world, 90.0)
    assert math.dist(lost.xy, PLACES["t0"]) < 1.0


def test_a_task_of_higher_priority_that_is_introduced_later_goes_first() -> None:
    tasks = of("t1", "t3")
    tasks["t1"] = tasks["t1"].model_copy(update={"from_s": 60.0})
    world = World((1, 0, 1, 0), sees=("red",), tasks=tasks)
    (bot,) = world.bots
    beats(world, 30.0)
    assert (state_of(bot).task, state_of(bot).introduced) == (2, (2,))
    bot.xy = PLACES["t0"]
    beats(world, 60.0)
    assert state_of(bot).task == 1


# -- algorithm 2


def recruiter(visiting: tuple[int, ...], **parameters: str) -> tuple[World, Bot]:
    """One robot recruits for t3, which requires two, at the idle place; the other able one is out of reach."""
    world = World((0, 0, 2, 0), sees=("red", "red"), tasks=of("t3"), parameters=parameters)
    beats(world, 30.0)
    bot = next(bot for bot in world.bots if state_of(bot).task)
    world.bots = [bot]
    state, bot.xy = state_of(bot), PLACES["t0"]
    state.records, state.recruits, state.place = (Record(1, 2, tried=True, open=False),), True, 0
    state.visiting, state.visiting_of = visiting, 1
    return world, bot


def test_lines_7_to_12_a_place_that_is_reached_leaves_the_list_and_without_any_it_waits_at_home() -> None:
    world, bot = recruiter((0,))
    beats(world, 30.0)
    assert (state_of(bot).visiting, state_of(bot).recruits, state_of(bot).task) == ((), True, 1)
    assert math.dist(bot.xy, PLACES["t0"]) < 1.0


def reboot(bot: Bot) -> None:
    memory = json.loads(json.dumps(bot.coordinator.memory()))
    bot.coordinator = bot.made()
    bot.coordinator.recall(memory)


@pytest.mark.parametrize(("impasse", "required"), [("try", 1), ("wait", 2)])
def test_a_recruiter_that_reboots_with_an_empty_list_waits_for_a_term_and_then_tries_or_waits_on(
    impasse: str, required: int
) -> None:
    world, bot = recruiter((), impasse=impasse)
    beats(world, 30.0)
    reboot(bot)
    beats(world, E_S - 30.0)
    assert (state_of(bot).recruits, state_of(bot).records[0].required) == (True, 2)
    beats(world, 60.0)
    assert (state_of(bot).recruits, state_of(bot).records[0].required) == (impasse == "wait", required)


def test_a_recruiter_that_reboots_on_its_tour_continues_with_the_list() -> None:
    world = at_work("t3", pucks=(0, 0, 2, 1), sees=("red",), tasks=of("t3", "t4"))
    (bot,) = world.bots
    state = state_of(bot)
    state.recruits, state.place, state.visiting, state.visiting_of = True, 2, (2, 0), 1
    reboot(bot)
    beats(world, 9.0)
    assert (state_of(bot).place, state_of(bot).visiting, state_of(bot).recruits) == (2, (2, 0), True)
    assert bot.xy[0] > PLACES["t3"][0] + 1.0  # on its way to t4


# -- which robots are present


def test_a_performed_task_in_reach_never_lapses() -> None:
    world = at_work("t3", pucks=(0, 0, 1, 0), sees=("red",), tasks=of("t3"))
    beats(world, 3 * E_S)
    assert world.performed("t3")
    assert not kinds(world.bots[0], "lapsed")


def test_a_robot_that_leaves_the_range_is_no_member_within_the_window_and_a_beat_and_its_status_stays_known() -> (
    None
):
    world = at_work("t3", "t3", pucks=(0, 0, 2, 0), sees=("red", "red"), tasks=of("t3", required=2))
    beats(world, 30.0)
    stays, leaves = world.bots
    assert stays.coordinator.members == {1, 2}
    known = stays.beliefs.facts["page-2-0"]
    leaves.drive = lambda seconds: None  # type: ignore[method-assign]
    leaves.xy = (25.0, 5.0)
    beats(world, (world.settings.network_beats + 1) * world.beat_s)
    assert stays.coordinator.members == {1}
    assert stays.beliefs.facts["page-2-0"] == known


def test_a_robot_that_drives_past_a_team_at_work_changes_nothing_there() -> None:
    world = at_work("t2", "t2", "t4", pucks=(0, 2, 0, 1), sees=("blue", "blue", "red"), tasks=of("t2", "t4"))
    team, passer = world.bots[:2], world.bots[2]
    for bot in team:
        state_of(bot).records = (state_of(bot).records[0].changed(required=2), *state_of(bot).records[1:])
    beats(world, 60.0)
    assert [state_of(bot).task for bot in world.bots] == [1, 1, 2]
    before = [len(bot.events) for bot in team]
    passer.xy = (PLACES["t2"][0] - 8.0, 3.0)  # on its way to t4
    beats(world, 21.0)
    assert math.dist(passer.xy, PLACES["t2"]) < 10.0
    assert passer.number in team[0].coordinator.members
    assert [len(bot.events) for bot in team] == before
    assert [state_of(bot).task for bot in world.bots] == [1, 1, 2]


def test_a_robot_that_never_met_one_that_knows_a_task_never_considers_it() -> None:
    world = World((0, 0, 0, 1), sees=("red", "red"), tasks=of("t4", from_s=60.0), starts=((5.0, 5.0), (25.0, 5.0)))
    home, away = world.bots
    away.drive = lambda seconds: None  # type: ignore[method-assign]
    home.drive = lambda seconds: None  # type: ignore[method-assign]
    beats(world, 120.0)
    assert (state_of(home).introduced, state_of(away).introduced) == ((1,), ())
    assert not away.beliefs.flag("known-t4")
    away.xy = home.xy
    beats(world, 15.0)
    assert state_of(away).introduced == (1,)
