"""What a radio knows of each sender: frames, those missed, how strong the last one came in."""

from __future__ import annotations

from radio.authentication import Authentication
from radio.link import Radio
from radio.statistics import Contact
from robotd.model.streams import Stream
from tests.radio.helper import KEYS, HandModem, saved, sealed, table

TABLE = table(3)


class Strong(HandModem):
    """A modem that tells how strong some frames are."""

    def __init__(self) -> None:
        super().__init__()
        self.strengths: dict[bytes, float] = {}

    def rssi_dbm(self, frame: bytes) -> float | None:
        return self.strengths.get(frame)


def radio() -> tuple[Strong, Radio, Authentication]:
    modem = Strong()
    made = saved(Radio(TABLE, 1, KEYS, 1, modem, Stream(1, "robot-1", "phase"), None, None))
    made.begin(0.0)
    return modem, made, Authentication(TABLE, 2, KEYS, 1, None, None)


def contact(modem: Strong, made: Radio, at: float, frame: bytes, dbm: float | None = None) -> Contact:
    """Robot 2 as known once `frame` has come at `at` and had time to be taken."""
    if dbm is not None:
        modem.strengths[frame] = dbm
    modem.inbox.append((at, frame))
    made.receive(at)
    made.receive(at + 0.6)
    (found,) = made.statistics.contacts
    return found


def test_frames_between_those_taken_are_missed_and_a_new_start_of_the_sender_misses_none() -> None:
    modem, made, sender = radio()
    frames = [sealed(sender, 2, TABLE.digest) for _ in range(8)]
    known = [contact(modem, made, 3.0 * (k + 1), frames[k]) for k in (0, 1, 4, 7)]
    assert [(x.frames, x.missed) for x in known] == [(1, 0), (2, 0), (3, 2), (4, 4)]
    again = Authentication(TABLE, 2, KEYS, 1, sender.memory(), None)
    later = [sealed(again, 2, TABLE.digest) for _ in range(3)]
    assert contact(modem, made, 60.0, later[0]).missed == 4
    assert contact(modem, made, 63.0, later[2]).missed == 5


def test_the_strength_is_that_of_the_last_frame_taken_and_none_where_the_modem_does_not_tell() -> None:
    modem, made, sender = radio()
    frames = [sealed(sender, 2, TABLE.digest) for _ in range(3)]
    assert contact(modem, made, 3.0, frames[0], -61.0).strength_dbm == -61.0
    assert contact(modem, made, 6.0, frames[1], -75.0).strength_dbm == -75.0
    forged = frames[2][:-1] + bytes((frames[2][-1] ^ 1,))
    assert contact(modem, made, 7.0, forged, -20.0).strength_dbm == -75.0
    assert contact(modem, made, 9.0, frames[2]).strength_dbm is None
