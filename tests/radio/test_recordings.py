"""What an attacker without a key can do: play recordings, at any rate, to robots that know little; clones."""

import copy

import pytest

from radio.authentication import Authentication, Memory
from radio.codec import MAC, Codec, decode_header
from radio.link import Radio
from radio.modem_buffers import MOST_FRAMES, ModemBuffers
from radio.own_number import ALARMS, OWN_FRAMES, OwnNumber
from radio.reservation import block_of
from radio.suspicion import MAX_JUDGED
from robotd.model.beliefs import silence_s
from robotd.model.plain import Json
from robotd.model.statements import Statement
from tests.radio.helper import KEYS, TICK, Desk, HandModem, activity, alone, desk, sealed, table

TABLE = table(3)
BEAT = TABLE.beat_s
RECORDS = Codec(TABLE).encode(activity())
STOP = Codec(TABLE).encode(Statement("stop", (2, 7)))


def hears(radio: Radio, modem: HandModem, at: float, *frames: bytes) -> int:
    modem.inbox = [(at, frame) for frame in frames]
    return len(radio.receive(at)) + len(radio.receive(at + 1.0))


def recorded(count: int, minutes: int = 100, records: bytes = RECORDS) -> list[bytes]:
    sender = Authentication(TABLE, 2, KEYS, 1, None, minutes)
    return [sealed(sender, 2, TABLE.digest, records) for _ in range(count)]


# -- a robot never heard before


def test_of_a_burst_of_recordings_of_an_old_epoch_none_is_believed() -> None:
    radio, modem = alone(HandModem(), minutes=5000)
    assert hears(radio, modem, 1.0, *recorded(100)) == 0
    assert dict(radio.statistics.refused) == {"unproven": 100}


def test_a_live_teammate_of_an_old_epoch_is_believed_with_its_second_frame() -> None:
    radio, modem = alone(HandModem(), minutes=5000)
    frames = recorded(4)
    assert [hears(radio, modem, 1.0 + BEAT * k, frame) for k, frame in enumerate(frames)] == [0, 1, 1, 1]
    assert hears(radio, modem, 30.0, *frames) == 0


def test_one_that_started_later_and_one_known_from_the_last_life_need_no_proof() -> None:
    radio, modem = alone(HandModem(), minutes=5000)
    assert hears(radio, modem, 1.0, recorded(1, minutes=5000)[0]) == 1
    frames = recorded(12, minutes=5000)[6:]
    again, modem = alone(HandModem(), radio.memory(), minutes=9000)
    assert hears(again, modem, 1.0, frames[0]) == 1


def test_a_team_stop_of_one_never_heard_holds_at_once() -> None:
    radio, modem = alone(HandModem(), minutes=5000)
    assert hears(radio, modem, 1.0, recorded(1, records=STOP)[0]) == 0
    assert radio.stopped_by == (2, 7)


# -- recordings at line rate


def test_a_flood_is_judged_within_a_bound_and_the_live_frame_among_it_is_heard() -> None:
    radio, modem = alone(HandModem())
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


def lives(count: int, minutes: int | None = None) -> tuple[list[Json], list[list[bytes]]]:
    """The memory after each of so many lives of robot 1, and ten frames of each."""
    memories, frames = [], []
    for _ in range(count):
        one = Authentication(TABLE, 1, KEYS, 1, memories[-1] if memories else None, minutes)
        frames.append([sealed(one, 1, TABLE.digest) for _ in range(10)])
        memories.append(one.memory())
    return memories, frames


def played(one: OwnNumber, frames: list[bytes], start: float) -> tuple[set[str], float]:
    """Judge a recording at its pace, then be quiet for a time-out: the reasons, and when that is over."""
    reasons = set()
    for k, frame in enumerate(frames):
        header = decode_header(frame)
        reasons.add(one.judge(start + BEAT * k, header.stamp, frame[-MAC:]))
        one.step(start + BEAT * k, BEAT)
    over = start + BEAT * len(frames) + silence_s(BEAT)
    one.step(over, BEAT)
    return reasons, over


def test_recordings_of_lives_that_a_robot_has_stepped_past_are_its_own() -> None:
    _, frames = lives(5)
    one = OwnNumber(BEAT, 0, 4, fresh=True)
    one.note_sealed(9, b"ours")
    one.report(0.0, (5, 9))
    one.step(2 * BEAT, BEAT)
    assert one.current == (6, 0)
    for life in frames:
        assert played(one, life, 10.0)[0] == {"replay"}
    assert (one.duplicate_at, one.is_outdated) == (None, False)


