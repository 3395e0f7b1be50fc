"""The two phases and the traps, in the abstract world with the real coordinator on every robot."""

import json
from dataclasses import replace
from typing import Any

import pytest

from motivation.cobos import presence, recruitment
from motivation.cobos.models import PERFORMED
from motivation.cobos.state import State
from motivation.events import NO_RUN
from robotd.model.facts import Fact, FactKind
from robotd.model.inputs import Order
from robotd.model.plain import to_plain
from robotd.model.table import NumberTable
from tests.motivation.cobos.abstract import COLOURS, FEASIBLE, ONE, PLACES, PUBLISHED, World, table, terms

SHORT_OF_ONE = {name: own for name, own in terms().items() if name in ("t0", "t3", "t4")}
SHORT_OF_ONE["t4"] = SHORT_OF_ONE["t4"].model_copy(update={"from_s": 0.0})


def busy(state: State, task: int) -> bool:
    """Whether a robot performs another task."""
    return state.task != task and state.status >= PERFORMED


class Watched(World):
    """A world that notes, at each beat, what the traps are about."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.most_changes = 0
        self.knew: dict[int, float] = {}
        self.shut: dict[tuple[int, int], float] = {}
        self.longest_shut = 0.0
        self.adapted = 0
        self._phi: dict[str, int] = {}

    def beat(self) -> None:
        before = sum(bot.changes for bot in self.bots)
        super().beat()
        self.most_changes = max(self.most_changes, sum(bot.changes for bot in self.bots) - before)
        for bot in self.bots:
            state = bot.coordinator._state
            if 4 in state.introduced:
                self.knew.setdefault(bot.number, self.now)
            for k, record in enumerate(state.records, 1):
                off = record.open and state.at_home and not record.performed and all(
                    other.coordinator._state.backed[k - 1] for other in self.bots
                    if other.number in bot.coordinator.members and not busy(other.coordinator._state, k)
                )  # fmt: skip
                since = self.shut.setdefault((bot.number, k), self.now) if off else self.now
                self.longest_shut = max(self.longest_shut, self.now - since)
                if not off:
                    self.shut.pop((bot.number, k), None)
        for k, name in enumerate(self.tasks):
            if k:
                phi = max(bot.coordinator._state.records[k - 1].required for bot in self.bots)
                self.adapted += phi > self._phi.get(name, 1)
                self._phi[name] = phi


@pytest.fixture(scope="module")
def published() -> Watched:
    """The published case to its end."""
    world = Watched(PUBLISHED, beat_s=5.0)
    world.at = world.run(3600.0)  # type: ignore[attr-defined]
    return world


def test_the_published_case_ends_with_every_task_performed(published: Watched) -> None:
    at = published.at  # type: ignore[attr-defined]
    assert at is not None
    assert 600.0 < at < 3600.0


def test_no_frame_is_longer_than_22_bytes(published: Watched) -> None:
    assert max(max(bot.bytes) for bot in published.bots) <= 22


def test_a_beat_changes_no_more_facts_than_the_paper_counts_messages(published: Watched) -> None:
    assert 0 < published.most_changes <= 7 * (4 + 5)


def test_no_page_is_rewritten_near_as_often_as_versions_allow(published: Watched) -> None:
    versions = [fact.version for bot in published.bots for fact in bot.beliefs.facts.values()]
    assert max(versions) < 2047 / 8


def test_a_task_that_comes_later_is_known_in_the_home_network_first_and_lapses_after_its_own_time(
    published: Watched,
) -> None:
    assert min(published.knew.values()) >= 600.0
    lapses = [
        at for bot in published.bots for at, event in bot.events if event.kind == "lapsed" and event.task == "t4"
    ]
    assert min(lapses, default=850.0) >= 850.0


def test_all_robots_of_a_network_believe_the_same_of_tasks_and_of_which_are_present(published: Watched) -> None:
    for bot in published.bots:
        state = bot.coordinator._state
        window = published.settings.network_beats * published.beat_s
        for other in presence.network(state.seen, published.now, window):
            assert published.bots[other - 1].coordinator._state.records == state.records


@pytest.mark.parametrize(("loss", "most"), [(0.0, 2), (0.3, 8)])
def test_news_of_all_robots_at_once_are_known_to_all_and_asked_alike_within_some_beats(
    loss: float, most: int
) -> None:
    world = World(PUBLISHED, loss=loss, range_m=100.0, parameters={"network_beats": 6, "synchronise_beats": 20})
    world.run(150.0)
    for k, bot in enumerate(world.bots):
        bot.coordinator._state.success = (0, -k, k - 7)
    world.beat()  # they decide; from now on they send it
    beats = 0
    while beats == 0 or len({bot.coordinator._state.asking for bot in world.bots}) > 1:
        world.beat()
        beats += 1
    assert 1 <= beats <= most


def test_no_task_stays_shut_to_all_robots_at_home_for_longer_than_a_term(published: Watched) -> None:
    other = Watched((1, 1, 2, 1), beat_s=6.0)
    assert other.run(3600.0) is not None
    assert max(published.longest_shut, other.longest_shut) < 250.0


def test_in_one_network_phi_is_adapted_at_most_as_often_as_theorem_3_2_says() -> None:
    tasks = {name: own.model_copy(update={"from_s": 0.0, "expected_s": 120.0}) for name, own in terms().items()}
    world = Watched((1, 2, 1, 1), range_m=100.0, tasks=tasks)
    assert world.run(1500.0) is not None
    assert 1 <= world.adapted <= 18


@pytest.mark.parametrize("evidence", ["holding", "none"])
def test_known_numbers_of_robots_are_sent_at_once_and_neither_adapted_nor_recruited(evidence: str) -> None:
    need = dict(zip(COLOURS, PUBLISHED, strict=True))
    tasks = {
        name: own.model_copy(update={"required": need.get(name, 0), "from_s": 0.0, "expected_s": 120.0})
        for name, own in terms().items()
    }
    parameters = {"solver": "priority", "recruits": False, "evidence": evidence}
    world = World(PUBLISHED, range_m=100.0, tasks=tasks, parameters=parameters, beat_s=6.0)
    world.run(48.0)
    assert sorted(bot.coordinator._state.task for bot in world.bots) == [0, 1, 2, 2, 3, 4, 4]
    assert world.run(3600.0) is not None
    for bot in world.bots:
        assert [record.required for record in bot.coordinator._state.records] == list(PUBLISHED)
        assert not [event for _, event in bot.events if event.kind == "recruits"]


def test_a_known_number_that_is_too_great_keeps_the_task_in_the_archive() -> None:
    tasks = {name: own.model_copy(update={"required": 0 if own.idle else 3}) for name, own in ONE.items()}
    world = World((0, 0, 1, 0), sees=("red", "red"), tasks=tasks)
    assert world.run(1500.0) is None
    assert {bot.coordinator._state.records[0].required for bot in world.bots} == {3}
    retried = [at for at, event in world.bots[0].events if event.kind == "retried"]
    assert 1 <= len(retried) <= 3  # every two terms at most


def test_all_robots_having_backed_off_a_task_that_was_never_tried_try_it_all_the_same() -> None:
    world = World((0, 0, 1, 0), sees=("red", "red"), tasks=ONE)
    assert world.run(300.0) is not None
    holder, other = sorted(world.bots, key=lambda bot: not bot.works_on)
    other.coordinator._models.back_off(1, "others perform it")
    world.bots.remove(holder)
    assert world.run(world.now + 900.0) is not None


def test_a_team_that_is_too_small_visits_the_idle_place_and_then_takes_a_robot_of_lower_priority() -> None:
    world = World((0, 0, 2, 1), sees=("red", "red"), tasks=SHORT_OF_ONE)
    assert world.run(1500.0, least_s=1e9) is None
    first = next(bot for bot in world.bots if any(event.kind == "recruits" for _, event in bot.events))
    visits = [event.cause for _, event in first.events if event.kind == "recruits"]
    assert visits[:2] == [f"visits {place} to find more robots for t3" for place in ("t0", "t4")]
    assert world.performed("t3")
    assert not world.performed("t4")


def test_a_robot_that_died_out_of_reach_counts_for_two_terms_and_then_the_others_recruit_again() -> None:
    world = World((0, 0, 2, 0), sees=("red", "red", "red"), tasks=ONE)
    assert world.run(1200.0) is not None
    dead = next(bot for bot in world.bots if bot.works_on)
    world.bots.remove(dead)
    assert world.missing
    assert world.run(world.now + 1500.0) is not None


def test_a_list_that_is_made_anew_holds_the_idle_place_alone_again_and_again() -> None:
    world = World((0, 0, 2, 1), sees=("red", "red"), tasks=SHORT_OF_ONE, parameters={"visiting": "anew"})
    world.run(900.0, least_s=1e9)
    visits = {event.data["place"] for bot in world.bots for _, event in bot.events if event.kind == "recruits"}
    assert visits == {0}


def test_the_places_to_visit_are_of_lower_priority_the_lowest_first() -> None:
    assert recruitment.places(2, (1, 2, 3, 4), "lower") == (0, 4, 3)
    assert recruitment.places(3, (1, 2, 3), "lower") == (0,)
    assert recruitment.places(3, (1, 2, 3, 4), "all") == (0, 4, 2, 1)


@pytest.mark.parametrize("sees", [("blue", "red"), ("red", "blue")])
def test_a_robot_that_fails_alone_is_replaced_by_one_that_can(sees: tuple[str, str]) -> None:
    world = World((0, 0, 1, 0), sees=sees, tasks=ONE)
    assert world.run(900.0) is not None
    able, blind = world.bots[sees.index("red")], world.bots[sees.index("blue")]
    assert able.works_on == "t3"
    assert blind.coordinator._models.value(1) <= able.coordinator._models.value(1)


def test_robots_that_do_not_decide_at_the_same_instant_exchange_their_tasks() -> None:
    world = World((1, 4, 1, 1), in_turn=True)
    assert world.run(2400.0) is not None


def test_a_performed_task_keeps_robots_that_see_that_it_is_and_sends_the_others_away() -> None:
    world = World((0, 0, 1, 0), sees=("red", "blue", "blue"), tasks=ONE)
    for bot in world.bots:
        bot.coordinator._state.records = (bot.coordinator._state.records[0].changed(required=3),)
    assert world.run(200.0, least_s=40.0) is not None
    assert [bot.coordinator._state.task for bot in world.bots] == [1, 0, 0]
    assert {bot.coordinator._state.records[0].required for bot in world.bots} == {1}


def test_a_task_that_is_performed_no_more_lapses_again_and_one_glance_neither_begins_nor_ends_it() -> None:
    world = World((0, 0, 1, 0), sees=("red", "red"), tasks=ONE)
    assert world.run(300.0) is not None
    records = [bot.coordinator._state for bot in world.bots if bot.works_on]
    assert [state.records[0].performed for state in records] == [True]
    for pucks, beats, performed in ((2, 1, True), (1, 2, True), (2, 5, False), (1, 1, False), (2, 1, False)):
        world.count["t3"] = pucks
        for _ in range(beats):
            world.beat()
        assert [state.records[0].performed for state in records] == [performed]
    assert world.run(900.0) is not None  # the other robot was sent, too


def test_a_performed_task_that_its_robot_left_is_open_again() -> None:
    world = World((0, 0, 1, 0), sees=("red", "red"), tasks=ONE)
    assert world.run(300.0) is not None
    holder = next(bot for bot in world.bots if bot.works_on)
    holder.coordinator._state.task, holder.coordinator._state.place = 0, 0
    assert world.run(world.now + 400.0) is not None


def test_robots_that_come_and_go_beside_a_team_do_not_prolong_its_term() -> None:
    world = World((0, 0, 2, 0), sees=("red", "blue", "blue"), tasks=ONE, parameters={"breaker": "never"})
    world.run(90.0)
    holder = next(bot for bot in world.bots if bot.coordinator._state.task == 1)
    began = holder.coordinator._state.since[0]
    for other in world.bots:
        if other is not holder:
            other.coordinator._state.task, other.coordinator._state.place = 1, -1
            other.coordinator._models.back_off(1, "it failed")
    while world.now < began + 240.0:
        world.bots.append(world.bots.pop(0))
        out = world.bots.pop() if int(world.now / 30.0) % 2 and world.bots[-1] is not holder else None
        world.beat()
        world.bots += [out] if out is not None else []
        assert holder.coordinator._state.since[0] == began


def test_a_task_waits_until_those_before_it_are_performed() -> None:
    tasks = {name: own for name, own in terms().items() if name in ("t0", "t1", "t3")}
    tasks["t1"] = tasks["t1"].model_copy(update={"after": ("t3",)})
    world = World((1, 0, 1, 0), sees=("red", "red"), tasks=tasks)
    assert world.run(900.0) is not None
    began = {event.task: at for bot in world.bots for at, event in bot.events[::-1] if event.kind == "assigned"}
    done = min(
        at for bot in world.bots for at, event in bot.events if event.task == "t3" and event.kind == "performed"
    )
    assert began["t1"] > done


@pytest.mark.parametrize("ended", [False, True])
def test_a_task_whose_completion_is_known_is_over_and_its_robot_goes_home(
    ended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def completed(*args: Any) -> NumberTable:
        made = table(*args)
        tasks = tuple(replace(one, completion="done" if one.task.id == "t3" else "") for one in made.tasks)
        return replace(made, tasks=tasks, facts=(*made.facts, FactKind("done", 1, "flag")))

    monkeypatch.setattr("tests.motivation.cobos.abstract.table", completed)
    tasks = {name: own for name, own in terms().items() if name in ("t0", "t3")}
    world = World(PUBLISHED, sees=("blue red",), tasks=tasks)
    (bot,) = world.bots
    while not bot.works_on:
        world.beat()
    if ended:
        bot.beliefs = bot.beliefs.learn([Fact("done")])
    for _ in range(200):
        world.beat()
    assert bot.choice.run[0].set == ("do-t0" if ended else "do-t3")
    assert not [event for _, event in bot.events if event.kind == "lapsed"]


def test_a_person_introduces_a_task_at_any_robot() -> None:
    tasks = {name: own.model_copy(update={"from_s": 1e6 if name == "t3" else 0.0}) for name, own in ONE.items()}
    world = World((0, 0, 1, 0), sees=("red", "red"), tasks=tasks)
    world.run(30.0)
    assert not world.bots[0].beliefs.flag("known-t3")
    world.bots[1].decide(31.0, 1000, [Order("task-add", ("t3",))])
    assert [event.kind for _, event in world.bots[1].events[-1:]] == ["introduced"]
    for name, *more in (("t3",), ("t0",), ("t3", "x=4")):
        world.bots[1].decide(32.0, 1001, [Order("task-add", (name, *more))])
        _, event = world.bots[1].events[-1]
        assert (event.kind, event.task) == ("refused", name)
    assert world.run(400.0) is not None


def test_before_a_run_a_task_that_a_person_adds_is_refused_with_that_reason() -> None:
    (bot,) = World(PUBLISHED, sees=("red",)).bots
    bot.beliefs = replace(bot.beliefs, running=False)
    bot.decide(1.0, 1, [Order("task-add", ("t3",))])
    ((_, event),) = bot.events
    assert (event.kind, event.task, event.cause) == ("refused", "t3", NO_RUN)


def test_a_level_says_which_ability_failed() -> None:
    bot = World(PUBLISHED).bots[0]
    bot.coordinator._state.success, bot.coordinator._state.backed = (0, 0, -2), (0, 0, 1, 0)
    bot.decide(3.0, 1)
    whys = [level.why for level in bot.choice.levels]
    assert ["; red-find-attach has failed (-2)" in why for why in whys] == [True, False, True, True]
    assert [why.startswith("backed off: ") for why in whys] == [False, False, True, False]
    assert [round(255 * level.scores["suitability"]) for level in bot.choice.levels] == [161, 230, 0, 161]


def test_after_a_restart_a_robot_continues_its_task_with_what_it_learned() -> None:
    world = World(PUBLISHED)
    world.run(90.0)
    bot = next(bot for bot in world.bots if bot.coordinator._state.task == 2)
    before = bot.coordinator._state
    memory = json.loads(json.dumps(bot.coordinator.memory()))
    bot.coordinator = bot.made()
    with pytest.raises(ValueError, match="robot"):
        bot.coordinator.recall({**memory, "robot": "nobody"})
    with pytest.raises(ValueError, match="writes down"):
        bot.coordinator.recall([])
    bot.coordinator.recall(memory)
    after = bot.coordinator._state
    plain = {
        "seen": {},
        "asking": "",
        "due": True,
        "fitting": 0,
        "lost_since": -1.0,
        "found_since": -1.0,
        "listens_since": 0.0,
    }
    assert replace(after, **plain) == replace(before, **plain)
    for _ in range(8):
        world.beat()
    assert bot.coordinator._state.task == 2


def test_a_coordinator_that_is_frozen_and_thawed_at_each_decision_decides_the_same() -> None:
    tasks = {name: own.model_copy(update={"expected_s": 60.0}) for name, own in terms().items()}
    worlds = [World(PUBLISHED, loss=0.3, tasks=tasks), World(PUBLISHED, loss=0.3, tasks=tasks)]
    for _ in range(40):
        for world in worlds:
            world.beat()
        for bot in worlds[1].bots:
            state = json.loads(json.dumps(bot.coordinator.freeze()))
            bot.coordinator = bot.made()
            bot.coordinator.thaw(state)
        one, two = ([to_plain(bot.choice) for bot in world.bots] for world in worlds)
        assert one == two


def test_the_world_has_the_papers_team_and_13_feasible_counts() -> None:
    assert len(FEASIBLE) == 13
    assert PUBLISHED in FEASIBLE
    assert set(COLOURS) | {"t0"} == set(PLACES)


def test_a_robot_without_a_task_says_which_robots_are_on_each_and_why_it_waits() -> None:
    world = World((0, 0, 2, 0), sees=("red", "red", "red"), tasks=ONE)
    assert world.run(1200.0) is not None
    idle = next(bot for bot in world.bots if not bot.works_on)
    assert [level.why for level in idle.choice.levels] == ["2 out of reach are on it, which needs 2"]
    one = next(bot for bot in world.bots if bot.works_on)
    assert all(level.why.startswith("works on it: ") for level in one.choice.levels)
    causes = [event.cause for _, event in one.events if event.kind == "assigned"]
    assert causes[-1].endswith("robots: does t3, suitability 0.90")
