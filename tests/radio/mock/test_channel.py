"""The simulated air: order does not matter, fates are fixed, and physics is kept."""

from itertools import groupby, pairwise, permutations

import pytest

from radio.authentication import Authentication
from radio.codec import Codec
from radio.framing import OVERHEAD
from radio.mock.channel import Channel, Channels, History
from radio.mock.loss import A_SLOT, Bernoulli, GilbertElliott
from radio.mock.modem import MockModem
from tests.radio.helper import KEY, KEYS, Desk, activity, desk, table

TABLE = table(4)
FRAME = bytes(range(40))


def air(**options: object) -> Channel:
    return Channel(1, TABLE, key=KEY, team=1, **options)  # type: ignore[arg-type]


def modems(channel: Channel, *numbers: int) -> list[MockModem]:
    made = [MockModem(channel, number) for number in numbers]
    for modem in made:
        assert modem.received(0.0) == []
    return made


def test_a_frame_arrives_at_all_others_when_its_airtime_is_over_and_once() -> None:
    channel = air()
    one, two, three = modems(channel, 1, 2, 3)
    one.send(1.0, FRAME, 1.04)
    end = 1.04 + one.airtime(len(FRAME))
    assert one.airtime(40) == pytest.approx(8 * (40 + OVERHEAD) / 15_000)
    assert two.received(end - 1e-6) == []
    assert two.received(end) == three.received(2.0) == [(pytest.approx(end), FRAME)]
    assert two.received(2.0) == one.received(2.0) == []
    assert channel.statistics() == {"sent": 1, "delivered": 2, "lost": 0, "collided": 0, "bytes": 45}


def test_what_was_on_the_air_before_a_modem_was_switched_on_is_not_heard() -> None:
    channel = air()
    (one,) = modems(channel, 1)
    one.send(1.0, FRAME, 1.0)
    late = MockModem(channel, 2)
    assert late.received(5.0) == []
    one.send(6.0, FRAME, 6.0)
    assert len(late.received(7.0)) == 1


def test_the_newest_frame_replaces_one_that_has_not_left_and_not_one_that_has() -> None:
    channel = air()
    one, two = modems(channel, 1, 2)
    newer, newest = bytes(20), bytes(30)
    one.send(1.0, FRAME, 1.04)
    one.send(1.01, newer, 1.05)
    assert one.left(1.06) == [(1.05, newer)]
    one.send(1.06, newest, 1.06)  # while the first is still on the air
    assert [frame for _, frame in one.left(2.0)] == [newest]
    assert [frame for _, frame in two.received(2.0)] == [newer, newest]
    assert channel.statistics()["sent"] == 2


def test_frames_that_overlap_are_lost_to_robots_that_hear_both_and_to_those_that_send() -> None:
    channel = air()
    one, two, three = modems(channel, 1, 2, 3)
    one.send(1.0, FRAME, 1.0)
    two.send(1.0, FRAME, 1.02)
    assert one.received(2.0) == two.received(2.0) == three.received(2.0) == []
    assert channel.statistics()["collided"] == 4
    one.send(3.0, FRAME, 3.0)
    two.send(3.0, FRAME, 3.0 + one.airtime(40))  # back to back
    assert len(three.received(4.0)) == 2


def test_out_of_reach_is_not_heard_and_does_not_disturb() -> None:
    channel = air(reaches=lambda sender, receiver, _: abs(sender - receiver) == 1)
    one, two, three, four = modems(channel, 1, 2, 3, 4)
    one.send(1.0, FRAME, 1.0)
    four.send(1.0, FRAME, 1.01)
    assert [len(x.received(2.0)) for x in (two, three)] == [1, 1]
    one.send(3.0, FRAME, 3.0)
    three.send(3.0, FRAME, 3.01)
    assert [len(x.received(4.0)) for x in (two, four)] == [0, 1]  # the middle one hears both: neither


