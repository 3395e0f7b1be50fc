"""What a robot makes of what it hears: runs, facts, and what its teammates claim."""

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotd.model.beliefs import RUNS, Beliefs, Teammate, accepts_beacon, fact_of, newer_run, statement_of
from robotd.model.facts import MAX_FACTS, Fact, FactKind
from robotd.model.statements import Heard, Statement
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Task

TABLE = NumberTable(
    tuple(Member(name, n, "r2") for n, name in enumerate(("red", "green", "blue"), 1)),
    (TaskEntry(Task("job", (), "dig"), 1),),
    (FactKind("found", 1, "flag"), FactKind("pushes", 2, "count"), FactKind("goal", 3, "place"),
     FactKind("level", 4, "scalar")),
)  # fmt: skip
ME = Beliefs(TABLE, 1, 5, running=True)
DIG = Statement("activity", ("dig", "", 2.0))
FOUND = Statement("fact", ("found", 0, 1.0))


def heard(*statements: Statement, at: float = 30.0, sender: int = 2, run: int = 5, **other: bool) -> Heard:
    settings = {"running": True, "same_mission": True, **other}
    return Heard(at, sender, run, statements=statements, **settings)


def pushes(n: int) -> Statement:
    return Statement("fact", ("pushes", n, 0.0))


def test_facts_heard_are_believed_and_dated_by_their_age() -> None:
    place = Statement("place", ("goal", 2 * 32 + 3, 1.5, -2.0, 2.0))
    level = Statement("scalar", ("level", 1 * 32 + 2, 0.4, 0.0))
    after = ME.learn([heard(FOUND, pushes(4), place, level)])
    assert after.flag("found")
    assert after.facts["found"].since == 27.0
    assert after.count("pushes") == 4
    assert after.place("goal") == (1.5, -2.0)
    assert (after.facts["goal"].version, after.facts["goal"].writer) == (2, 3)
    assert after.facts["level"].value == (0.4,)
    assert not ME.flag("found")
    assert (ME.count("pushes"), ME.place("goal")) == (0, None)


def test_own_facts_are_numbered_and_rounded_as_they_will_travel() -> None:
    after = ME.learn([Fact("goal", (1.234, 0.0), 9.0)])
    assert after.facts["goal"] == Fact("goal", (1.23, 0.0), 9.0, 1, 1)
    assert after.learn([Fact("goal", (1.2301, 0.0), 11.0)]) is after


def test_a_fact_of_no_mission_is_an_error_that_names_it() -> None:
    with pytest.raises(KeyError, match="declares no fact 'treasure'"):
        ME.learn([Fact("treasure")])


def test_more_than_sixty_four_facts_are_refused_loudly() -> None:
    table = NumberTable(TABLE.team, (), tuple(FactKind(f"f{n}", n, "flag") for n in range(1, MAX_FACTS + 2)))
    full = Beliefs(table, 1, 1).learn([Fact(f"f{n}") for n in range(1, MAX_FACTS + 1)])
    assert len(full.facts) == MAX_FACTS
    assert full.learn([Fact("f1")]) is full
    with pytest.raises(OverflowError, match="'f65' was refused"):
        full.learn([Fact("f65")])


@given(st.permutations([FOUND, pushes(1), pushes(3), Statement("scalar", ("level", 33, 0.2, 0.0))]), st.data())
def test_what_is_believed_does_not_depend_on_the_order_of_frames(statements, data) -> None:
    frames = [heard(x, at=30.0, sender=data.draw(st.sampled_from((2, 3)))) for x in statements]
    ends = [dict(ME.learn(order).facts) for order in permutations(frames)]
    assert all(end == ends[0] for end in ends)


def test_a_teammates_claim_is_dated_by_how_long_it_has_been_held() -> None:
    after = ME.learn([heard(DIG)])
    assert after.teammates == {2: Teammate(30.0, "dig", "", 24.0)}


def test_a_frame_without_activity_ends_the_claim_and_is_a_sign_of_life() -> None:
    after = ME.learn([heard(DIG), heard(at=33.0)])
    assert after.teammates == {2: Teammate(33.0)}


