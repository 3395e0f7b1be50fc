"""The status for people, from its typed document: one line, or first lines and tables."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from robotd.control.client import next_step
from robotd.files.output import aligned
from robotd.status.model import BodyStatus, ContactStatus, LevelStatus, RadioStatus, Status

BAR = 20  # characters of a full level
Row = tuple[str, ...]


class Section(NamedTuple):
    """A table of the status for people; one without rows is left out."""

    title: str
    columns: Row
    rows: Sequence[Row]


def summary(status: Status) -> str:
    """One robot in one line: its state, what it does, where it is, its battery."""
    active, state = status.active, status.state
    doing = f"{active.set} on {active.task}" if active else "nothing active"
    return ", ".join([f"{status.robot.name}: {state.word} ({state.reason})", doing, "; ".join(_body(status.body))])


def lines_of(status: Status, named: str | None = None) -> Iterator[str]:
    """The lines of a status. `named`: the robot that the person had to name, as several run here."""
    yield from head(status, named)
    for section in sections(status):
        yield from ("", section.title)
        yield from aligned([section.columns, *section.rows] if any(section.columns) else section.rows)


def head(status: Status, named: str | None = None) -> Iterator[str]:
    """The first lines: which robot, its state, what it does."""
    state, mission, run, active = status.state, status.mission, status.run, status.active
    yield f"{status.robot.name}: {state.word} ({state.reason})"
    if state.next_step:
        yield f"next: {next_step(state.next_step, named)}"
    name = mission.name or f"with table {mission.digest}"
    running = "running" if run.running else "not running"
    yield f"mission {name}, run {run.number} {running}, up {format_duration(status.uptime_s)}"
    on = f" on {active.task}" if active and active.task else ""
    holding = f", holding {status.held}" if status.held else ""
    yield (f"active: {active.set}{on}" if active else "active: nothing") + holding
    if status.condition:
        yield f"condition {status.condition}"
    yield from _body(status.body)
    for warning in status.warnings:
        yield f"warning: {warning}"


def _body(body: BodyStatus) -> Iterator[str]:
    """Pose and battery, as far as they are known."""
    if body.x_m is not None and body.y_m is not None:
        heading = "" if body.heading_rad is None else f", heading {math.degrees(body.heading_rad):.0f} degrees"
        within = "" if body.accuracy_m is None else f" (within {body.accuracy_m:.2g} m)"
        yield f"at x {body.x_m:.2f} m, y {body.y_m:.2f} m{heading}{within}"
    if body.battery is not None:
        yield f"battery {100 * body.battery:.0f} %"


def sections(status: Status) -> Iterator[Section]:
    """The tables of a status, those that have rows."""
    links = {contact.number: _link(contact) for contact in status.radio.heard}
    faults = ((x.name, f"for {format_duration(x.age_s)}", x.detail, x.action, x.who) for x in status.faults)
    jobs = ((x.task, x.kind, x.state, x.who or "-", x.why) for x in status.jobs)
    teammates = (
        (x.name, _age(x.age_beats), x.task or "-", x.held or "-", links.get(x.number, "-"))
        for x in status.teammates
    )
    facts = ((x.name, _value(x.value), f"for {format_duration(x.age_s)}", x.by or "") for x in status.facts)
    scores = sorted(
        dict.fromkeys(x for level in status.levels for x in level.scores), key=lambda x: x != "motivation"
    )
    for section in (
        Section("faults", ("fault", "open", "detail", "what it does", "cleared by"), [*faults]),
        Section("levels", ("set", "", *scores, "of", "why"), [_level(x, scores) for x in status.levels]),
        Section("jobs", ("task", "kind", "state", "robot", "why"), [*jobs]),
        Section("teammates", ("robot", "last frame", "on", "holds", "frames"), [*teammates]),
        Section("facts", ("fact", "value", "known", "by"), [*facts]),
        Section("machine", ("", ""), [*_machine(status)]),
    ):
        if section.rows:
            yield section


def _level(level: LevelStatus, names: Sequence[str]) -> Row:
    """The bar shows the score that decides: motivation, or the first that the coordinator has."""
    scores = [level.scores.get(name) for name in names]
    share = (scores[0] or 0.0) / level.limit if scores and level.limit else 0.0
    filled = round(BAR * min(1.0, max(0.0, share)))
    shown = ("-" if score is None else f"{score:.1f}" for score in scores)
    return (level.set, "#" * filled + "." * (BAR - filled), *shown, f"{level.limit:g}", level.why)


def _age(age_beats: float | None) -> str:
    return "never" if age_beats is None else f"{age_beats:.1f} beats ago"


def _link(contact: ContactStatus) -> str:
    """How many of a sender's frames came, and the RSSI of the last one."""
    share = f"{contact.frames} of {contact.frames + contact.missed}"
    return share if contact.strength_dbm is None else f"{share}, {contact.strength_dbm:.0f} dBm"


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    if isinstance(value, float):
        return f"{value:.4g}"
    return "?" if value is None else "yes" if value is True else str(value)


def _machine(status: Status) -> Iterator[Row]:
    ticks, radio, body = status.ticks, status.radio, status.body
    yield from ((part.channel, part.behavior) for part in status.channels)
    for port in status.ports:
        yield f"port {port.name}", f"{port.word} for {format_duration(port.age_s)}: {port.detail}"
    received, refused = sum(contact.frames for contact in radio.heard), sum(radio.refused.values())
    alive = "" if radio.alive else "not alive, "
    yield "radio", f"{alive}{radio.pacing}, {radio.sent} frames sent, {received} received, {refused} refused"
    if radio.band is not None:
        yield "airtime", _airtime(radio)
    late = ticks.lateness
    spread = f"late by {late.p50_s * 1e3:.1f} ms in the median, {late.max_s * 1e3:.1f} ms at most"
    yield "ticks", f"{ticks.count}, {ticks.skipped} skipped, {spread}"
    yield "resources", ", ".join(body.resources) or "none"
    yield from ((f"no {part.resource}", part.reason) for part in body.missing)


def _airtime(radio: RadioStatus) -> str:
    budget, period = radio.hour_budget_s, radio.period_s
    used = f"{radio.hour_used_s:.1f} s" + (f" of {budget:.1f} s" if budget is not None else "")
    rate = f"a frame every {period:.1f} s at most" if period is not None else "no frame is permitted"
    return f"{radio.band}; {used} used in the last hour, {rate}"


def format_duration(seconds: float) -> str:
    """A duration for people: 4.2 s, 12 min, 3.5 h."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
