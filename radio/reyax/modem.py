"""REYAX RYLR998 and RYLR896: LoRa behind AT commands; frames go over the air as they are, to address 0: to all.

At the start each setting is read, set where it differs (the module keeps it in flash), and read again. One command
is open at a time, and packets may come between a command and its answer. A module that is still sending refuses
the next packet, so the driver waits a packet's time on the air. Source: REYAX, LoRa AT command guides.
"""

from __future__ import annotations

from collections import Counter
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from radio.airtime import lora_airtime
from radio.modem_buffers import DEAF, PROBE_S, SILENCE_S, SerialModem
from radio.reyax.lines import END, LineParser, Packet, send_command
from robotd.model.value import value

BAUD = 115_200  # as delivered
ANSWER_S = 0.5  # a setting takes some 100 ms to reach the flash; everything else is answered at once
SET_TRIES = 2  # a setting that does not stick after so many is not set again, as flash wears
HEAD = 8  # bytes that the module adds to a packet on the air
MARGIN_S = 0.02  # past a packet's time on the air, before the module takes the next: it turns round to receive
BUSY = "error-17"  # the last packet is not yet sent
READY = b"+READY"  # after a reset
OK = b"+OK"
ERRORS = frozenset((1, 2, 4, 5, 10, 12, 13, 14, 15, 17, 18, 19, 20))  # that the guides list
PROBE = b"AT"
BANDWIDTHS = {125: 7, 250: 8, 500: 9}  # kHz: the module's number for it
NETWORKS = {"rylr998": frozenset((*range(3, 16), 18)), "rylr896": frozenset(range(17))}
PREAMBLES = {"rylr998": range(4, 26), "rylr896": range(4, 8)}
FREE_NETWORK, FIXED_PREAMBLE = 18, 12  # an RYLR998 has this preamble, but in the one network where it may be set
FACTORS = {"rylr998": {125: 9, 250: 10, 500: 11}, "rylr896": {125: 12, 250: 12, 500: 12}}  # greatest, by bandwidth


class _Settings(BaseModel):
    """The modem's own table in the robot file; all robots of a team have the same."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    model: Literal["rylr998", "rylr896"] = Field(default="rylr998", description="the module")
    band_hz: int = Field(
        ge=410_000_000, le=1_020_000_000, description="centre frequency, Hz: one that is legal where you are"
    )
    network: int = Field(default=5, ge=0, le=18, description="NETWORKID: 3 to 15 or 18; 0 to 16 on an RYLR896")
    spreading_factor: int = Field(
        default=7, ge=7, le=12, description="a step more doubles the time on the air; 7 is what 1/3 Hz needs"
    )
    bandwidth_khz: Literal[125, 250, 500] = Field(default=125, description="kHz")
    coding_rate: int = Field(default=1, ge=1, le=4, description="1 to 4 for 4/5 to 4/8")
    preamble: int = Field(
        default=12, ge=4, le=25, description="symbols: 12, but 4 to 25 in network 18; 4 to 7 on an RYLR896"
    )

    @model_validator(mode="after")
    def _together(self) -> _Settings:
        """What the module refuses in combination."""
        greatest = FACTORS[self.model][self.bandwidth_khz]
        if self.network not in NETWORKS[self.model]:
            raise ValueError(f"network: an {self.model} has no {self.network}")
        if self.spreading_factor > greatest:
            raise ValueError(f"spreading_factor: expected at most {greatest} at {self.bandwidth_khz} kHz")
        if self.preamble not in PREAMBLES[self.model]:
            raise ValueError(f"preamble: expected 4 to {PREAMBLES[self.model][-1]} on an {self.model}")
        if self.model == "rylr998" and self.network != FREE_NETWORK and self.preamble != FIXED_PREAMBLE:
            raise ValueError(f"preamble: expected {FIXED_PREAMBLE}; others only in network {FREE_NETWORK}")
        return self

    def wanted(self) -> dict[bytes, list[int]]:
        """What the module's settings should be, by their AT names, in the order in which they are asked for."""
        modulation = [self.spreading_factor, BANDWIDTHS[self.bandwidth_khz], self.coding_rate, self.preamble]
        return {b"NETWORKID": [self.network], b"BAND": [self.band_hz], b"PARAMETER": modulation}


@value
class _Command:
    """What was asked of the module at `at`, to be answered until `until`; `frame` where it sends one."""

    text: bytes
    at: float
    until: float
    frame: bytes | None = None