def test_a_radio_switched_off_neither_sends_nor_hears_until_it_is_on_again() -> None:
    channel = air()
    one, two = modems(channel, 1, 2)
    channel.switch(1, False, 1.0)  # noqa: FBT003
    assert (one.alive(1.5), two.alive(1.5)) == (False, True)
    one.send(1.5, FRAME, 1.5)
    two.send(2.0, FRAME, 2.0)
    assert one.received(3.0) == two.received(3.0) == []
    channel.switch(1, True, 4.0)  # noqa: FBT003
    one.send(4.5, FRAME, 4.5)
    assert one.alive(4.6)
    assert len(two.received(5.0)) == 1


def test_loss_is_set_per_robot_at_any_time_and_a_link_has_the_greater_of_its_two() -> None:
    channel = air(loss=0.0)
    one, two, three = modems(channel, 1, 2, 3)
    channel.set_loss(2, 1.0, 1.0)
    one.send(1.5, FRAME, 1.5)
    assert [len(x.received(2.0)) for x in (two, three)] == [0, 1]
    channel.set_loss(2, 0.0, 3.0)
    one.send(3.5, FRAME, 3.5)
    assert len(two.received(4.0)) == 1


def test_an_onlooker_is_given_what_is_lost_on_the_way_and_not_what_is_off_or_out_of_reach() -> None:
    channel = air(reaches=lambda sender, receiver, _: receiver != 4)
    lost: list[tuple[int, int, bool]] = []
    Channels(channel).report_losses(lambda *one: lost.append(one))
    all_of_them = one, two, _, _ = modems(channel, 1, 2, 3, 4)
    channel.set_loss(2, 1.0, 0.5)
    one.send(1.0, FRAME, 1.0)
    assert [len(x.received(2.0)) for x in all_of_them] == [0, 0, 1, 0]
    assert lost == [(1, 2, False)]
    channel.set_loss(2, 0.0, 2.5)
    one.send(3.0, FRAME, 3.0)
    two.send(3.0, FRAME, 3.01)
    channel.switch(3, False, 2.5)  # noqa: FBT003
    assert [len(x.received(4.0)) for x in all_of_them] == [0, 0, 0, 0]
    assert sorted(lost[1:]) == [(1, 2, True), (2, 1, True)]


def losses_of(extra: bool) -> list[bool]:
    """Which paced frames of robot 1 arrive at robot 2, with and without other frames in between."""
    channel = air(loss=0.5)
    one, two = modems(channel, 1, 2)
    out = []
    for k in range(1, 60):
        one.send(3.003 * k + 1.0, FRAME, 3.003 * k + 1.0)
        out.append(bool(two.received(3.003 * k + 1.5)))
        if extra and k % 3 == 0:
            one.send(3.003 * k + 1.6, FRAME, 3.003 * k + 1.6)
            two.received(3.003 * k + 2.0)
    return out


def test_an_unpaced_frame_does_not_change_the_fate_of_the_paced_ones() -> None:
    assert losses_of(extra=True) == losses_of(extra=False)


def test_beacons_come_every_beat_from_number_0_and_are_authentic() -> None:
    channel = air(base_station=True)
    (one,) = modems(channel, 1)
    judge = Authentication(TABLE, 1, KEYS, 1, None, None)
    for at, frame in one.received(30.0):
        judge.judge(at, frame)
    beacons = judge.take_ready(60.0)
    assert [x.header.sender for x in beacons] == [0] * 9
    assert not judge.refused
    gaps = {round(b.at - a.at, 6) for a, b in pairwise(beacons)}
    assert gaps == {3.003}
    (statement,) = Codec(TABLE).round([beacons[0].records])
    assert statement.fields == (4, 300)
    channel.switch(0, False, 30.0)  # noqa: FBT003
    assert one.received(60.0) == []


@pytest.mark.parametrize("beat_s", [0.333, 3.0, 7.5, 600.0])
def test_beacons_are_followed_at_any_beat(beat_s: float) -> None:
    mission = table(2, beat_s=beat_s)
    team = Desk(mission, Channel(1, mission, key=KEY, team=1, base_station=True))
    for number in mission.robots:
        team.boot(number)
    team.ticks = max(0, int((beat_s - 1.0) / 0.05))
    assert team.run(beat_s + 3.0).radios[1].statistics.pacing == "slots"


