"""A radio under a law: its rate falls, it says so, and nothing makes it exceed what is permitted."""

from itertools import pairwise

import pytest

from radio.airtime import lora_airtime
from radio.duty_cycle import IMMEDIATE
from radio.link import Radio
from radio.regulations import SubBand, band_at
from robotd.model.beliefs import Beliefs
from robotd.model.plain import Json
from tests.radio.helper import TICK, HandModem, activity, alone, table

TABLE = table()
BEAT = 3.0
TENTH, HUNDREDTH = band_at("eu868", 869.525), band_at("eu868", 868.1)


class LoraModem(HandModem):
    """A RYLR998 at SF7, or slower."""

    def __init__(self, sf: int = 7) -> None:
        super().__init__()
        self.sf = sf

    def airtime(self, size: int) -> float:
        return lora_airtime(size + 8, self.sf, 125_000, 1, 12)


def station(band: SubBand | None, memory: Json = None, sf: int = 7, now: float = 0.0) -> tuple[Radio, LoraModem]:
    return alone(LoraModem(sf), memory, band=band, now=now)


def instants(radio: Radio, modem: LoraModem, start: float, stop: float) -> list[float]:
    """When frames left, ticking."""
    believed, found = Beliefs(TABLE, 1, 1, running=True), []
    for n in range(round(start / TICK) + 1, round(stop / TICK)):
        before = len(modem.sends)
        radio.transmit(n * TICK, (activity(),), believed)
        if len(modem.sends) > before:
            modem.leave()
            found.append(modem.sends[-1][2])
    return found


def test_where_the_law_leaves_room_the_beat_is_kept_and_nothing_is_said() -> None:
    radio, modem = station(TENTH)
    times = instants(radio, modem, 0.0, 300.0)
    assert all(b - a < 1.15 * BEAT for a, b in pairwise(times))
    assert radio.faults == ()
    law = radio.statistics.limit
    assert (law.budget_s, law.period_s) == (360.0, BEAT)
    assert law.used_s == pytest.approx(radio.statistics.airtime_s, abs=1e-3)


def test_where_it_does_not_the_rate_falls_and_says_so() -> None:
    radio, modem = station(HUNDREDTH)
    assert [name for name, _ in radio.faults] == ["airtime-limited"]
    times = instants(radio, modem, 0.0, 600.0)
    short = modem.airtime(len(modem.sends[0][1]))  # an activity alone
    assert all(b - a >= short / 0.01 for a, b in pairwise(times))
    assert all(b - a <= 1.1 * short / 0.01 for a, b in pairwise(times))
    ((name, words),) = radio.faults
    assert name == "airtime-limited"
    assert words == "eu868, 868 to 868.6 MHz: 1 % of an hour permits a frame every 10.5 s, not every 3 s"


def test_e17_a_modem_whose_frames_would_be_22_percent_of_the_time_slows_down_before_any_duty_limiter_does() -> (
    None
):
    radio, modem = station(TENTH, sf=11)  # 1.2 s of airtime a frame, as slow as a mesh of long range
    wanted = modem.airtime(18) / BEAT
    assert wanted > 0.22
    assert [name for name, _ in radio.faults] == ["airtime-limited"]
    times = instants(radio, modem, 0.0, 900.0)
    assert 0.09 < len(times) * modem.airtime(len(modem.sends[0][1])) / 900.0 <= 0.1


def test_a_frame_that_the_law_permits_never_is_not_sent_and_that_is_said() -> None:
    radio, modem = station(band_at("us915", 915.0), sf=10)
    radio.stop_team(1.0, Beliefs(TABLE, 1, 1, running=True))
    assert instants(radio, modem, 0.0, 60.0) == []
    ((_, words),) = radio.faults
    assert words.endswith("permits no frame of 0.608 s: nothing is sent")


def test_stops_leave_at_once_until_their_share_is_spent_and_then_in_the_next_frame() -> None:
    radio, modem = station(TENTH)
    believed = Beliefs(TABLE, 1, 1, running=True)
    for n in range(IMMEDIATE + 3):
        radio.stop_team(10.0 + 4.0 * n, believed)
        if len(modem.sends) == n + 1:
            modem.leave()
        radio.take_sent(10.1 + 4.0 * n)
    assert len(modem.sends) == IMMEDIATE
    assert radio.stopped_by is not None
    before = radio.memory()
    again, other = station(TENTH, before, now=100.0)
    again.stop_team(101.0, believed)
    assert other.sends == []
    assert len(instants(again, other, 101.0, 110.0)) == 2  # it is said, as all that is stated


def test_what_a_version_without_an_account_remembered_is_taken_up() -> None:
    radio, _ = station(None)
    memory = radio.memory()
    assert isinstance(memory, list)
    again, _ = station(None, memory[:2])
    assert again.memory()[0] != memory[0]  # type: ignore[index]
    with pytest.raises(ValueError, match="expected 4 fields"):
        station(None, memory[:1])
