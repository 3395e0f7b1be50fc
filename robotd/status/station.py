"""The status of a base station, for people and programs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from radio.base_station import BaseStatus, ChannelStatus
from robotd.config.load import Mission
from robotd.model.table import NumberTable
from robotd.status.model import LinkStatus, Part
from robotd.status.status import link_values
from robotd.transport.port import PortStatus

Document = Mapping[str, Any]
COUNTS = ("beacons", "repeated", "stops", "left-out", "no-slot")  # of `Repeater`


class StationRadioStatus(LinkStatus):
    """One radio of a base station."""

    name: str = Field(description="MODEM@PORT")
    port: str = Field(description="closed, opening, handshake, ready, silent, lost")
    detail: str = Field(description="the port's address, or the reason of an outage")
    beacons: int = Field(description="beacons sent")
    repeated: int = Field(description="frames of other radios sent again")
    stops: int = Field(description="team stops sent at once")
    left_out: int = Field(description="frames that the regulations left no airtime for")
    no_slot: int = Field(description="frames that no slot was left for")
    held: bool = Field(description="true while the regulations put frames off")


class StationStatus(Part):
    """A base station, as `robotd base-station --json` prints it."""

    mission: str = Field(description="the mission's name")
    robots: int = Field(description="robots of the team")
    slots: int = Field(description="TDMA slots of a beat")
    beat_s: float = Field(description="the beat that its beacons state, s")
    mission_beat_s: float = Field(description="the mission's own beat, s")
    why_longer: str = Field(description="why it is longer than the mission's; empty where it is not")
    silent: str = Field(description="why nothing is sent; empty where frames are")
    trouble: str = Field(description="why its memory is not saved; empty where it is")
    uptime_s: float = Field(description="since its start, s")
    radios: list[StationRadioStatus] = Field(description="its radios, in the order of the command line")
    refused: dict[str, int] = Field(description="frames not believed, by reason")


def document_of(
    status: BaseStatus, mission: Mission, ports: Sequence[PortStatus], now: float, started: float, trouble: str
) -> StationStatus:
    """The status now; `ports` are the radios', in their order."""
    table, plan = mission.table, status.slot_plan
    return StationStatus.of(
        plan, mission=mission.content.name, robots=len(table.team), mission_beat_s=table.beat_s,
        why_longer=plan.why, silent=status.silent,
        trouble=f"its memory is not saved: {trouble}" if trouble else "",
        uptime_s=now - started, refused=dict(status.refused),
        radios=[_radio(channel, port, table, now) for channel, port in zip(status.channels, ports, strict=True)],
    )  # fmt: skip


def _radio(channel: ChannelStatus, port: PortStatus, table: NumberTable, now: float) -> StationRadioStatus:
    counts = dict(channel.counts)
    return StationRadioStatus.of(
        channel, port=port.word, detail=port.detail, **link_values(channel, table, now),
        **{word.replace("-", "_"): counts.get(word, 0) for word in COUNTS},
    )  # fmt: skip


def brief(document: Document) -> Document:
    """The base station in the outcome of a simulation, of its dumped status; counts begin anew with each start."""
    shown = ("beacons", "repeated", "stops", "left_out", "no_slot", "airtime_s")
    radios = {r["name"].partition("@")[0]: {key: r[key] for key in shown} for r in document["radios"]}
    return {key: document[key] for key in ("slots", "beat_s", "why_longer")} | {"radios": radios}


def first_words(status: StationStatus) -> str:
    """What it is going to do, for people."""
    beat = f"a beat of {status.beat_s:g} s"
    if status.why_longer:
        beat += f", not the mission's {status.mission_beat_s:g} s: {status.why_longer}"
    radios = ", ".join(radio.name for radio in status.radios)
    return f"base station of {status.mission} on {radios}: {status.robots} robots, {status.slots} slots in {beat}"


def changes(before: StationStatus, after: StationStatus) -> Iterator[str]:
    """What has changed of what people care for, in words."""
    for old_words, words in ((before.silent, after.silent), (before.trouble, after.trouble)):
        if words != old_words:
            yield words or f"over: {old_words}"
    for old, new in zip(before.radios, after.radios, strict=True):
        known = {contact.name for contact in old.heard}
        yield from (f"{new.name}: {one.name} is received" for one in new.heard if one.name not in known)
        if new.alive != old.alive:
            yield f"{new.name}: {'works' if new.alive else 'cannot be used: ' + new.detail}"
        if new.held != old.held:
            yield f"{new.name}: {_held(new)}"


def _held(radio: StationRadioStatus) -> str:
    if not radio.held:
        return "all frames that other radios receive are repeated again"
    return f"fewer frames are repeated than other radios receive: {radio.band} leaves no more airtime"
