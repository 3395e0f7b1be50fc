"""A simulated team in two airs that do not hear each other, with and without the base station between them."""

from __future__ import annotations

import pytest

from robotd.commands.sim import station_words
from robotd.config.load import Mission
from robotd.sim import host
from robotd.sim.attach import Parts, parts_of

from .small import Ran, run, small

NAMES = ("green", "blue", "gold", "red")
KINDS = ["xbee", "gold=reyax", "red=reyax"]
PART = ("reyax", "xbee")


def bridged(*, base_station: bool = True, mission: Mission | None = None) -> Parts:
    return parts_of(mission or small(NAMES), ["mock"], KINDS, all_bytes=True, base_station=base_station)


def frames(ran: Ran, at: float, name: str) -> dict[int, float]:
    """When a robot had last heard each sender."""
    snapshot = ran.at(at, name).snapshot
    assert snapshot is not None
    return {number: mate.last_heard for number, mate in snapshot.thought.beliefs.mates.items()}


@pytest.fixture(scope="module")
def ran() -> Ran:
    """Killed at 12 s and begun anew at 23 s, as its computer takes 5 s to start here."""
    events = ("12 kill base-station", "18 reboot base-station")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(host, "BOOT_S", 5.0)
        return run(*events, for_s=34.0, robots=NAMES, mission=small(NAMES), parts=bridged())


def test_each_kind_of_modem_has_an_air_of_its_own(ran) -> None:
    airs = ran.team.airs
    assert airs.of("xbee") is not airs.of("reyax")
    with pytest.raises(KeyError, match="no air for modems of the kind 'udp'"):
        airs.of("udp")


def test_bridged_by_the_base_station_all_hear_each_other(ran) -> None:
    for name in NAMES:
        heard = frames(ran, 12.0, name)
        assert len(heard) == 3
        assert all(at > 6.0 for at in heard.values())


def test_while_it_is_dead_each_half_goes_on_and_hears_its_own_alone(ran) -> None:
    for name, mate, others in (("green", 2, (3, 4)), ("red", 3, (1, 2))):
        heard = frames(ran, 23.0, name)
        assert heard[mate] > 18.0
        assert all(heard[number] < 13.0 for number in others)
        assert not ran.at(23.0, name).snapshot.inputs.faults


def test_when_it_is_back_all_hear_each_other_again(ran) -> None:
    for name in NAMES:
        assert all(at > 26.0 for at in frames(ran, 34.0, name).values())


def test_the_outcome_tells_what_it_did(ran) -> None:
    told = ran.outcome.extra["base_station"]
    assert (told["slots"], told["beat_s"]) == (5, 3.0)
    assert sorted(told["radios"]) == list(PART)
    assert all(told["radios"][kind]["repeated"] >= 4 for kind in PART)
    assert station_words(told).startswith("5 slots in a beat of 3 s; reyax ")


def test_without_it_the_airs_stay_apart() -> None:
    parts = bridged()
    events = ("0 kill base-station",)
    ran = run(*events, for_s=9.0, robots=NAMES, mission=small(NAMES), parts=parts)
    assert sorted(frames(ran, 9.0, "green")) == [2]
    assert sorted(frames(ran, 9.0, "red")) == [3]


def test_a_beat_that_does_not_hold_the_slots_is_lengthened_and_the_robots_follow() -> None:
    mission = small(NAMES, radio={"beat_s": 0.5})
    ran = run(for_s=6.0, robots=NAMES, mission=mission, parts=bridged(mission=mission))
    told = ran.outcome.extra["base_station"]
    assert told["beat_s"] == 0.69
    assert told["why_longer"] in station_words(told)
    assert all(ran.at(6.0, name).snapshot.thought.beliefs.beat_s(6.0) == 0.69 for name in NAMES)


def test_a_base_station_that_is_a_part_of_the_air_can_be_killed_too() -> None:
    for events, pacing in ((("0 kill base-station",), "free"), ((), "slots")):
        assert run(*events, for_s=6.0).at(6.0).snapshot.radio.pacing == pacing


def test_with_the_same_seed_a_bridged_team_does_the_same() -> None:
    one, two = (run(for_s=5.0, robots=NAMES, mission=small(NAMES), parts=bridged()) for _ in range(2))
    assert one.lines == two.lines
