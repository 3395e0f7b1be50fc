"""Keys of a team and of single robots."""

import hashlib
from itertools import pairwise

import pytest

from radio.authentication import Authentication
from radio.keys import Keys
from radio.link import Radio
from robotd.model.beliefs import Beliefs
from robotd.model.streams import Stream
from tests.radio.helper import HandModem, activity, saved, sealed, table

TABLE = table()
TEAM, NEXT, OWN = bytes(range(32)), bytes(32), bytes(range(1, 33))


def heard(hearer: Keys, sender: Keys, number: int = 2) -> bool:
    """Whether a robot that holds `hearer` takes a frame of robot `number` that holds `sender`."""
    one = Authentication(TABLE, 1, hearer, 7, None, None)
    one.judge(1.0, sealed(Authentication(TABLE, number, sender, 7, None, None), number, TABLE.digest))
    return bool(one.take_ready(99.0))


@pytest.mark.parametrize(
    "wrong", [((b"short",), {}), ((TEAM, b""), {}), ((TEAM, NEXT, OWN), {}), ((), {}), ((TEAM,), {2: (b"x",)})]
)
def test_what_are_no_keys_is_an_error_that_shows_none(wrong) -> None:
    with pytest.raises(ValueError, match="key") as error:
        Keys(*wrong)
    assert TEAM.hex()[:8] not in str(error.value)


STEPS = (Keys((TEAM,)), Keys((TEAM, NEXT)), Keys((NEXT, TEAM)), Keys((NEXT,)))


def test_while_keys_are_changed_each_step_is_understood_by_the_steps_before_and_after() -> None:
    for before, after in pairwise(STEPS):
        assert heard(before, after)
        assert heard(after, before)


def test_a_robot_that_misses_a_step_is_not_heard_and_neither_is_one_that_keeps_a_dropped_key() -> None:
    assert not heard(STEPS[0], STEPS[2])
    assert not heard(STEPS[3], STEPS[1])
    assert not heard(STEPS[3], STEPS[0])


def test_a_robot_with_a_key_of_its_own_is_believed_under_that_alone() -> None:
    knows, ignorant = Keys((TEAM,), {2: (OWN,)}), Keys((TEAM,))
    assert heard(knows, knows)
    assert not heard(knows, ignorant)  # the team's key does not speak for robot 2
    assert not heard(ignorant, knows)
    assert heard(knows, ignorant, number=3)
    assert not heard(knows, Keys((OWN,)), number=3)  # nor robot 2's key for robot 3


def test_a_robots_own_key_changes_like_the_teams() -> None:
    after = Keys((TEAM,), {2: (NEXT, OWN)})
    assert heard(after, Keys((TEAM,), {2: (OWN,)}))
    assert heard(after, Keys((TEAM,), {2: (NEXT,)}))


def test_a_robot_without_a_key_for_itself_cannot_be_made_and_one_without_a_teammates_does_not_hear_it() -> None:
    with pytest.raises(ValueError, match="robot 1"):
        Authentication(TABLE, 1, Keys((), {2: (OWN,)}), 7, None, None)
    assert not heard(Keys((), {1: (TEAM,), 3: (OWN,)}), Keys((TEAM,)))


def test_nothing_that_a_radio_reports_or_keeps_holds_anything_of_a_key_whatever_it_refuses() -> None:
    secrets = [hashlib.blake2s(bytes((n,))).digest() for n in range(3)]  # each eight digits are like no others
    modem, keys = HandModem(), Keys((secrets[0], secrets[1]), {2: (secrets[2],)})
    radio = saved(Radio(TABLE, 1, keys, 1, modem, Stream(1, "robot", "phase"), None, 5))
    radio.begin(0.0)
    teammate, clone = (Authentication(TABLE, n, keys, 1, None, 9) for n in (2, 1))
    genuine, older = sealed(teammate, 2, TABLE.digest), sealed(Authentication(TABLE, 2, keys, 1, None, 3), 2, 1)
    wrong = (b"", bytes((0xF0,)) + genuine[1:], genuine[:-1] + b"?", sealed(clone, 9, TABLE.digest),
             sealed(clone, 1, TABLE.digest), older)  # fmt: skip
    modem.inbox = [(1.0, frame) for frame in (genuine, genuine, *wrong)]
    assert len(radio.receive(2.0)) == 1
    radio.transmit(9.0, (activity(),), Beliefs(TABLE, 1, 1, running=True))
    refused = dict(radio.statistics.refused)
    assert set(refused) == {
        "length", "version", "mac", "unknown-sender", "duplicate-id", "replay", "old-epoch",
    }  # fmt: skip
    told = repr((radio.statistics, radio.faults, radio.memory(), keys))
    for key in secrets:
        assert not any(key.hex()[i : i + 8] in told for i in range(0, 57, 2))
        assert repr(key)[2:14] not in told
