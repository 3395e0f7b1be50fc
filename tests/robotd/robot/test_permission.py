"""Who may let the robot move, what takes that back, and the words for it."""

import pytest

from robotd.model.inputs import Fault, Inputs, Order
from robotd.model.senses import Capabilities, Senses
from robotd.robot.permission import Permission, in_run


def tick(permission, now, *orders, faults=()):
    open_faults = tuple(Fault(name, "detail", 0.0) for name in faults)
    return permission.step(Inputs(now, 0, Senses(), Capabilities(), orders, open_faults))


def order(kind, by="ann"):
    return Order(kind, by=by)


def test_a_robot_waits_for_a_person():
    state = tick(Permission(), 0.0)
    assert (state.word, state.may_move, state.next_step) == ("waiting for start", False, "robotd start")


def test_an_order_to_start_lets_it_move_and_one_to_stop_does_not():
    permission = Permission()
    assert tick(permission, 0.0, order("start")).may_move
    assert tick(permission, 1.0).may_move
    state = tick(permission, 2.0, order("stop"))
    assert (state.word, state.reason, state.may_move) == ("stopped", "stopped by ann", False)
    assert not tick(permission, 3.0).may_move
    assert tick(permission, 4.0, order("start")).word == "running"


def test_other_orders_permit_nothing():
    permission = Permission()
    for kind in ("acknowledge", "mission-start", "task-add", "stop-team"):
        assert not tick(permission, 0.0, order(kind)).may_move


def test_at_boot_needs_nobody_and_can_still_be_stopped():
    permission = Permission("at-boot")
    assert tick(permission, 0.0).may_move
    assert not tick(permission, 1.0, order("stop")).may_move


def test_the_button_counts_only_where_the_robot_file_says_so():
    assert tick(Permission("button"), 0.0, order("start", by="button")).may_move
    assert not tick(Permission("command"), 0.0, order("start", by="button")).may_move
    assert tick(Permission("button"), 0.0, order("start")).may_move


def test_of_start_and_stop_in_one_tick_the_later_holds():
    assert not tick(Permission(), 0.0, order("start"), order("stop")).may_move
    assert tick(Permission(), 0.0, order("stop"), order("start")).may_move


def test_a_fault_that_stops_holds_the_robot_and_names_itself():
    permission = Permission("at-boot")
    state = tick(permission, 0.0, faults=["port-lost"])
    assert (state.word, state.may_move) == ("faulted", False)
    assert state.reason == "port-lost: detail"
    assert "robotd ack" in state.next_step


def test_a_fault_that_does_not_stop_changes_nothing():
    assert tick(Permission("at-boot"), 0.0, faults=["log-stopped", "radio-silent"]).word == "running"


def test_after_the_fault_the_robot_goes_on_if_it_had_permission_and_only_then():
    permission = Permission()
    tick(permission, 0.0, order("start"))
    tick(permission, 1.0, faults=["tick-raised"])
    assert tick(permission, 2.0).may_move
    waiting = Permission()
    tick(waiting, 1.0, faults=["tick-raised"])
    assert not tick(waiting, 2.0).may_move


def test_an_order_to_start_a_faulted_robot_is_not_kept_for_later():
    permission = Permission()
    assert not tick(permission, 0.0, order("start"), faults=["guardian-stop"]).may_move
    assert tick(permission, 1.0).word == "waiting for start"


def test_a_team_stop_reads_as_stopped():
    assert tick(Permission("at-boot"), 0.0, faults=["stopped"]).word == "stopped"
    assert tick(Permission("at-boot"), 0.0, faults=["stopped", "port-lost"]).word == "faulted"


def test_the_leash_stops_a_robot_that_hears_no_base_and_does_not_let_go_by_itself():
    permission = Permission("at-boot", base_station_timeout_s=10.0)
    tick(permission, 0.0)
    permission.hear_base(5.0)
    assert tick(permission, 15.0).may_move
    state = tick(permission, 15.1)
    assert (state.word, state.may_move) == ("stopped", False)
    assert "base_station_timeout_s" in state.reason
    permission.hear_base(16.0)
    assert not tick(permission, 16.0).may_move
    assert tick(permission, 17.0, order("start")).may_move


def test_the_leash_is_off_by_default_and_long_enough_from_the_start():
    assert tick(Permission("at-boot"), 1e6).may_move
    permission = Permission(base_station_timeout_s=10.0)
    tick(permission, 0.0)
    assert tick(permission, 100.0, order("start")).may_move
    assert not tick(permission, 110.1).may_move


def test_a_permitted_robot_without_a_run_says_what_it_waits_for():
    running = tick(Permission("at-boot"), 0.0)
    assert in_run(running, running=True) is running
    assert in_run(running, running=False).next_step == "robotd mission start"
    stopped = tick(Permission(), 0.0)
    assert in_run(stopped, running=False) is stopped


def test_frozen_and_thawed_it_goes_on_the_same():
    permission = Permission(base_station_timeout_s=10.0)
    tick(permission, 0.0, order("start"))
    other = Permission(base_station_timeout_s=10.0)
    other.thaw(permission.freeze())
    for now in (9.0, 10.5):
        assert tick(other, now) == tick(permission, now)


@pytest.mark.parametrize("state", [None, [1], {"a": 1}])
def test_what_is_no_frozen_state_is_refused(state):
    with pytest.raises(ValueError, match="no frozen permission"):
        Permission().thaw(state)
