"""What Firmata's driver sends and believes: greeting, pins, drives, switches, infrared, gripper, restarts."""

import itertools
import math

import pytest

from boards.firmata import frames as wire
from boards.firmata.driver import Firmata
from boards.firmata.emulator import WIRING
from boards.firmata.pins import FirmataSettings
from boards.firmata.senses import BOUNCE_S, Switch
from boards.parser import halves
from robotd.model.command import Command
from tests.boards.bench import FirmataBench, fast_world
from tests.boards.hand import move

FORWARD = Command(0.1, 0.1)
BENCH = FirmataBench
GREETING = wire.text(wire.FIRMWARE, b"\2\5", "Mine.ino")


def sent(board, now):
    return b"".join(part for part in board.transmit(now))


def sent_by(bench, seconds, command=None):
    """What the driver says meanwhile, message by message, with when."""
    found, splitter, receive = [], wire.MessageParser(), bench.emulator.receive

    def listen(now, data):
        found.extend((now, message) for message in splitter.feed(data))
        receive(now, data)

    bench.emulator.receive = listen
    bench.run(seconds, command)
    bench.emulator.receive = receive
    return found


def without(receive, words):
    """A board that never receives these words."""
    return lambda now, data: receive(now, data.replace(words, b""))


def test_a_board_that_sends_nothing_unasked_is_ready_as_soon_as_one_that_greets():
    """C3."""
    bench = FirmataBench(fast_world())
    bench.emulator.quiet = True
    bench.emulator.reboot(0.0)
    bench.run(3.0, FORWARD)
    assert bench.board.ready
    assert bench.board.firmware == "StandardFirmata.ino 2.5"
    assert min(bench.wheels()) > 0.05


@pytest.mark.parametrize(("protocol", "known"), [((2, 3), False), ((2, 5), True), ((2, 8), True), ((3, 0), False)])
def test_a_protocol_that_it_does_not_speak_is_reported(protocol, known):
    bench = FirmataBench(fast_world())
    bench.emulator.protocol = protocol
    bench.run(1.0)
    assert bench.board.ready == known
    assert known or f"Firmata {protocol[0]}.{protocol[1]}" in bench.missing["mobile"]


@pytest.mark.parametrize(
    ("table", "resource", "words"),
    [
        ({"left": {"pwm": 14, "direction": 4}}, "mobile", "pin 14 of this board has no PWM"),
        ({"left": {"pwm": 5, "direction": 40}}, "mobile", "pin 40 of this board has no output"),
        ({"bumpers": [{"pin": 1, "bearing_deg": 0}]}, "bumpers", "pin 1 of this board has no pull-up"),
        ({"infrared": [{"channel": 9, "bearing_deg": 0}]}, "front-range", "no analogue channel 9"),
    ],
)
def test_what_a_pin_cannot_do_is_reported_and_the_rest_works(table, resource, words):
    bench = FirmataBench(fast_world())
    bench.board = Firmata(FirmataSettings(**{**WIRING, "gripper": None, **table}))
    bench.board.connect(0.0)
    bench.pairs = [(bench.board, bench.emulator)]
    bench.run(3.0)
    assert bench.board.ready
    assert words in bench.missing[resource]
    assert len(bench.missing) == 1


def test_a_drive_sets_directions_before_duties(bench):
    drives = [m for _, m in sent_by(bench, 0.1, Command(0.1, -0.1)) if m.kind in (wire.PIN_VALUE, wire.ANALOGUE)]
    assert [(m.kind, m.index, *m.data) for m in drives[:5]] == [
        (wire.PIN_VALUE, 0, 4, 1), (wire.ANALOGUE, 5, *halves(138)),
        (wire.PIN_VALUE, 0, 7, 1), (wire.PIN_VALUE, 0, 8, 0), (wire.ANALOGUE, 6, *halves(138)),
    ]  # fmt: skip


@pytest.mark.parametrize(("speed", "duty"), [(0.0, 0), (0.0005, 0), (0.01, 68), (0.25, 255), (9.0, 255)])
def test_the_duty_begins_where_the_motors_turn(bench, speed, duty):
    found = [m.value for _, m in sent_by(bench, 0.1, Command(speed, speed)) if m.kind == wire.ANALOGUE]
    assert set(found) == {duty}


def test_a_drive_that_holds_is_repeated_and_then_stops_until_the_pins_report_zero(bench):
    """B7, D7."""
    bench.run(0.5, FORWARD)
    times = [at - bench.now for at, m in sent_by(bench, 1.2) if m.kind == wire.ANALOGUE and m.index == 5]
    drives, stops = [at for at in times if at < 0.48 - 1.2], [at for at in times if at > 0.48 - 1.2]
    assert max(b - a for a, b in itertools.pairwise(drives)) < 0.22
    assert 3 <= len(stops) <= 6
    assert not any(bench.emulator.values[pin] for pin in (5, 6))


