import json
import math
from dataclasses import replace
from typing import Any

import pytest

from robotd.config.load import find_mission, load_mission
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Choice, State
from robotd.model.command import Command
from robotd.model.facts import Fact, FactKind
from robotd.model.inputs import Fault, Order
from robotd.model.senses import Pose, Senses
from robotd.record.log import RunLog
from robotd.robot.faults import TABLE as FAULT_TABLE
from robotd.robot.permission import in_run
from robotd.robot.snapshot import Snapshot
from robotd.sim.airs import air
from robotd.sim.parts import Parts, attach
from robotd.sim.team import Team, build_world
from robotd.status.model import Status
from robotd.status.status import status_of
from robotd.storage.store import MemoryStore
from tests.robotd.robot.snapshots import BELIEFS, NOW, TABLE, snapshot


def document(made: Snapshot, **more: Any) -> dict[str, Any]:
    """The document as it travels, held against its model."""
    text = json.dumps(status_of(made, **more), allow_nan=False)
    Status.model_validate_json(text)
    found: dict[str, Any] = json.loads(text)
    return found


def with_inputs(**changes: Any) -> Snapshot:
    made = snapshot()
    return replace(made, inputs=replace(made.inputs, **changes))


def with_thought(**changes: Any) -> Snapshot:
    made = snapshot()
    return replace(made, decision=replace(made.decision, **changes))


def test_who_it_is_what_it_takes_part_in_and_what_it_does() -> None:
    found = document(snapshot(), mission="tidy", warnings=["HTTP listens on 0.0.0.0"])
    expected = {
        "api_version": 2, "robot": {"name": "red", "number": 1, "type": "big"},
        "run": {"number": 5, "running": True}, "uptime_s": 990.0, "active": {"set": "look", "task": "find"},
        "held": "shift", "warnings": ["the disk is nearly full", "HTTP listens on 0.0.0.0"],
        "driven": {"left_m_s": 0.1, "right_m_s": -0.1, "opening": 0.5, "lift": None, "tune": None, "tool": None},
        "state": {"word": "running", "reason": "permitted to move", "next_step": "", "may_move": True},
    }  # fmt: skip
    assert {key: found[key] for key in expected} == expected
    mission = {key: found["mission"][key] for key in ("name", "digest", "tasks")}
    assert mission == {"name": "tidy", "digest": f"{TABLE.digest:04x}", "tasks": ["find", "shift"]}
    assert found["channels"][0] == {"channel": "drive", "behavior": "avoid-obstacles"}
    assert found["versions"]["python"].startswith("3.")


def test_an_idle_robot_has_no_active_set_rather_than_an_empty_one() -> None:
    found = document(snapshot(choice=Choice()))
    assert (found["active"], found["stack"], found["held"], found["levels"]) == (None, [], None, [])


def test_every_behavior_set_has_the_coordinators_scores_their_limit_and_why() -> None:
    look, push = document(snapshot())["levels"]
    assert (look["set"], look["active"], look["scores"]["motivation"]) == ("look", True, 100.0)
    scores = {"motivation": 12.345679, "impatience": 40.0, "acquiescence": 0.0}
    why = "slow: green is on shift"
    assert push == {"set": "push", "active": False, "scores": scores, "limit": 100.0, "why": why}


def test_teammates_have_their_age_in_beats_and_those_never_received_none() -> None:
    green, blue = document(snapshot())["teammates"]
    states = {"age_beats": 2.0, "task": "shift", "held": "find", "claimed_beats": 10.0}
    assert green == {"name": "green", "number": 2, "type": "big", **states}
    assert (blue["name"], blue["age_beats"], blue["task"]) == ("blue", None, None)


def test_facts_by_which_a_coordinator_makes_its_state_known_are_left_out() -> None:
    table = replace(TABLE, facts=(*TABLE.facts, FactKind("page-1-0", 128)))
    beliefs = Beliefs(table, 1).learn([Fact("found"), Fact("page-1-0", (1.0,) * 7)])
    assert set(beliefs.facts) == {"found", "page-1-0"}
    assert [fact["name"] for fact in document(with_thought(beliefs=beliefs))["facts"]] == ["found"]


