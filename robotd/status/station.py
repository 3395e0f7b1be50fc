"""The status of a base station, for people and programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from radio.base_station import BaseStatus, ChannelStatus
from robotd.config.load import Mission
from robotd.model.table import NumberTable
from robotd.transport.port import PortStatus

DIGITS = 3
Document = Mapping[str, Any]


def document_of(
    status: BaseStatus, mission: Mission, ports: Sequence[PortStatus], now: float, started: float, trouble: str
) -> Document:
    """One status line, as `robotd base-station --json` prints it. `ports` are the radios', in their order."""
    table, slot_plan = mission.table, status.slot_plan
    return {
        "mission": mission.content.name,
        "robots": len(table.team),
        "slots": slot_plan.slots,
        "beat_s": slot_plan.beat_s,
        "mission_beat_s": table.beat_s,
        "why_longer": slot_plan.why,
        "silent": status.silent,
        "trouble": f"its memory is not saved: {trouble}" if trouble else "",
        "uptime_s": round(now - started, DIGITS),
        "radios": [
            _radio(channel, port, table, now) for channel, port in zip(status.channels, ports, strict=True)
        ],
        "refused": dict(status.refused),
    }


def _radio(channel: ChannelStatus, port: PortStatus, table: NumberTable, now: float) -> Document:
    counts = dict(channel.counts)
    return {
        "name": channel.name,
        "port": port.word,
        "detail": port.detail,
        "alive": channel.alive,
        **{word.replace("-", "_"): counts.get(word, 0) for word in ("beacons", "repeated", "stops", "left-out")},
        "no_slot": counts.get("no-slot", 0),
        "held": channel.held,
        "airtime_s": round(channel.airtime_s, DIGITS),
        "band": channel.limit.band,
        "hour_used_s": round(channel.limit.used_s, DIGITS),
        "hour_budget_s": channel.limit.budget_s,
        "heard": [
            {
                "name": table.name(contact.number),
                "frames": contact.frames,
                "missed": contact.missed,
                "age_s": round(now - contact.last_received, DIGITS),
                "strength_dbm": contact.strength_dbm,
            }
            for contact in channel.contacts
        ],
        "framing": dict(channel.framing),
    }


def brief(document: Document) -> Document:
    """The base station in the outcome of a simulation; its counts begin anew whenever it starts."""
    shown = ("beacons", "repeated", "stops", "left_out", "no_slot", "airtime_s")
    radios = {r["name"].partition("@")[0]: {key: r[key] for key in shown} for r in document["radios"]}
    return {key: document[key] for key in ("slots", "beat_s", "why_longer")} | {"radios": radios}


def first_words(document: Document) -> str:
    """What it is going to do, for people."""
    robots, radios = document["robots"], [radio["name"] for radio in document["radios"]]
    beat = f"a beat of {document['beat_s']:g} s"
    if document["why_longer"]:
        beat += f", not the mission's {document['mission_beat_s']:g} s: {document['why_longer']}"
    words = f"base station of {document['mission']} on {', '.join(radios)}: {robots} robots, "
    return f"{words}{document['slots']} slots in {beat}"


def changes(before: Document, after: Document) -> Iterator[str]:
    """What has changed of what people care for, in words."""
    for key in ("silent", "trouble"):
        if after[key] != before[key]:
            yield after[key] or f"over: {before[key]}"
    for old, new in zip(before["radios"], after["radios"], strict=True):
        known = {contact["name"] for contact in old["heard"]}
        for contact in new["heard"]:
            if contact["name"] not in known:
                yield f"{new['name']}: {contact['name']} is heard"
        if new["alive"] != old["alive"]:
            yield f"{new['name']}: {'works' if new['alive'] else 'cannot be used: ' + new['detail']}"
        if new["held"] != old["held"]:
            yield f"{new['name']}: {_held(new)}"


def _held(radio: Document) -> str:
    if not radio["held"]:
        return "all that comes in by other radios is repeated again"
    return f"fewer frames are repeated than come in: {radio['band']} leaves no more airtime"
