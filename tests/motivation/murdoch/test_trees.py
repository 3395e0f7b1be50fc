"""Task trees, timers, timed tasks, arguments that travel, and subscriptions that follow from a robot's state."""

import json
from itertools import pairwise

import pytest

from motivation.murdoch.settings import MurdochSettings, remarks
from robotd.model.table import NumberTable, TaskEntry
from robotd.model.tasks import Task
from tests.motivation.murdoch.team import ENDS, WATCHING, Bot, Team, push

DOES = {"resources": ("mobile",)}
DESK = Bot(("desk",))


def home(tasks: dict[str, dict[str, object]], robots: int = 2, takes_s: float = 10.0, **settings: object) -> Team:
    bots = {"desk": Bot(("desk",)), **{f"r{k}": Bot(takes_s=takes_s) for k in range(robots)}}
    return Team(bots, tasks, beat_s=1.0, **settings)  # type: ignore[arg-type]


def began(team: Team, task: str) -> float:
    """When the first robot took a task up."""
    return min(at for robot in team.robots.values() for at, one in robot.history if one == task)


@pytest.mark.parametrize("in_order", [False, True])
def test_a_node_is_done_when_its_children_are(in_order: bool) -> None:
    team = home({"both": {"children": ("a", "b"), "in_order": in_order}, "a": DOES, "b": DOES})
    team.add("desk", "both")
    team.run(60.0)
    jobs = team["desk"].jobs
    assert {name: job.state for name, job in jobs.items()} == {
        "desk.0": "done", "desk.0/a": "done", "desk.0/b": "done",
    }  # fmt: skip
    gap = began(team, "desk.2") - began(team, "desk.1")
    assert gap >= 10.0 if in_order else gap < 5.0


def test_a_node_below_a_node_is_auctioned_in_its_turn() -> None:
    tree = {"all": {"children": ("a", "rest"), "in_order": True}, "rest": {"children": ("b", "c")}}
    team = home({**tree, "a": DOES, "b": DOES, "c": DOES})
    team.add("desk", "all")
    team.run(80.0)
    assert {job.state for job in team["desk"].jobs.values()} == {"done"}
    assert len(team["desk"].jobs) == 5


def test_a_node_is_refused_with_the_reason_of_its_child() -> None:
    team = home({"both": {"children": ("a", "b")}, "a": DOES, "b": {"resources": ("laser",)}})
    team.add("desk", "both")
    team.run(40.0)
    job = team["desk"].jobs["desk.0"]
    assert job.state == "refused"
    assert "no robot in reach has laser" in job.why


def test_of_nodes_with_more_children_than_there_are_numbers_the_last_ones_wait_for_the_first() -> None:
    team = home({"all": {"children": ("a", "b", "c")}, "a": DOES, "b": DOES, "c": DOES})
    for _ in range(100):
        team.add("desk", "all")
    team.run(0.4)
    jobs = team["desk"].jobs
    assert len(jobs) == 192
    assert [f"desk.{k}/c" in jobs for k in (0, 29, 31, 99)] == [True, True, False, False]


def test_a_timer_introduces_a_task_by_its_own_name_and_again_after_its_period() -> None:
    team = home({"a": {**DOES, "by": "desk", "at_s": 5.0, "every_s": 30.0}}, takes_s=3.0)
    team.run(75.0)
    introduced = [at for at, e in team["desk"].events if e.kind == "introduced"]
    assert [round(at) for at in introduced] == [5, 35, 65]
    assert {task for name in ("r0", "r1") for _, task in team[name].history} == {"", "a"}


def test_the_introducer_introduces_all_that_are_no_children() -> None:
    team = home({"both": {"children": ("a",)}, "a": DOES, "b": DOES}, introducer="desk")
    team.run(3.0)
    assert set(team["desk"].jobs) == {"both", "a", "b"}
    assert team["r0"].jobs == {}


def test_a_timed_task_is_done_after_its_length_and_only_what_is_left_is_awarded_again() -> None:
    team = home({"guard": {**DOES, "length_s": 40.0}}, takes_s=900.0)
    team.add("desk", "guard")
    team.run(60.0, lambda: team["r0"].choice.run != ())
    team.run(team.now + 20.0)
    team.kill("r0")
    team.run(team.now + 60.0)
    assert team["desk"].jobs["desk.0"].state == "done"
    ((_, end),) = [(at, e) for at, e in team["r1"].events if e.kind == "done"]
    assert 18.0 <= float(end.cause.split()[1]) <= 26.0


def test_an_order_changes_the_length_and_the_arguments_that_travel() -> None:
    terms = {**DOES, "place": True, "argument": "speed", "argument_most": 2.0}
    team = home({"go": terms}, takes_s=900.0)
    team.add("desk", "go", "x=1.5", "y=-2.25", "speed=0.5", "length_s=12")
    team.run(60.0)
    done = [e for name in ("r0", "r1") for _, e in team[name].events if e.kind == "done"]
    assert [round(float(e.cause.split()[1])) for e in done] == [12]
    (task,) = {step for robot in (team["r0"], team["r1"]) for step in robot.tasks}
    assert dict(task.args) == {"x": "1.50", "y": "-2.25", "speed": "0.502"}


@pytest.mark.parametrize(
    "words", ["go colour=red", "go x=here", "go range_m=2", "go length_s=-1", "fly", "go length_s=1e7", "go x"]
)
def test_an_order_that_cannot_be_auctioned_is_refused_in_words(words: str) -> None:
    team = home({"go": {**DOES, "place": True}})
    team.add("desk", *words.split())
    team.run(2.0)
    ((_, event),) = team["desk"].events
    assert event.kind == "refused"
    assert event.cause
    assert team["desk"].jobs == {}


