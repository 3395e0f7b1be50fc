"""Rows of a run log: a tick comes back to the last bit, and little is written where little changed."""

import decimal
import enum
import json
import math
import pathlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotd.model.beliefs import Beliefs
from robotd.model.choice import Choice, Decision, Event, Level, State
from robotd.model.command import ActionResult, Command
from robotd.model.facts import Fact
from robotd.model.inputs import Fault, Inputs, Order
from robotd.model.senses import Ages, Bump, Capabilities, Grip, Pose, Range, Senses, Sight, Wheels
from robotd.model.statements import Heard, Sent, Statement
from robotd.model.table import NumberTable
from robotd.model.tasks import Assignment, Task
from robotd.record.log import dumps, row_line
from robotd.record.rows import COLUMNS, RowReader, RowWriter

REALS = st.sampled_from([0.0, -0.0, 1.0, -3.25, 0.1, 1e-300, math.pi, math.inf, math.nan]) | st.floats()
TEXTS = st.sampled_from(["", "level names", "senses", "naïve \u2028", "0"])
BOOLS = st.booleans()


def some(strategy, most=3):
    return st.lists(strategy, max_size=most).map(tuple)


POSES = st.builds(Pose, REALS, REALS, REALS, REALS)
BUMPS = st.builds(Bump, st.sampled_from([0.0, -0.0, 1.0]), BOOLS)
RANGES = st.builds(
    Range, st.sampled_from(["infrared", "sonar"]), st.sampled_from([0.0, -0.0, 1.5]), st.none() | REALS,
    st.just(0.1), st.sampled_from([0.5, 2.0]),
)  # fmt: skip
SENSES = st.builds(
    Senses, wheels=st.none() | st.builds(Wheels, REALS, REALS), odometry=st.none() | POSES, pose=st.none() | POSES,
    ranges=some(RANGES), bumps=some(BUMPS), cliffs=some(BUMPS, 1), lifted=BOOLS, stalled=BOOLS,
    grip=st.none() | st.builds(Grip, REALS, REALS, BOOLS, BOOLS),
    sights=some(st.builds(Sight, TEXTS, REALS, st.none() | REALS, st.none() | REALS, TEXTS), 1),
    battery=st.none() | REALS, charging=BOOLS, ages=st.builds(Ages, REALS, REALS),
)  # fmt: skip
TASKS = st.builds(Task, TEXTS, some(st.tuples(TEXTS, TEXTS), 1), TEXTS)
VALUES = st.integers() | st.floats() | TEXTS | some(st.floats(), 2)
STATEMENTS = st.builds(Statement, TEXTS, some(VALUES), st.just(math.inf) | st.floats(0, 9))
LEVELS = st.builds(
    Level, st.sampled_from(["find", "push", "names"]), st.dictionaries(TEXTS, REALS, max_size=3),
    st.sampled_from([10.0, 100.0]), TEXTS,
)  # fmt: skip
CHOICES = st.builds(
    Choice, some(st.builds(Assignment, TEXTS, TASKS), 2), st.none() | TASKS, some(STATEMENTS, 2),
    some(st.builds(Event, TEXTS, TEXTS, TEXTS, TEXTS), 2), some(LEVELS), some(TASKS, 1),
)  # fmt: skip
COMMANDS = st.builds(
    Command, REALS, REALS, st.none() | REALS, st.none() | REALS, st.none() | st.integers(0, 9),
    tool=st.none() | TEXTS,
)  # fmt: skip
FACTS = st.builds(Fact, TEXTS, some(st.floats(), 2), REALS, st.integers(0, 9), st.integers(0, 31))
ACTED = st.builds(ActionResult, COMMANDS, some(FACTS, 1), some(TASKS, 1), some(st.tuples(TEXTS, TEXTS), 2))
HEARD = st.builds(Heard, REALS, st.integers(0, 31), st.integers(0, 127), BOOLS, BOOLS, some(STATEMENTS, 2))
SENT = st.builds(Sent, REALS, some(STATEMENTS, 1))