class Reyax(SerialModem):
    """Driver of one module. Its counts: error-N are the module's own, no-answer: to a command."""

    emulator = "radio.reyax.emulator:ReyaxEmulator"
    emulated: ClassVar = {"band_hz": 869_525_000}  # a carrier on which Europe allows 10 % of the time
    Settings = _Settings

    def __init__(self, settings: _Settings) -> None:
        self._parser = LineParser()
        super().__init__(BAUD, SILENCE_S, self._parser)
        self._settings, self._wanted = settings, settings.wanted()
        self._plan: list[bytes] = []  # commands of the handshake yet to be given
        self._tried: Counter[bytes] = Counter()  # how often each setting was set since all were right
        self._refused = ""  # the setting that did not stick, in words
        self._open: _Command | None = None
        self._unanswered = 0  # commands on end
        self._received_at = 0.0
        self._free_at = 0.0  # when the module takes a command again

    @property
    def wake_at(self) -> float | None:
        """See `SerialDevice.wake_at`."""
        if self._open is not None:
            return self._open.until
        if self._plan:
            return self._free_at
        due, probe = self._due_at(), self._received_at + PROBE_S
        return max(self._free_at, due if due is not None and self.ready else probe)

    def connect(self, now: float) -> None:
        """See `SerialDevice.connect`: ask for every setting."""
        self._parser.reset()
        self._waiting = None
        self._begin(now)

    def receive(self, now: float, data: bytes) -> None:
        """See `SerialDevice.receive`."""
        for item in self._parser.feed(data):
            if isinstance(item, Packet):
                self._received_at = now
                self._put(now, item.data, float(item.rssi_dbm))
            elif self._take_line(now, item):
                self._received_at, self._unanswered = now, 0
            else:
                self._counts["unknown"] += 1

    def transmit(self, now: float) -> list[bytes]:
        """See `SerialDevice.transmit`: one whole line. A frame that is half a second late is void."""
        if self._open is not None and now >= self._open.until:
            self._unanswered += 1
            self._close(now, self._open, "no-answer")
            if self.ready and self._unanswered >= DEAF:
                self._begin(now)
        if self._open is not None or now < self._free_at:
            return []
        if self._plan:
            return self._give(now, self._plan[0])
        if self.ready and self._due_at() is not None:
            frame = self._take_due(now)
            return self._give(now, send_command(frame).removesuffix(END), frame) if frame is not None else []
        if now < self._received_at + PROBE_S:
            return []
        if not self.ready:  # a setting did not stick: a person may have mended it
            self._begin(now)
        return self._give(now, PROBE)

    def airtime(self, size: int) -> float:
        own = self._settings
        bandwidth = own.bandwidth_khz * 1000.0
        return lora_airtime(size + HEAD, own.spreading_factor, bandwidth, own.coding_rate, own.preamble)

    def advice(self, robots: int, beat_s: float) -> str:
        return self._refused

    def _begin(self, now: float) -> None:
        self.ready = False
        self._open, self._received_at, self._free_at = None, now, now
        self._plan = [PROBE, *(b"AT+%s?" % name for name in self._wanted)]

    def _give(self, now: float, text: bytes, frame: bytes | None = None) -> list[bytes]:
        airtime = self.airtime(len(frame)) if frame is not None else 0.0  # some modules answer when it is sent
        self._open = _Command(text, now, now + ANSWER_S + airtime, frame)
        return [text + END]

    def _take_line(self, now: float, line: bytes) -> bool:
        """A line that is no packet: an answer to the open command, an error or a reset; False if none of these."""
        command = self._open
        asks = command is not None and command.text.endswith(b"?") and command.frame is None
        if line == READY:
            self._begin(now)
        elif line.startswith(b"+ERR="):
            self._fail(now, line.removeprefix(b"+ERR="))
        elif command is not None and not asks and line == OK:
            self._close(now, command, "")
        elif command is not None and asks and line.startswith(command.text[2:-1] + b"="):
            self._open = None
            self._compare(now, command.text[3:-1], line)
        else:
            return False
        return True

    def _fail(self, now: float, number: bytes) -> None:
        """The module reports an error: of the open command, if there is one."""
        known = number.isdigit() and len(number) < 3 and int(number) in ERRORS
        reason = f"error-{int(number)}" if known else "error-other"
        if self._open is not None:
            self._close(now, self._open, reason)
        else:
            self._counts[reason] += 1

    def _close(self, now: float, command: _Command, error: str) -> None:
        """The open command has ended. A frame that left, may have left, or finds the module sending makes
        the next one wait; after a setting that was refused the module is asked again, a little later."""
        self._open = None
        if error:
            self._counts[error] += 1
        if command.frame is not None:
            if error in ("", "no-answer"):
                self._left.append((command.at, command.frame))
            if error in ("", "no-answer", BUSY):
                self._free_at = now + self.airtime(len(command.frame)) + MARGIN_S
            return
        if error:
            self._free_at = now + ANSWER_S
        if self._plan and command.text == self._plan[0] and (b"=" in command.text or not error):
            self._plan.pop(0)

    def _compare(self, now: float, name: bytes, line: bytes) -> None:
        """A setting as the module has it; set it where it is another, and ask again."""
        wanted = self._wanted[name]
        texts = line.partition(b"=")[2].split(b",")[: len(wanted)]
        found = [int(text) for text in texts if text.isdigit()]
        if found == wanted:
            self._plan.pop(0)
            if not self._plan:
                self.ready, self._refused = True, ""
                self._tried.clear()
        elif self._tried[name] < SET_TRIES:
            self._tried[name] += 1
            self._plan.insert(0, b"AT+%s=%s" % (name, _join(wanted)))
        else:
            self._plan = []
            self._refused = (
                f"the {self._settings.model} keeps {name.decode()} at {_join(found).decode()} "
                f"and does not take {_join(wanted).decode()}: set it by hand, then restart"
            )


def _join(numbers: list[int]) -> bytes:
    return b",".join(b"%d" % number for number in numbers)
