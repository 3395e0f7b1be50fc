"""A base station: beacons, and a bridge that repeats what is authentic, once, and never where it was heard."""

import dataclasses

import pytest

from radio.authentication import Authentication
from radio.base_station import BaseRadio, BaseStation
from radio.codec import Codec
from radio.keys import Keys
from radio.regulations import SubBand
from radio.udp.modem import Udp
from robotd.model.statements import Statement
from tests.radio.bridged import Alone, Bridged, facts_of
from tests.radio.helper import KEYS, HandModem, activity, saved, sealed, table

STOP = Codec(table(3)).encode(Statement("stop", (1, 17)))
STOP_19 = Codec(table(19)).encode(Statement("stop", (1, 17)))


def sender(number: int, team: int = 1, keys: Keys = KEYS) -> Authentication:
    return Authentication(table(3), number, keys, team, None, 500)


def frame_of(who: Authentication, number: int, records: bytes = b"") -> bytes:
    return sealed(who, number, table(3).digest, records)


# -- beacons


def test_a_beacon_leaves_by_every_radio_at_the_head_of_each_period() -> None:
    alone = Alone().run(31.0)
    periods = [k * alone.period_s for k in range(1, 11)]
    for modem in alone.modems:
        assert [at for _, frame, at in modem.sends] == periods
        assert all(frame[1] == 0 for _, frame, _ in modem.sends)
    assert alone.beacons(0) == alone.beacons(1)


def test_a_beacon_that_is_late_shifts_the_period_and_one_much_later_is_left_out() -> None:
    alone = Alone()
    for steps in (148, 158, 160):  # 2.96 s, 3.16 s, 3.2 s: the first beacon is due at 3.003 s
        alone.station.step(steps * 0.02)
    assert [at for _, _, at in alone.modems[0].sends] == [3.16]
    alone.station.step(6.9)
    assert len(alone.beacons(0)) == 1
    alone.station.step(9.0)
    assert [at for _, _, at in alone.modems[0].sends] == [3.16, 3 * alone.period_s]


def test_a_beat_that_no_robot_follows_is_refused() -> None:
    slow = HandModem()
    slow.airtime = lambda size: size / 2.0  # type: ignore[method-assign]
    with pytest.raises(ValueError, match="robots follow none above 60 s"):
        BaseStation(table(3), KEYS, 1, [BaseRadio("slow", slow)], None, None)
    with pytest.raises(ValueError, match="400 ms at a stretch permits no frame of 20 s"):
        BaseStation(
            table(3), KEYS, 1, [BaseRadio("slow", slow, SubBand("us915", 902, 928, longest_s=0.4))], None, None
        )
    with pytest.raises(ValueError, match="needs a radio"):
        BaseStation(table(3), KEYS, 1, [], None, None)


def test_what_robots_state_is_known_for_people_and_what_is_forged_or_of_another_mission_is_not() -> None:
    alone, who, other = Alone().run(1.0), sender(2), sender(1)
    assert alone.station.beliefs.teammates == {}
    records = Codec(table(3)).encode(activity("task-2"))
    forged = frame_of(sender(3, keys=Keys((bytes(32),))), 3, records)
    alone.hear(0, frame_of(who, 2, records), sealed(other, 1, 77, records), forged)
    alone.run(2.0)
    known = alone.station.beliefs.teammates
    assert {number: one.task for number, one in known.items()} == {1: "", 2: "task-2"}
    assert (alone.station.beliefs.run, alone.station.beliefs.running) == (1, True)


# -- the bridge


ROBOT_2 = sender(2)
OLD, NEW = frame_of(ROBOT_2, 2), frame_of(ROBOT_2, 2)
BENT = bytes((*NEW[:-1], NEW[-1] ^ 1))
FORGED = (BENT, frame_of(sender(2, keys=Keys((bytes(32),))), 2), frame_of(sender(2, team=2), 2), NEW[:17])


@pytest.mark.parametrize(
    ("received", "repeated", "refused"),
    [
        (((), (NEW,), ()), ([NEW], [], [NEW]), {}),
        (((), (OLD, NEW), ()), ([NEW], [], [NEW]), {}),
        (((NEW,), (NEW,)), ([], []), {"replay": 1}),
        (((NEW,), (BENT,)), ([], [NEW]), {"mac": 1}),
        ((FORGED, ()), ([], []), {"length": 1, "mac": 3}),
    ],
    ids=[
        "one frame",
        "an older one before it",
        "received on both",
        "a forged copy on the other",
        "forged or damaged",
    ],
)
def test_an_authentic_frame_is_repeated_verbatim_and_once_where_it_was_not_received(
    received, repeated, refused
) -> None:
    alone = Alone(radios=len(received)).run(1.0)
    for radio, frames in enumerate(received):
        alone.hear(radio, *frames)
    alone.run(30.0)
    assert tuple(alone.frames(radio) for radio in range(len(received))) == repeated
    assert dict(alone.station.status().refused) == refused


def test_the_same_frame_heard_again_or_played_again_is_not_repeated_again() -> None:
    alone = Alone().run(1.0)
    frame = frame_of(sender(2), 2)
    for _ in range(5):
        alone.hear(0, frame)
        alone.run(alone.now + 4.0)
    assert alone.frames(1) == [frame]
    assert dict(alone.station.status().refused) == {"replay": 4}


def test_a_frame_that_could_not_be_repeated_in_time_is_void() -> None:
    alone = Alone().run(1.0)
    alone.modems[1].works = False
    alone.hear(0, frame_of(sender(2), 2))
    alone.run(9.0)
    alone.modems[1].works = True
    alone.run(30.0)
    assert alone.frames(1) == []
    assert alone.beacons(1)