@st.composite
def ticks(draw):
    """Ticks whose groups come from small pools, so that any may be as before, equal but another, or new."""
    pools = {
        "senses": draw(st.lists(SENSES, min_size=1, max_size=3)),
        "capabilities": draw(
            st.lists(st.builds(Capabilities, some(TEXTS), some(st.tuples(TEXTS, TEXTS), 1), REALS), min_size=1)
        ),
        "faults": draw(st.lists(some(st.builds(Fault, TEXTS, TEXTS, REALS), 2), min_size=1, max_size=2)),
        "choice": [None, *draw(st.lists(CHOICES, min_size=1, max_size=3))],
        "state": draw(st.lists(st.builds(State, TEXTS, TEXTS, TEXTS, BOOLS), min_size=1, max_size=2)),
        "acted": draw(st.lists(ACTED, min_size=1, max_size=2)),
        "command": draw(st.lists(COMMANDS, min_size=1, max_size=2)),
    }
    made = []
    for n in range(draw(st.integers(1, 6))):
        one = {name: draw(st.sampled_from(pool)) for name, pool in pools.items()}
        wanted = one["acted"].command if draw(BOOLS) else one["command"]
        driven = wanted if draw(BOOLS) else draw(st.sampled_from(pools["command"]))
        orders = draw(some(st.builds(Order, TEXTS, some(TEXTS, 1), TEXTS), 1))
        made.append(
            (
                draw(BOOLS),
                Inputs(draw(st.floats(0, 9)), n, one["senses"], one["capabilities"], orders, one["faults"]),
                draw(some(HEARD, 1)),
                draw(some(SENT, 1)),
                Decision(one["choice"], one["acted"], wanted, BELIEFS, one["state"]),
                driven,
            )
        )
    return made


def copied(value):
    return eval(repr(value), {**globals(), "inf": math.inf, "nan": math.nan})


def rows(stream, copy):
    """The JSON of each tick's row and whether it begins a part; every value a copy of its own if `copy`."""
    writer = RowWriter("red")
    for begins, *tick in stream:
        i, heard, sent, decision, driven = copied(tick) if copy else tick
        if begins:
            writer.restart()
        yield begins, row_line(writer.row(i, heard, sent, decision, driven))


@given(ticks(), BOOLS)
@settings(max_examples=40, deadline=None)
def test_every_tick_comes_back_to_the_last_bit_also_across_parts(stream, copy):
    reader, decisions = RowReader(), RowReader()
    for (begins, line), (_, i, heard, sent, decision, driven) in zip(rows(stream, copy), stream, strict=True):
        if begins:
            reader.restart()
            decisions.restart()
        row = reader.read(json.loads(line))
        told = (row.inputs, row.heard, row.sent, row.state, row.choice, row.acted, row.wanted, row.driven)
        was = (i, heard, sent, decision.state, decision.choice, decision.acted, decision.wanted, driven)
        assert repr(told) == repr(was)
        glance = (i.now, i.orders, i.faults, decision.state, decision.choice)
        assert repr(tuple(decisions.glance(json.loads(line)))) == repr(glance)


SENSED = Senses(
    Wheels(0.2, 0.2), Pose(1.0, 2.0, 0.0, 0.1), Pose(1.0, 2.0, 0.0, 0.1),
    tuple(Range("infrared", 0.5 * k, 0.3, 0.1, 0.6) for k in range(8)),
    tuple(Bump(0.5 * k, pressed=False) for k in range(7)), battery=0.9,
)  # fmt: skip
BELIEFS = Beliefs(NumberTable((), (), ()), 1)
DECISION = Decision(
    None, ActionResult(Command(0.1, 0.1)), Command(0.1, 0.1), BELIEFS, State("running", "", "", may_move=True)
)
ABLE = Capabilities(("gripper", "mobile"), (), 0.3)


def tick(senses=SENSED, decision=DECISION, now=1.0, n=20):
    return Inputs(now, n, senses, ABLE), (), (), decision, decision.wanted


def test_a_robot_that_stands_still_costs_next_to_nothing_whoever_made_its_readings():
    writer = RowWriter("red")
    whole = dumps(writer.row(*tick()))
    again = dumps(writer.row(*copied(tick())))
    assert len(whole) > 500
    assert len(again) < 80


def test_a_changed_distance_is_written_without_what_never_changes_about_its_sensor():
    writer = RowWriter("red")
    writer.row(*tick())
    ranges = (copied(SENSED.ranges[0]), *SENSED.ranges[1:7], Range("infrared", 3.5, 0.2, 0.1, 0.6))
    row = writer.row(*tick(Senses(**{name: getattr(SENSED, name) for name in ("wheels", "bumps")}, ranges=ranges)))
    assert [0.3] * 7 + [0.2] in row[COLUMNS.index("senses")]


