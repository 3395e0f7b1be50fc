"""What is wrong with a plan is found before a robot moves, each fault at its key."""

from typing import Any

import pytest

from motivation.bite import Bite
from motivation.bite.settings import BiteSettings
from robotd.model.choice import MissionTerms
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Task

ALL = {"team": "all", "terminate": "all"}
TASKS = ("a", "b", "c", "d", "e")


def table() -> NumberTable:
    tasks = tuple(TaskEntry(Task(name, id=name), k) for k, name in enumerate(TASKS, 1))
    return NumberTable((Member("r1", 1, "r2"), Member("r2", 2, "r2")), tasks, ())


def found(graph: dict[str, Any], **settings: Any) -> list[tuple[tuple[str | int, ...], str]]:
    """Path and message of each fault, of a team r1, r2 with tasks a to e."""
    made = BiteSettings(**{"start": "a", "graph": graph, **settings})
    return [(path[1:], message) for path, message, _ in Bite.check(made, MissionTerms(table(), {}, {}, {}))]


def where(*args: Any, **settings: Any) -> list[tuple[str | int, ...]]:
    return [path for path, _ in found(*args, **settings)]


def test_a_sound_plan_has_no_faults() -> None:
    graph = {
        "a": {"first": ["b", "c"], "allocate": "market", **ALL}, "c": {},
        "b": {"next": ["d", "b"], "decide": "vote", **ALL}, "d": {"team": "pair", "terminate": "first"},
    }  # fmt: skip
    assert found(graph, teams={"pair": ["r1", "r2"]}) == []


@pytest.mark.parametrize(
    ("graph", "at"),
    [
        ({"a": {"first": ["b"]}, "b": {"first": ["a"]}}, ("graph", "a", "first")),  # its own ancestor
        ({"a": {"first": ["b"]}, "b": {"next": ["c"]}, "c": {"first": ["b"]}}, ("graph", "c", "first")),
        ({"a": {}, "b": {}}, ("graph", "b")),  # never reached
        ({"a": {"next": ["z"]}}, ("graph", "a", "next")),
        ({"a": {"next": ["b", "b"], "decide": "vote"}, "b": {}}, ("graph", "a", "next")),
        ({"a": {"next": ["y"]}, "y": {}}, ("graph", "y")),  # no task of that name
        ({"a": {"team": "trio", "terminate": "all"}}, ("graph", "a", "team")),
        ({"a": {"next": ["b", "c"], **ALL}, "b": {}, "c": {}}, ("graph", "a", "decide")),  # no protocol
        ({"a": {"first": ["b", "c"], **ALL}, "b": {}, "c": {}}, ("graph", "a", "allocate")),
        ({"a": {"team": "all"}}, ("graph", "a", "terminate")),
        ({"a": {"team": "all", "terminate": "vote"}}, ("graph", "a", "terminate")),  # of another kind of point
        ({"a": {"team": "all", "terminate": "ballot"}}, ("graph", "a", "terminate")),
        ({"a": {"next": ["b", "c"], "team": "all", "decide": "vote", "terminate": "alone"}, "b": {}, "c": {}},
         ("graph", "a", "terminate")),
        ({"a": {"first": ["b", "c"], "allocate": "agreed"}, "b": {"next": ["d"]}, "c": {"next": ["d"]}, "d": {}},
         ("graph", "a", "first")),  # chains that meet
        ({"a": {"first": ["b"]}, "b": {"first": ["c"]}, "c": {"first": ["d"]}, "d": {"first": ["e"]}, "e": {}},
         ("graph", "e")),  # five levels
    ],
)  # fmt: skip
def test_a_faulty_graph_is_refused_at_its_key(graph: dict[str, Any], at: tuple[str, ...]) -> None:
    assert at in where(graph)