def lossy(at):
    """A robot that received what set its pins up without the byte at `at`; and how many bytes there were."""
    bench, size = FirmataBench(fast_world()), []
    receive = bench.emulator.receive

    def take(now, data):
        if wire.sampling(50) in data and not size:
            size.append(data.index(wire.sysex(wire.STATE_QUERY, b"\5")))
            data = data[:at] + data[at + 1 :]
        receive(now, data)

    bench.emulator.receive = take
    bench.run(0.9)
    return bench, size[0]


def test_a_byte_that_is_lost_while_the_pins_are_set_up_costs_nothing_whichever_it_is():
    bench, size = lossy(10**6)
    able = bench.able
    for at in range(size):
        bench, _ = lossy(at)
        assert bench.able == able, at
        assert not any(bump.pressed for bump in bench.board.senses(bench.now).bumps), at
        assert bench.board.reboots == 0


def test_a_switch_whose_pin_is_not_known_to_be_set_up_is_lost_and_not_pressed():
    bench = FirmataBench(fast_world())
    bench.emulator.receive = without(bench.emulator.receive, wire.pin_mode(2, wire.PULLUP))
    sent = sent_by(bench, 2.0)
    assert bench.missing == {"bumpers": "pin 2 has not reported that it is set up: pull-up"}
    assert not any(bump.pressed for bump in bench.board.senses(bench.now).bumps)
    found = [m for _, m in sent if m.kind == wire.PIN_MODE and m.data[0] == 2]
    assert 10 <= len(found) <= 20  # with each look


@pytest.mark.parametrize("pin", [2, 3, 5, 7, 12])
def test_a_pin_that_loses_its_mode_in_mid_run_is_set_up_again_and_no_wheel_turns_backwards(bench, pin):
    bench.run(0.5, FORWARD)
    bench.emulator.modes[pin] = wire.INPUT if pin != 3 else wire.OUTPUT
    bench.emulator.values[pin] = 0
    slowest = 1.0
    for _ in range(60):
        bench.run(0.05, FORWARD)
        slowest = min(slowest, *bench.wheels())
    assert slowest > -0.001
    assert (bench.emulator.modes[pin], bench.board.reboots) == (bench.board._wanted[pin], 0)
    assert bench.missing == {}
    assert min(bench.wheels()) > 0.05


def test_one_damaged_answer_takes_no_mode_along(bench):
    sent = [wire.state(pin, wire.SERVO, 0) for pin in (2, 4, 12)]
    bench.board.receive(bench.now, b"".join(sent))
    assert bench.missing == {}
    assert wire.PIN_MODE not in [m.kind for _, m in sent_by(bench, 2.0, FORWARD)]


def test_the_servo_is_limp_until_it_is_first_sent_somewhere(bench):
    assert bench.emulator.modes[9] == wire.OUTPUT
    assert bench.board.senses(bench.now).grip is None
    bench.run(0.1, Command(opening=1.0))
    assert (bench.emulator.modes[9], bench.emulator.values[9]) == (wire.SERVO, 120)
    assert 0.5 < bench.board.senses(bench.now).grip.opening < 1.0
    bench.run(1.0, Command(opening=0.0))
    assert bench.emulator.values[9] == 30
    assert bench.board.senses(bench.now).grip.opening == 0.0


def test_a_board_that_greets_in_mid_run_has_restarted(bench):
    """C5."""
    bench.run(0.5, FORWARD)
    bench.emulator._reset()
    bench.emulator._turn(bench.now)
    bench.emulator._introduce(bench.now)
    bench.run(0.1, FORWARD)
    assert bench.board.reboots == 1
    assert bench.board.command(bench.now, FORWARD).left == 0
    assert "restarted" in bench.missing["mobile"]
    bench.run(1.0, FORWARD)
    assert min(bench.wheels()) > 0.05
    assert bench.emulator.modes[2] == wire.PULLUP
    assert bench.board.reboots == 1


@pytest.mark.parametrize("answers", [True, False])
def test_what_looks_like_a_restart_stops_the_wheels_at_once_although_no_answer_comes(answers):
    bench = FirmataBench(fast_world())
    bench.run(1.0)
    bench.run(1.0, Command(0.2, 0.2))
    bench.board.receive(bench.now, wire.text(wire.FIRMWARE, b"\2\5", "StandardFirmata.ino"))
    bench.mute = not answers
    bench.run(0.2, Command(0.2, 0.2))
    assert bench.board.reboots == 1
    assert bench.wheels() == pytest.approx((0, 0), abs=0.001)
    stops = [m for _, m in sent_by(bench, 1.0) if m.kind == wire.ANALOGUE and m.index == 5]
    assert (len(stops) > 10) == (not answers)  # until the pins report zero