def test_a_frame_from_outside_the_team_has_no_slot_but_its_stop_is_repeated() -> None:
    alone = Alone().run(1.0)
    other = dataclasses.replace(table(3), beat_s=2.0)
    stranger = Authentication(table(9), 9, KEYS, 1, None, 500)
    alone.hear(0, sealed(stranger, 9, other.digest))
    alone.run(10.0)
    assert alone.frames(1) == []
    assert dict(alone.station.status().channels[1].counts)["no-slot"] == 1
    alone.hear(0, sealed(stranger, 9, other.digest, STOP))
    alone.run(10.1)
    assert len(alone.frames(1)) == 1


def test_a_team_stop_is_repeated_at_once_and_stated_again_it_waits_for_its_slot() -> None:
    alone = Alone().run(4.0)
    who = sender(1)
    first, again = frame_of(who, 1, STOP), frame_of(who, 1, STOP)
    alone.hear(0, first)
    alone.run(4.04)
    assert alone.frames(1) == [first]
    alone.hear(0, again)
    alone.run(4.2)
    assert alone.frames(1) == [first]
    alone.run(12.0)
    assert alone.frames(1) == [first, again]


@pytest.mark.parametrize("tenths", range(31))
def test_a_stop_leaves_at_once_whatever_frame_or_beacon_is_about_to_be_handed_over(tenths) -> None:
    mission, heard, other = table(19), HandModem(), Udp(Udp.Settings())
    other.connect(0.0)
    station = saved(BaseStation(mission, KEYS, 1, [BaseRadio("a", heard), BaseRadio("b", other)], None, None))
    station.begin(0.0)
    who = {number: Authentication(mission, number, KEYS, 1, None, 500) for number in mission.robots}
    stop = sealed(who[1], 1, mission.digest, STOP_19)
    heard.inbox += [(5.9, sealed(who[number], number, mission.digest)) for number in mission.robots if number > 1]
    sent: list[bytes] = []
    for step in range(5 * 60, 5 * 60 + 5 * tenths + 8):
        now = step * 0.02
        if step == 5 * 60 + 5 * tenths + tenths % 5:
            heard.inbox.append((now, stop))
        station.step(now)
        sent += other.transmit(now)
    assert sent.count(stop) == 1
    assert len(sent) == len(set(sent))


def test_both_halves_of_a_team_hear_each_other_and_no_frame_collides_with_a_repeated_one() -> None:
    team = Bridged()
    team.start()
    team.run(90.0)
    for number in team.table.robots:
        frames = {
            contact.number: contact.frames for contact in team.side(number).radios[number].statistics.contacts
        }
        assert all(frames[teammate] >= 22 for teammate in team.table.robots if teammate != number)
    assert all(
        channel.statistics()["collided"] <= 2 for channel in team.channels.values()
    )  # before the first beacon


def test_without_it_each_half_continues_and_when_it_is_back_facts_agree_within_ten_beats() -> None:
    team = Bridged()
    team.start()
    team.run(20.0)
    team.kill()
    team.run(35.0)
    team.know(1, Statement("fact", ("fact-1", 0, 0.0)), Statement("place", ("fact-3", 32 + 1, 2.0, 1.0, 0.0)))
    team.know(3, Statement("fact", ("fact-2", 5, 0.0)))
    team.run(65.0)
    east, west = ({n: facts_of(desk.beliefs[n]) for n in desk.radios} for desk in team.desks.values())
    assert east[1] == east[2] != west[3] == west[4]
    assert all(
        now - desk.heard[n][-1].at < 7.0
        for desk in team.desks.values()
        for n in desk.radios
        for now in (team.now,)
    )
    team.start()
    team.run(65.0 + 10 * team.beat_s)
    known = [facts_of(desk.beliefs[n]) for desk in team.desks.values() for n in desk.radios]
    assert known[0] == known[1] == known[2] == known[3]
    assert len(known[0]) == 3


# -- its identity


def test_a_restart_continues_with_a_newer_epoch_and_is_believed() -> None:
    team = Bridged()
    team.start()
    team.run(20.0)
    team.kill()
    team.start()
    team.run(30.0)
    (contact,) = [x for x in team.side(1).radios[1].statistics.contacts if x.number == 0]
    assert contact.last_received > 25.0
    assert contact.stamp[0] == 2


def test_one_that_lost_its_memory_steps_past_what_robots_took_of_it() -> None:
    team = Bridged()
    team.memory = None
    for _ in range(3):  # epochs 1 to 3
        team.start()
        team.run(team.now + 15.0)
        team.kill()
    team.memory = None
    team.start()
    began = team.now
    team.run(began + 8 * team.beat_s)
    (contact,) = [x for x in team.side(1).radios[1].statistics.contacts if x.number == 0]
    assert contact.last_received > began + 3 * team.beat_s
    assert contact.stamp[0] == 4


def test_of_two_base_stations_the_older_one_falls_silent_and_says_so() -> None:
    alone = Alone().run(10.0)
    before = len(alone.beacons(0))
    newer = Authentication(table(3), 0, KEYS, 1, None, 900)
    for _ in range(14):
        alone.hear(0, sealed(newer, 0, table(3).digest))
        alone.run(alone.now + 3.0)
    assert alone.station.status().silent == "another base station of this team is on the air"
    assert len(alone.beacons(0)) < before + 14
    silent = len(alone.beacons(0))
    alone.hear(0, sealed(newer, 0, table(3).digest))
    alone.run(alone.now + 6.0)
    assert len(alone.beacons(0)) == silent
    alone.run(alone.now + 10.0)
    assert alone.station.status().silent == ""
    assert len(alone.beacons(0)) > silent