@pytest.mark.parametrize(
    ("settings", "at"),
    [
        ({"start": "z"}, ("start",)),
        ({"start": ""}, ("start",)),
        ({"teams": {"pair": ["r1", "r9"]}}, ("teams", "pair")),
        ({"teams": {"pair": ["more"], "more": ["pair"]}}, ("teams", "pair")),
        ({"teams": {"all": ["r1"]}}, ("teams", "all")),
        ({"teams": {"pair": []}}, ("teams", "pair")),
        ({"interactions": {"x": {"protocol": "shout"}}}, ("interactions", "x", "protocol")),
        ({"interactions": {"x": {"protocol": "vote", "teller": "y"}}}, ("interactions", "x", "teller")),
        ({"interactions": {"x": {"protocol": "vote", "teller": "market"}}}, ("interactions", "x", "teller")),
        ({"interactions": {"x": {"protocol": "nested"}}}, ("interactions", "x", "coordinator")),
    ],
)
def test_faulty_settings_are_refused_at_their_key(settings: dict[str, Any], at: tuple[str, ...]) -> None:
    assert at in where({"a": {}}, **settings)


def test_trap_b12_interaction_behaviors_that_use_one_another_in_a_ring_are_refused() -> None:
    ring = {"x": {"protocol": "vote", "teller": "y"}, "y": {"protocol": "vote", "teller": "x"}}
    faults = dict(found({"a": {}}, interactions=ring))
    assert "x > y > x" in faults["interactions", "x", "teller"]
    deep = {f"v{k}": {"protocol": "vote", "teller": f"v{k + 1}"} for k in range(4)} | {"v4": {"protocol": "vote"}}
    assert where({"a": {}}, interactions=deep) == [("interactions", "v0", "teller")]


def test_seven_children_are_the_most_that_a_market_allocates() -> None:
    names = [f"n{k}" for k in range(8)]
    graph = {"a": {"first": names, "allocate": "market", **ALL}, **{name: {} for name in names}}
    table = NumberTable(
        (Member("r1", 1, "r2"),), tuple(TaskEntry(Task(n, id=n), k) for k, n in enumerate(graph, 1)), ()
    )
    made = BiteSettings(start="a", graph=graph)
    paths = [path[1:] for path, _, _ in Bite.check(made, MissionTerms(table, {}, {}, {}))]
    assert paths == [("graph", "a", "allocate")]


def test_a_coordinator_with_own_facts_is_not_inside_itself() -> None:
    inside = {"protocol": "nested", "coordinator": "cobos"}
    graph = {"a": {"first": ["b", "c"], "allocate": "x"}, "b": {"first": ["d", "e"], "allocate": "y"}}
    graph |= {name: {} for name in "cde"}
    terms = MissionTerms(table(), {}, {}, {}, unique=frozenset(["cobos"]))
    for other, expected in (("cobos", [("graph", "b", "allocate")]), ("murdoch", [])):
        both = {"x": inside, "y": {**inside, "coordinator": other}}
        settings = BiteSettings(start="a", graph=graph, interactions=both)
        assert [path[1:] for path, _, _ in Bite.check(settings, terms)] == expected


def test_robots_that_differ_in_the_graph_have_another_digest() -> None:
    one, other = (BiteSettings(start="a", graph={"a": {"inform": how}}) for how in ("none", "broadcast"))
    assert Bite.agrees(one) != Bite.agrees(other)


def test_motivations_that_a_coordinator_inside_lacks_are_listed_for_checking() -> None:
    inside = {"protocol": "nested", "coordinator": "alliance", "sets": {"b": {"fast_rate": 3.0}}}
    graph = {"a": {"first": ["b", "c"], "allocate": "x"}, "b": {}, "c": {}}
    listed = [one.path[2] for one in Bite.nested(BiteSettings(start="a", graph=graph, interactions={"x": inside}))]
    assert listed == ["parameters", "motivation", "sets"]
    graph["a"]["first"] = ["b"]
    listed = [one.path[2] for one in Bite.nested(BiteSettings(start="a", graph=graph, interactions={"x": inside}))]
    assert listed == ["parameters", "sets"]


def test_the_tables_of_coordinators_inside_are_listed_for_checking() -> None:
    inside = {"protocol": "nested", "coordinator": "alliance", "motivation": {"fast_rate": 2.0},
              "sets": {"b": {"fast_rate": 3.0}}}  # fmt: skip
    listed = [(one.path, one.model) for one in Bite.nested(BiteSettings(interactions={"x": inside}))]
    assert listed == [
        (("interactions", "x", "parameters"), "Settings"), (("interactions", "x", "motivation"), "SetSettings"),
        (("interactions", "x", "sets", "b"), "SetSettings"),
    ]  # fmt: skip
