"""Whether the ticks of a robot fall into its TDMA slots: a frame is composed in a tick, and leaves in its slot."""

from radio.pacing import LEAD_S, WINDOW
from robotd.config.mission import MissionFile


def missed_slots(content: MissionFile) -> str:
    """What is wrong where ticks may fall between the slots that a base station would assign; '' where none can."""
    radio, slots, tick_s = content.radio, len(content.team) + 1, 1.0 / content.control.tick_hz
    slot_s = radio.beat_s / slots
    room_s = LEAD_S + WINDOW * slot_s  # a frame may be composed in this part of a beat
    if tick_s <= room_s:
        return ""
    least_s = (tick_s - LEAD_S) * slots / WINDOW
    return (
        f"slots of {slot_s:.3g} s ({slots} in beat_s = {radio.beat_s:g}), in which a frame may be composed during "
        f"{room_s:.3g} s, are shorter than a tick of {tick_s:.3g} s: robots whose ticks fall between do not send; "
        f"expected tick_hz of at least {1.0 / room_s:.3g}, or beat_s of at least {least_s:.3g}"
    )