def test_a_board_that_has_lost_its_modes_without_a_word_has_restarted(bench):
    """C5."""
    bench.run(0.5, FORWARD)
    bench.emulator._reset()
    bench.emulator._turn(bench.now)
    bench.run(0.3, FORWARD)
    assert bench.board.reboots == 1
    bench.run(1.0, FORWARD)
    assert min(bench.wheels()) > 0.05


def test_a_second_answer_to_the_greeting_is_no_restart():
    bench = FirmataBench(fast_world())
    bench.emulator.line.fault("twice", 4)
    bench.run(0.3)
    bench.emulator._introduce(bench.now)
    bench.run(1.0)
    assert (bench.board.reboots, bench.board.ready) == (0, True)


def test_one_damaged_state_of_a_pin_is_no_restart(bench):
    bench.board.receive(bench.now, wire.state(5, wire.OUTPUT, 0))
    bench.run(0.5, FORWARD)
    assert bench.board.reboots == 0


def test_with_a_dead_man_in_the_sketch_a_cut_cable_stops_the_wheels(bench):
    bench.emulator.dead_man_s = 0.5
    bench.run(3.0, FORWARD)
    assert min(bench.wheels()) > 0.05
    bench.plugged = False
    bench.run(0.8, FORWARD)
    assert bench.wheels() == pytest.approx((0, 0), abs=0.001)


def test_questions_alone_keep_no_wheel_turning(bench):
    """D7."""
    bench.emulator.dead_man_s = 0.5
    bench.run(1.0, FORWARD)
    for n in range(1, 20):
        bench.emulator.receive(bench.now + n / 20, wire.sysex(wire.STATE_QUERY, b"\5"))
        bench.emulator.transmit(bench.now + n / 20)
    assert bench.emulator.body.driven(bench.now + 1.0) == (0, 0)


def test_a_switch_is_pressed_at_once_and_open_only_after_its_bounces():
    switch = Switch()
    switch.note(0.0, down=False)
    assert not switch.pressed(0.0)
    for n in range(10):
        switch.note(1.0 + n / 1000, down=n % 2 == 0)
        assert switch.pressed(1.0 + n / 1000)
    assert switch.pressed(1.009 + BOUNCE_S / 2)
    assert not switch.pressed(1.009 + BOUNCE_S)


def test_bumps_lie_where_the_robot_file_states_and_switches_to_supply_count_the_other_way(bench):
    move(bench.world, "green", 3.0, 7.7)
    bench.run(2.0, FORWARD)
    bumps = {round(math.degrees(b.bearing)): b.pressed for b in bench.board.senses(bench.now).bumps}
    assert bumps == {40: True, 0: True, -40: True, 180: False}
    bench.run(1.0, Command(-0.1, -0.1))
    assert not any(bump.pressed for bump in bench.board.senses(bench.now).bumps)


def test_a_damaged_report_of_a_switch_is_mended_by_the_next(bench):
    bench.board.receive(bench.now, wire.port(0, 0))
    assert bench.board.senses(bench.now).bumps[0].pressed
    bench.run(0.25)
    assert not any(bump.pressed for bump in bench.board.senses(bench.now).bumps)


def test_infrared_readings_become_metres_by_the_curve(bench):
    move(bench.world, "green", 3.0, 7.4)
    bench.run(0.5)
    ahead = next(one for one in bench.board.senses(bench.now).ranges if one.bearing == 0)
    assert ahead.distance == pytest.approx(8.0 - 7.4 - 0.155, abs=0.03)
    assert (ahead.low, ahead.high) == (0.1, 0.8)
    move(bench.world, "green", 3.0, 3.0)
    bench.run(0.5)
    assert [one.distance for one in bench.board.senses(bench.now).ranges] == [None] * 5


def test_a_sensor_that_rests_in_front_of_something_while_it_moves_is_lost(bench):
    move(bench.world, "green", 3.0, 7.4)
    bench.run(0.5)
    bench.event("frozen", "front-range")
    bench.run(1.2, Command(-0.05, 0.05))
    assert "stands still" in bench.missing["front-range"]
    bench.event("restore", "front-range")
    bench.run(0.5)
    assert bench.missing == {}


def test_a_channel_that_falls_silent_is_lost_alone(bench):
    bench.emulator._reported.discard(2)
    receive = bench.emulator.receive
    bench.emulator.receive = lambda now, data: receive(now, data.replace(wire.report_analogue(2), b""))
    bench.run(0.8)
    assert bench.missing == {"front-range": "infrared sensor at 0 degrees has no fresh reading"}


def test_the_beam_between_the_fingers_is_seen(bench):
    assert not bench.emulator.chassis.beam
    bench.run(1.5, Command(opening=1.0))
    assert bench.board.senses(bench.now).grip.beam is False
    type(bench.emulator.chassis).beam, kept = property(lambda self: True), type(bench.emulator.chassis).beam
    try:
        bench.run(0.3, Command(opening=1.0))
        assert bench.board.senses(bench.now).grip.beam is True
    finally:
        type(bench.emulator.chassis).beam = kept
