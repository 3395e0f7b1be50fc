"""Whatever a line or a modem does: no exception, and the next whole frame is understood."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from radio.contract import LATE_S
from radio.link import Radio
from radio.mock.channel import Channel
from radio.udp.modem import Udp
from radio.zenoh.modem import Zenoh
from robotd.model.beliefs import Beliefs
from robotd.model.streams import Stream, draw
from tests.radio.helper import KEY, KEYS, activity, saved, table
from tests.radio.modems import BY_NAME, KINDS, READY_S, STEP_S, Bench, Damage, Kind, frame_of

every = pytest.mark.parametrize("kind", KINDS, ids=repr)
STREAMS = [kind for kind in KINDS if not kind.datagrams]
streams = pytest.mark.parametrize("kind", STREAMS, ids=repr)
ANSWERING = [kind for kind in KINDS if kind.answers]
answering = pytest.mark.parametrize("kind", ANSWERING, ids=repr)
SPICE = (
    *b"+RCV= +RCV=1,40, +RCV=1,240,\r\n \r\n +OK\r\n +READY\r\n +ERR=17\r\n".split(b" "),
    *(b"\0", b"\x7e", b"\x7d", b"\x7e\x00", b"\x7e\x01\x40\x90", b"\x7e\x00\x02\x8a\x00\x75"),
    b"+BAND=" + b"9" * 5000 + b"\r\n",  # no number that Python reads
)
garbage = st.lists(st.binary(max_size=60) | st.sampled_from(SPICE), max_size=12)


def ready(kind: Kind, **line: object) -> Bench:
    bench = Bench(kind, **line).run(READY_S)  # type: ignore[arg-type]
    assert bench.driver.ready
    assert bench.driver.alive(bench.now)
    return bench


@every
def test_frames_pass_both_ways_and_each_is_reported_once(kind: Kind) -> None:
    bench = ready(kind)
    for k in range(3):
        assert bench.exchange(k) == (True, True)
    left = bench.driver.left(bench.now)
    assert [frame for _, frame in left] == [frame_of(2 * k) for k in range(3)]
    assert all(at in [when for when, _ in bench.written] for at, _ in left)
    assert bench.driver.left(bench.now) == []
    assert not any(bench.driver.counts().values())


@every
def test_before_its_port_is_open_a_modem_is_not_alive_and_it_needs_no_halt(kind: Kind) -> None:
    assert not kind.driver().alive(0.0)
    assert kind.driver().halt == b""


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("transparent", {"baud": 0}), ("transparent", {"air_rate": -1.0}), ("transparent", {"bauds": 9600}),
        ("xbee-2", {"baud": 0}), ("xbee-2", {"air_rate": 1.0}), ("xbee-2", {"bauds": 9600}),
        ("udp", {"air_rate": 0}), ("udp", {"baud": 9600}), ("zenoh", {"air_rate": 0}), ("zenoh", {"router": "x"}),
    ],
)  # fmt: skip
def test_settings_out_of_range_and_unknown_ones_are_refused(kind: str, wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        BY_NAME[kind].driver().Settings.model_validate(wrong)


@streams
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_splits_and_merges_change_nothing(kind: Kind, data: st.DataObject) -> None:
    bench = Bench(kind).run(0.1)
    stream = b"".join(kind.says(frame_of(k)) for k in range(4))
    cuts = sorted(data.draw(st.sets(st.integers(0, len(stream)), max_size=20)) | {0, len(stream)})
    for begin, end in pairwise(cuts):
        bench.hear(stream[begin:end])
    assert bench.received() == [frame_of(k) for k in range(4)]


@every
@pytest.mark.parametrize("share", [0.002, 0.02])
def test_flipped_lost_and_inserted_bytes_cost_frames_and_nothing_more(kind: Kind, share: float) -> None:
    damages = [Damage(share, seed, datagrams=kind.datagrams) for seed in (1, 2)]
    bench = Bench(kind, to_host=damages[0], to_module=damages[1])
    came = sum(sum(bench.exchange(k)) for k in range(12))
    assert came < 24 or share < 0.01
    for damage in damages:
        damage.share = 0.0
    bench.run(READY_S)
    assert bench.exchange(99) == (True, True)


@every
@settings(max_examples=40, deadline=None)
@given(pieces=garbage)
def test_after_any_garbage_the_next_whole_frame_is_understood(kind: Kind, pieces: list[bytes]) -> None:
    bench = Bench(kind).run(0.1)
    for piece in pieces:
        bench.hear(piece)
        bench.run(STEP_S)
    bench.received()
    bench.hear(kind.says(frame_of(1)))
    came = bench.received()
    if kind.second and not came:
        bench.hear(kind.says(frame_of(1)))
        came = bench.received()
    assert came[-1:] == [frame_of(1)]


@streams
def test_a_frame_cut_anywhere_does_not_take_the_next_one_with_it(kind: Kind) -> None:
    bench = ready(kind)
    for cut in range(1, len(kind.says(frame_of(7)))):
        bench.hear(kind.says(frame_of(7))[:cut])
        bench.hear(kind.says(frame_of(8)))
        assert frame_of(8) in bench.received()[-1:], cut


@every
def test_unplugged_in_mid_frame_and_plugged_in_again_it_continues(kind: Kind) -> None:
    bench = ready(kind)
    bench.driver.send(bench.now, frame_of(1), bench.now + 0.1)
    bench.hear(kind.says(frame_of(7))[:20])
    bench.unplug()
    assert bench.run(READY_S).driver.alive(bench.now)
    received = [frame for _, frame in bench.teammate.received(bench.now)]
    assert frame_of(1) not in received  # it belonged to the old line
    assert frame_of(7) not in bench.received()
    assert bench.exchange(9) == (True, True)


@answering
@pytest.mark.parametrize("noise", [b"", b"\x00\xffnoise\r\n"], ids=["mute", "noise only"])
def test_a_modem_that_gives_no_answer_is_asked_at_a_steady_pace_and_not_used_until_it_answers(kind, noise) -> None:
    """From the start, and later; noise counts as no answer, so that the port detects that the modem is gone."""
    bench = Bench(kind)
    sound = bench.to_host
    for _ in range(2):
        bench.to_host = lambda data: (noise,) if noise else ()
        before = len(bench.written)
        for _ in range(20):
            bench.run(0.5)
            if noise:
                bench.hear(noise)
        assert not bench.driver.alive(bench.now)
        assert 4 <= len(bench.written) - before <= 25
        bench.to_host = sound
        bench.run(READY_S)
        assert bench.exchange(1) == (True, True)


@answering
def test_a_module_that_falls_silent_is_asked_twice_before_the_port_gives_it_up(kind: Kind) -> None:
    bench = ready(kind)
    before, bench.mute = len(bench.written), True
    bench.run(bench.driver.line.silence_s)
    assert len(bench.written) - before >= 2


@every
def test_a_line_that_takes_nothing_is_reported_and_only_the_newest_frame_leaves(kind: Kind) -> None:
    bench = ready(kind)
    bench.takes = False
    bench.driver.send(bench.now, frame_of(1), bench.now)
    assert bench.driver.alive(bench.now + LATE_S)
    bench.run(LATE_S + 0.1)
    assert not bench.driver.alive(bench.now)
    bench.driver.send(bench.now, frame_of(2), bench.now)
    bench.takes = True
    bench.run(1.0)
    assert [frame for _, frame in bench.teammate.received(bench.now)] == [frame_of(2)]
    assert [frame for _, frame in bench.driver.left(bench.now)] == [frame_of(2)]


@every
def test_a_frame_that_is_late_by_more_than_half_a_second_is_void(kind: Kind) -> None:
    bench = ready(kind)
    bench.takes = False
    bench.driver.send(bench.now, frame_of(1), bench.now)
    bench.run(LATE_S + 0.1)
    bench.takes = True
    bench.run(1.0)
    assert bench.teammate.received(bench.now) == bench.driver.left(bench.now) == []
    assert bench.driver.alive(bench.now)


@every
def test_what_is_too_short_or_too_long_for_a_frame_is_counted_and_dropped(kind: Kind) -> None:
    bench = ready(kind)
    for size in (1, 17, 41, 60):
        bench.hear(kind.says(frame_of(3, size) if size > 2 else b"x"))
    bench.hear(kind.says(frame_of(3, 18)))
    assert bench.received() == [frame_of(3, 18)]
    assert sum(bench.driver.counts().get(reason, 0) for reason in ("short", "long")) == 4


@pytest.mark.parametrize("latency_s", [0.005, 0.06])
def test_a_team_of_all_modems_hears_itself_and_keeps_its_beat(latency_s: float) -> None:
    """Each robot has another modem; all are on one air. Their clocks are up to 100 ppm off."""
    names = ("transparent", "xbee-2", "xbee-1", "reyax", "udp", "zenoh")
    mission = table(len(names))
    channel = Channel(1, mission, key=KEY, team=1, base_station=True)
    drivers, emulators, radios, skews = {}, {}, {}, {}
    for n, name in enumerate(names, start=1):
        kind = BY_NAME[name]
        drivers[n] = kind.driver()
        drivers[n].connect(0.0)
        late = {} if name == "transparent" else {"latency_s": latency_s}
        emulators[n] = kind.emulator(channel, n, 0.0, **late)
        radios[n] = saved(Radio(mission, n, KEYS, 1, drivers[n], Stream(1, f"robot-{n}", "phase"), None, None))
        radios[n].begin(0.0)
        skews[n] = 1.0 + 2e-4 * (draw(1, f"robot-{n}", "skew", 0) - 0.5)
    beliefs = {n: Beliefs(mission, n, 1, running=True) for n in radios}
    heard: dict[int, list[int]] = {n: [] for n in radios}
    left: dict[int, list[float]] = {n: [] for n in radios}
    for step in range(round(60.0 / STEP_S)):
        for n, radio in radios.items():
            air, now = step * STEP_S, step * STEP_S * skews[n]
            wake = drivers[n].wake_at
            for data in drivers[n].transmit(now) if wake is None or wake <= now else ():
                emulators[n].receive(air, data)
            for data in emulators[n].transmit(air):
                drivers[n].receive(now, data)
            if step % 10 == 0:
                if step % 40 == 0:
                    heard[n] += [x.sender for x in radio.receive(now)]
                    left[n] += [x.at / skews[n] for x in radio.take_sent(now)]
                radio.transmit(now, (activity(),) if step % 40 == 0 else None, beliefs[n])
    for n, radio in radios.items():
        assert all(b - a >= 3.0 for a, b in pairwise(left[n]))
        assert all(heard[n].count(other) >= 15 for other in radios if other != n), (n, heard[n])
        contacts = radio.statistics.contacts
        told = [contact.strength_dbm for contact in contacts if contact.number]
        tells = names[n - 1] not in ("transparent", "udp", "zenoh")
        assert all((dbm is not None and -80 <= dbm <= -40) == tells for dbm in told)
        assert sum(contact.missed for contact in contacts) <= 1


# -- networks that delimit and check


@pytest.mark.parametrize("name", ["udp", "zenoh"])
def test_one_message_is_one_frame_as_it_is_and_no_own_frame_is_received(name: str) -> None:
    bench = Bench(BY_NAME[name])
    for k in range(6):
        bench.driver.send(bench.now, frame_of(k), bench.now)
        bench.run(0.1)
    assert [data for _, data in bench.written] == [frame_of(k) for k in range(6)]
    assert bench.received() == []
    bench.hear(frame_of(5)[:30])  # a shorter frame, not the beginning of one
    bench.hear(frame_of(5))  # an echo
    bench.hear(frame_of(0))  # played to us long after: the radio will refuse and count it
    assert bench.received() == [frame_of(5)[:30], frame_of(0)]


@pytest.mark.parametrize(("plugin", "size"), [(Udp, 68), (Zenoh, 105)])
def test_a_frame_takes_what_the_slowest_link_needs_for_it_and_its_headers(plugin: type[Udp], size: int) -> None:
    assert plugin(plugin.Settings()).airtime(40) == pytest.approx(size * 8e-6)
    assert plugin(plugin.Settings(air_rate=1e5)).airtime(40) == pytest.approx(size * 8e-5)