def test_facts_have_the_form_of_their_kind() -> None:
    found = {fact["name"]: fact for fact in document(snapshot())["facts"]}
    assert list(found) == ["found", "pushes", "spot", "trust"]
    assert (found["found"]["value"], found["found"]["age_s"], found["found"]["by"]) == (True, 60.0, None)
    assert found["pushes"]["value"] == 4
    assert (found["spot"]["value"], found["spot"]["by"]) == ([1.5, 2.0], "green")
    assert (found["trust"]["value"], found["trust"]["by"]) == (0.5, "red")


@pytest.mark.parametrize("name", [row.name for row in FAULT_TABLE])
def test_every_fault_is_shown_with_its_row_of_the_table(name: str) -> None:
    (fault,) = document(with_inputs(faults=(Fault(name, "so", NOW - 20.0),)))["faults"]
    assert (fault["name"], fault["detail"], fault["age_s"]) == (name, "so", 20.0)
    assert all(fault[key] for key in ("what", "action", "clears", "who"))


def test_the_state_is_the_word_that_people_see_elsewhere() -> None:
    waiting = in_run(State("running", "permitted to move", "", may_move=True), running=False)
    found = document(with_thought(beliefs=Beliefs(TABLE, 1), state=waiting))["state"]
    assert (found["word"], found["next_step"]) == ("waiting for run", "robotd mission start")
    stopped = State("faulted", "tick-raised: KeyError", "robotd ack", may_move=False)
    assert document(with_thought(state=stopped))["state"]["word"] == "faulted"


def test_link_ports_ticks_and_body_are_told_with_units() -> None:
    found = document(snapshot())
    heard = {"name": "base station", "number": 0, "frames": 50, "missed": 0, "age_s": 0.5, "strength_dbm": None}
    assert found["radio"]["heard"][0] == heard
    assert (found["radio"]["heard"][1]["missed"], found["radio"]["heard"][1]["strength_dbm"]) == (10, -62.0)
    assert (found["radio"]["refused"], found["radio"]["framing"]) == ({"mac": 3}, {"crc": 7})
    assert found["ports"][0]["age_s"] == 50.0
    assert found["ticks"]["lateness"] == {"p50_s": 0.0001, "p99_s": 0.001, "max_s": 0.02}
    assert (found["ticks"]["n"], found["ticks"]["skipped"]) == (19800, 10)
    assert found["body"]["missing"] == [{"resource": "gripper", "reason": "gripper is dead"}]
    assert (found["body"]["x_m"], found["body"]["battery"]) == (1.0, 0.75)


def test_what_is_absent_or_no_number_is_null_and_never_zero() -> None:
    body = document(with_inputs(senses=Senses()))["body"]
    assert [body[key] for key in ("x_m", "y_m", "heading_rad", "accuracy_m", "battery")] == [None] * 5
    made = with_inputs(senses=Senses(pose=Pose(math.nan, math.inf, 0.0, 0.1)))
    found = document(replace(made, driven=Command(math.nan, 0.0)))
    assert (found["body"]["x_m"], found["body"]["y_m"], found["driven"]["left_m_s"]) == (None, None, None)


def test_the_same_snapshot_gives_the_same_document_whatever_the_order_of_what_it_holds() -> None:
    turned = replace(BELIEFS, facts=dict(reversed(list(BELIEFS.facts.items()))))
    assert status_of(with_thought(beliefs=turned)) == status_of(snapshot())


def test_every_field_of_the_model_says_what_it_is() -> None:
    schema = Status.model_json_schema()
    for name, part in {**schema["$defs"], "Status": schema}.items():
        for field, node in part["properties"].items():
            assert node.get("description"), f"{name}.{field}"


def test_a_robot_of_the_cleanup_mission_has_a_status_at_every_tick_of_its_first_seconds() -> None:
    mission = load_mission(find_mission("cleanup"))
    team = Team(
        mission, 1, build_world(mission, 1), air(mission, 1), RunLog(None, {}), attach(Parts()),
        {name: MemoryStore() for name in mission.content.team},
    )  # fmt: skip
    robot = team.boot("green", 0.0)
    words = set()
    for n in range(100):
        if n == 20:
            robot.orders += [Order("start", by="test"), Order("mission-start", by="test")]
        robot.step(n * 0.05, n)
        assert robot.snapshot is not None
        found = document(robot.snapshot)
        words.add(found["state"]["word"])
    assert words == {"waiting for start", "running"}
    assert {level["set"] for level in found["levels"]} == set(mission.content.sets)
    assert found["run"]["running"]
