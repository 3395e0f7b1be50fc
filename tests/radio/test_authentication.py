"""Strangers, recordings, clones, restarts: what is believed, and what is counted and dropped."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radio.authentication import Authentication
from radio.codec import MAC, VERSION
from radio.keys import KEY, Keys
from radio.own_number import DOUBT_BEATS, STRIKES
from radio.reservation import BLOCK, LANDS_S, MAX_COUNTER
from robotd.model.plain import Json
from tests.radio.helper import sealed, table

TABLE = table()
GOOD_KEY, OTHER_KEY = bytes(range(32)), bytes(32)
LONG = 10 * LANDS_S


def station(
    me: int = 1, memory: Json = None, minutes: int | None = None, *, key: bytes = GOOD_KEY, team: int = 7
) -> Authentication:
    return Authentication(TABLE, me, Keys((key,)), team, memory, minutes)


def frame(sender: Authentication, number: int = 2, records: bytes = b"") -> bytes:
    return sealed(sender, number, TABLE.digest, records)


def taken(receiver: Authentication, now: float, *frames: bytes) -> list[tuple[int, int]]:
    """The (epoch, counter) of those frames that are taken on their arrival at `now`."""
    for each in frames:
        receiver.judge(now, each)
    return [(x.header.epoch, x.header.counter) for x in receiver.take_ready(now + LONG)]


def test_mc01_the_authenticator_is_keyed_blake2s() -> None:
    vector = hashlib.blake2s(key=bytes(range(KEY)), digest_size=32).hexdigest()
    assert vector[:16].upper() == "48A8997DA407876B"  # the published answer for the empty message
    body = bytes(10)
    expected = hashlib.blake2s(body, key=GOOD_KEY, digest_size=MAC, person=(7).to_bytes(8, "big")).digest()
    assert station().seal(body) == body + expected


def test_an_authentic_frame_is_taken_once() -> None:
    one, two = station(1), station(2)
    said = frame(two, records=b"\x40")
    assert taken(one, 1.0, said, said) == [(1, 0)]
    assert one.refused == {"replay": 1}
    assert one.take_ready(99.0) == []


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda f: f[:17], "length"),
        (lambda f: f + bytes(30), "length"),
        (lambda f: b"", "length"),
        (lambda f: bytes((VERSION + 1 << 4,)) + f[1:], "version"),
        (lambda f: bytes((VERSION << 4 | 1,)) + f[1:], "version"),
        (lambda f: f[:-1] + bytes((f[-1] ^ 1,)), "mac"),
        (lambda f: f[:1] + bytes((3,)) + f[2:], "mac"),
        (lambda f: frame(station(2, key=OTHER_KEY)), "mac"),
        (lambda f: frame(station(2, team=8)), "mac"),
        (lambda f: frame(station(2), number=9), "unknown-sender"),
        (lambda f: sealed(station(2), 32, 1), "unknown-sender"),
    ],
)
def test_what_is_not_believed_is_counted_by_reason(spoil, reason) -> None:
    one, two = station(1), station(2)
    good = frame(two)
    assert taken(one, 1.0, spoil(good)) == []
    assert one.refused == {reason: 1}
    assert taken(one, 1.0, good) == [(1, 0)]


def test_a_robot_of_a_differing_number_table_is_a_stranger_only_to_ours() -> None:
    assert taken(station(1), 1.0, sealed(station(2), 9, TABLE.digest ^ 1)) == [(1, 0)]


def test_only_strictly_newer_frames_of_a_sender_are_taken() -> None:
    one, two = station(1), station(2)
    frames = [frame(two) for _ in range(4)]
    assert taken(one, 1.0, frames[2], frames[1], frames[2], frames[3], frames[0]) == [(1, 2), (1, 3)]
    assert one.refused == {"replay": 3}


def test_the_epoch_steps_at_every_start_and_follows_a_set_clock() -> None:
    first = station()
    assert first.own.current == (1, 0)
    second = station(memory=first.memory())
    assert second.own.current == (2, 0)
    third = station(memory=second.memory(), minutes=500_000)
    assert third.own.current == (500_000, 0)
    assert station(memory=third.memory(), minutes=400_000).own.current == (500_001, 0)  # a clock set back
    assert station(minutes=1 << 24).own.current == (1, 0)  # no epoch holds the year 2057


def test_a_spent_counter_steps_the_epoch_and_the_step_was_saved_ahead() -> None:
    sender = station()
    for _ in range(65535 - BLOCK):
        sender.own.take_stamp()
    version, memory = sender.memory_version, sender.memory()
    assert [sender.own.take_stamp() for _ in range(BLOCK + 2)][-2:] == [(1, 65535), (2, 0)]
    assert (sender.memory_version, sender.memory()) == (version, memory)
    assert station(memory=memory).own.current == (3, 0)


def test_the_last_epoch_of_all_can_still_be_spent_and_then_nothing_is_signed() -> None:
    sender = station(minutes=(1 << 24) - 1)
    assert not sender.own.spent
    for _ in range(65536):
        sender.own.take_stamp()
    assert sender.own.spent


def test_our_own_number_ahead_of_us_is_a_duplicate_and_behind_us_a_recording() -> None:
    one = station(1, minutes=100)
    recorded = frame(one, 1)
    assert taken(one, 1.0, recorded) == []
    assert one.own.duplicate_at is None
    older = station(1, memory=station(1).memory(), minutes=99)
    assert taken(one, 2.0, frame(older, 1)) == []
    assert (one.own.duplicate_at, one.refused) == (None, {"replay": 2})
    near = station(1, memory=station(1).memory(), minutes=100)
    assert taken(near, 3.0, frame(one, 1)) == []
    assert (near.own.duplicate_at, near.refused) == (3.0, {"duplicate-id": 1})


def test_a_frame_far_ahead_is_a_recording_up_to_what_teammates_took_and_beyond_that_soon_a_duplicate() -> None:
    former = station(1, minutes=9)
    recorded = [frame(former, 1) for _ in range(5)]
    fresh = station(1)
    taken(fresh, 1.0, recorded[0])
    assert (fresh.own.duplicate_at, fresh.own.contested_at, fresh.refused) == (None, 1.0, {"duplicate-id": 1})
    fresh.own.report(0.0, (9, 3))
    fresh.own.report(0.0, (9, 1))
    taken(fresh, 4.0, *recorded[:4])
    assert (fresh.own.duplicate_at, fresh.own.contested_at) == (None, 1.0)
    assert fresh.refused == {"duplicate-id": 1, "replay": 4}
    taken(fresh, 7.0, recorded[4])
    for beat in range(STRIKES - 1):
        assert fresh.own.duplicate_at is None
        taken(fresh, 10.0 + 3.0 * beat, frame(former, 1))
    assert fresh.own.duplicate_at == 10.0 + 3.0 * (STRIKES - 2)


def test_without_an_answer_a_frame_far_ahead_is_doubted_for_some_beats_and_then_believed() -> None:
    former, fresh = station(1, minutes=9), station(1)
    beats = [3.0 * n for n in range(20)]
    for at in beats:
        taken(fresh, at, frame(former, 1))
        assert (fresh.own.duplicate_at is not None) == (at >= DOUBT_BEATS * 3.0)
    lonely = station(1)
    for at in beats:  # now and then, with long pauses: never long enough at a stretch
        taken(lonely, 10.0 * at, frame(former, 1))
    assert lonely.own.duplicate_at is None


def test_an_older_epoch_is_refused_by_its_name_and_noted_as_behind() -> None:
    one = station(1)
    assert taken(one, 1.0, frame(station(2, minutes=9), 2)) == [(9, 0)]
    assert taken(one, 5.0, frame(station(2, minutes=8), 2)) == []
    assert one.refused == {"old-epoch": 1}
    assert one.lagging.received_at == {2: 5.0}
    assert one.newest_of(2) == (9, 0)
    assert taken(one, 9.0, frame(station(2, minutes=10), 2)) == [(10, 0)]
    assert one.lagging.received_at == {
        2: 5.0
    }  # it may be another robot that lagged: both are told, while that is recent


def test_what_was_taken_of_a_sender_can_be_forgotten_and_of_no_other() -> None:
    one = station(1)
    taken(one, 1.0, frame(station(2, minutes=9), 2), frame(station(3, minutes=9), 3))
    version = one.memory_version
    one.forget(2)
    assert one.memory_version > version
    older = (frame(station(number, minutes=5), number) for number in (2, 3))
    assert taken(one, 9.0, *older) == [(5, 0)]
    assert one.newest_of(3) == (9, 0)
    one.forget(31)  # of whom nothing is known


def test_a_robot_steps_past_what_was_taken_under_its_number_and_never_back() -> None:
    fresh = station(2)
    assert fresh.own.is_ahead((9, 3))
    fresh.own.step_past((9, 3))
    assert fresh.own.current == (10, 0)
    for stamp in ((9, 99), (10, 0), (10, BLOCK)):  # within what receivers reserve: they will hear us soon
        assert not fresh.own.is_ahead(stamp)
        fresh.own.step_past(stamp)
    assert fresh.own.current == (10, 0)
    assert station(2, memory=fresh.memory()).own.current == (11, 0)


def test_a_restart_leaves_four_frames_unheard_at_most_and_takes_no_recording() -> None:
    for heard in range(1, 14):
        one, two = station(1), station(2)
        recorded = []
        for beat in range(heard):
            recorded.append(frame(two))
            assert taken(one, 3.0 * beat, recorded[-1]) == [(1, beat)]
        again, spared = station(1, memory=one.memory()), station(1, memory=one.memory())
        assert taken(again, 100.0, *recorded) == []
        frames = [frame(two) for _ in range(6)]
        fresh = [taken(again, 103.0 + 3.0 * beat, each) for beat, each in enumerate(frames)]
        assert fresh[BLOCK:] == [[(1, heard + BLOCK)], [(1, heard + BLOCK + 1)]]
        taken(spared, 103.0, *frames)
        assert spared.lagging.received_at == {}  # frames within the skipped block are no sign of a re-imaged robot


def test_no_frame_is_given_out_before_its_reservation_has_had_time_to_be_saved() -> None:
    one, two = station(1), station(2)
    for beat in range(9):
        before, at = one.memory_version, 3.0 * beat
        one.judge(at, frame(two))
        first = one.memory_version != before and beat == 0
        assert [x.header.counter for x in one.take_ready(at)] == ([] if first else [beat])  # later ones never wait
        if first:
            assert one.take_ready(at + 0.9 * LANDS_S) == []
            assert [x.header.counter for x in one.take_ready(at + LANDS_S)] == [beat]
    assert one.memory_version <= 1 + 1 + 9 // (BLOCK - 1)  # one write in three frames


def test_one_write_serves_all_senders() -> None:
    one, teammates = station(1), {2: station(2), 3: station(3)}
    for beat in range(40):
        for number, teammate in teammates.items():
            taken(one, 3.0 * beat + number, frame(teammate, number))
    assert one.memory_version <= 1 + 2 + 2 * 40 // BLOCK


@given(st.data())
@settings(max_examples=60)
def test_whenever_the_power_fails_no_frame_is_taken_twice(data: st.DataObject) -> None:
    """Frames come and get lost, the sender reboots, the receiver crashes with whatever save had landed by then."""
    one, two = station(1), station(2)
    recorded: list[bytes] = []
    taken_ever: list[tuple[int, int]] = []
    saves: list[tuple[float, Json]] = [(-LANDS_S, one.memory())]
    version, now = one.memory_version, 0.0
    for step in data.draw(st.lists(st.sampled_from("hhhhllrct"), max_size=40)):
        now += data.draw(st.sampled_from([0.2, 0.4, 3.0]))
        if step in "hl":
            recorded.append(frame(two))
            if step == "h":
                one.judge(now, recorded[-1])
        elif step == "r":
            two = station(2, memory=two.memory())
        elif step == "t":
            one.judge(now, data.draw(st.sampled_from(recorded)) if recorded else b"")
        elif step == "c":
            late = data.draw(st.floats(0.0, 0.99)) * LANDS_S
            landed = [memory for at, memory in saves if at <= now - late]
            one = station(1, memory=landed[-1])
            saves, version = [(now - LANDS_S, one.memory())], one.memory_version
            for each in recorded:
                one.judge(now, each)
        taken_ever += [(x.header.epoch, x.header.counter) for x in one.take_ready(now)]
        if one.memory_version != version:
            version = one.memory_version
            saves.append((now, one.memory()))
    assert len(taken_ever) == len(set(taken_ever))


def test_a_sender_that_has_used_all_counters_of_an_epoch_is_received_in_the_next() -> None:
    one, two = station(1), station(2)
    two.own.counter = MAX_COUNTER - 2
    stamps = [taken(one, LONG * k, frame(two)) for k in range(6)]
    assert stamps == [
        [(1, MAX_COUNTER - 2)],
        [(1, MAX_COUNTER - 1)],
        [(1, MAX_COUNTER)],
        [(2, 0)],
        [(2, 1)],
        [(2, 2)],
    ]


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, MAX_COUNTER)), min_size=1, max_size=12), st.booleans())
def test_every_frame_that_is_taken_is_given_out(stamps: list[tuple[int, int]], ends: bool) -> None:
    one, two, waits = station(1), station(2), 0
    for epoch, counter in sorted(set(stamps)):
        two.own.epoch, two.own.counter = epoch, MAX_COUNTER - counter % 8 if ends else counter
        waits += one.judge(float(waits), frame(two)) is None
    assert len(one.take_ready(waits + LONG)) == waits
    assert one.take_ready(2 * LONG + waits) == []
