"""The status document, from the last snapshot alone: nothing of a running robot is touched."""

from __future__ import annotations

import importlib.metadata
import math
import platform
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact
from robotd.robot.faults import row_of
from robotd.robot.snapshot import Snapshot
from robotd.status.model import API_VERSION
from robotd.timing.ticker import Spread

Document = dict[str, Any]
DIGITS = 6  # of what is measured: microseconds and micrometres


def status_of(snapshot: Snapshot, *, mission: str | None = None, warnings: Sequence[str] = ()) -> Document:
    """The document that `robotd.status.model.Status` describes, ready for JSON.

    `mission` is the mission's name; `warnings` are told after the snapshot's own.
    """
    thought, i = snapshot.thought, snapshot.inputs
    beliefs, choice, state = thought.beliefs, snapshot.choice, thought.state
    stack = [{"set": step.set, "task": step.task.id} for step in choice.run]
    return {
        "api_version": API_VERSION,
        "state": {
            "word": state.word,
            "reason": state.reason,
            "next_step": state.next_step,
            "may_move": state.may_move,
        },
        "robot": _robot(snapshot),
        "mission": _mission(beliefs, snapshot.inputs.now, mission),
        "run": {"number": beliefs.run, "running": beliefs.running},
        "uptime_s": round(i.now - snapshot.started_at, DIGITS),
        "active": stack[-1] if stack else None,
        "stack": stack,
        "condition": thought.condition or None,
        "held": choice.held.id if choice.held is not None else None,
        "channels": [{"channel": channel, "behavior": who} for channel, who in thought.acted.drivers],
        "driven": _driven(snapshot),
        "motivations": _motivations(snapshot),
        "jobs": list(_jobs(snapshot)),
        "teammates": list(_teammates(beliefs, i.now)),
        "facts": [_fact(beliefs, beliefs.facts[name], i.now) for name in sorted(beliefs.facts)],
        "faults": list(_faults(snapshot)),
        "ticks": _ticks(snapshot),
        "radio": _radio(snapshot),
        "ports": list(_ports(snapshot)),
        "body": _body(snapshot),
        "warnings": [*snapshot.warnings, *warnings],
        "versions": {"robotd": version(), "python": platform.python_version()},
    }


@cache
def version() -> str:
    """The version of this program, as installed."""
    return importlib.metadata.version("robotd")


def _number(value: float | None) -> float | None:
    """A measured value, rounded; None for what is no number, which JSON cannot carry."""
    return round(value, DIGITS) if value is not None and math.isfinite(value) else None


def _robot(snapshot: Snapshot) -> Document:
    beliefs = snapshot.thought.beliefs
    types = {member.number: member.type for member in beliefs.table.team}
    return {"name": snapshot.robot, "number": beliefs.me, "type": types[beliefs.me]}


def _mission(beliefs: Beliefs, now: float, name: str | None) -> Document:
    table = beliefs.table
    return {
        "name": name,
        "digest": f"{table.digest:04x}",
        "beat_s": beliefs.beat_s(now),
        "tasks": sorted(table.task_entries),
    }


def _driven(snapshot: Snapshot) -> Document:
    driven = snapshot.driven
    return {
        "left_m_s": _number(driven.left),
        "right_m_s": _number(driven.right),
        "opening": _number(driven.opening),
        "lift": _number(driven.lift),
        "tune": driven.tune,
        "tool": driven.tool,
    }


def _motivations(snapshot: Snapshot) -> list[Document]:
    active = {step.set for step in snapshot.choice.run}
    return [
        {
            "set": level.set,
            "active": level.set in active,
            "motivation": round(level.motivation, DIGITS),
            "impatience": round(level.impatience, DIGITS),
            "acquiescence": round(level.acquiescence, DIGITS),
            "threshold": level.threshold,
            "why": level.why,
        }
        for level in snapshot.choice.levels
    ]


def _jobs(snapshot: Snapshot) -> Iterator[Document]:
    table = snapshot.thought.beliefs.table
    for job in snapshot.choice.jobs:
        yield {
            "task": job.task.id,
            "kind": job.task.kind,
            "args": dict(job.task.args),
            "state": job.state,
            "who": table.name(job.who) if job.who else None,
            "why": job.why,
        }


