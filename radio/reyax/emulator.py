"""The serial side of a REYAX LoRa module on the simulated channel."""

import re

from radio.airtime import lora_airtime
from radio.mock.channel import Channel
from radio.mock.emulator import ModemEmulator
from radio.reyax.lines import END, LONGEST, Packet, packet_line
from radio.reyax.modem import BANDWIDTHS, HEAD

LATENCY_S = 0.015  # from the end of the command to the start of the preamble, for parsing and loading
DELIVERED = {"NETWORKID": "18", "BAND": "915000000", "PARAMETER": "9,7,1,12"}  # as an RYLR998 leaves the factory
RATIO_DB = 9
_KHZ = {number: khz for khz, number in BANDWIDTHS.items()}
_SEND = re.compile(rb"AT\+SEND=(\d{1,5}),(\d{1,3}),")
_SET = re.compile(rb"AT\+([A-Z]+)=([0-9,]+)")
_LONGEST_LINE = 300  # bytes that the module buffers


class ReyaxEmulator(ModemEmulator):
    """The module of robot `number`; `keeps` are settings that it does not let go."""

    def __init__(
        self,
        channel: Channel,
        number: int,
        now: float,
        *,
        keeps: frozenset[str] = frozenset(),
        latency_s: float = LATENCY_S,
    ) -> None:
        super().__init__(channel, number, now, latency_s)
        self.settings = dict(DELIVERED)
        self.written = 0  # settings written to flash
        self._keeps = keeps
        self._buffer = bytearray()
        self._sends_until = now

    def receive(self, now: float, data: bytes) -> None:
        """Bytes from the host: commands that end with CR LF; what AT+SEND sends is read by its length."""
        self._buffer += data
        while (size := self._command_size()) is not None:
            command = bytes(self._buffer[:size])
            del self._buffer[: size + len(END)]
            answer = self._answer(now, command)  # may make the line look here, which takes the answers so far
            self._answers.append((now, answer + END))
        if len(self._buffer) > _LONGEST_LINE:
            self._buffer.clear()
            self._answers.append((now, b"+ERR=1" + END))

    def reset(self, now: float) -> None:
        """The module starts again, and reports it."""
        self._buffer.clear()
        self._answers = [(now, b"+READY" + END)]

    def _encode(self, payload: bytes, sender: int, rssi_dbm: float) -> bytes:
        return packet_line(Packet(sender, payload, round(rssi_dbm), RATIO_DB))

    def _command_size(self) -> int | None:
        """How long the first command is without its end; None while it is incomplete."""
        send = _SEND.match(self._buffer)
        begin = send.end() + int(send[2]) if send is not None else 0
        end = self._buffer.find(END, begin)
        return end if end >= 0 else None

    def _answer(self, now: float, command: bytes) -> bytes:
        send, setting = _SEND.match(command), _SET.fullmatch(command)
        if command == b"AT":
            return b"+OK"
        if send is not None:
            return self._submit(now, command[send.end() :], int(send[2]))
        name = command.removeprefix(b"AT+").removesuffix(b"?").decode("latin-1")
        if command.endswith(b"?") and name in self.settings:
            return f"+{name}={self.settings[name]}".encode()
        if setting is not None and setting[1].decode() in self.settings:
            return self._set(setting[1].decode(), setting[2].decode())
        return b"+ERR=4" if command.startswith(b"AT") else b"+ERR=2"

    def _set(self, name: str, value: str) -> bytes:
        self.written += 1
        if name not in self._keeps:
            self.settings[name] = value
        return b"+OK"

    def _submit(self, now: float, data: bytes, size: int) -> bytes:
        if len(data) != size or not data:
            return b"+ERR=5"
        if size > LONGEST:
            return b"+ERR=13"
        if now < self._sends_until:
            return b"+ERR=17"
        factor, bandwidth, rate, preamble = (int(text) for text in self.settings["PARAMETER"].split(","))
        airtime = lora_airtime(size + HEAD, factor, _KHZ[bandwidth] * 1000.0, rate, preamble)
        self._sends_until = self._send(now, data, airtime)
        return b"+OK"
