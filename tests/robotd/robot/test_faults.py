"""Each row of the fault table: that it opens, what it stops, how it ends, and how it does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotd.robot.faults import ROWS, TABLE, Faults, row_of, stopping

NAMES = [row.name for row in TABLE]
STOPPING = {
    "board-silent", "port-lost", "tick-raised", "tick-stalled", "task-died", "guardian-stop", "duplicate-id",
    "stopped", "board-restarted", "board-left-mode", "state-lost",
}  # fmt: skip
ENDS_BY_ITSELF = {
    "log-stopped",
    "state-not-saved",
    "add-on-lost",
    "radio-lost",
    "radio-silent",
    "epochs-spent",
    "airtime-limited",
    "facts-refused",
}
LASTING = {"board-silent", "port-lost", *ENDS_BY_ITSELF}


def opened(*names):
    faults = Faults()
    for name in names:
        faults.open_fault(name, "why", 1.0)
    return faults


@pytest.mark.parametrize("name", NAMES)
def test_a_fault_is_open_with_its_detail_and_time_and_others_are_not(name):
    fault, *others = opened(name).open()
    assert (fault.name, fault.detail, fault.since) == (name, "why", 1.0)
    assert not others


@pytest.mark.parametrize("name", NAMES)
def test_it_stops_the_wheels_only_if_its_row_says_so(name):
    assert bool(stopping(opened(name).open())) == (name in STOPPING)


@pytest.mark.parametrize("name", NAMES)
def test_an_acknowledgement_ends_it_unless_its_cause_lasts(name):
    left = opened(name).acknowledge(2.0)
    assert [fault.name for fault in left] == ([name] if name in LASTING else [])


@pytest.mark.parametrize("name", NAMES)
def test_a_passed_cause_ends_it_only_where_no_person_is_needed(name):
    faults = opened(name)
    faults.clear(name)
    assert (not faults.open()) == (name in ENDS_BY_ITSELF)


@pytest.mark.parametrize("name", sorted(LASTING - ENDS_BY_ITSELF))
def test_what_was_acknowledged_too_early_still_waits_for_a_person_after_its_cause_passed(name):
    faults = opened(name)
    faults.acknowledge(2.0)
    faults.clear(name)
    assert faults.open()
    assert not faults.acknowledge(3.0)


@pytest.mark.parametrize("name", sorted(LASTING - ENDS_BY_ITSELF))
def test_a_cause_that_came_back_lasts_again(name):
    faults = opened(name)
    faults.clear(name)
    faults.open_fault(name, "again", 2.0)
    assert [(f.detail, f.since) for f in faults.acknowledge(3.0)] == [("again", 1.0)]


@pytest.mark.parametrize("row", TABLE, ids=NAMES)
def test_every_row_says_everything_in_words(row):
    assert all((row.what, row.action, row.clears, row.who))
    assert row.latches or row.lasting


def test_a_part_of_the_daemon_is_named_after_the_colon():
    assert row_of("task-died:http") is ROWS["task-died"]
    faults = opened("task-died:http", "task-died:recorder")
    assert [fault.name for fault in faults.open()] == ["task-died:http", "task-died:recorder"]


def test_a_fault_without_a_row_is_an_error():
    with pytest.raises(KeyError):
        opened("gremlins")


def test_nobody_can_have_taken_notice_of_a_fault_of_this_instant():
    assert opened("tick-raised").acknowledge(1.0)


def test_clearing_what_is_not_open_does_nothing():
    faults = opened("stopped")
    faults.clear("port-lost")
    assert [fault.name for fault in faults.open()] == ["stopped"]


def test_a_detail_opens_a_fault_and_none_clears_it():
    faults = Faults()
    for detail, is_open in (("", False), ("full", True), ("", False)):
        faults.note("log-stopped", detail, 1.0)
        assert faults.is_open("log-stopped") is is_open


ACTIONS = st.lists(st.tuples(st.sampled_from(["open", "clear", "ack"]), st.sampled_from(NAMES)), max_size=30)


@given(ACTIONS)
def test_open_faults_stay_sorted(actions):
    faults = Faults()
    for k, (action, name) in enumerate(actions):
        if action == "open":
            faults.open_fault(name, "why", float(k))
        elif action == "clear":
            faults.clear(name)
        else:
            faults.acknowledge(float(k))
        assert faults.open() == tuple(sorted(faults.open(), key=lambda fault: fault.name))
