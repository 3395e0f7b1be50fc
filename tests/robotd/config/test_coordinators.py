"""One mission file for several coordinators: which tables are read, what is checked, what enters the digest."""

from pathlib import Path
from typing import Any

import pytest

from robotd.config.load import ConfigError, Mission, load_mission
from robotd.robot import build
from tests.docs_pages import ROOT
from tests.robotd.config.files import MISSION, PLUGINS, changed, line, write
from tests.robotd.robot.stand_ins import FakeBehaviors

MARKET = """
from robotd.model.facts import FactKind
from robotd.model.statements import StatementKind


class Rounds(BaseModel):
    model_config = ConfigDict(extra="forbid")
    rounds: int = 2


class Terms(BaseModel):
    model_config = ConfigDict(extra="forbid")
    length_s: float = Field(default=60.0, gt=0)
    after: str = ""


class Market(Alliance):
    Settings = Rounds
    SetSettings = Terms
    TaskSettings = Terms
    RobotSettings = Terms

    def __init__(self, settings, sets, table, decision_s, *, own):
        self.given = (settings, sets, table, own)

    def begin(self, *_):
        pass

    @staticmethod
    def agrees(settings):
        return {"rounds": settings.rounds}

    @staticmethod
    def own_facts(settings, table):
        return [FactKind(f"bid-{member.name}") for member in table.team]

    @staticmethod
    def check(settings, terms):
        if settings.rounds == 13:
            yield ("parameters", "rounds"), "13 rounds bring bad luck", "another number"
        for group in ("tasks", "robots"):
            for name, own in getattr(terms, group).items():
                if own.after and own.after not in terms.tasks:
                    yield (group, name, "after"), f"no task is called {own.after!r}", "a task"
        for name, (_, own) in terms.sets.items():
            if own.after:
                yield ("sets", name, "after"), "a set comes after nothing", "no key"


class Voter(Alliance):
    own_kinds = (StatementKind("vote", fields=(("task", "task"), ("weight", "fixed8")), key=1),)


ROBOTD["robotd.coordinators"] |= {"market": Market, "voter": Voter}
"""
BOTH = (
    MISSION
    + """
[coordinators.market]
rounds = 3

[tasks.find.terms.market]
length_s = 90
after = ""

[types.small.terms.market]
length_s = 5
after = "shift"
[robots.blue.terms.market]
length_s = 7
[sets.look.terms.market]
length_s = 8
[sets.push.terms.market]
[robots.red.sets.push.terms.market]
length_s = 11
"""
)


def load(folder: Path, mission: str = BOTH, plugins: str = PLUGINS + MARKET, **changes: Any) -> Mission:
    write(folder, mission=mission, plugins=plugins)
    return load_mission(folder / "tidy.toml", {key.replace("__", "."): value for key, value in changes.items()})


def test_each_coordinator_reads_its_own_tables_of_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "_made", lambda *_: None)  # the behaviors of these files do nothing
    monkeypatch.setattr(build, "Behaviors", lambda *_: FakeBehaviors())
    mission = load(tmp_path, coordinator__name="market")
    given = {
        robot: build.build_mind(mission.content, mission.plugins, robot, "at-boot")._coordinator.given
        for robot in ("red", "blue")
    }
    settings, sets, table, robot = given["red"]
    assert (settings.rounds, robot.length_s, robot.after) == (3, 60.0, "")
    assert [(name, task, terms.length_s) for name, task, terms in sets] == [
        ("look", "find", 8),
        ("push", "shift", 11),
    ]
    assert table.task_entries["find"].terms == '{"after":"","length_s":90.0}'
    assert [table.fact(f"bid-{name}").number for name in ("blue", "red")] == [128, 129]
    _, sets, _, own = given["blue"]
    assert (own.length_s, own.after) == (7, "shift")  # its type's, then its own
    assert [(name, terms.length_s) for name, _, terms in sets] == [("push", 60.0)]


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        ({}, False),
        ({"coordinators.market": {"rounds": 2}}, True),
        ({"tasks.find.terms.market": {"length_s": 91.0}}, True),
        ({"tasks.shift.terms.market": {"length_s": 60.0}}, False),  # as by default
        ({"sets.look.terms.market": {"length_s": 1.0}}, False),  # a robot's own affair
        ({"coordinator.name": "alliance"}, True),
    ],
)
def test_what_the_robots_of_a_coordinator_must_agree_on_is_in_the_digest(
    tmp_path: Path, change: dict[str, Any], differs: bool
) -> None:
    digest = load(tmp_path, coordinator__name="market").table.digest
    changes = {"coordinator__name": "market"} | {key.replace(".", "__"): value for key, value in change.items()}
    assert (load(tmp_path, **changes).table.digest != digest) == differs


def test_robots_with_alliance_and_with_l_alliance_understand_each_other(tmp_path: Path) -> None:
    digests = [load(tmp_path, one).table.digest for one in (MISSION, BOTH)]
    assert {*digests, load(tmp_path, BOTH, coordinator__name="l-alliance").table.digest} == {digests[0]}