def test_a_subtask_that_is_no_child_or_of_no_kind_is_refused() -> None:
    team = Team(
        {"desk": DESK, "watcher": Bot(("mobile", "laser", "camera"), takes_s=900.0), "one": Bot()},
        {**WATCHING, "sweep": DOES}, args=ENDS, beat_s=0.1,
    )  # fmt: skip
    asked = (Task("sweep", (), "w/a"), Task("fly", (), "w/b"), push("left", 0.1))
    team["watcher"].bot.asks = lambda now: asked
    team.add("desk", "watch-box")
    team.run(12.0)
    states = {name: job.state for name, job in team["watcher"].jobs.items()}
    assert states == {"w/a": "refused", "w/b": "refused", "watch-box/left": "awarded"}


def test_a_subtask_that_is_no_longer_asked_for_runs_out() -> None:
    team = Team(
        {"desk": DESK, "watcher": Bot(("mobile", "laser", "camera"), takes_s=8.0), "one": Bot(takes_s=900.0)},
        WATCHING, args=ENDS, beat_s=0.1,
    )  # fmt: skip
    team["watcher"].bot.asks = lambda now: (push("left", 0.1),)
    team.add("desk", "watch-box")
    team.run(30.0)
    assert team["desk"].jobs["desk.0"].state == "done"
    assert team["watcher"].jobs["watch-box/left"].state == "ended"
    assert team["one"].choice.run == ()
    assert team["one"].count("activated") == 1


# -- subscriptions


def test_a_dead_camera_gives_the_contract_back_and_unsubscribes() -> None:
    team = home({"look": {"resources": ("camera",)}}, takes_s=30.0)
    team.add("desk", "look")
    team.run(60.0, lambda: team["r0"].choice.run != ())
    team["r0"].bot.has = ("mobile",)
    team["r0"].bot.fitness = {"look": 1.0}
    team.run(team.now + 60.0)
    assert team.workers("desk.0") == ["r0", "r1"] or team["r0"].count("done")


def test_a_robot_with_a_low_battery_answers_that_it_charges() -> None:
    team = home({"look": {"resources": ("camera",)}}, robots=1)
    team["r0"].bot.battery_low = True
    team.add("desk", "look")
    team.run(20.0)
    assert "r0 is charging" in team["desk"].jobs["desk.0"].why


def test_a_capability_of_the_robots_table_counts_as_a_resource() -> None:
    team = Team({"desk": DESK, "one": Bot(), "two": Bot(given=("door-opener",))},
                {"open": {"resources": ("mobile", "door-opener")}}, beat_s=1.0)  # fmt: skip
    team.add("desk", "open")
    team.run(30.0)
    assert team.workers("desk.0") == ["two"]


# -- no bids, more bids


def test_with_a_pause_a_task_without_bids_is_announced_again_after_growing_pauses() -> None:
    team = home({"look": {"resources": ("laser",)}}, robots=1, reannounce_s=4.0, reannounce_max_s=16.0)
    team.add("desk", "look")
    team.run(200.0)
    times = [at for at, e in team["desk"].events if e.kind == "announced"]
    pauses = [after - before - 3.0 for before, after in pairwise(times)]
    for k, pause in enumerate(pauses):
        assert 0.4 * min(4.0 * 2**k, 16.0) <= pause <= 1.5 * min(4.0 * 2**k, 16.0) + 2.0
    waits = [e for _, e in team["desk"].events if e.kind == "waits"]
    assert len(waits) in (len(times) - 1, len(times))
    assert all("no robot in reach has laser" in e.cause and e.data == {"task": "desk.0"} for e in waits)
    team["r0"].bot.has = ("laser",)
    team.run(260.0)
    assert team["desk"].jobs["desk.0"].state == "done"


def test_closing_early_is_off_unless_asked_for() -> None:
    ends = {}
    for early in (False, True):
        team = home({"a": DOES}, close_early=early)
        team.run(4.0)
        team.add("desk", "a")
        team.run(30.0, lambda team=team: team["desk"].count("awarded") > 0)  # type: ignore[misc]
        ends[early] = team.now
    assert ends[True] < ends[False]


def test_a_bid_below_the_reserve_wins_nothing() -> None:
    team = home({"a": {**DOES, "reserve": 0.6}})
    team.add("desk", "a")
    team.run(20.0)
    assert team["desk"].jobs["desk.0"].state == "refused"
    assert "r0 bid 0.50, too little" in team["desk"].jobs["desk.0"].why


@pytest.mark.parametrize(
    ("introducer", "by", "named"),
    [("", "", ["day", "guard"]), ("", "desk", ["guard"]), ("desk", "", []), ("desk", "desk", [])],
)
def test_what_no_robot_introduces_is_a_warning_but_for_what_is_below_another_task(
    introducer: str, by: str, named: list[str]
) -> None:
    terms = {"day": {"children": ["lock-up"], "by": by}, "lock-up": {}, "guard": {}}
    tasks = (
        TaskEntry(Task(name, id=name), n, terms=json.dumps(own)) for n, (name, own) in enumerate(terms.items())
    )
    found = remarks(MurdochSettings(introducer=introducer), NumberTable((), tuple(tasks), ()))
    assert [words.partition(":")[0] for words in found.warnings] == (
        [f"no robot introduces {', '.join(named)}"] if named else []
    )