def _teammates(beliefs: Beliefs, now: float) -> Iterator[Document]:
    beat = beliefs.beat_s(now)
    for member in sorted(beliefs.table.team, key=lambda member: member.number):
        if member.number == beliefs.me:
            continue
        mate = beliefs.mates.get(member.number)
        known = {"name": member.name, "number": member.number, "type": member.type}
        if mate is None:
            yield {**known, "age_beats": None, "task": None, "held": None, "claimed_beats": None}
            continue
        claimed = round((now - mate.claimed_at) / beat, DIGITS) if mate.task else None
        yield {
            **known,
            "age_beats": round((now - mate.last_heard) / beat, DIGITS),
            "task": mate.task or None,
            "held": mate.held or None,
            "claimed_beats": claimed,
        }


def _fact(beliefs: Beliefs, fact: Fact, now: float) -> Document:
    kind = beliefs.table.fact(fact.name)
    value: Any = [_number(x) for x in fact.value]
    if kind.kind == "flag":
        value = True
    elif kind.kind == "count":
        value = int(fact.value[0])
    elif kind.kind == "scalar":
        value = fact.value[0]
    return {
        "name": fact.name,
        "kind": kind.kind,
        "value": value,
        "age_s": round(now - fact.since, DIGITS),
        "by": beliefs.table.name(fact.writer) if kind.versioned else None,
    }


def _faults(snapshot: Snapshot) -> Iterator[Document]:
    for fault in snapshot.inputs.faults:
        row = row_of(fault.name)
        yield {
            "name": fault.name,
            "detail": fault.detail,
            "age_s": round(snapshot.inputs.now - fault.since, DIGITS),
            "what": row.what,
            "action": row.action,
            "clears": row.clears,
            "who": row.who,
            "stops": row.stops,
        }


def _ticks(snapshot: Snapshot) -> Document:
    ticks = snapshot.ticks
    return {
        "n": snapshot.inputs.n,
        "count": ticks.count,
        "skipped": ticks.skipped,
        "lateness": _spread(ticks.lateness),
        "work": _spread(ticks.work),
    }


def _spread(spread: Spread) -> Document:
    return {
        "p50_s": round(spread.p50, DIGITS),
        "p99_s": round(spread.p99, DIGITS),
        "max_s": round(spread.max, DIGITS),
    }


def _radio(snapshot: Snapshot) -> Document:
    radio, table, now = snapshot.radio, snapshot.thought.beliefs.table, snapshot.inputs.now
    return {
        "alive": radio.alive,
        "pacing": radio.pacing,
        "sent": radio.sent,
        "bytes_sent": radio.bytes_sent,
        "airtime_s": round(radio.airtime_s, DIGITS),
        "band": radio.law.band,
        "hour_used_s": round(radio.law.used_s, DIGITS),
        "hour_budget_s": _number(radio.law.budget_s),
        "period_s": _number(radio.law.period_s),
        "pending": radio.pending,
        "heard": [
            {
                "name": table.name(contact.number),
                "number": contact.number,
                "frames": contact.frames,
                "missed": contact.missed,
                "age_s": round(now - contact.last_heard, DIGITS),
                "strength_dbm": _number(contact.strength_dbm),
            }
            for contact in radio.heard
        ],
        "refused": dict(radio.refused),
        "skipped": dict(radio.skipped),
        "framing": dict(radio.framing),
    }


def _ports(snapshot: Snapshot) -> Iterator[Document]:
    for name, port in snapshot.ports:
        yield {
            "name": name,
            "word": port.word,
            "detail": port.detail,
            "age_s": round(max(0.0, snapshot.inputs.now - port.since), DIGITS),
            "reopened": port.reopened,
            "bytes_in": port.bytes_in,
            "bytes_out": port.bytes_out,
        }


def _body(snapshot: Snapshot) -> Document:
    body, senses = snapshot.inputs.capabilities, snapshot.inputs.senses
    pose = senses.pose
    return {
        "resources": list(body.resources),
        "missing": [{"resource": resource, "reason": reason} for resource, reason in body.missing],
        "max_speed_m_s": body.max_speed,
        "x_m": _number(pose.x) if pose is not None else None,
        "y_m": _number(pose.y) if pose is not None else None,
        "heading_rad": _number(pose.heading) if pose is not None else None,
        "accuracy_m": _number(pose.accuracy) if pose is not None else None,
        "battery": _number(senses.battery),
    }
