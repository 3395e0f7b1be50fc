"""XBee modules in API mode 1 or 2: the module delimits and checks, so frames go over the air as they are.

At the start the module is asked for its mode, which the driver follows, and for what it is. A transmission is
answered with a status; a frame counts as left when that reports it. Under Zigbee firmware every router repeats a
broadcast and keeps it for 8 s in a table of 8: a whole network carries one broadcast per second (Digi 90002002).
"""

from pydantic import BaseModel, ConfigDict, Field

from radio.airtime import ieee802154_airtime, xbee_900_airtime
from radio.framing import LONGEST
from radio.modem_buffers import DEAF, PROBE_S, SILENCE_S, SerialModem
from radio.xbee import frames as api
from robotd.model.value import value

ASK_S = 0.5  # a module answers a request for a setting within some 10 ms; a sleepy USB adapter adds 16
STATUS_S = 1.0  # a broadcast that DigiMesh repeats is reported after some hundred milliseconds
ZIGBEE_PER_S = 1.0  # broadcasts that a Zigbee network carries
MODE_ID = 1  # number of the request for the mode: neither it nor the answer then holds a byte that is escaped
QUESTIONS = ("AP", "HV", "VR", "NP")  # mode, hardware, firmware, longest payload
IEEE_RATE = 250_000.0  # bit/s of IEEE 802.15.4 at 2.4 GHz
MUTE = 4  # after which people get advice on what may be wrong
RESETS = (0x00, 0x01)  # modem status: the module was reset, by its pin or its watchdog
_S1, _S2, _S2C, _S2D, _XBEE3 = (
    (0x17, 0x18), (0x19, 0x1A, 0x1E), (0x21, 0x22, 0x2D, 0x2E, 0x30), (0x32, 0x33, 0x34, 0x35), (0x41, 0x42, 0x43),
)  # fmt: skip


def firmware(hardware: int, version: int) -> str:
    """`802.15.4`, `digimesh`, `zigbee` or `other`, by HV's high byte and VR (Digi's firmware numbering)."""
    first = version >> 12
    if hardware in _S1:
        return "digimesh" if first == 8 else "802.15.4"
    if hardware in _S2C:
        return {2: "802.15.4", 9: "digimesh"}.get(first, "zigbee")
    if hardware in _XBEE3:
        return {2: "802.15.4", 3: "digimesh"}.get(first, "zigbee")
    return "zigbee" if hardware in _S2 + _S2D else "other"


@value
class _Flight:
    """A frame that the module has and has not reported on."""

    number: int
    at: float
    frame: bytes