@pytest.mark.parametrize("in_force", ["alliance", "market"])
@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        ("rounds = 3", "round = 3", "coordinators.market.round", "did you mean 'rounds'?"),
        ("length_s = 90", "length_s = -1", "tasks.find.terms.market.length_s", "above 0"),
        ("length_s = 5", "lenght_s = 5", "types.small.terms.market.lenght_s", "did you mean 'length_s'?"),
        ("length_s = 7", "length_s = 'x'", "robots.blue.terms.market.length_s", "found 'x'"),
        ("length_s = 8", "length_s = 0", "sets.look.terms.market.length_s", "above 0"),
        ("length_s = 11", "length_s = 0", "robots.red.sets.push.terms.market.length_s", "above 0"),
        ("[tasks.find.terms.market]", "[tasks.find.terms.markt]", "tasks.find.terms.markt", "mean 'market'?"),
        ("[coordinators.market]", "[coordinators.markt]", "coordinators.markt", "did you mean 'market'?"),
        ("[sets.push.terms.market]", "[tasks.shift.terms.alliance]", "tasks.shift.terms.alliance", "of tasks"),
    ],
)  # fmt: skip
def test_a_fault_in_a_table_of_any_coordinator_is_reported_with_its_line(
    tmp_path: Path, in_force: str, old: str, new: str, key: str, words: str
) -> None:
    mission = changed(BOTH, (old, new))
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, mission, coordinator__name=in_force)
    (fault,) = [each for each in caught.value.problems if each.key == key]
    assert words in fault.message
    assert fault.line == line(mission, new)


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("rounds = 3", "rounds = 13", "coordinators.market.rounds"),
        ('after = ""', 'after = "rest"', "tasks.find.terms.market.after"),
        ("length_s = 7", 'after = "rest"', "robots.blue.terms.market.after"),
        ("length_s = 8", 'after = "find"', "sets.look.terms.market.after"),
        ("spot = { number = 2", "bid-red = { number = 2", "coordinator.name"),  # a fact that the market brings
    ],
)
def test_what_a_coordinator_finds_wrong_is_reported_at_its_key_where_it_is_in_force(
    tmp_path: Path, old: str, new: str, key: str
) -> None:
    mission = changed(BOTH, (old, new))
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, mission, coordinator__name="market")
    (fault,) = caught.value.problems
    assert (fault.key, fault.line) == (key, 0 if key == "coordinator.name" else line(mission, new))
    assert load(tmp_path, mission).content.coordinator.name == "alliance"  # which has no such check


def test_a_coordinators_own_statement_kinds_are_in_the_table_of_every_robot(tmp_path: Path) -> None:
    plain, voting = load(tmp_path, MISSION), load(tmp_path, MISSION, coordinator__name="voter")
    assert [kind.name for kind in voting.table.own_kinds] == ["vote"]
    assert plain.table.own_kinds == ()
    assert plain.table.digest != voting.table.digest  # so that neither team reads the other's statements
    root = Path(__file__).parents[3]
    changes = {"plugins": [str(root / "docs/examples/auction.py")], "coordinator.name": "auction"}
    mission = load_mission(root / "robotd/missions/cleanup.toml", changes)
    mind = build.build_mind(mission.content, mission.plugins, "green", "command")
    assert [kind.name for kind in mind.beliefs.table.own_kinds] == ["auction-bid"]
    assert mind.beliefs.table == mission.table


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [('"vote"', '"bid"', "number 9"), ('"fixed8"', '"page9"), ("more", "page9"', "19 bytes")],
)
def test_a_kind_that_cannot_be_sent_is_a_fault_of_the_key_that_names_the_coordinator(
    tmp_path: Path, old: str, new: str, word: str
) -> None:
    with pytest.raises(ConfigError, match=f"coordinator.name: .*{word}"):
        load(tmp_path, MISSION, changed(PLUGINS + MARKET, (old, new)), coordinator__name="voter")


@pytest.mark.parametrize(
    ("found", "meant", "near"),
    [('decide = "vote"', 'decide = "votte"', "vote"), ('decide = "vote"', 'decide = "xyz"', "")],
)
def test_a_name_that_a_coordinator_does_not_know_is_reported_with_the_nearest_and_all_there_are(
    tmp_path: Path, found: str, meant: str, near: str
) -> None:
    text = (ROOT / "docs/examples/steps.toml").read_text(encoding="utf-8")
    assert found in text
    (tmp_path / "steps.toml").write_text(text.replace(found, meant, 1), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_mission(tmp_path / "steps.toml")
    problem = next(one for one in caught.value.problems if "(there are: " in one.message)
    assert problem.nearest == near
    assert (f"did you mean {near!r}" in problem.message) == bool(near)
    assert problem.expected.startswith("one of ")
