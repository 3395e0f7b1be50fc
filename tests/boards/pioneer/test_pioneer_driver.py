"""What the Pioneer's driver sends and believes: greeting, watchdog, commands, odometry, sonar, gripper."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boards.pioneer import frames as wire
from boards.pioneer.driver import NOT_YET
from boards.pioneer.senses import UNKNOWN
from robotd.model.command import Command, limit
from tests.boards.bench import PioneerBench, fast_world
from tests.boards.hand import ONE_OBJECT, move
from tests.boards.pioneer.pioneer_talk import DRIVING, FORWARD, RESTING, Talk

BENCH = PioneerBench


def test_the_greeting_goes_step_by_step_and_opens_a_connection_with_motors_and_sonar():
    talk = Talk()
    opened = talk.greet()
    assert opened[:4] == [(wire.OPEN, 1), (wire.PULSE, None), (wire.ENABLE, 1), (wire.SONAR, 1)]
    assert talk.board.names == ("Rosie", "Pioneer", "p3dx")
    assert talk.board.ready


def test_a_connection_of_a_host_that_died_is_closed_first():
    fresh = PioneerBench(fast_world())
    fresh.emulator.connected = fresh.emulator._enabled = True
    fresh.run(1.2, FORWARD)
    assert fresh.board.ready
    assert fresh.board.names == ("Emulated", "Pioneer", "p3dx-sh")


def test_a_misunderstanding_begins_the_greeting_anew_but_not_at_once():
    talk = Talk()
    talk.sent(0.0)
    talk.board.receive(0.01, wire.packet(wire.SYNC0))
    talk.sent(0.01)
    talk.board.receive(0.02, wire.packet(wire.SYNC_ERROR))
    assert talk.sent(0.03) == []
    assert talk.sent(0.25) == [(wire.SYNC0, None)]


def test_a_pulse_goes_out_well_within_the_watchdogs_time(talk):
    sent = []
    for n in range(1, 100):
        talk.receive(n / 10)
        sent += [n / 10] * (talk.sent(n / 10) == [(wire.PULSE, None)])
    assert len(sent) > 8
    assert max(b - a for a, b in itertools.pairwise(sent)) <= 1.0


def test_a_robot_that_restarted_echoes_the_pulse_and_is_greeted_on_from_there(talk):
    assert talk.sent(0.6)[-1] == (wire.PULSE, None)
    talk.board.receive(0.61, wire.packet(wire.SYNC0))
    assert talk.board.reboots == 1
    assert "restarted" in talk.missing(0.61)["mobile"]
    assert talk.sent(0.62) == [(wire.SYNC1, None)]


def test_a_command_is_repeated_while_it_holds_and_then_stops_until_the_robot_stands(talk):
    """B7, B8, D7."""
    talk.board.command(0.1, FORWARD)
    sent = []
    for n in range(10, 150):
        if n % 10 == 0:
            talk.receive(n / 100, DRIVING if n < 90 else RESTING)
        sent += [(n / 100, *order) for order in talk.sent(n / 100)]
    drives = [at for at, command, _ in sent if command == wire.VEL]
    stops = [at for at, command, _ in sent if command == wire.STOP]
    assert drives == pytest.approx([0.1, 0.3, 0.5], abs=0.02)
    assert stops[0] == pytest.approx(0.6, abs=0.02)
    assert max(b - a for a, b in itertools.pairwise(stops)) < 0.08
    assert 0.85 <= stops[-1] < 0.95


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_what_is_driven_is_what_is_sent_and_never_beyond_the_top_speed(left, right):
    talk = Talk()
    talk.greet()
    driven = talk.board.command(0.0, Command(left, right))
    assert max(abs(driven.left), abs(driven.right)) <= 0.5 + 1e-9
    sent = dict(talk.sent(0.0))
    turn = math.radians(sent[wire.RVEL]) * 0.33 / 2
    speed = sent[wire.VEL] / 1000
    assert (driven.left, driven.right) == pytest.approx((speed - turn, speed + turn))
    clamped = limit(Command(left, right), talk.board.capabilities(0.0))
    assert (driven.left, driven.right) == pytest.approx((clamped.left, clamped.right), abs=0.006)


def test_a_short_or_damaged_packet_costs_itself_and_the_last_state_grows_older(talk):
    """B2."""
    data = wire.build_sip(DRIVING)
    for at in range(len(data)):
        talk.board.receive(0.1, data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :] + wire.build_sip(RESTING))
    assert talk.board.ready
    talk.board.receive(0.2, wire.packet(wire.STANDING, b"\0" * 10))
    assert talk.board.counts["senses-short"] == 1
    assert talk.board.senses(0.25).ages.wheels == pytest.approx(0.15)


def test_packets_late_by_two_cycles_cost_nothing(talk):
    """B2, D4."""
    for n in range(1, 20):
        talk.receive(n * 0.3, x=n)
        assert talk.missing(n * 0.3 + 0.15) == {}


@pytest.mark.parametrize(
    ("subclass", "factor", "metres"),
    [(b"p3dx", None, 0.485), (b"p3dx", 1.0, 1.0), (b"P3AT-SH", None, 1.0), (b"pion1m", None, 0.05066),
     (b"amigo", None, 0.5083), (b"rover", 0.7, 0.7)],
)  # fmt: skip
def test_the_way_is_counted_by_the_subclass_or_as_the_table_states_and_wraps(subclass, factor, metres):
    talk = Talk(distance_factor=factor)
    talk.greet(subclass=subclass)
    for n in range(1, 11):
        talk.receive(n / 10, x=32668 + 20 * n)
    for n in range(1, 11):
        talk.receive(1.0 + n / 10, x=(32768 + 100 + 20 * n) % 32768)
    assert "odometry-jump" not in talk.board.counts
    assert talk.board.senses(2.0).odometry.x == pytest.approx(0.3 * metres, abs=0.001)


def test_a_robot_of_an_unknown_subclass_has_no_odometry_and_names_what_to_set():
    for subclass in (b"rover", b""):
        talk = Talk()
        talk.greet(subclass=subclass)
        for n in range(1, 5):
            talk.receive(n / 10, x=20 * n)
        assert talk.missing(0.4) == {"odometry": UNKNOWN}
        assert "distance_factor" in UNKNOWN
        assert (talk.board.senses(0.4).odometry, talk.board.senses(0.4).wheels) == (None, None)
        assert talk.board.command(0.4, FORWARD).left > 0


@pytest.mark.parametrize(("subclass", "turn", "speed"), [(b"p3dx", 4096, 1.0), (b"psos1x", 1024, 2.5332)])
def test_headings_and_speeds_are_in_the_counts_of_the_subclass(subclass, turn, speed):
    talk = Talk()
    talk.greet(subclass=subclass)
    for n in range(1, 11):
        talk.receive(n / 10, heading=turn * n // 64, left=40, right=100)
    senses = talk.board.senses(1.0)
    assert senses.odometry.heading == pytest.approx(2 * math.pi * 10 / 64, abs=0.01)
    assert (senses.wheels.left, senses.wheels.right) == pytest.approx((0.04 * speed, 0.1 * speed))


def test_motors_that_are_switched_off_on_the_robot_are_not_switched_on_from_here(talk):
    talk.receive(0.1, flags=2)
    assert "motor button" in talk.missing(0.1)["mobile"]
    assert talk.board.command(0.1, FORWARD).left == 0
    assert wire.ENABLE not in dict(talk.sent(0.2))
    talk.receive(0.3)
    assert talk.missing(0.3) == {}


def test_the_gripper_is_there_where_the_robot_reports_it_or_the_table_does():
    talk = Talk()
    talk.greet(config=None)
    assert talk.missing(0.0)["gripper"] == NOT_YET
    own = wire.build_configuration(400, gripper=True, watchdog=2000)
    talk.board.receive(0.1, wire.packet(wire.CONFIGURATION, own))
    talk.receive(0.1)
    assert "gripper" in talk.board.capabilities(0.1).resources
    assert talk.board.capabilities(0.1).max_speed == 0.4
    none = Talk()
    none.greet()
    assert "gripper" not in {**none.missing(0.0), **dict.fromkeys(none.board.capabilities(0.0).resources)}
    sure = Talk(gripper="yes")
    sure.greet()
    assert "gripper" in sure.board.capabilities(0.0).resources
    sure.receive(0.1, grip=None)
    assert "report nothing of its gripper" in sure.missing(0.1)["gripper"]


@pytest.mark.parametrize(
    ("bits", "grip"),
    [
        (wire.LEFT_FREE | wire.RIGHT_FREE, (1.0, 1.0, False, False)),
        (wire.NOT_OPEN | wire.LEFT_FREE | wire.RIGHT_FREE | wire.INNER_BEAM, (0.0, 1.0, True, False)),
        (wire.NOT_OPEN | wire.PADDLES_MOVE | wire.RIGHT_FREE, (0.5, 1.0, False, True)),
        (wire.NOT_OPEN | wire.INNER_BEAM, (0.5, 1.0, True, True)),  # shut on something
        (wire.NOT_OPEN, (0.0, 1.0, False, True)),  # one paddle on the other
        (wire.NOT_AT_LIMIT | wire.LIFT_MOVES | 0x30 | wire.OUTER_BEAM, (1.0, 0.5, False, False)),
    ],
)
def test_the_grippers_byte_is_read_bit_by_bit(bits, grip):
    talk = Talk(gripper="yes")
    talk.greet()
    talk.receive(0.1, grip=bits)
    found = talk.board.senses(0.1).grip
    assert (found.opening, found.lift, found.beam, found.bump) == grip


def test_an_object_is_gripped_lifted_and_let_go_through_the_bytes():
    world = fast_world(spills=ONE_OBJECT)
    bench = PioneerBench(world)
    move(world, "green", 2.0, 2.2)
    bench.run(3.0, Command(opening=1.0, lift=0.0))
    bench.run(2.0, FORWARD)
    assert bench.board.senses(bench.now).grip.beam
    bench.run(1.5, Command(opening=0.0))
    grip = bench.board.senses(bench.now).grip
    assert (grip.opening, grip.bump) == (0.5, True)
    bench.run(3.0, Command(lift=1.0))
    assert world.held("green") == "left-1"
    assert bench.board.senses(bench.now).grip.lift == 1.0
    bench.run(3.0, Command(opening=1.0, lift=0.0))
    assert world.held("green") == ""


def test_a_jump_is_refused_reported_and_over_after_a_moment(talk):
    talk.receive(0.1, x=5000)
    assert "jumped by 2.4" in talk.missing(0.1)["odometry"]
    assert talk.board.senses(0.1).odometry is None
    for n in range(2, 6):
        talk.receive(n / 10, x=5000)
    assert talk.missing(0.5) == {}
    assert talk.board.senses(0.5).odometry.x == 0.0
    assert talk.board.senses(0.5).odometry.accuracy > 0


@pytest.mark.parametrize(("speed", "lost"), [(0.1, True), (0.01, False)])
def test_odometry_that_stands_while_the_robot_should_drive_is_lost_until_it_counts_again(talk, speed, lost):
    for n in range(1, 12):
        talk.board.command(n / 10, Command(speed, speed))
        talk.sent(n / 10)
        talk.receive(n / 10 + 0.05, DRIVING)  # at 0.1 m/s, it says, and stays at one place
    assert ("odometry" in talk.missing(1.15)) == lost
    talk.receive(1.25, DRIVING, x=110)
    assert talk.missing(1.25) == {}


@pytest.mark.parametrize(
    ("stall", "pressed", "stalled"),
    [(0x0000, [], False), (0x0001, [], True), (0x0100, [], True), (0x0200, [60], False), (0x2000, [-60], False),
     (0x0002, [-120], False), (0x0301, [60], True)],
)  # fmt: skip
def test_the_stall_word_holds_stalls_and_both_rings_of_bumpers(talk, stall, pressed, stalled):
    talk.receive(0.1, stall=stall)
    senses = talk.board.senses(0.1)
    assert [round(math.degrees(bump.bearing)) for bump in senses.bumps if bump.pressed] == pressed
    assert senses.stalled == stalled


def test_a_sonar_that_reports_nothing_for_long_is_missing_and_named(talk):
    for n in range(1, 9):
        talk.receive(n / 10, sonar=tuple((k, 5000) for k in range(8) if k != 3))
    assert talk.missing(0.8) == {"front-range": "sonar at 10 degrees has no fresh reading"}


def test_a_sonar_that_stands_still_before_something_is_missing_and_one_that_sees_nothing_is_not(talk):
    for n in range(1, 12):
        sonar = tuple((k, 800 if k == 0 else 5000) for k in range(8))
        talk.receive(n / 10, DRIVING, x=10 * n, sonar=sonar)
    assert "sonar at 90 degrees stands still" in talk.missing(1.1)["side-range"]
    assert "front-range" not in talk.missing(1.1)


def test_a_sonar_that_has_something_nearer_than_it_can_measure_reads_its_least_for_long_and_works(talk):
    for n in range(1, 12):
        sonar = tuple((k, 170 if k == 0 else 5000) for k in range(8))
        talk.receive(n / 10, DRIVING, x=10 * n, sonar=sonar)
    assert talk.missing(1.1) == {}
    assert min(one.distance for one in talk.board.senses(1.1).ranges if one.distance is not None) == 0.17


def test_a_sonar_beside_a_wall_that_is_driven_along_wavers_and_is_believed():
    bench = PioneerBench(fast_world())
    move(bench.world, "green", bench.world.settings.width_m - 0.36, 1.0)
    bench.run(1.0)
    for _ in range(120):
        bench.run(0.25, FORWARD)
        assert "side-range" in bench.able


@pytest.mark.parametrize("reading", [0, 5000, 6000])
def test_a_sonar_without_an_echo_detects_nothing_and_works(talk, reading):
    for n in range(1, 30):
        talk.receive(n / 10, DRIVING, x=41 * n, sonar=tuple((k, reading if k == 3 else 800 + n) for k in range(8)))
    seen = {round(math.degrees(r.bearing)): r.distance for r in talk.board.senses(2.9).ranges}
    assert (seen[10], seen[30]) == (None, pytest.approx(0.829))
    assert talk.missing(2.9) == {}
