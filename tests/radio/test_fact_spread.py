"""A fact that one robot knows reaches all, in bounded time, whatever else is said and however much is lost."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radio.codec import RECORDS, Codec
from radio.mock.loss import GilbertElliott
from radio.outbox import Outbox
from robotd.model.beliefs import FACT_KINDS, Beliefs
from robotd.model.facts import Fact, FactKind
from robotd.model.statements import MAX_PENDING, Statement
from robotd.model.table import NumberTable
from tests.radio.helper import Desk, activity, desk, table

BEAT = 3.0
STATES = (
    activity(),
    *(Statement("announcement", (n, "task-1", n, 4.0, 1.0, 2.0, 0)) for n in range(3)),
    *(Statement("bid", (2, n, 0.5, 0)) for n in range(4)),
    *(Statement("suitability", (n, (0.5,) * 9)) for n in range(4)),
    *(Statement("cobos-task", (f"task-{n}", n)) for n in (1, 2, 3)),
)
STOP, EPOCH = Statement("stop", (1, 1)), Statement("epoch", (2, 9, 9))


def fact(mission: NumberTable, number: int, version: int) -> Fact:
    """A fact of the mission as it stands after `version` changes."""
    kind = mission.facts[number - 1]
    value = {"flag": (), "count": (1.0 + version,), "place": (version / 100, 2.0), "scalar": (version % 9 / 10,)}
    return Fact(kind.name, value[kind.kind], 0.0)


@dataclass(frozen=True)
class Talk:
    """What a robot has to say: in every frame these states and urgent ones; its facts, some of which change in
    every frame."""

    facts: int
    hot: frozenset[int]
    states: tuple[Statement, ...]
    urgent: tuple[Statement, ...]


TALKS = st.builds(
    Talk,
    st.integers(1, 8),
    st.frozensets(st.integers(1, 8)),
    st.lists(st.sampled_from(STATES), unique=True, max_size=MAX_PENDING).map(tuple),
    st.sampled_from([(), (STOP,), (EPOCH,), (STOP, EPOCH)]),
)


def waits(talk: Talk, kind: type[Outbox] = Outbox) -> Mapping[str, int]:
    """Of each fact, how many frames it took at most from one in which it was said to the next, or to the first."""
    mission = table(facts=12)
    codec, box = Codec(mission), kind(mission, Codec(mission))
    beliefs = Beliefs(mission, 1, 1, running=True).learn([fact(mission, n, 0) for n in range(1, talk.facts + 1)])
    box.state(0.0, talk.states)
    last, longest = dict.fromkeys(beliefs.facts, 0), dict.fromkeys(beliefs.facts, 0)
    for k in range(1, 6 * talk.facts + 1):
        hot = [n for n in sorted(talk.hot) if n <= talk.facts]
        beliefs = beliefs.learn([fact(mission, n, k) for n in hot])
        records = box.pack(BEAT * k, talk.urgent, beliefs)
        assert sum(map(len, records)) <= RECORDS
        for said in codec.round(records):
            if said.kind in FACT_KINDS:
                name = str(said.fields[0])
                longest[name], last[name] = max(longest[name], k - last[name]), k
    return {name: max(longest[name], 6 * talk.facts - last[name]) for name in longest}


@settings(max_examples=15, deadline=None)
@given(TALKS)
def test_each_of_f_facts_is_said_within_3_f_frames_whatever_else_is_said_or_changes(talk: Talk) -> None:
    assert max(waits(talk).values()) <= 3 * talk.facts


@pytest.mark.parametrize("facts", [1, 2, 5, 12])
def test_beside_the_activity_alone_f_facts_that_do_not_change_take_f_frames(facts: int) -> None:
    assert max(waits(Talk(facts, frozenset(), (activity(),), ())).values()) <= facts


@pytest.mark.parametrize(
    "talk",
    [
        Talk(4, frozenset(), STATES, ()),
        Talk(8, frozenset({2, 3, 6}), (activity(),), ()),
        Talk(3, frozenset(), (activity(),), (STOP, EPOCH)),
    ],
    ids=["states fill every frame", "facts change in every frame", "a stop and an epoch leave six bytes"],
)
def test_what_would_keep_a_fact_from_being_said_for_ever_would_be_noticed(talk: Talk) -> None:
    class Forgetful(Outbox):
        def _overdue(self, beliefs: Beliefs) -> None:
            return None

    assert max(waits(talk).values()) <= 3 * talk.facts < max(waits(talk, Forgetful).values())


def test_a_stop_and_the_activity_are_in_every_frame_all_the_same() -> None:
    mission = table(facts=12)
    codec, box = Codec(mission), Outbox(mission, Codec(mission))
    beliefs = Beliefs(mission, 1, 1, running=True).learn([fact(mission, 3, 0)])
    box.state(0.0, STATES)
    frames = [[x.kind for x in codec.round(box.pack(BEAT * k, (STOP, EPOCH), beliefs))] for k in range(1, 10)]
    assert all("stop" in kinds and "activity" in kinds for kinds in frames)
    assert sum("place" in kinds for kinds in frames) == 3
    assert sum("epoch" in kinds for kinds in frames) == 6


def bound_s(facts: int, teammates: int, loss: float, period_s: float) -> float:
    """Of docs/radio.md: the mean time until each of `teammates` has heard a fact from one robot."""
    harmonic = sum(1.0 / k for k in range(1, teammates + 1))
    return 3 * facts * period_s * (1.0 + harmonic / -math.log(loss))


def test_the_figures_of_the_bound_are_those_of_the_docs() -> None:
    text = (Path(__file__).parents[2] / "docs" / "radio.md").read_text(encoding="utf-8")
    figures = [round(bound_s(8, 2, loss, BEAT)) for loss in (0.1, 0.5, 0.9)]
    assert "{} s at 10 % loss, {} s at 50 %, {} s at 90 %".format(*figures) in text


def spread(team: Desk, limit_s: float) -> Sequence[float]:
    """The times from when each robot comes to know a fact of its own until all know it; inf past the limit."""
    team.run(10.0)
    news = {n: fact(team.table, n, 0) for n in team.radios}
    for number, own in news.items():
        team.beliefs[number] = team.beliefs[number].learn([own])
    since, known = team.now, dict.fromkeys((own.name for own in news.values()), math.inf)
    while team.now < since + limit_s and math.inf in known.values():
        team.run(team.now + 1.0)
        for name, at in known.items():
            if at == math.inf and all(name in beliefs.facts for beliefs in team.beliefs.values()):
                known[name] = team.now - since
    return list(known.values())


@pytest.mark.parametrize("bursts", [False, True], ids=["each by itself", "in bursts"])
def test_at_90_percent_loss_facts_reach_all_within_the_bound(bursts: bool) -> None:
    times: list[float] = []
    for seed in (1, 2):
        model = {"model": GilbertElliott(seed)} if bursts else {}
        times += spread(desk(3, seed=seed, loss=0.9, **model), 1200.0)
    assert max(times) < math.inf
    assert sum(times) / len(times) < bound_s(3, 2, 0.9, BEAT * 1.1)


def test_a_fact_spreads_on_when_the_robot_that_found_it_is_gone() -> None:
    team = desk(4, loss=0.5, reaches=lambda one, other, now: abs(one - other) == 1)
    team.run(10.0)
    team.beliefs[1] = team.beliefs[1].learn([fact(team.table, 1, 0)])
    while "fact-1" not in team.beliefs[2].facts:
        team.run(team.now + 1.0)
    del team.radios[1]
    team.run(team.now + 60.0)
    assert "fact-1" in team.beliefs[4].facts


@pytest.mark.parametrize("kind", ["flag", "page"])
def test_seven_robots_that_each_change_a_fact_in_one_beat_are_known_to_all_within_the_next(kind: str) -> None:
    own = [FactKind(f"own-{n}", kind=kind) for n in range(1, 8)]
    team = desk(7, facts=0, own=own, base_station=True)
    team.run(60.0)
    for version in (1, 2) if kind == "page" else (1,):
        value = (float(version),) * 7 if kind == "page" else ()
        for n in team.radios:
            team.beliefs[n] = team.beliefs[n].learn([Fact(f"own-{n}", value, team.now)])
        team.run(team.now + 3.2)
        for beliefs in team.beliefs.values():
            assert [beliefs.facts[f"own-{n}"].value for n in team.radios] == [value] * 7
        team.run(team.now + 31.0)


def test_where_all_is_lost_no_fact_arrives() -> None:
    assert spread(desk(2, loss=1.0), 60.0) == [math.inf, math.inf]
