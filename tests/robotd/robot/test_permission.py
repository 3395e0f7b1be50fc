"""Who may let the robot move, what takes that back, and the words for it."""

import pytest

from robotd.model.inputs import Fault, Inputs, Order
from robotd.model.senses import Capabilities, Senses
from robotd.robot.permission import Permission, in_run


def tick(permission, now, *kinds, by="ann", faults=()):
    orders = tuple(Order(kind, by=by) for kind in kinds)
    open_faults = tuple(Fault(name, "detail", 0.0) for name in faults)
    return permission.step(Inputs(now, 0, Senses(), Capabilities(), orders, open_faults))


def test_a_robot_waits_for_a_person_moves_after_a_start_and_not_after_a_stop():
    permission = Permission()
    state = tick(permission, 0.0)
    assert (state.word, state.may_move, state.next_step) == ("waiting for start", False, "robotd start")
    assert tick(permission, 0.0, "start").may_move
    assert tick(permission, 1.0).may_move
    state = tick(permission, 2.0, "stop")
    assert (state.word, state.reason, state.may_move) == ("stopped", "stopped by ann", False)
    assert not tick(permission, 3.0).may_move
    assert tick(permission, 4.0, "start").word == "running"


@pytest.mark.parametrize(
    ("start", "orders", "by", "moves"),
    [
        ("command", ("acknowledge", "mission-start", "task-add", "stop-team"), "ann", False),
        ("at-boot", (), "", True),
        ("at-boot", ("stop",), "ann", False),
        ("button", ("start",), "button", True),
        ("command", ("start",), "button", False),
        ("button", ("start",), "ann", True),
        ("command", ("start", "stop"), "ann", False),
        ("command", ("stop", "start"), "ann", True),
    ],
)
def test_what_permits_motion_and_what_does_not(start, orders, by, moves):
    assert tick(Permission(start), 0.0, *orders, by=by).may_move is moves


@pytest.mark.parametrize(
    ("faults", "word", "reason"),
    [
        (["port-lost"], "faulted", "port-lost: detail"),
        (["log-stopped", "radio-silent"], "running", "permitted to move"),
        (["stopped"], "stopped", "detail"),
        (["stopped", "port-lost"], "faulted", "stopped: detail; port-lost: detail"),
    ],
)
def test_a_fault_that_stops_holds_the_robot_and_names_itself(faults, word, reason):
    state = tick(Permission("at-boot"), 0.0, faults=faults)
    assert (state.word, state.reason, state.may_move) == (word, reason, word == "running")
    assert ("robotd ack" in state.next_step) == (word != "running")


def test_after_the_fault_the_robot_goes_on_if_it_had_permission_and_no_start_is_kept_for_later():
    permission = Permission()
    tick(permission, 0.0, "start")
    tick(permission, 1.0, faults=["tick-raised"])
    assert tick(permission, 2.0).may_move
    waiting = Permission()
    assert not tick(waiting, 1.0, "start", faults=["tick-raised"]).may_move
    assert tick(waiting, 2.0).word == "waiting for start"


def test_the_time_out_stops_a_robot_without_frames_of_a_base_station_and_does_not_let_go_by_itself():
    permission = Permission("at-boot", base_station_timeout_s=10.0)
    tick(permission, 0.0)
    permission.hear_base(5.0)
    assert tick(permission, 15.0).may_move
    state = tick(permission, 15.1)
    assert (state.word, state.may_move) == ("stopped", False)
    assert "base_station_timeout_s" in state.reason
    permission.hear_base(16.0)
    assert not tick(permission, 16.0).may_move
    assert tick(permission, 17.0, "start").may_move


def test_the_time_out_is_off_by_default_counts_from_the_start_and_outlives_a_freeze():
    assert tick(Permission("at-boot"), 1e6).may_move
    permission, other = (Permission(base_station_timeout_s=10.0) for _ in range(2))
    tick(permission, 0.0)
    assert tick(permission, 100.0, "start").may_move
    other.thaw(permission.freeze())
    for now, moves in ((109.0, True), (110.1, False)):
        assert tick(other, now) == (state := tick(permission, now))
        assert state.may_move is moves


def test_a_permitted_robot_without_a_run_reports_what_it_waits_for():
    running, stopped = tick(Permission("at-boot"), 0.0), tick(Permission(), 0.0)
    assert in_run(running, running=True) is running
    assert in_run(running, running=False).next_step == "robotd mission start"
    assert in_run(running, running=True, all_done=True).reason == "all tasks done"
    assert in_run(stopped, running=False, all_done=True) is stopped


@pytest.mark.parametrize("state", [None, [1], {"a": 1}])
def test_what_is_no_frozen_state_is_refused(state):
    with pytest.raises(ValueError, match="no frozen permission"):
        Permission().thaw(state)
