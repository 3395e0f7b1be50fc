"""Everything that reads bytes from the air or from a modem, as functions that may count, and may never raise.

Each gives whether a frame was *believed*, which without the key must never be.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from radio.authentication import Authentication
from radio.codec import HEADER, Codec, decode_header
from radio.contract import plugin_of
from radio.framing import LONGEST, CobsParser, wrap
from radio.keys import Keys
from radio.link import Radio
from robotd.files.plugins import Plugins
from robotd.model.beliefs import Beliefs
from robotd.model.statements import Statement
from robotd.model.streams import Stream
from tests.radio.helper import HandModem, activity, saved, sealed, table

TABLE = table()
KEYS, OTHER, TEAM = Keys((bytes(32),)), Keys((bytes(range(32)),)), 7
SETTINGS: dict[str, dict[str, Any]] = {"reyax": {"band_hz": 869_525_000}}
"""Of modems that cannot do without."""
SEEDS = tuple(map(bytes.fromhex, (
    "7e0012900013a20040522baa7d84015278446174610d", "7e001290007d33a20040522baa7d5d84015278446174610d",
    "7e000b8112345e0154784461746193", "7e00078b017d8400000171", "7e00028a066f", "7e000588014244 00f0",
)))  # fmt: skip
"""Frames of XBee modules, as Digi's manuals have them."""
LINES = (
    b"+RCV=50,5,HELLO,-99,40\r\n", b"+RCV=3,45,a,b,c,d\r\n", b"+ERR=17\r\n", b"+OK\r\n", b"+READY\r\n",
    b"+RCV=9,3,+OK,-40,9\r\n+OK\r\n", b"+RCV=69,999,bad\r\n+OK\r\n", b"+PARAMETER=7,7,1,12\r\n",
)  # fmt: skip


@dataclass(frozen=True)
class Decoder:
    """One reader of bytes, and sound input of it; `feed` returns whether what must never be, `wrong`, was."""

    name: str
    seeds: tuple[bytes, ...]
    feed: Callable[[float, bytes], bool]
    seen: Counter[str]
    wrong: str = "believed without the key"


def genuine(count: int, keys: Keys) -> list[bytes]:
    """Frames of robot 2 under these keys, with all kinds of records."""
    codec, sender = Codec(TABLE), Authentication(TABLE, 2, keys, TEAM, None, 9)
    said = (
        activity(), Statement("stop", (2, 5)), Statement("epoch", (1, 9, 9)), Statement("bid", (2, 1, 40, 0)),
        Statement("beacon", (3, 300)), Statement("suitability", (1, (0.5,) * 9)),
    )  # fmt: skip
    frames = []
    for n in range(count):
        records = b"".join(codec.encode(said[(n + k) % len(said)]) for k in range(2))
        frames.append(sealed(sender, 2, TABLE.digest, records[: LONGEST - HEADER - 8]))
    return frames


def decoders() -> Iterable[Decoder]:
    """All there are: framing, authentication, records, the whole radio, and every modem that has a port."""
    forged = tuple(genuine(24, OTHER))
    yield _framing(forged)
    yield _authentication(forged)
    yield _records(forged)
    yield _member()
    plugins = Plugins()
    for name in plugins.names("robotd.radios"):
        kind = plugins.get("robotd.radios", name)
        if plugin_of(kind).needs_port:
            yield _driver(name, kind, forged)


def _judge() -> Callable[[float, bytes], bool]:
    """Whether a receiver that has the key, but no frame of whose team is about, takes a frame."""
    victim = Authentication(TABLE, 1, KEYS, TEAM, None, None)

    def judge(now: float, frame: bytes) -> bool:
        victim.judge(now, frame)
        return bool(victim.take_ready(now + 1.0))

    return judge


def _framing(frames: tuple[bytes, ...]) -> Decoder:
    unwrapper, seen, judge = CobsParser(), Counter[str](), _judge()

    def feed(now: float, data: bytes) -> bool:
        found = unwrapper.feed(data)
        seen["frames"] += len(found)
        return any(judge(now, frame) for frame in found)

    return Decoder("framing", tuple(map(wrap, frames)), feed, seen)


def _authentication(frames: tuple[bytes, ...]) -> Decoder:
    seen, judge = Counter[str](), _judge()

    def feed(now: float, data: bytes) -> bool:
        if len(data) >= HEADER:
            decode_header(data)
            seen["headers"] += 1
        return judge(now, data)

    return Decoder("authentication", frames, feed, seen)


def _records(frames: tuple[bytes, ...]) -> Decoder:
    codec, seen = Codec(TABLE), Counter[str]()

    def feed(now: float, data: bytes) -> bool:
        same = len(data) % 8 > 0
        seen["statements"] += len(codec.decode(data, same_mission=same, skipped=seen))
        return False

    return Decoder("records", tuple(frame[HEADER:-8] for frame in frames), feed, seen)


def _member() -> Decoder:
    """A teammate gone mad: authentic frames with whatever records, heard, learned and answered by a radio."""
    modem, teammate, seen = HandModem(), Authentication(TABLE, 2, KEYS, TEAM, None, 9), Counter[str]()
    radio = saved(Radio(TABLE, 1, KEYS, TEAM, modem, Stream(1, "victim", "phase"), None, None))
    radio.begin(0.0)
    beliefs = Beliefs(TABLE, 1, 1, running=True)

    def feed(now: float, data: bytes) -> bool:
        nonlocal beliefs
        run = data[0] >> 1 if data else 1
        modem.inbox = [(now, sealed(teammate, 2, TABLE.digest, data[: LONGEST - HEADER - 8], run))]
        heard = radio.receive(now)
        seen["statements"] += sum(len(each.statements) for each in heard)
        beliefs = beliefs.learn(heard)
        radio.transmit(now, (activity(),), beliefs)
        radio.acknowledge_stop(now)
        return False

    return Decoder("a mad teammate", tuple(frame[HEADER:-8] for frame in genuine(24, KEYS)), feed, seen)


def _driver(name: str, kind: Any, frames: tuple[bytes, ...]) -> Decoder:
    """The driver of a modem, opened, asked to send now and then, and given what is no modem's answer."""
    driver: Any = kind(kind.Settings(**SETTINGS.get(name, {})))
    seen, judge = Counter[str](), _judge()
    driver.connect(0.0)

    def feed(now: float, data: bytes) -> bool:
        if not data:
            driver.connect(now)
        driver.receive(now, data)
        if len(data) % 4 == 0:
            driver.send(now, frames[0], now)
        driver.transmit(now)
        driver.left(now)
        found = [frame for _, frame in driver.received(now)]
        seen["frames"] += len(found)
        return any(judge(now, frame) for frame in found)

    heard = [frame for each in frames for frame in (wrap(each), _as_xbee(each), _as_reyax(each), each)]
    return Decoder(f"modem {name}", (*SEEDS, *LINES, *heard), feed, seen)


def _as_xbee(frame: bytes) -> bytes:
    """A broadcast received by an XBee in API mode 1."""
    data = b"\x81\x00\x02\x28\x02" + frame
    return b"\x7e" + len(data).to_bytes(2, "big") + data + bytes([0xFF - sum(data) % 256])


def _as_reyax(frame: bytes) -> bytes:
    """A broadcast received by a RYLR998."""
    return b"+RCV=2,%d,%b,-40,9\r\n" % (len(frame), frame)
