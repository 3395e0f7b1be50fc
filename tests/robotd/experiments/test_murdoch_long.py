"""The loosely coupled mission in short: what is drawn, what is counted, and what is drawn of it."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from robotd.config.load import find_mission, load_mission
from robotd.experiments.auctions import COLUMNS, Auctions, overlaps
from robotd.experiments.base import Results, log_path
from robotd.experiments.murdoch_long import EXPERIMENT, KINDS, PUBLISHED, TASKER, cell_of
from robotd.experiments.rows import RunRow
from robotd.model.choice import Choice, Event, Level
from robotd.model.statements import Sent, Statement
from robotd.sim.activity_trace import ActivityTrace, Interval

from .fakes import ended

pytestmark = pytest.mark.long
MISSION = load_mission(find_mission("murdoch-long"))
TEAM = ["tasker", "desk", "cleo", "fay", "gus"]  # one robot of each type
QUIET = cell_of(0.0)


def test_the_team_is_that_of_the_papers_text() -> None:
    """Seven robots, of which three have a laser and one other has bumpers, and two computers (VI-B.1)."""
    types = {name: member.type for name, member in MISSION.content.team.items()}
    assert sorted(types.values()) == ["bumper", *["camera"] * 3, "desktop", *["laser"] * 3, "tasker"]


def test_tasks_are_drawn_from_the_seed_of_all_kinds_and_end_within_the_run() -> None:
    events = [event.split() for event in EXPERIMENT.draw_tasks(1)]
    assert EXPERIMENT.draw_tasks(1) != EXPERIMENT.draw_tasks(2)
    assert len(events) == 58
    names = {event[3].partition(":")[0] for event in events}
    assert names == {name for kind in KINDS for name in kind} == set(MISSION.content.tasks)
    for at, verb, who, task in events:
        length_s = float(task.partition("=")[2])
        assert (verb, who) == ("add-task", TASKER)
        assert 60.0 <= length_s <= 300.0
        assert 5.0 <= float(at) <= 10_800.0 - length_s - 30.0


def test_winners_fail_where_frames_are_lost_and_nowhere_else() -> None:
    clean, lossy = (EXPERIMENT.scenario(cell_of(loss), 1).events for loss in (0.0, 0.3))
    incidents = lossy[len(clean) :]
    assert lossy[: len(clean)] == clean == EXPERIMENT.draw_tasks(1)
    assert [line.partition(" ")[2] for line in incidents[:4]] == [
        "reboot holder:tasker.0", "start all", "radio holder:tasker.5 off", "radio all on"
    ]  # fmt: skip
    assert EXPERIMENT.scenario(cell_of(0.3), 1).mission  # events that cannot happen would be refused


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A good minute with eight tasks for one robot of each type."""
    folder = tmp_path_factory.mktemp("long")
    scenarios = {
        cell: replace(one, factors={**one.factors, "robots": TEAM}) for cell, one in EXPERIMENT.scenarios.items()
    }
    experiment = replace(EXPERIMENT, hours=0.02, per_hour=400.0, lengths_s=(8.0, 16.0), scenarios=scenarios)
    cell = experiment.cells()[0]
    log = log_path(folder, cell.name, 1)
    log.parent.mkdir()
    (row,) = experiment.run(cell, [3], log)
    return Results([{"cell": cell.name, "run": 1, "seed": 3, **row}], folder)


def test_every_task_of_a_short_run_ends_and_no_able_robot_is_passed_over(short: Results) -> None:
    (row,) = short.rows
    assert row["accomplished"], row["reason"]
    assert row["introduced"] == 8 == row["done"] + row["refused"]
    assert row["refused"] == row["refused_busy"] > 0
    assert row["done"] > 2
    assert {row[name] for name in ("refused_wrongly", "not_best", "overlap_s", "open")} == {0}
    assert row["auctions"] == 8
    assert 4.0 < row["bytes_per_record"] < 15.0
    assert row["records"] < row["messages_bid"] + row["messages_contract"]  # repetitions do not count
    assert all(all(claim.holds) for claim in EXPERIMENT.claims(short) if claim.cell == QUIET)


def test_the_figures_and_the_table_of_a_short_run_are_drawn(short: Results) -> None:
    kept = json.loads(log_path(short.folder, QUIET, 1).read_text())
    assert sum(size for _, size in kept["records"]) > 0
    drawings = EXPERIMENT.figures(short)
    assert [drawing.path.name for drawing in drawings] == ["loss_0_-1-activity.svg", "loss_0_-1-traffic.svg"]
    assert all(drawing.path.stat().st_size > 1000 for drawing in drawings)
    (table,) = EXPERIMENT.tables(short)
    assert {line[0]: line[-1] for line in table.rows if line[-1]} == PUBLISHED
    assert EXPERIMENT.figures(Results([])) == []


