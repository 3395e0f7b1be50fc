"""Each row of the fault table: that it opens, what it stops, how it ends, and how it does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotd.robot.faults import ROWS, TABLE, Faults, row_of, stopping_faults

NAMES = [row.name for row in TABLE]
STOPPING = {
    "board-silent", "port-lost", "tick-raised", "tick-stalled", "task-died", "guardian-stop", "duplicate-id",
    "stopped", "board-restarted", "board-left-mode", "state-lost",
}  # fmt: skip
ENDS_BY_ITSELF = {
    "log-stopped", "state-not-saved", "add-on-lost", "radio-lost", "radio-silent", "epochs-spent",
    "airtime-limited", "facts-refused",
}  # fmt: skip
LASTING = {"board-silent", "port-lost", *ENDS_BY_ITSELF}


def opened(*names):
    faults = Faults()
    for name in names:
        faults.open_fault(name, "why", 1.0)
    return faults


@pytest.mark.parametrize("name", NAMES)
def test_a_fault_is_open_stops_the_wheels_and_ends_as_its_row_says(name):
    faults = opened(name)
    fault, *others = faults.open()
    assert (fault.name, fault.detail, fault.since, others) == (name, "why", 1.0, [])
    assert bool(stopping_faults([fault])) == (name in STOPPING)
    assert [fault.name for fault in opened(name).acknowledge(2.0)] == ([name] if name in LASTING else [])
    faults.clear(name)
    assert (not faults.open()) == (name in ENDS_BY_ITSELF)
    row = ROWS[name]
    assert all((row.what, row.action, row.clears, row.who))
    assert row.latches or row.lasting


@pytest.mark.parametrize("name", sorted(LASTING - ENDS_BY_ITSELF))
def test_a_lasting_cause_is_acknowledged_only_after_it_passed_and_lasts_again_when_it_comes_back(name):
    faults = opened(name)
    faults.acknowledge(2.0)
    faults.clear(name)
    assert faults.open()
    faults.open_fault(name, "again", 2.0)
    assert [(f.detail, f.since) for f in faults.acknowledge(3.0)] == [("again", 1.0)]
    faults.clear(name)
    assert not faults.acknowledge(3.0)


def test_a_part_of_the_daemon_is_named_after_the_colon_and_a_fault_without_a_row_is_an_error():
    assert row_of("task-died:http") is ROWS["task-died"]
    faults = opened("task-died:http", "task-died:recorder")
    assert [fault.name for fault in faults.open()] == ["task-died:http", "task-died:recorder"]
    with pytest.raises(KeyError):
        opened("gremlins")


def test_no_person_can_have_taken_notice_of_a_fault_of_this_instant():
    assert opened("tick-raised").acknowledge(1.0)


def test_a_detail_opens_a_fault_and_none_clears_it_and_no_other():
    faults = opened("stopped")
    for detail, is_open in (("", False), ("full", True), ("", False)):
        faults.note("log-stopped", detail, 1.0)
        assert (faults.is_open("log-stopped"), faults.is_open("stopped")) == (is_open, True)


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
