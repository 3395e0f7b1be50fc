"""How long bytes are on the air."""

import math

LOW_RATE_S = 0.016  # a LoRa symbol of 16 ms or longer is sent with low data rate optimisation (SX1276 data sheet)
SYNC_SYMBOLS = 4.25  # sync word and start of frame, after the programmed preamble


def serial_airtime(size: int, bits_per_s: float) -> float:
    """Seconds that `size` bytes take at a plain bit rate, eight bits each."""
    return 8.0 * size / bits_per_s


def lora_airtime(size: int, sf: int, bw_hz: float, cr: int = 1, preamble: int = 8) -> float:
    """Seconds that a LoRa packet with `size` bytes of payload is on the air; explicit header, CRC on.

    `sf` is the spreading factor (7 to 12), `bw_hz` the bandwidth, `cr` 1 to 4 for 4/5 to 4/8, `preamble` symbols.
    Semtech SX1276 data sheet, section 4.1.1.7.
    """
    symbol = 2.0**sf / bw_hz
    per_block = sf - 2 if symbol >= LOW_RATE_S else sf
    bits = 8 * size - 4 * sf + 28 + 16
    symbols = 8 + max(0, math.ceil(bits / (4 * per_block))) * (cr + 4)
    return (preamble + SYNC_SYMBOLS + symbols) * symbol


def ieee802154_airtime(size: int) -> float:
    """Seconds of an IEEE 802.15.4 broadcast with `size` bytes of payload at 2.4 GHz, as XBee modules send it.

    250 kbit/s; before the payload 6 bytes of preamble, delimiter and length, and 15 of a header with a 64-bit
    source and a 16-bit destination; after it 2 of checksum (IEEE 802.15.4-2006, sections 6.3, 7.2). Waiting for a
    free channel is no airtime. DigiMesh repeats each broadcast in every node that relays.
    """
    return serial_airtime(6 + 15 + size + 2, 250_000.0)


def xbee_900_airtime(size: int, bits_per_s: float) -> float:
    """Seconds of an XBee 900HP or SX868 broadcast with `size` bytes of payload, at 10 000 or 200 000 bit/s.

    Digi does not publish the bytes around the payload: 24 are assumed, as many as of DigiMesh at 2.4 GHz.
    """
    return serial_airtime(24 + size, bits_per_s)
