"""Published frames of radios and framings, and reports from the field: each has a test that names it.

Vectors of what we speak are encoded and decoded where that is tested; here are those of what we do not speak, of
which none of our decoders may make a frame.
"""

import hashlib
import hmac

import pytest

from tests.named import named
from tests.radio.modems import KINDS, Bench, Kind

FOREIGN = {
    "EB01": "C2 00 00 1A 17 44",  # EBYTE's registers, written
    "EB02": "C3 32 01 02",  # and its version, told
    "MT01": "94 C3 00 02 18 2A",  # Meshtastic's stream: a frame
    "MT02": "49 4E 46 4F 20 7C 20 62 6F 6F 74 0A 94 C3 00 02 18 2A",  # log text before one
    "MT03": "94 C3 02 01" + " 18" * 513,  # one that is too long
    "SL01": "C0 01 DB DC 02 DB DD 03 C0",  # SLIP
    "LW01": "40 04 03 02 01 80 01 00 01 A6 94 64 26 15 D6 C3 B5 82",  # LoRaWAN's uplink
}
SPOKEN = (
    *(f"XB{n:02}" for n in range(1, 23)),
    *(f"RY{n:02}" for n in range(1, 9)),
    "CO01", "CO02", "CO03", "CO04", "CR01", "MC01", "MC02",
)  # fmt: skip
REPORTS = (
    "E1", "E2", "E4", "E6", "E7", "E8", "E9", "E11", "E12", "E14", "E17", "E18",
    "F1", "F2", "F3", "F5", "F7", "F9", "F10",
)  # fmt: skip

FOLDERS = ("radio", "robotd")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("name", FOREIGN)
def test_what_speaks_another_protocol_is_no_frame_and_the_next_of_ours_is_read(name: str, kind: Kind) -> None:
    bench = Bench(kind).run(3.0)
    bench.hear(bytes.fromhex(FOREIGN[name]))
    assert [frame for frame in bench.received() if len(frame) != 18] == []  # 18 bytes may be one, by their number
    bench.exchange(1)  # where garbage may cost the next frame, it costs this one
    assert bench.exchange(2) == (True, True)


def test_mc02_the_other_authenticator_gives_another_value_than_ours() -> None:
    told = hmac.new(b"Jefe", b"what do ya want for nothing?", hashlib.sha256).hexdigest()[:16]
    assert told.upper() == "5BDCC146BF60754E"
    assert hashlib.blake2s(b"what do ya want for nothing?", key=b"Jefe", digest_size=8).hexdigest() != told


def test_every_vector_and_every_report_has_a_test_that_names_it() -> None:
    assert sorted({*SPOKEN, *REPORTS} - named(*FOLDERS)) == []
