"""Faults of the mission file, by path, and the mission as COBOS reads it."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from motivation.cobos import Cobos
from motivation.cobos.models import Record
from motivation.cobos.pages import Report, name_of, pages_of, read, written
from motivation.cobos.settings import CobosSettings, RobotTerms, TaskTerms, plan_of
from robotd.model.choice import MissionTerms
from robotd.model.facts import Fact
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Task
from tests.motivation.cobos import abstract

PLACE = (("x", "1"), ("y", "2"))


def terms(tasks: dict[str, dict[str, Any]], args: dict[str, Any] | None = None, robots: int = 2) -> MissionTerms:
    own = {name: TaskTerms(**one) for name, one in tasks.items()}
    entries = tuple(
        TaskEntry(
            Task(name, (args or {}).get(name, PLACE), name), k, terms=json.dumps(one.model_dump(mode="json"))
        )
        for k, (name, one) in enumerate(own.items(), 1)
    )
    team = tuple(Member(f"r{k}", k, "seeker") for k in range(1, robots + 1))
    given = {member.name: RobotTerms(goto=0.9) for member in team}
    return MissionTerms(NumberTable(team, entries, ()), own, {}, given)


GOOD: dict[str, dict[str, Any]] = {"rest": {"idle": True}, "dig": {"ways": [["goto", "find"]]}}


def faults(tasks: dict[str, dict[str, Any]], **options: Any) -> list[tuple[str | int, ...]]:
    settings = CobosSettings(basis=options.pop("basis", ("goto", "find", "lift")))
    return [path for path, _, _ in Cobos.check(settings, terms(GOOD | tasks, **options))]


def test_a_sound_mission_has_no_fault() -> None:
    assert faults({}) == []


@pytest.mark.parametrize(
    ("tasks", "path"),
    [
        ({"dig": {"ways": [["goto"], ["goto", "find"]]}}, ("tasks", "dig", "ways")),
        ({"dig": {"ways": [["goto"], ["goto"]]}}, ("tasks", "dig", "ways")),
        ({"dig": {"ways": [["fly"]]}}, ("tasks", "dig", "ways")),
        ({"dig": {"ways": [[]]}}, ("tasks", "dig", "ways")),
        ({"dig": {}}, ("tasks", "dig", "ways")),
        ({"rest": {"idle": True, "ways": [["goto"]]}}, ("tasks", "rest", "ways")),
        ({"dig": {"ways": [["goto"]], "after": ["fly"]}}, ("tasks", "dig", "after")),
        ({"dig": {"ways": [["goto"]], "after": ["rest"]}}, ("tasks", "dig", "after")),
        ({"dig": {"ways": [["goto"]], "after": ["dig"]}}, ("tasks", "dig", "after")),
        ({"also": {"idle": True}}, ("tasks", "also", "idle")),
        ({"rest": {"ways": [["goto"]]}}, ("parameters", "home")),
    ],
)
def test_a_fault_names_the_key(tasks: dict[str, dict[str, Any]], path: tuple[str, ...]) -> None:
    assert faults(tasks) == [path]


def test_a_cycle_of_dependencies_is_a_fault_of_each_task_in_it() -> None:
    ring = {name: {"ways": [["goto"]], "after": [other]} for name, other in (("a", "b"), ("b", "c"), ("c", "a"))}
    assert faults(ring) == [("tasks", name, "after") for name in "abc"]


def test_a_task_without_a_place_is_a_fault() -> None:
    assert faults({}, args={"dig": (("x", "1"),)}) == [("tasks", "dig", "idle")]
    assert faults({}, args={"dig": (("x", "here"), ("y", "2"))}) == [("tasks", "dig", "idle")]


def test_an_ability_that_is_no_basis_task_and_a_basis_of_none_are_faults() -> None:
    assert faults({}, basis=("find", "lift"))[-2:] == [("robots", "r1", "goto"), ("robots", "r2", "goto")]
    assert ("parameters", "basis") in faults({}, basis=())
    assert ("parameters", "basis") in faults({}, basis=("goto", "find", "goto"))
    with pytest.raises(ValidationError):
        RobotTerms(goto=1.2)


def test_more_facts_than_a_run_has_room_for_are_a_fault() -> None:
    tasks = {f"dig-{k}": {"ways": [["goto"]]} for k in range(8)}
    assert faults(tasks, robots=13) == []
    assert faults(tasks, robots=14) == [("parameters", "basis")]
    assert ("parameters", "basis") in faults({f"dig-{k}": {"ways": [["goto"]]} for k in range(16)})


def test_tasks_are_in_order_of_priority_and_then_of_number() -> None:
    tasks = GOOD | {
        "late": {"ways": [["lift"]], "priority": 2, "after": ["dig"]},
        "soon": {"ways": [["find", "goto"]]},
    }
    plan = plan_of(CobosSettings(basis=("goto", "find", "lift")), terms(tasks).table)
    assert [macro.task.id for macro in plan.tasks] == ["dig", "soon", "late"]
    assert [macro.ways for macro in plan.tasks] == [((0, 1),), ((0, 1),), ((2,),)]
    assert plan.tasks[2].after == (1,)
    assert (plan.idle.id, plan.place(0), plan.id(0)) == ("rest", (1.0, 2.0), "rest")


@pytest.mark.parametrize(("tasks", "status"), [(1, 0), (2, 1), (4, 2), (6, 3), (15, 4), (4, 7)])
def test_a_report_travels_in_its_pages_and_is_there_when_all_are(tasks: int, status: int) -> None:
    records = tuple(Record(k + 16, k + 1, bool(k % 2), bool(k % 3), k, bool(k % 5)) for k in range(tasks))
    values, recruits = tuple(255 - k for k in range(tasks)), status == 7
    report = Report(tasks, 1 if recruits else status, recruits, status % 2 == 0, records, values)
    facts = {name_of(4, k): Fact(name_of(4, k), value) for k, value in enumerate(written(report))}
    assert len(facts) == pages_of(tasks)
    assert read(facts, 4, tasks) == report
    facts.pop(name_of(4, 0))
    assert read(facts, 4, tasks) is None


def test_four_tasks_are_two_pages_and_a_page_of_another_version_of_the_mission_is_idle() -> None:
    assert (pages_of(2), pages_of(4), pages_of(5)) == (1, 2, 3)
    facts = {name_of(1, 0): Fact(name_of(1, 0), (255.0,) * 7)}
    found = read(facts, 1, 2)
    assert found is not None
    assert found.task == 0


PAGES = Path(__file__).parents[3] / "docs"


def test_the_readings_as_printed_are_all_there_and_as_the_table_of_readings_has_them() -> None:
    block = re.search(r"```toml\n(name = \"as-printed\".*?)```", (PAGES / "faithfulness.md").read_text(), re.S)
    assert block
    cell = tomllib.loads(block[1])["cells"]["as-printed"]
    printed = {key.removeprefix("coordinator.parameters."): value for key, value in cell.items()}
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", (PAGES / "cobos.md").read_text().split("## Readings")[1], re.M)
    words = {key: text.split(":")[0].split(";")[0].strip().strip("`") for key, text in rows}
    assert words == {key: json.dumps(value).strip('"').removesuffix(".0") for key, value in printed.items()}
    others = {"basis", "epsilon", "eta", "solver", "network_beats", "synchronise_beats", "home", "home_range_m"}
    assert set(printed) == set(CobosSettings.model_fields) - others
    soon = {name: own.model_copy(update={"expected_s": 60.0}) for name, own in abstract.terms().items()}
    world = abstract.World(parameters=printed, beat_s=5.0, tasks=soon)
    assert world.run(200.0) is None
    assert {event.kind for bot in world.bots for _, event in bot.events} >= {"assigned", "lapsed", "recruits"}