def test_zero_and_minus_zero_are_two_headings():
    writer, reader = RowWriter("red"), RowReader()
    headings = []
    for heading in (0.0, -0.0, -0.0, 0.0):
        line = dumps(writer.row(*tick(Senses(pose=Pose(1.0, 2.0, heading, 0.1)))))
        headings.append(math.copysign(1.0, reader.read(json.loads(line)).inputs.senses.pose.heading))
    assert headings == [1.0, -1.0, -1.0, 1.0]


def decided(*levels):
    return Decision(Choice(levels=levels), DECISION.acted, DECISION.wanted, BELIEFS, DECISION.state)


def test_levels_come_back_whatever_their_sets_are_called_and_though_the_threshold_moves():
    writer, reader = RowWriter("red"), RowReader()
    for name in ("senses", "pose", "sets", "choice"):
        for numbers in ((1.0, 9.0), (2.0, 9.0), (2.0, 8.0)):
            decision = decided(Level(name, {"bid": numbers[0], "rank": 0.0}, numbers[1], "why"))
            line = dumps(writer.row(*tick(decision=decision)))
            assert reader.read(json.loads(line)).choice == decision.choice


def test_levels_of_format_2_are_read_which_had_no_names():
    writer, reader = RowWriter("red"), RowReader()
    rows = [json.loads(dumps(writer.row(*tick(decision=decided())))) for _ in range(2)]
    rows[0][11] = [["find", 1.0, 2.0, 3.0, 100.0, "active"]]
    rows[1][11] = [[1.5, 2.5, 3.5, 0]]
    names = ("impatience", "motivation", "acquiescence")
    for row, values in zip(rows, ((1.0, 2.0, 3.0), (1.5, 2.5, 3.5)), strict=True):
        (level,) = reader.read(row).choice.levels
        assert level == Level("find", dict(zip(names, values, strict=True)), 100.0, "active")


def test_what_was_driven_is_told_from_what_was_wanted_by_its_bits():
    i, heard, sent, decision, _ = tick(
        decision=Decision(None, ActionResult(), Command(0.0), BELIEFS, DECISION.state)
    )
    line = dumps(RowWriter("red").row(i, heard, sent, decision, Command(-0.0)))
    assert math.copysign(1.0, RowReader().read(json.loads(line)).driven.left) == -1.0


def test_a_plug_in_that_names_things_with_an_enumeration_does_not_stop_the_recorder():
    class Kind(enum.StrEnum):
        PUSH = "push"

    decision = Decision(None, ActionResult(drivers=(("drive", Kind.PUSH),)), Command(), BELIEFS, DECISION.state)
    line = dumps(RowWriter("red").row(*tick(decision=decision)))
    assert RowReader().read(json.loads(line)).acted.drivers == (("drive", "push"),)


@pytest.mark.parametrize(
    "name", [decimal.Decimal(1), pathlib.PurePath("push"), object(), np.int64(1), ActionResult()]
)
def test_a_plug_in_that_names_things_with_what_json_has_not_is_refused(name):
    def line():
        acted = ActionResult(facts=(Fact(name, (), 0.0, 0, 0),))
        decision = Decision(None, acted, Command(), BELIEFS, DECISION.state)
        return row_line(RowWriter("red").row(*tick(decision=decision)))

    with pytest.raises(TypeError):
        line()


WRITTEN = REALS | TEXTS | BOOLS | st.none() | st.integers() | st.text() | st.just("tty\udcff")


@given(st.lists(st.recursive(WRITTEN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))))
@settings(max_examples=25, deadline=None)
def test_a_row_reads_the_same_whichever_encoder_writes_it(row):
    assert repr(json.loads(row_line(row))) == repr(json.loads(dumps(row)))


def test_a_row_nested_deeper_than_the_fast_encoder_goes_is_written_all_the_same():
    row = []
    for _ in range(300):
        row = [row]
    assert row_line(row) == dumps(row)


def test_a_row_that_leans_on_one_never_read_is_refused():
    writer = RowWriter("red")
    writer.row(*tick())
    line = json.loads(dumps(writer.row(*tick())))
    with pytest.raises(ValueError, match="not a row of a run log, or one without those before it"):
        RowReader().read(line)


@pytest.mark.parametrize("row", [[], ["red"], [0] * (len(COLUMNS) + 1), {"part": 1}, ["red", *[None] * 14]])
def test_what_is_no_row_is_refused_as_a_bad_value_and_nothing_else(row):
    with pytest.raises(ValueError, match="row"):
        RowReader().read(row)
