"""The status document, from the last snapshot alone: nothing of a running robot is touched."""

import importlib.metadata
import platform
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from functools import cache
from typing import Any

from radio.base_station import ChannelStatus
from radio.statistics import RadioStatistics
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Level
from robotd.model.facts import Fact
from robotd.model.table import NumberTable
from robotd.robot.faults import row_of
from robotd.robot.snapshot import Snapshot
from robotd.status import model
from robotd.timing.ticker import Spread

Document = dict[str, Any]


def status_of(snapshot: Snapshot, *, mission: str | None = None, warnings: Sequence[str] = ()) -> Document:
    """The document that `robotd.status.model.Status` describes, ready for JSON; arguments as of `describe`."""
    return describe(snapshot, mission=mission, warnings=warnings).model_dump()


def describe(snapshot: Snapshot, *, mission: str | None = None, warnings: Sequence[str] = ()) -> model.Status:
    """The status. `mission` is the mission's name; `warnings` follow the snapshot's own."""
    decision, i, choice = snapshot.decision, snapshot.inputs, snapshot.choice
    beliefs, table = decision.beliefs, decision.beliefs.table
    stack = [model.AssignmentStatus.of(step, task=step.task.id) for step in choice.run]
    active = {step.set for step in choice.run}
    driven = snapshot.driven
    return model.Status.of(
        api_version=model.API_VERSION,
        state=model.StateStatus.of(decision.state),
        robot=model.RobotStatus.of(next(x for x in table.team if x.number == beliefs.me), name=snapshot.robot),
        mission=model.MissionStatus.of(
            name=mission,
            digest=f"{table.digest:04x}",
            beat_s=beliefs.beat_s(i.now),
            tasks=sorted(table.task_entries),
        ),
        run=model.RunStatus.of(beliefs, number=beliefs.run),
        uptime_s=i.now - snapshot.started_at,
        active=stack[-1] if stack else None,
        stack=stack,
        condition=decision.condition or None,
        held=choice.held.id if choice.held is not None else None,
        channels=[model.ChannelStatus.of(channel=name, behavior=by) for name, by in decision.acted.drivers],
        driven=model.DrivenStatus.of(driven, left_m_s=driven.left, right_m_s=driven.right),
        levels=[_level(level, active=level.set in active) for level in choice.levels],
        jobs=list(_jobs(snapshot)),
        teammates=list(_teammates(beliefs, i.now)),
        facts=[
            _fact(beliefs, fact, i.now)
            for name, fact in sorted(beliefs.facts.items())
            if not table.fact(name).is_internal
        ],
        faults=[
            model.FaultStatus.of(row_of(one.name), name=one.name, detail=one.detail, age_s=i.now - one.since)
            for one in i.faults
        ],
        ticks=model.TickStatus.of(
            snapshot.ticks, n=i.n, lateness=_spread(snapshot.ticks.lateness), work=_spread(snapshot.ticks.work)
        ),
        radio=_radio(snapshot),
        ports=[
            model.PortStatusPart.of(port, name=name, age_s=max(0.0, i.now - port.since))
            for name, port in snapshot.ports
        ],
        body=_body(snapshot),
        warnings=[*snapshot.warnings, *warnings],
        versions=model.Versions.of(robotd=version(), python=platform.python_version()),
    )


def _level(level: Level, *, active: bool) -> model.LevelStatus:
    scores = {name: model.rounded(score) for name, score in level.scores.items()}
    return model.LevelStatus.of(level, active=active, scores=scores)


@cache
def version() -> str:
    return importlib.metadata.version("robotd")


def _jobs(snapshot: Snapshot) -> Iterator[model.JobStatus]:
    table = snapshot.decision.beliefs.table
    for job in snapshot.choice.jobs:
        task, who = job.task, table.name(job.who) if job.who else None
        yield model.JobStatus.of(job, task=task.id, kind=task.kind, args=dict(task.args), who=who)


def _teammates(beliefs: Beliefs, now: float) -> Iterator[model.TeammateStatus]:
    beat = beliefs.beat_s(now)
    for member in sorted(beliefs.table.team, key=lambda member: member.number):
        known = beliefs.teammates.get(member.number)
        values: Document = dict.fromkeys(("age_beats", "task", "held", "claimed_beats"))
        if known is not None:
            values = {"age_beats": (now - known.last_received) / beat, "task": known.task or None}
            values["held"] = known.held or None
            values["claimed_beats"] = (now - known.claimed_at) / beat if known.task else None
        if member.number != beliefs.me:
            yield model.TeammateStatus.of(member, **values)


def _fact(beliefs: Beliefs, fact: Fact, now: float) -> model.FactStatus:
    kind = beliefs.table.fact(fact.name)
    numbers = [model.rounded(x) for x in fact.value]
    value: Any = True if kind.kind == "flag" else numbers
    if kind.kind in ("count", "scalar"):
        value = int(fact.value[0]) if kind.kind == "count" else numbers[0]
    by = beliefs.table.name(fact.writer) if kind.versioned else None
    return model.FactStatus.of(fact, kind=kind.kind, value=value, age_s=now - fact.since, by=by)


def _spread(spread: Spread) -> model.SpreadStatus:
    return model.SpreadStatus.of(p50_s=spread.p50, p99_s=spread.p99, max_s=spread.max)


def link_values(radio: RadioStatistics | ChannelStatus, table: NumberTable, now: float) -> dict[str, Any]:
    """The fields of `LinkStatus` that statistics have under other names, at `now` (own clock, s)."""
    contacts = (
        model.ContactStatus.of(contact, name=table.name(contact.number), age_s=now - contact.last_received)
        for contact in radio.contacts
    )
    limit = radio.limit
    return {"band": limit.band, "hour_used_s": limit.used_s, "hour_budget_s": limit.budget_s,
            "heard": list(contacts), "framing": dict(radio.framing)}  # fmt: skip


def _radio(snapshot: Snapshot) -> model.RadioStatus:
    radio = snapshot.radio
    link = link_values(radio, snapshot.decision.beliefs.table, snapshot.inputs.now)
    refused, skipped = dict(radio.refused), dict(radio.skipped)
    return model.RadioStatus.of(radio, **link, period_s=radio.limit.period_s, refused=refused, skipped=skipped)


def _body(snapshot: Snapshot) -> model.BodyStatus:
    body, senses = snapshot.inputs.capabilities, snapshot.inputs.senses
    place = ("x_m", "y_m", "heading_rad", "accuracy_m")
    pose = astuple(senses.pose) if senses.pose is not None else (None,) * len(place)
    return model.BodyStatus.of(
        resources=list(body.resources),
        missing=[model.MissingStatus.of(resource=resource, reason=reason) for resource, reason in body.missing],
        max_speed_m_s=body.max_speed, battery=senses.battery, **dict(zip(place, pose, strict=True)),
    )  # fmt: skip
