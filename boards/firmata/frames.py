"""The messages of Firmata 2.x, by which an Arduino lends its pins to a computer, for driver and emulator alike.

A byte from 0x80 on begins a message, all others are its data, of 7 bits each; numbers come low part first. There
is no checksum. After the Firmata project's protocol document (protocol.md, version 2.8).
"""

from collections.abc import Iterable, Sequence

from boards.parser import Parser, halves
from robotd.model.value import value

BAUD = 57600
DIGITAL, REPORT_ANALOGUE, REPORT_DIGITAL, ANALOGUE = 0x90, 0xC0, 0xD0, 0xE0  # the low half is a port, channel, pin
SYSEX, PIN_MODE, PIN_VALUE, END_SYSEX, VERSION, RESET = 0xF0, 0xF4, 0xF5, 0xF7, 0xF9, 0xFF
MAPPING_QUERY, MAPPING, CAPABILITY_QUERY, CAPABILITIES = 0x69, 0x6A, 0x6B, 0x6C  # the first byte of a sysex
STATE_QUERY, STATE, EXTENDED_ANALOGUE, SERVO_CONFIG, TEXT, FIRMWARE, SAMPLING = *range(0x6D, 0x72), 0x79, 0x7A
INPUT, OUTPUT, ANALOGUE_INPUT, PWM, SERVO, PULLUP = 0x00, 0x01, 0x02, 0x03, 0x04, 0x0B  # modes of a pin
NO_CHANNEL = 0x7F  # in a mapping: the pin is not analogue
DATA_BYTES = dict.fromkeys((DIGITAL, ANALOGUE, PIN_MODE, PIN_VALUE, VERSION), 2)
DATA_BYTES |= {REPORT_ANALOGUE: 1, REPORT_DIGITAL: 1}
LONGEST = 2048  # bytes of a sysex: the capabilities of 70 pins with nine modes each are 1330


def number(low: int, high: int) -> int:
    return low | high << 7


def analogue(channel: int, value: int) -> bytes:
    """A value of a channel, or for a pin: with more than four bits of pin or 14 of value it takes a sysex."""
    if channel < 16 and value < 1 << 14:
        return bytes([ANALOGUE | channel]) + halves(value)
    return sysex(EXTENDED_ANALOGUE, bytes([channel]) + _sevens(value))


def port(index: int, bits: int) -> bytes:
    return bytes([DIGITAL | index]) + halves(bits)


def report_analogue(channel: int) -> bytes:
    """Ask for a channel's value at every sampling."""
    return bytes([REPORT_ANALOGUE | channel, 1])


def report_digital(index: int) -> bytes:
    """Ask for a port now and at every change."""
    return bytes([REPORT_DIGITAL | index, 1])


def pin_mode(pin: int, mode: int) -> bytes:
    return bytes([PIN_MODE, pin, mode])


def pin_value(pin: int, *, high: bool) -> bytes:
    """Set one digital pin (since protocol 2.5)."""
    return bytes([PIN_VALUE, pin, high])


def sysex(kind: int, data: bytes = b"") -> bytes:
    """A message of any length; the data are of 7 bits."""
    return bytes([SYSEX, kind]) + data + bytes([END_SYSEX])


def servo_config(pin: int, shortest_us: int, longest_us: int) -> bytes:
    """The pulses of 0 and 180 degrees."""
    return sysex(SERVO_CONFIG, bytes([pin]) + halves(shortest_us) + halves(longest_us))


def sampling(milliseconds: int) -> bytes:
    """How often analogue values are reported."""
    return sysex(SAMPLING, halves(milliseconds))


def state(pin: int, mode: int, value: int) -> bytes:
    return sysex(STATE, bytes([pin, mode]) + _sevens(value))


def text(kind: int, before: bytes, words: str) -> bytes:
    """A name or a line of text, its letters of 14 bits."""
    return sysex(kind, before + b"".join(halves(ord(letter)) for letter in words))


def _sevens(value: int) -> bytes:
    parts = [value & 0x7F]
    while value := value >> 7:
        parts.append(value & 0x7F)
    return bytes(parts)


def joined(parts: Iterable[int]) -> int:
    """A number from as many data bytes as there are."""
    return sum(part << 7 * k for k, part in enumerate(parts))


def words_of(data: Sequence[int]) -> str:
    """The text in pairs of data bytes; a byte that is left over counts for nothing."""
    return "".join(chr(number(*data[at : at + 2])) for at in range(0, len(data) - 1, 2))


def capabilities_of(data: Sequence[int]) -> list[dict[int, int]]:
    """By pin, the bits of each mode that it has; ValueError where that is cut."""
    pins: list[dict[int, int]] = [{}]
    at = 0
    while at < len(data):
        if data[at] == 0x7F:
            pins.append({})
            at += 1
        elif at + 1 < len(data):
            pins[-1][data[at]] = data[at + 1]
            at += 2
        else:
            raise ValueError("cut")
    if pins.pop() or not pins:
        raise ValueError("cut")
    return pins


@value
class Message:
    """`kind` is a command, with its port, channel or first sysex byte in `index`, or 0, and its data."""

    kind: int
    index: int
    data: bytes = b""

    @property
    def value(self) -> int:
        return number(self.data[0], self.data[1])


class MessageParser(Parser[Message]):
    """`Parser` of messages, which have no checksum. A new command drops what is unfinished, so that
    a lost byte costs one message and shifts nothing. `counts`: messages cut or too long, bytes skipped."""

    def __init__(self) -> None:
        super().__init__()
        self._wants = 0  # data bytes; -1: up to the end of a sysex

    def feed(self, data: bytes) -> list[Message]:
        found = []
        for byte in data:
            if byte == END_SYSEX and self._held and self._wants < 0:
                if len(self._held) > 1:
                    found.append(Message(SYSEX, self._held[1], bytes(self._held[2:])))
                self._held.clear()
            elif byte >= 0x80:
                self._begin(byte)
            elif not self._held:
                self.counts["skipped"] += 1
            else:
                self._held.append(byte)
                if self._wants < 0:
                    self._bound()
                elif len(self._held) > self._wants:
                    found.append(_message(self._held))
                    self._held.clear()
        return found

    def _begin(self, byte: int) -> None:
        self.counts["cut"] += bool(self._held)
        self._held.clear()
        command = byte if byte >= SYSEX else byte & 0xF0
        if command == SYSEX or command in DATA_BYTES:
            self._held.append(byte)
            self._wants = DATA_BYTES.get(command, -1)

    def _bound(self) -> None:
        if len(self._held) > LONGEST:
            self.counts["long"] += 1
            self._held.clear()


def _message(held: bytearray) -> Message:
    first = held[0]
    if first >= SYSEX:
        return Message(first, 0, bytes(held[1:]))
    return Message(first & 0xF0, first & 0x0F, bytes(held[1:]))
