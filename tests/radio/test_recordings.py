"""What an attacker without a key can do: play recordings, at any rate, to robots that know little; clones."""

from __future__ import annotations

import copy

import pytest

from radio.authentication import Authentication
from radio.codec import Codec
from radio.flood import MAX_JUDGED
from radio.link import Radio
from radio.modem_buffers import MOST_FRAMES, ModemBuffers
from radio.own_number import OWN_FRAMES
from radio.reservation import block_of
from robotd.model.statements import Statement
from robotd.model.streams import Stream
from tests.radio.helper import KEYS, TICK, Desk, HandModem, activity, desk, saved, sealed, table

TABLE = table(3)
BEAT = TABLE.beat_s
RECORDS = Codec(TABLE).encode(activity())
STOP = Codec(TABLE).encode(Statement("stop", (2, 7)))


def listener(memory: object = None, minutes: int | None = None) -> tuple[Radio, HandModem]:
    modem = HandModem()
    radio = saved(Radio(TABLE, 1, KEYS, 1, modem, Stream(1, "robot", "phase"), memory, minutes))  # type: ignore[arg-type]
    radio.begin(0.0)
    return radio, modem


def hears(radio: Radio, modem: HandModem, at: float, *frames: bytes) -> int:
    modem.inbox = [(at, frame) for frame in frames]
    return len(radio.receive(at)) + len(radio.receive(at + 1.0))


def recorded(count: int, minutes: int = 100, records: bytes = RECORDS) -> list[bytes]:
    sender = Authentication(TABLE, 2, KEYS, 1, None, minutes)
    return [sealed(sender, 2, TABLE.digest, records) for _ in range(count)]


# -- a robot never heard before


def test_of_a_burst_of_recordings_of_an_old_epoch_none_is_believed() -> None:
    radio, modem = listener(minutes=5000)
    assert hears(radio, modem, 1.0, *recorded(100)) == 0
    assert dict(radio.statistics.refused) == {"unproven": 100}


def test_a_live_teammate_of_an_old_epoch_is_believed_with_its_second_frame() -> None:
    radio, modem = listener(minutes=5000)
    frames = recorded(4)
    assert [hears(radio, modem, 1.0 + BEAT * k, frame) for k, frame in enumerate(frames)] == [0, 1, 1, 1]
    assert hears(radio, modem, 30.0, *frames) == 0


def test_one_that_started_later_and_one_known_from_the_last_life_need_no_proof() -> None:
    radio, modem = listener(minutes=5000)
    assert hears(radio, modem, 1.0, recorded(1, minutes=5000)[0]) == 1
    frames = recorded(12, minutes=5000)[6:]
    again, modem = listener(radio.memory(), minutes=9000)
    assert hears(again, modem, 1.0, frames[0]) == 1


def test_a_team_stop_of_one_never_heard_holds_at_once() -> None:
    radio, modem = listener(minutes=5000)
    assert hears(radio, modem, 1.0, recorded(1, records=STOP)[0]) == 0
    assert radio.stopped_by == (2, 7)


# -- recordings at line rate


def test_a_flood_is_judged_within_a_bound_and_the_live_frame_among_it_is_heard() -> None:
    radio, modem = listener()
    old = recorded(1000, minutes=100)
    assert hears(radio, modem, 1.0, old[899]) == 1
    for k in range(5):
        assert hears(radio, modem, 10.0 + 3.0 * k, *old[:500], old[900 + k], *old[:500]) == 1
    judged = sum(count for reason, count in radio.statistics.refused if reason != "flood")
    assert judged == 5 * (MAX_JUDGED - 1)
    assert dict(radio.statistics.refused)["flood"] == 5 * (1001 - MAX_JUDGED)


def test_frames_that_wait_for_the_radio_are_bounded_and_counted() -> None:
    buffers = ModemBuffers()
    for _ in range(MOST_FRAMES + 50):
        buffers._put(0.0, bytes(30))
    assert (len(buffers.received(0.0)), buffers.counts()["flood"]) == (MOST_FRAMES, 50)
    buffers._put(0.0, bytes(30))
    assert len(buffers.received(0.0)) == 1


