"""The whole radio of a robot, alone by hand and in teams on the simulated air."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radio.authentication import Authentication
from radio.codec import Codec, decode_header
from radio.link import Radio
from radio.statistics import Contact
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact, FactKind
from robotd.model.statements import Statement
from robotd.model.table import NumberTable
from tests.radio.helper import KEYS, TICK, HandModem, activity, alone, desk, sealed, table

TABLE = table()
CODEC = Codec(TABLE)
BEAT = 3.0


def teammate(number: int = 2, minutes: int | None = None) -> Authentication:
    return Authentication(TABLE, number, KEYS, 1, None, minutes)


def beliefs(run: int = 1, *, running: bool = True, me: int = 1) -> Beliefs:
    return Beliefs(TABLE, me, run, running)


def tick_until_sent(
    radio: Radio, modem: HandModem, start: float, believed: Beliefs, for_s: float = 15.0
) -> tuple[bytes, float]:
    """The next frame, ticking from `start` without a decision; it leaves."""
    before = len(modem.sends)
    for n in range(1, round(for_s / TICK)):
        radio.transmit(start + n * TICK, None, believed)
        if len(modem.sends) > before:
            modem.leave()
            return modem.sends[-1][1:]
    raise AssertionError(f"no frame for {for_s:g} s")


def records(frame: bytes) -> list[Statement]:
    return list(CODEC.round([frame[10:-8]]))


def test_a_frame_bears_number_run_and_digest_and_what_was_last_stated() -> None:
    radio, modem = alone(HandModem())
    radio.transmit(0.0, [activity("task-2")], beliefs())
    frame, _ = tick_until_sent(radio, modem, 0.0, beliefs(9, running=False))
    header = decode_header(frame)
    assert (header.sender, header.run, header.running, header.digest) == (1, 9, False, TABLE.digest)
    assert [x.fields[0] for x in records(frame)] == ["task-2"]
    assert len(frame) <= 40


def test_between_decisions_none_or_the_same_sequence_keeps_what_was_stated_as_of_then() -> None:
    for repeat in (True, False):
        radio, modem = alone(HandModem())
        stated = (activity("task-1", claimed=1.0),)
        radio.transmit(1.0, stated, beliefs())
        while not modem.sends:
            now = radio._now + TICK
            radio.transmit(now, stated if repeat else None, beliefs())
        _, frame, at = modem.sends[0]
        (said,) = records(frame)
        assert said.fields[2] == pytest.approx(1.0 + (at - 1.0) / BEAT, abs=0.026)


def test_a_robot_that_states_nothing_continues_to_send_facts_and_its_stop() -> None:
    radio, modem = alone(HandModem())
    known = beliefs().learn([Fact("fact-1")])
    radio.transmit(1.0, (activity(),), known)
    radio.transmit(2.0, (), known)
    radio.stop_team(2.1, known)
    frame, _ = tick_until_sent(radio, modem, 2.1, known)
    assert [x.kind for x in records(frame)] == ["stop", "fact"]


def test_what_was_sent_is_reported_as_rounded_and_when_it_left() -> None:
    radio, modem = alone(HandModem())
    radio.transmit(1.0, (activity(claimed=0.777),), beliefs())
    frame, at = tick_until_sent(radio, modem, 1.0, beliefs())
    (sent,) = radio.take_sent(at + 1.0)
    assert sent.at == at
    assert list(sent.statements) == records(frame)
    assert radio.take_sent(at + 1.0) == ()
    assert radio.statistics.sent == 1
    assert radio.statistics.bytes_sent == len(frame)


def test_a_frame_that_never_left_is_not_reported_and_the_next_comes_a_beat_later() -> None:
    radio, modem = alone(HandModem())
    instants = []
    for n in range(1, 600):
        radio.transmit(n * TICK, None, beliefs())
        if len(modem.sends) > len(instants):
            instants.append(modem.sends[-1][2])
    assert len(instants) > 7
    assert radio.take_sent(30.0) == ()
    assert all(b - a >= BEAT for a, b in pairwise(instants))


def test_a_frame_that_leaves_late_pushes_the_next() -> None:
    radio, modem = alone(HandModem())
    _, at = tick_until_sent(radio, modem, 0.0, beliefs())
    modem._left.clear()
    modem.leave(late=0.4)
    _, second = tick_until_sent(radio, modem, at + 0.5, beliefs())
    assert second - at >= BEAT + 0.4


def test_a_dead_modem_is_given_nothing_and_no_counter_is_spent_on_it() -> None:
    radio, modem = alone(HandModem())
    modem.works = False
    for n in range(1, 200):
        radio.transmit(n * TICK, (activity(),), beliefs())
    assert modem.sends == []
    radio.receive(10.0)
    assert not radio.statistics.alive
    modem.works = True
    frame, _ = tick_until_sent(radio, modem, 10.0, beliefs())
    assert decode_header(frame).counter == 0


def test_a_number_that_the_mission_does_not_hold_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="no robot 9"):
        alone(HandModem(), me=9)


def test_what_is_heard_comes_by_time_and_sender() -> None:
    radio, modem = alone(HandModem())
    two, three = teammate(2), teammate(3)
    for number, each in ((3, three), (2, two)):
        modem.inbox.append((1.0, sealed(each, number, TABLE.digest)))
    assert radio.receive(1.1) == ()
    modem.inbox.append((1.2, sealed(three, 3, TABLE.digest, CODEC.encode(activity()))))
    heard = radio.receive(2.0)
    assert [(x.at, x.sender) for x in heard] == [(1.0, 2), (1.0, 3), (1.2, 3)]
    assert [x.kind for x in heard[2].statements] == ["activity"]
    assert [(x.number, x.frames) for x in radio.statistics.contacts] == [(2, 1), (3, 2)]


@given(st.lists(st.binary(max_size=45), max_size=5))
@settings(max_examples=50)
def test_whatever_bytes_come_nothing_is_raised_and_nothing_changes_but_counts(junk: list[bytes]) -> None:
    radio, modem = alone(HandModem())
    before = (radio.memory(), radio.stopped_by, radio.faults)
    modem.inbox = [(1.0, each) for each in junk]
    assert radio.receive(2.0) == ()
    assert (radio.memory(), radio.stopped_by, radio.faults) == before
    assert sum(count for _, count in radio.statistics.refused) == len(junk)


@given(st.lists(st.tuples(st.sampled_from((0, 2, 3)), st.binary(max_size=22), st.integers(0, 127)), max_size=6))
@settings(max_examples=50)
def test_whatever_an_authentic_frame_says_nothing_is_raised(said: list[tuple[int, bytes, int]]) -> None:
    radio, modem = alone(HandModem())
    teammates = {number: teammate(number) for number in (0, 2, 3)}
    for number, data, run in said:
        modem.inbox.append((1.0, sealed(teammates[number], number, TABLE.digest, data, run)))
    heard = radio.receive(1.0) + radio.receive(2.0)
    assert len(heard) == len(said)
    believed = beliefs().learn(heard)
    for n in range(41, round(22 * BEAT / TICK)):  # a beacon of twenty beats may be among what is said
        radio.transmit(n * TICK, (activity(),), believed)
    assert len(modem.sends) >= 1


@pytest.mark.parametrize("beats", [20, 20.1, 200])
def test_no_beacon_silences_a_robot_for_more_than_twenty_beats(beats: float) -> None:
    radio, modem = alone(HandModem())
    period = round(100 * beats * BEAT).to_bytes(2, "little")
    modem.inbox.append((1.0, sealed(teammate(0), 0, TABLE.digest, b"\x13\x01" + period)))
    (frame,) = radio.receive(1.0) + radio.receive(2.0)
    assert [x.kind for x in frame.statements] == ["beacon"]
    assert tick_until_sent(radio, modem, 2.0, beliefs(), for_s=22 * BEAT)[1] < 22 * BEAT


def test_claims_are_right_to_a_fraction_of_a_beat_wherever_they_wait() -> None:
    team = desk(3, base_station=True)
    team.states = lambda _number, now: (activity(claimed=(now - 0.7) / BEAT),)
    team.run(60.0)
    for teammates in (x.teammates for x in team.beliefs.values()):
        assert all(teammate.claimed_at == pytest.approx(0.7, abs=0.11) for teammate in teammates.values())


def test_everyone_hears_everyone_once_a_beat() -> None:
    team = desk(4, base_station=True).run(63.0)
    for number, heard in team.heard.items():
        assert 4 * 18 <= len(heard) <= 4 * 20
        assert {x.sender for x in heard} == {0, 1, 2, 3, 4} - {number}
        assert team.radios[number].statistics.pacing == "slots"
        assert not team.radios[number].faults


def edited(mission: NumberTable) -> NumberTable:
    return NumberTable(mission.team, mission.tasks, (*mission.facts, FactKind("extra", 9, "flag")))


def test_a_robot_with_another_mission_file_is_named_within_four_beats_and_never_misread() -> None:
    team = desk(3, base_station=True)
    team.boot(3, edited(team.table))  # its second start: teammates of an older epoch must prove themselves
    team.run(4 * BEAT)
    assert ("mission-mismatch", "robot-3 (number 3) runs another mission file") in team.radios[1].faults
    assert [name for name, _ in team.radios[3].faults] == ["mission-mismatch"] * 2
    team.run(30.0)
    from_three = [x for x in team.heard[1] if x.sender == 3]
    assert from_three
    assert all(not x.same_mission and x.statements == () for x in from_three)
    assert 3 in team.beliefs[1].teammates
    team.boot(3)
    team.run(60.0)
    assert team.radios[1].faults == team.radios[3].faults == ()
    assert team.beliefs[1].teammates[3].task == "task-1"


def test_a_stop_is_obeyed_across_mission_files() -> None:
    team = desk(2, base_station=True)
    team.boot(2, edited(team.table))
    team.run(12.0)
    team.radios[1].stop_team(team.now, team.beliefs[1])
    number = team.radios[1].stopped_by
    team.run(13.0)
    assert team.radios[2].stopped_by == number


def test_recordings_cannot_crowd_out_what_a_robot_does() -> None:
    radio, modem = alone(HandModem())
    old = {number: sealed(teammate(number, minutes=5), number, TABLE.digest) for number in (2, 3)}
    for number in (2, 3):
        modem.inbox.append((0.5, sealed(teammate(number, minutes=9), number, TABLE.digest)))
    radio.receive(0.6)
    radio.receive(1.2)
    radio.transmit(1.2, (activity(),), beliefs())
    told = []
    for k in range(4):
        now = radio._now
        modem.inbox = [(now, each) for each in old.values()]
        radio.receive(now)
        radio.stop_team(now, beliefs())
        frame, _ = tick_until_sent(radio, modem, now + 0.01, beliefs())
        assert {"stop", "epoch", "activity"} == {x.kind for x in records(frame)}, k
        told += [x.fields[0] for x in records(frame) if x.kind == "epoch"]
    assert set(told) == {2, 3}


# -- contacts


class Strong(HandModem):
    """A modem that reports how strong some frames are."""

    def __init__(self) -> None:
        super().__init__()
        self.strengths: dict[bytes, float] = {}

    def rssi_dbm(self, frame: bytes) -> float | None:
        return self.strengths.get(frame)


def contact(modem: Strong, made: Radio, at: float, frame: bytes, dbm: float | None = None) -> Contact:
    """Robot 2 as known once `frame` has come at `at` and had time to be taken."""
    if dbm is not None:
        modem.strengths[frame] = dbm
    modem.inbox.append((at, frame))
    made.receive(at)
    made.receive(at + 0.6)
    (found,) = made.statistics.contacts
    return found


def test_frames_between_those_taken_are_missed_and_a_new_start_of_the_sender_misses_none() -> None:
    (made, modem), sender = alone(Strong()), teammate()
    frames = [sealed(sender, 2, TABLE.digest) for _ in range(8)]
    known = [contact(modem, made, 3.0 * (k + 1), frames[k]) for k in (0, 1, 4, 7)]
    assert [(x.frames, x.missed) for x in known] == [(1, 0), (2, 0), (3, 2), (4, 4)]
    again = Authentication(TABLE, 2, KEYS, 1, sender.memory(), None)
    later = [sealed(again, 2, TABLE.digest) for _ in range(3)]
    assert contact(modem, made, 60.0, later[0]).missed == 4
    assert contact(modem, made, 63.0, later[2]).missed == 5


def test_the_strength_is_that_of_the_last_frame_taken_and_none_where_the_modem_does_not_tell() -> None:
    (made, modem), sender = alone(Strong()), teammate()
    frames = [sealed(sender, 2, TABLE.digest) for _ in range(3)]
    assert contact(modem, made, 3.0, frames[0], -61.0).strength_dbm == -61.0
    assert contact(modem, made, 6.0, frames[1], -75.0).strength_dbm == -75.0
    forged = frames[2][:-1] + bytes((frames[2][-1] ^ 1,))
    assert contact(modem, made, 7.0, forged, -20.0).strength_dbm == -75.0
    assert contact(modem, made, 9.0, frames[2]).strength_dbm is None