def test_two_robots_on_one_task_overlap_and_on_two_tasks_or_in_turn_they_do_not() -> None:
    story = ActivityTrace(spells={
        "ada": [Interval("track", "tasker.1", 0.0, 10.0), Interval("track", "tasker.2", 10.0, 20.0)],
        "ben": [Interval("track", "tasker.1", 8.0, 15.0), Interval("charge", "", 15.0, 30.0)],
        "cleo": [Interval("track", "tasker.2", 20.0, 30.0), Interval("charge", "", 30.0, 40.0)],
        "dora": [Interval("track", "tasker.1", 9.0, 12.0)],
    })  # fmt: skip
    assert overlaps(story, "tasker.") == [(8.0, 12.0)]


def measure(
    *sent: tuple[float, str, Statement],
    events: tuple[Event, ...] = (),
    idle: tuple[str, ...] = (),
    until: float = 9.0,
    may_move: bool = True,
) -> RunRow:
    """What is counted of frames (when, who, what), of robots idle all the time, and of the tasker's events."""
    found = Auctions(MISSION.table, TASKER)
    levels = tuple(Level(name, {}, 1.0, "") for name in MISSION.content.tasks)

    def tick(robot: str, now: float, frames: tuple[Sent, ...] = (), choice: Choice | None = None) -> None:
        capabilities, state = SimpleNamespace(resources=("camera", "mobile")), SimpleNamespace(may_move=may_move)
        found.tick(robot, SimpleNamespace(now=now, capabilities=capabilities), frames,
                   SimpleNamespace(choice=choice, condition="", state=state))  # fmt: skip

    for robot in (TASKER, *idle):
        tick(robot, 0.0, choice=Choice(levels=() if robot == TASKER else levels))
    for at, robot, one in sent:
        tick(robot, at, (Sent(at, (one,)),))
    tick(TASKER, until, choice=Choice(events=events))
    return found.columns(ended(duration_s=10.0))


CALL = Statement("announcement", (7, "track-red", 3, 600.0, 0.0, 0.0, 0))
BUSY = Statement("bid", (1, 7, 0.0, 2))
REFUSED = Event(
    "refused", "", "track-red", "no idle robot has camera, mobile", {"task": "tasker.3", "reach": ["ada", "ben"]}
)


def test_repetitions_are_no_records_and_renewals_with_their_acknowledgements_are() -> None:
    terms = [Statement("contract", (7, 3, term, left)) for term, left in ((1, 90.0), (1, 80.0), (2, 90.0))]
    done = [Statement("acknowledgement", (1, 7, share)) for share in (0.1, 0.2, 1.0)]
    row = measure(
        (1.0, TASKER, CALL), (1.1, TASKER, CALL), (1.2, "ada", Statement("bid", (1, 7, 0.5, 0))),
        (1.3, "ada", Statement("bid", (1, 7, 0.6, 0))), (2.0, TASKER, terms[0]), (2.1, TASKER, terms[1]),
        (2.2, "ada", done[0]), (2.3, "ada", done[1]), (3.0, TASKER, terms[2]), (3.1, "ada", done[1]),
        (4.0, "ada", done[2]),
    )  # fmt: skip
    assert row["records"] == 1 + 1 + 2 + 3
    assert row["record_bytes_per_s"] == pytest.approx(row["records"] * row["bytes_per_record"] / 10.0, abs=0.01)


@pytest.mark.parametrize(
    ("idle", "may_move", "wrongly"),
    [((), True, 0), (("ada",), True, 1), (("cleo",), True, 0), (("ada",), False, 0)],
)
def test_a_refusal_while_an_able_robot_in_reach_was_idle_and_permitted_to_move_is_wrong(
    idle: tuple[str, ...], *, may_move: bool, wrongly: int
) -> None:
    row = measure((5.0, TASKER, CALL), (5.1, "ben", BUSY), events=(REFUSED,), idle=idle, may_move=may_move)
    assert (row["refused"], row["refused_busy"], row["refused_wrongly"]) == (1, 1, wrongly)


@pytest.mark.parametrize(
    ("bids", "wrong"), [({"ada": 0.5, "ben": 0.5, "cleo": 0.2}, 0), ({"ada": 0.5, "ben": 0.51}, 1)]
)
def test_an_award_to_a_lower_bid_is_counted(bids: dict[str, float], wrong: int) -> None:
    awarded = Event("awarded", "", "track-red", "", {"task": "tasker.3", "winner": "ada", "bids": bids})
    assert measure((5.0, TASKER, CALL), events=(awarded,))["not_best"] == wrong


def test_every_row_has_all_columns() -> None:
    assert set(COLUMNS) <= set(measure())