def test_a_frame_of_another_mission_or_an_older_run_is_a_sign_of_life_and_no_more() -> None:
    known = ME.learn([heard(DIG)])
    for other in ({"same_mission": False}, {"run": 4}, {"run": 9, "same_mission": False}):
        after = known.learn([heard(FOUND, at=33.0, **other)])
        assert (after.facts, after.run, after.teammates) == ({}, 5, {2: Teammate(33.0, "dig", "", 24.0)})


def test_the_base_station_is_no_teammate_and_opens_no_run() -> None:
    after = ME.learn([heard(FOUND, sender=0, run=9)])
    assert (after.teammates, after.facts, after.run) == ({}, {}, 5)


def test_a_longer_beat_holds_while_a_base_station_asks_for_it_and_no_beat_is_shortened() -> None:
    beat_s = TABLE.beat_s
    longer = ME.learn([heard(Statement("beacon", (31, 463)), at=30.0, sender=0)])
    assert longer.beat_s(30.0) == longer.beat_s(30.0 + 10.5 * 4.63) == 4.63
    assert longer.beat_s(30.1 + 10.5 * 4.63) == beat_s
    assert longer.learn([heard(FOUND, at=33.0)]).beat_s(33.0) == 4.63
    assert longer.learn([heard(Statement("beacon", (4, 300)), at=33.0, sender=0)]).beat_s(33.0) == beat_s
    for sender, hundredths in ((0, 299), (0, 6001), (2, 463)):  # too short, too long, of a robot
        other = ME.learn([heard(Statement("beacon", (31, hundredths)), at=30.0, sender=sender)])
        assert other.beat_s(30.0) == beat_s


def test_a_newer_run_drops_facts_and_claims_and_is_joined_with_what_its_frame_says() -> None:
    known = ME.learn([heard(DIG, FOUND), heard(DIG, sender=3)])
    after = known.learn([heard(pushes(1), at=40.0, run=6, running=False)])
    assert (after.run, after.running) == (6, False)
    assert set(after.facts) == {"pushes"}
    assert after.teammates == {2: Teammate(40.0), 3: Teammate(30.0)}


def test_a_run_is_stopped_by_any_robot_and_started_only_by_the_next() -> None:
    stopped = ME.learn([heard(running=False)])
    assert not stopped.running
    assert not stopped.learn([heard(running=True)]).running
    assert stopped.learn([heard(running=True, run=6)]).running


def test_runs_go_round_past_none_and_a_rebooted_robot_joins_any() -> None:
    runs = [ME.opened(1, running=True)]
    for _ in range(2 * RUNS):
        runs.append(runs[-1].opened(runs[-1].run + 1, running=True))
    assert all(newer_run(b.run, a.run) and not newer_run(a.run, b.run) for a, b in pairwise(runs))
    assert 0 not in {b.run for b in runs}
    for run in range(1, RUNS):
        assert newer_run(run, 0)
        assert not newer_run(0, run)
        assert not newer_run(run, run)
        assert Beliefs(TABLE, 1).learn([heard(run=run)]).run == run


@given(st.sampled_from(["found", "pushes", "goal", "level"]), st.integers(0, 9), st.integers(0, 400))
def test_a_fact_survives_being_sent_and_received(name: str, x: int, beats: int) -> None:
    values = {"found": (), "pushes": (float(x),), "goal": (x / 100, -x / 100), "level": (x / 255,)}
    kind = TABLE.fact(name)
    stamp = (7, 3) if kind.versioned else (0, 0)
    fact = Fact(name, values[name], 100.0, *stamp)
    said = statement_of(fact, TABLE, 100.0 + beats * TABLE.beat_s)
    assert said.fields[-1] == beats
    assert fact_of(said, TABLE, 100.0 + beats * TABLE.beat_s) == fact


def test_a_beacon_without_a_slot_for_this_robot_lengthens_no_time_out_as_it_gives_no_slot() -> None:
    position = sorted(ME.table.robots).index(ME.me)
    for slots, followed in ((position, False), (position + 1, True)):
        other = ME.learn([heard(Statement("beacon", (slots, 463)), at=30.0, sender=0)])
        assert (other.beat_s(30.0) == 4.63) == followed == accepts_beacon(ME.table.beat_s, position, slots, 4.63)