@pytest.mark.parametrize(("minutes", "stamp"), [(5000, (5000, 0)), (None, (6, 0))])
def test_recordings_of_lives_after_the_backup_show_that_the_state_is_old_and_are_stepped_past(
    minutes, stamp
) -> None:
    memories, frames = lives(5)
    one = OwnNumber(BEAT, Memory(*memories[1]).epoch, minutes, fresh=False)
    now = 0.0
    for life in reversed(frames[2:]):
        reasons, now = played(one, life[:4], now)
        assert reasons <= {"replay", "duplicate-id"}
        assert (one.duplicate_at, one.is_outdated) == (None, True)
    assert one.current == stamp
    assert played(one, frames[4] * 4, now)[0] == {"replay"}


def test_recordings_of_the_very_epoch_stop_a_robot_only_while_they_are_played_first() -> None:
    memories, frames = lives(3)
    one = OwnNumber(BEAT, Memory(*memories[1]).epoch, None, fresh=False)
    _, over = played(one, frames[2], 0.0)
    assert one.duplicate_at is not None
    assert not one.is_duplicate(over, BEAT)
    assert one.current == (4, 0)
    assert played(one, frames[2], over)[0] == {"replay"}


def test_a_robot_of_an_old_state_doubts_it_and_asks_for_proof_though_only_recordings_are_received() -> None:
    memories, frames = lives(5)
    radio, modem = alone(HandModem(), minutes=5)
    hears(radio, modem, 1.0, recorded(1, minutes=7)[0])
    stored = radio.memory()
    again, modem = alone(HandModem(), [memories[1], *stored[1:]], minutes=5000)
    assert (hears(again, modem, 1.0, frames[4][0]), [name for name, _ in again.faults]) == (0, ["state-lost"])
    assert hears(again, modem, 2.0, *recorded(600, minutes=9)) == 0


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


# -- two robots of one number, and robots that lost their memory


def test_of_two_robots_with_one_number_both_say_so_and_the_older_epoch_is_silent() -> None:
    team = desk(2, base_station=True)
    team.boot(2, minutes=1000)
    newer, clone = team.radios[2], Desk(team.table, team.channel, seed=9, ticks=team.ticks)
    clone.boot(2, minutes=500, radio=9)
    for _ in range(800):
        team.run(team.now + TICK)
        clone.run(team.now)
    assert [name for name, _ in clone.radios[2].faults] == ["duplicate-id"]
    assert len(clone.sent[2]) <= 2 + ALARMS  # with the second it is informed that another was heard since
    assert len(team.sent[2]) > 10
    assert [name for name, _ in newer.faults] == ["state-lost"]  # an epoch between its lives, or a second robot
    del team.radios[2]
    for _ in range(300):
        team.run(team.now + TICK)
        clone.run(team.now)
    assert clone.radios[2].faults == ()


@pytest.mark.parametrize("minutes", [None, 3])
@pytest.mark.parametrize("from_the_start", [True, False])
def test_recordings_of_its_former_life_neither_stop_nor_silence_a_reimaged_robot(minutes, from_the_start) -> None:
    team = desk(3, base_station=True)
    team.boot(2, minutes=minutes)
    team.run(60.0)
    recorded = [x.data for x in team.channel._sent if x.sender == 2]
    assert len(recorded) > 15
    team.saved[2] = None
    team.boot(2)
    start = team.now
    for k in range(40):
        at = start + (0.0 if from_the_start else 4.0) + 2.1 * k
        team.channel.submit(start, 9, recorded[k % len(recorded)], at)
    while team.now < start + 90.0:
        team.run(team.now + TICK)
        assert "duplicate-id" not in [name for radio in team.radios.values() for name, _ in radio.faults]
    again = [x.at for x in team.heard[1] if x.sender == 2 and x.at > start]
    assert again[0] - start < 6 * BEAT
    assert len(again) > 15
    assert dict(team.radios[2].statistics.refused)["replay"] > 10


@pytest.mark.parametrize("clocked", [False, True])
def test_a_reimaged_robot_is_heard_again_within_five_beats(clocked: bool) -> None:
    team = desk(3, base_station=True)
    team.boot(2, minutes=1000)
    team.run(40.0)
    team.saved[2] = None
    team.boot(2, minutes=2000 if clocked else None)
    start = team.now
    team.run(start + 25.0)
    again = [x.at for x in team.heard[1] if x.sender == 2 and x.at > start]
    assert again[0] - start < (2.5 if clocked else 5) * BEAT
    assert not any(radio.faults for radio in team.radios.values())
