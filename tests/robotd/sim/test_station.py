"""A simulated team in two airs that do not hear each other, with and without the base station between them."""

import pytest

from robotd.commands.sim import station_words
from robotd.config.load import Mission
from robotd.sim import host
from robotd.sim.airs import air
from robotd.sim.parts import Parts, parts_of

from .small import Ran, run, small

NAMES = ("green", "blue", "gold", "red")
QUICK = small(NAMES, radio={"beat_s": 1.5})
KINDS = ["xbee", "gold=reyax", "red=reyax"]


def bridged(*, base_station: bool = True, mission: Mission | None = None) -> Parts:
    return parts_of(mission or QUICK, ["mock"], KINDS, all_bytes=True, base_station=base_station)


def frames(ran: Ran, at: float, name: str) -> dict[int, float]:
    """When a robot had last heard each sender."""
    snapshot = ran.at(at, name).snapshot
    assert snapshot is not None
    return {number: teammate.last_received for number, teammate in snapshot.decision.beliefs.teammates.items()}


def test_it_bridges_two_airs_and_while_it_is_dead_each_half_continues(monkeypatch) -> None:
    """Killed at 6 s and begun anew at 12 s, as its computer takes 5 s to start here."""
    monkeypatch.setattr(host, "BOOT_S", 5.0)
    ran = run("6 kill base-station", "7 reboot base-station", for_s=18.0, mission=QUICK, parts=bridged())
    for number, name in enumerate(NAMES, 1):
        assert set(frames(ran, 6.0, name)) == {1, 2, 3, 4} - {number}
    for name, teammate, others in (("green", 2, (3, 4)), ("red", 3, (1, 2))):
        heard = frames(ran, 12.0, name)
        assert heard[teammate] > 9.0
        assert all(heard[number] < 6.5 for number in others)
        assert not ran.at(12.0, name).snapshot.inputs.faults
    for name in NAMES:
        assert all(at > 14.0 for at in frames(ran, 18.0, name).values())
    reported = ran.outcome.extra["base_station"]
    assert (reported["slots"], reported["beat_s"]) == (5, 1.5)
    assert sorted(reported["radios"]) == ["reyax", "xbee"]
    assert all(radio["repeated"] >= 4 for radio in reported["radios"].values())
    assert station_words(reported).startswith("5 slots in a beat of 1.5 s; reyax ")


def test_each_kind_of_modem_has_an_air_of_its_own_or_all_share_one() -> None:
    apart, together = air(small(), 1, ("reyax", "xbee")), air(small(), 1)
    assert apart.of("xbee") is not apart.of("reyax")
    assert together.of("xbee") is together.of("reyax")
    with pytest.raises(KeyError, match="no channel for modems of the kind 'udp'"):
        apart.of("udp")


def test_a_beat_that_does_not_hold_the_slots_is_lengthened_and_the_robots_follow() -> None:
    mission = small(NAMES, radio={"beat_s": 0.5})
    ran = run(for_s=4.0, mission=mission, parts=bridged(mission=mission))
    reported = ran.outcome.extra["base_station"]
    assert reported["beat_s"] == 0.69
    assert reported["why_longer"] in station_words(reported)
    assert all(ran.at(4.0, name).snapshot.decision.beliefs.beat_s(4.0) == 0.69 for name in NAMES)


def test_a_base_station_that_is_a_part_of_the_air_can_be_killed_too() -> None:
    for events, pacing in ((("0 kill base-station",), "free"), ((), "slots")):
        assert run(*events, for_s=6.0).at(6.0).snapshot.radio.pacing == pacing


def test_with_the_same_seed_a_bridged_team_does_the_same() -> None:
    one, two = (run(for_s=4.0, mission=QUICK, parts=bridged()) for _ in range(2))
    assert one.lines == two.lines