class XBee(SerialModem):
    """Driver of one module. Its counts: not-sent, where the module reports a failure; no-status, where it reports
    nothing."""

    emulator = "radio.xbee.emulator:XBeeEmulator"

    class Settings(BaseModel):
        """The modem's own table in the robot file."""

        model_config = ConfigDict(extra="forbid", frozen=True)
        baud: int = Field(default=9600, ge=1200, le=921600, description="of the serial line, bit/s: its BD")
        air_rate: float = Field(
            default=IEEE_RATE,
            ge=10_000,
            le=1e6,
            description="on the air, bit/s: 250000 at 2.4 GHz, 10000 to 200000 at 900 MHz",
        )

    def __init__(self, settings: Settings) -> None:
        self._parser = api.ApiFrameParser(escaped=True)
        super().__init__(settings.baud, SILENCE_S, self._parser)
        self._air_rate = settings.air_rate
        self._answers: dict[str, int] = {}  # to QUESTIONS, since connect()
        self._asked_at: float | None = None  # when the question that is open was put
        self._unanswered = 0  # questions on end
        self._received_at = 0.0
        self._flight: _Flight | None = None
        self._last_id = MODE_ID

    @property
    def kind(self) -> str:
        """What firmware the module runs, as `firmware` has it; '' until it is known."""
        if "HV" not in self._answers or "VR" not in self._answers:
            return ""
        return firmware(self._answers["HV"] >> 8, self._answers["VR"])

    @property
    def wake_at(self) -> float | None:
        """See `SerialDevice.wake_at`."""
        if self._asked_at is not None:
            times = [self._asked_at + ASK_S]
        else:
            times = [self._received_at + PROBE_S if self.ready else self._received_at]
        due = self._due_at()
        if due is not None and self.ready:
            times.append(due)
        if self._flight is not None:
            times.append(self._flight.at + STATUS_S)
        return min(times)

    def connect(self, now: float) -> None:
        """See `SerialDevice.connect`: ask for the mode, then for the rest."""
        self._parser.reset(escaped=True)
        self._waiting = None
        self._flight = None
        self._ask_anew(now)

    def receive(self, now: float, data: bytes) -> None:
        """See `SerialDevice.receive`."""
        for frame in self._parser.feed(data):
            self._received_at = now
            self._take(now, frame)

    def transmit(self, now: float) -> list[bytes]:
        """See `SerialDevice.transmit`. A frame that is half a second late is void."""
        if self._flight is not None and now >= self._flight.at + STATUS_S:
            self._close_flight("no-status", left=True)  # it may have left, so the next waits its beat
        frame = self._take_due(now) if self.ready else None
        if frame is not None:
            if self._flight is not None:
                self._close_flight("no-status", left=True)
            return [self._request(now, frame)]
        question = self._question(now)
        if question is None:
            return []
        if self.ready and self._unanswered >= DEAF:
            self._ask_anew(now)
        self._unanswered += 1
        self._asked_at = now
        number = MODE_ID if question == "AP" else self._next_id()
        return [api.enclose(api.at_request(number, question), escaped=self._parser.escaped)]

    def airtime(self, size: int) -> float:
        """See `Modem.airtime`: of one sending."""
        if self._air_rate == IEEE_RATE:
            return ieee802154_airtime(size)
        return xbee_900_airtime(size, self._air_rate)

    def advice(self, robots: int, beat_s: float) -> str:
        if self.kind == "zigbee" and robots / beat_s > ZIGBEE_PER_S * (1.0 + 1e-9):
            return (
                f"the XBee has Zigbee firmware, whose whole network carries {ZIGBEE_PER_S:g} broadcast a second: "
                f"{robots} robots that send every {beat_s:g} s lose frames; load 802.15.4 or DigiMesh firmware, "
                f"or make the beat at least {robots / ZIGBEE_PER_S:g} s"
            )
        if self._unanswered >= MUTE:
            return (
                f"the XBee does not answer at {self.line.baud} baud in API mode: "
                "set its AP to 2 (or 1) and its BD to that rate"
            )
        longest = self._answers.get("NP", 0)
        if 0 < longest < LONGEST:
            return f"the XBee takes {longest} bytes at a time and frames have up to {LONGEST}: turn encryption off"
        return ""

    def _ask_anew(self, now: float) -> None:
        self.ready = False
        self._answers = {}
        self._asked_at, self._received_at = None, now

    def _question(self, now: float) -> str | None:
        """What to ask now: what is not known yet, or, of a module that has been silent for long, its mode."""
        if self._asked_at is not None and now < self._asked_at + ASK_S:
            return None
        for name in QUESTIONS:
            if name not in self._answers:
                return name
        return "AP" if self._asked_at is not None or now >= self._received_at + PROBE_S else None

    def _request(self, now: float, frame: bytes) -> bytes:
        self._flight = _Flight(self._next_id(), now, frame)
        request = api.transmit16_request if self.kind == "802.15.4" else api.transmit_request
        return api.enclose(request(self._flight.number, frame), escaped=self._parser.escaped)

    def _next_id(self) -> int:
        """Numbers of requests, by turns: 0 asks for no answer, and that of the mode's stays its own."""
        self._last_id = self._last_id % 0xFF + 1
        if self._last_id == MODE_ID:
            self._last_id += 1
        return self._last_id

    def _take(self, now: float, data: bytes) -> None:
        """One whole frame from the module; a type that is unknown, or one cut short, is only counted."""
        received = api.received_in(data)
        if received is not None:
            self._put(now, received.payload, received.rssi_dbm)
        elif len(data) < api.SHORTEST.get(data[0], api.LONGEST):
            self._counts["unknown"] += 1
        elif data[0] == api.AT_REPLY:
            self._answer(data[2:4].decode("latin-1"), data[4], data[5:])
        elif data[0] in api.STATUS_AT and self._flight is not None and data[1] == self._flight.number:
            failed = data[api.STATUS_AT[data[0]]] != 0
            self._close_flight("not-sent" if failed else "", left=not failed)
        elif data[0] == api.MODEM and data[1] in RESETS:
            self._ask_anew(now)

    def _answer(self, name: str, error: int, value: bytes) -> None:
        """A setting. Old firmware does not know all of them, which is an answer too, except for the mode."""
        number = int.from_bytes(value[:4], "big") if not error else 0
        if name == "AP":
            if number not in (1, 2):
                return
            if self._parser.escaped != (number == 2):
                self._parser.reset(escaped=number == 2)
        if name in QUESTIONS:
            self._answers[name] = number
            self._asked_at, self._unanswered = None, 0
            self.ready = all(question in self._answers for question in QUESTIONS)

    def _close_flight(self, reason: str, *, left: bool) -> None:
        """The module's report on the frame that it has, or that none came."""
        flight, self._flight = self._flight, None
        assert flight is not None
        if reason:
            self._counts[reason] += 1
        if left:
            self._left.append((flight.at, flight.frame))