def test_with_a_base_station_no_frames_collide_and_without_one_some_do() -> None:
    with_base = desk(8, base_station=True).run(48.0).channel.statistics()
    assert with_base["collided"] == 0
    assert with_base["lost"] == 0
    without = desk(8).run(48.0).channel.statistics()
    assert without["collided"] > 0


@pytest.mark.parametrize("base_station", [False, True])
@pytest.mark.parametrize("same_phase", [False, True])
def test_the_order_in_which_robots_ask_at_one_instant_changes_nothing(base_station, same_phase) -> None:
    def outcome(order: tuple[int, ...]) -> object:
        team = desk(3, base_station=base_station, loss=0.3)
        team.same_phase, team.order = same_phase, lambda _: order
        ended = team.run(40.0)
        return (
            ended.heard,
            ended.sent,
            ended.beliefs,
            {n: (r.statistics, r.memory()) for n, r in ended.radios.items()},
        )

    first, *others = [outcome(order) for order in permutations((1, 2, 3))]
    assert all(other == first for other in others)


def test_another_seed_loses_other_frames_and_the_same_seed_the_same() -> None:
    def heard(seed: int) -> object:
        return desk(2, seed=seed, loss=0.5).run(60.0).heard

    assert heard(1) == heard(1) != heard(2)


def test_other_statements_meet_the_same_fates() -> None:
    def arrivals(task: str) -> list[list[float]]:
        team: Desk = desk(3, loss=0.5, base_station=True)
        team.states = lambda _number, _now: (activity(task),)
        return [[round(x.at, 6) for x in team.run(90.0).heard[n]] for n in (1, 2, 3)]

    assert arrivals("task-1") == arrivals("task-2")


def test_a_change_holds_after_its_instant_and_not_at_it() -> None:
    history = History("a")
    history.set("b", 2.0)
    history.set("c", 3.0)
    assert [history.at(t) for t in (1.0, 2.0, 2.5, 3.0, 9.0)] == ["a", "a", "b", "b", "c"]


def test_what_is_long_past_is_forgotten() -> None:
    team = desk(3, base_station=True).run(400.0)
    assert len(team.channel._sent) < 4 * 130 / 3


# -- how links lose frames


PERIODS = range(0, 4000 * A_SLOT, A_SLOT)


def fate(model, share: float, slots=PERIODS) -> list[bool]:
    return [model.loses(1, 2, slot, share) for slot in slots]


def mean_burst(lost: list[bool]) -> float:
    bursts = [len(list(run)) for bad, run in groupby(lost) if bad]
    return sum(bursts) / len(bursts)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.7])
def test_both_models_lose_the_share_and_only_one_of_them_in_bursts(share: float) -> None:
    alone, bursts = fate(Bernoulli(1), share), fate(GilbertElliott(1), share)
    assert sum(alone) / len(alone) == pytest.approx(share, abs=0.03)
    assert sum(bursts) / len(bursts) == pytest.approx(share, abs=0.06)
    assert mean_burst(alone) == pytest.approx(1 / (1 - share), rel=0.1)
    assert mean_burst(bursts) == pytest.approx(max(4.0, share / (1 - share)), rel=0.15)


def test_a_greater_loss_loses_more_of_the_same_and_another_link_or_seed_others() -> None:
    some, more = fate(Bernoulli(5), 0.1), fate(Bernoulli(5), 0.5)
    assert all(lost for rarely, lost in zip(some, more, strict=True) if rarely)
    assert more != [Bernoulli(5).loses(1, 3, slot, 0.5) for slot in PERIODS]
    assert more != fate(Bernoulli(6), 0.5)


def test_nothing_and_everything_are_exact() -> None:
    for model in (Bernoulli(1), GilbertElliott(1)):
        assert not any(fate(model, 0.0, range(50)))
        assert all(fate(model, 1.0, range(50)))


def test_the_fate_of_a_slot_does_not_depend_on_what_was_asked_before() -> None:
    backwards = fate(GilbertElliott(7), 0.3, range(400, -1, -1))
    assert backwards[::-1] == fate(GilbertElliott(7), 0.3, range(401))
    one = GilbertElliott(7)
    assert fate(one, 0.3) != [one.loses(2, 1, slot, 0.3) for slot in PERIODS]
