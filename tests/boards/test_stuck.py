"""A reading that ought to change is watched; a contact that sticks is missing, on every kind of board."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boards.body import Body
from boards.create2 import frames as create2
from boards.stuck import AWAY_M, FROZEN_S, StuckContacts, StuckDetector, moving
from robotd.model.command import Command
from robotd.model.senses import Bump, Senses
from tests.boards.bench import BENCHES, Create2Bench, KobukiBench, fast_world, ready
from tests.compiled import Altered


def test_a_reading_that_stands_through_motion_is_stuck_until_it_changes():
    watch = StuckDetector()
    assert not any(watch.note(n / 10, 5, moves=True) for n in range(8))
    assert watch.note(0.9, 5, moves=True)
    assert watch.note(1.0, 5, moves=False)  # standing still does not make it right again
    assert not watch.note(1.1, 6, moves=False)


def test_pauses_in_the_motion_start_the_count_again():
    watch = StuckDetector()
    assert not any(watch.note(n / 10, 5, moves=n % 5 != 0) for n in range(50))


@given(st.lists(st.tuples(st.integers(0, 1), st.booleans()), max_size=60))
def test_a_reading_that_changes_in_time_is_never_stuck(steps):
    watch, now, value, since = StuckDetector(), 0.0, 0, 0.0
    for change, moves in steps:
        now += 0.1
        if change or now - since >= FROZEN_S:
            value, since = value + 1, now
        assert not watch.note(now, value, moves=moves)


def test_the_noise_of_standing_is_no_motion():
    assert not moving(0.005, -0.01)
    assert moving(0.0, -0.05)


BACK, AHEAD, SPIN = Command(-0.1, -0.1), Command(0.1, 0.1), Command(-0.1, 0.1)
LEFT, REAR, EDGE = math.radians(35), math.pi, math.radians(60)


def reading(*, bumps=(), cliffs=()):
    """Two bumpers and a cliff sensor, of which those named are pressed."""
    return Senses(bumps=tuple(Bump(at, at in bumps) for at in (LEFT, REAR)), cliffs=(Bump(EDGE, EDGE in cliffs),))


def way(command, senses, limit_s=20.0):
    """How long a command is driven until something is missing, s, and what; None where nothing is."""
    contacts = StuckContacts()
    for n in range(round(limit_s * 20)):
        contacts.note(senses)
        if contacts.missing:
            return n / 20, set(contacts.missing)
        contacts.drive(n / 20, command)
    return None


@pytest.mark.parametrize(
    ("command", "senses", "resource"),
    [
        (BACK, reading(bumps=[LEFT]), "bumpers"),
        (SPIN, reading(bumps=[LEFT]), "bumpers"),
        (AHEAD, reading(bumps=[REAR]), "bumpers"),
        (BACK, reading(cliffs=[EDGE]), "mobile"),
        (AHEAD, reading(bumps=[LEFT]), None),  # a box is pushed
        (BACK, reading(bumps=[REAR]), None),
        (Command(), reading(bumps=[LEFT], cliffs=[EDGE]), None),
        (BACK, reading(), None),
    ],
)
def test_a_contact_that_stays_pressed_is_missing_after_a_way_that_leaves_it(command, senses, resource):
    found = way(command, senses)
    assert found == (None if resource is None else (pytest.approx(AWAY_M / 0.1, abs=0.11), {resource}))


def test_a_contact_that_opens_is_believed_again_and_counts_anew():
    contacts = StuckContacts()
    for n in range(80):
        kept = contacts.note(reading(bumps=[LEFT]))
        contacts.drive(n / 20, BACK)
    assert kept.bumps == (Bump(REAR, pressed=False),)
    assert contacts.note(reading()) == reading()
    assert contacts.missing == {}
    assert contacts.note(reading(bumps=[LEFT])) == reading(bumps=[LEFT])


def stick(bench):
    """Press the foremost bumper of the emulated body; returns what releases it."""
    body, senses = bench.emulator.body, bench.emulator.body.senses

    def pressed(now):
        percept = senses(now)
        front = min(percept.bumps, key=lambda bump: abs(bump.bearing))
        return dataclasses.replace(percept, bumps=tuple(Bump(b.bearing, b is front) for b in percept.bumps))

    bench.emulator.body = Altered(body, senses=pressed)

    def release():
        bench.emulator.body = body

    return release


def bodily(kind):
    """A bench whose board is watched, and ready."""
    bench = kind(fast_world())
    bench.board = Body(bench.board)
    bench.run(1.5)
    return bench


@pytest.mark.parametrize("kind", BENCHES.values(), ids=BENCHES)
def test_a_bumper_that_sticks_leaves_on_every_board_and_is_back_when_it_opens(kind):
    bench = bodily(kind)
    assert "bumpers" in bench.able
    release = stick(bench)
    bench.run(1.0, BACK)
    assert any(bump.pressed for bump in bench.board.senses(bench.now).bumps)
    bench.run(4.0, BACK)
    assert "bumpers" in bench.missing
    assert not any(bump.pressed for bump in bench.board.senses(bench.now).bumps)
    release()
    bench.run(0.5)
    assert "bumpers" in bench.able


@pytest.mark.parametrize("kind", [Create2Bench, KobukiBench])
def test_a_cliff_sensor_that_sticks_stops_the_robot(kind):
    bench = bodily(kind)
    bench.emulator.cliffs = {create2.CLIFF_LEFT} if kind is Create2Bench else 1
    bench.run(1.0, AHEAD)
    bench.run(4.0, BACK)
    assert "mobile" in bench.missing
    assert bench.run(0.5, BACK).left == 0.0
    assert bench.wheels() == pytest.approx((0, 0), abs=0.001)
    bench.emulator.cliffs = type(bench.emulator.cliffs)()
    bench.run(1.0)
    assert "mobile" in bench.able


@pytest.mark.parametrize("kind", [Create2Bench, KobukiBench])
def test_at_a_cliff_it_goes_back_and_not_on(kind):
    bench = ready(kind)
    bench.run(0.5, AHEAD)
    bench.emulator.cliffs = {create2.CLIFF_FRONT_LEFT} if kind is Create2Bench else 1
    driven = bench.run(1.0, AHEAD)
    assert (driven.left, driven.right) == (0, 0)
    assert sum(cliff.pressed for cliff in bench.board.senses(bench.now).cliffs) == 1
    bench.run(1.0, BACK)
    assert max(bench.wheels()) < -0.05
    bench.emulator.cliffs = type(bench.emulator.cliffs)()
    bench.run(1.0, AHEAD)
    assert min(bench.wheels()) > 0.05
    assert bench.board.drive_mode_exits == 0
