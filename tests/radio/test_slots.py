"""How the channel is sliced: with LoRa nineteen robots hold 1/3 Hz, thirty get a longer beat, and none meet."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radio.airtime import ieee802154_airtime
from radio.codec import HEADER
from radio.pacing import STRETCH, Pacing
from radio.reyax.modem import Reyax
from radio.slots import GUARD_S, plan_slots
from robotd.model.streams import Stream
from tests.radio.modems import BAND

LORA = Reyax(Reyax.Settings(**BAND))
FRAME_S, BEACON_S = LORA.airtime(40), LORA.airtime(HEADER + 4 + 8)
BEAT, SKEW = 3.0, 100e-6


def sliced(robots: int, legal_s: float = 0.0):
    return plan_slots(robots, BEAT, FRAME_S, BEACON_S, legal_s)


FITS = "30 frames of 0.1016 s, with 0.05 s after each, and a beacon take 4.625 s"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (sliced(19), (20, BEAT, "")),
        (sliced(30), (31, 4.63, FITS)),
        (plan_slots(30, BEAT, ieee802154_airtime(40), ieee802154_airtime(22), 0.0), (31, BEAT, "")),
        (sliced(3, legal_s=10.214), (4, 10.22, "regulations permit a frame of 0.1016 s every 10.21 s")),
    ],
    ids=["19 with LoRa at SF7", "30 with LoRa", "30 with a fast radio", "3 under a duty cycle"],
)
def test_the_beat_is_the_missions_or_as_much_longer_as_frames_or_regulations_need(found, expected) -> None:
    assert (found.slots, found.beat_s, found.why) == expected


@given(st.integers(1, 31), st.floats(0.001, 2.0), st.floats(0.5, 60.0), st.floats(0.0, 100.0))
def test_all_frames_and_a_beacon_fit_with_a_guard_between_and_no_beat_is_shortened(
    robots, frame_s, beat_s, legal_s
) -> None:
    found = plan_slots(robots, beat_s, frame_s, frame_s, legal_s)
    assert found.slots == robots + 1
    least_s = max(legal_s, robots * (frame_s + GUARD_S) + frame_s)
    assert max(beat_s, least_s) - 1e-6 <= found.beat_s < max(beat_s, least_s) + 0.011
    assert bool(found.why) == (least_s > beat_s)


def spans(robots: int, seed: int, until: float) -> list[tuple[float, float]]:
    """When frames are on the air, by true time: each robot's clock is off by up to 100 ppm, its modem up to 20 ms
    late, and its ticks come every 0.05 s."""
    found = sliced(robots)
    spans = []
    beacons = [k * found.beat_s * STRETCH for k in range(1, int(until / found.beat_s))]
    spans += [(at - BEACON_S, at) for at in beacons]
    for position in range(robots):
        stream = Stream(seed, f"robot-{position}", "clock")
        rate = 1.0 + stream.uniform(-SKEW, SKEW)
        paced = Pacing(BEAT, position, Stream(seed, f"robot-{position}", "phase"))
        paced.begin(0.0)
        left, tick = list(beacons), 0
        while tick * 0.05 < until:
            tick += 1
            now = (tick * 0.05 + position * 0.001) * rate
            while left and left[0] * rate <= now:
                paced.follow_beacon(left.pop(0) * rate, found.slots, found.beat_s)
            if paced.is_due(now) and (at := paced.take(now)) is not None:
                paced.note_sent(at)
                start = at / rate + stream.uniform(0.0, 0.02)
                spans.append((start, start + FRAME_S))
    return sorted(span for span in spans if span[0] > 4 * found.beat_s)  # all have heard a beacon by then


@pytest.mark.parametrize("robots", [2, 19, 30])
def test_in_slots_no_frame_meets_another_or_a_beacon_with_clocks_100_ppm_off(robots) -> None:
    for seed in range(3):
        found = spans(robots, seed, 60.0)
        assert len(found) > 8 * robots
        assert all(before[1] < after[0] for before, after in pairwise(found))