# -- a state folder restored from a backup


def test_a_robot_whose_state_is_an_older_copy_waits_for_a_person_and_asks_teammates_for_proof() -> None:
    team = desk(3, base_station=True).run(30.0)
    old = copy.deepcopy(team.saved[2])
    for _ in range(3):
        team.boot(2)
        team.run(team.now + 30.0)
    team.saved[2] = old
    restored = team.boot(2)
    team.run(team.now + 5 * BEAT)
    assert [name for name, _ in restored.faults] == ["state-lost"]
    again = team.boot(2)  # the doubt outlives a restart
    assert [name for name, _ in again.faults] == ["state-lost"]
    again.acknowledge_stop(team.now)
    team.tick(2, team.now)
    assert team.boot(2).faults == ()
    heard = len(team.heard[2])
    team.run(team.now + 5 * BEAT)
    assert len(team.heard[2]) >= heard + 6


# -- a card that was cloned with its state


@pytest.mark.parametrize("base", [True, False])
@pytest.mark.parametrize("minutes", [1000, None])
@pytest.mark.parametrize(("apart", "within"), [(0.0, 12), (30.0, 12)])
def test_of_a_robot_and_its_clone_both_say_so(base, minutes, apart, within) -> None:
    team = desk(3, base_station=base)
    for number in (1, 2, 3):
        team.boot(number, minutes=minutes)
    team.run(60.0)
    later = None if minutes is None else minutes + 2
    clone = Desk(team.table, team.channel, seed=101, ticks=team.ticks, saved={2: copy.deepcopy(team.saved[2])})
    team.boot(2, minutes=later)
    team.run(60.0 + apart)
    clone.ticks = team.ticks
    clone.boot(2, minutes=later, radio=9)
    said = set()
    while team.now < 60.0 + apart + within * BEAT:
        team.run(team.now + TICK)
        clone.run(team.now)
        for who, radio in (("original", team.radios[2]), ("clone", clone.radios[2])):
            said |= {who for name, _ in radio.faults if name == "duplicate-id"}
    assert said == {"original", "clone"}


def test_a_robots_own_frames_played_back_are_recordings_and_no_clone() -> None:
    one = Authentication(TABLE, 1, KEYS, 1, None, 5)
    frames = [sealed(one, 1, TABLE.digest) for _ in range(OWN_FRAMES + 9)]
    assert {one.judge(1.0, frame) for frame in frames} == {"replay"}
    other = Authentication(TABLE, 1, KEYS, 1, None, 5)
    assert one.judge(1.0, sealed(other, 1, TABLE.digest, RECORDS)) == "replay"  # too long ago to know
    for _ in range(len(frames) - 2):
        last = sealed(other, 1, TABLE.digest, RECORDS)
    assert one.judge(1.0, last) == "duplicate-id"


# -- fast radios


@pytest.mark.parametrize(("beat_s", "frames"), [(3.0, 4), (1.0, 4), (0.5, 4), (0.1, 12), (0.05, 22)])
def test_a_block_covers_the_time_to_the_disk_twice_and_no_frame_but_the_first_waits(beat_s, frames) -> None:
    assert block_of(beat_s) == frames
    mission = table(3, beat_s=beat_s)
    one, two = (Authentication(mission, number, KEYS, 1, None, 5) for number in (1, 2))
    for k in range(60):
        one.judge(k * beat_s, sealed(two, 2, mission.digest))
        one.judge(k * beat_s, b"")
        waiting = len(one._waiting) - len(one.take_ready(k * beat_s))
        assert waiting == 0 or k * beat_s < 0.5
    again = Authentication(mission, 1, KEYS, 1, one.memory(), 6)
    missed = 0
    while again.judge(100.0, sealed(two, 2, mission.digest)) is not None:
        missed += 1
    assert missed * beat_s <= 1.0 + 4 * beat_s
