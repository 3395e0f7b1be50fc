"""What the page shows of a robot: of itself from its last snapshot, of teammates what it has received."""

from collections.abc import Iterable
from typing import Any

from robotd.model.beliefs import Beliefs, silence_s
from robotd.model.senses import Senses
from robotd.model.table import Member
from robotd.record.why import Account, record_of
from robotd.robot.faults import row_of
from robotd.robot.snapshot import Snapshot
from robotd.status.events import LONGEST, Numbered
from robotd.status.model import Status
from robotd.status.scene import Data, done_of, frame_of, rounded
from robotd.status.words import format_duration, sections

SHOWN = ("jobs", "teammates", "machine")  # of the sections of the status; the rest has a place of its own


def robot_of(snapshot: Snapshot, account: Account) -> Data:
    """What a robot does and why. `account`: what has happened to it."""
    decision, i, choice = snapshot.decision, snapshot.inputs, snapshot.choice
    return {
        "state": decision.state.word,
        "reason": decision.state.reason,
        "next": decision.state.next_step,
        "set": account.set,
        "task": account.named,
        "since": rounded(account.since),
        "cause": account.cause,
        "condition": decision.condition,
        "held": choice.held.id if choice.held is not None else "",
        "battery": rounded(i.senses.battery),
        "senses": senses_of(i.senses),
        "faults": [[fault.name, fault.detail] for fault in i.faults],
        "missing": [[part, why] for part, why in i.capabilities.missing if why != "absent"],
        "levels": [
            {"set": one.set, "scores": {key: rounded(score) for key, score in one.scores.items()},
             "limit": rounded(one.limit), "why": one.why}
            for one in choice.levels
        ],
    }  # fmt: skip


def senses_of(senses: Senses) -> Data:
    """What a robot senses by bearing (rad), in m: ranges with what their sensors reach, pressed bumps, sights."""
    return {
        "ranges": [[rounded(one.bearing), rounded(one.distance), rounded(one.high)] for one in senses.ranges],
        "bumps": [rounded(one.bearing) for one in senses.bumps if one.pressed],
        "sights": [[rounded(one.bearing), rounded(one.range), one.label] for one in senses.sights],
    }


def teammates_of(beliefs: Beliefs, now: float) -> Iterable[Data]:
    """The rest of the team as it was last received."""
    for member in sorted(beliefs.table.team, key=lambda one: one.number):
        if member.number != beliefs.me:
            yield teammate_of(beliefs, member, now)


def last_frame(beliefs: Beliefs, number: int, now: float) -> tuple[float | None, bool]:
    """The age of a robot's last frame, s (None: there was none), and whether a live one may send none later."""
    known = beliefs.teammates.get(number)
    age_s = now - known.last_received if known is not None else None
    return age_s, age_s is not None and age_s <= silence_s(beliefs.beat_s(now))


def teammate_of(beliefs: Beliefs, member: Member, now: float) -> Data:
    """One robot as its frames state it; off where none came within the time in which a live one sends."""
    known = beliefs.teammates.get(member.number)
    age_s, received = last_frame(beliefs, member.number, now)
    shown: Data = {"name": member.name, "at": None, "seized": False, "failed": [], "on": received, "held": ""}
    if known is None or age_s is None:
        return shown | {"doing": "never received"}
    doing = f"on {known.task}" if known.task else "reports no task"
    doing += f", holds {known.held}" if known.held else ""
    if not received:
        doing = f"nothing received for {format_duration(age_s)}; before: {doing}"
    word = "running" if received else "silent"
    return shown | {"doing": doing, "state": word, "task": known.task, "set": known.task}


def tasks_of(beliefs: Beliefs, now: float, mine: str = "") -> dict[str, list[str]]:
    """Who works on each task, as far as this robot (on `mine`) or station has received."""
    found: dict[str, list[str]] = {}
    own = next((one.name for one in beliefs.table.team if one.number == beliefs.me), "")
    for name, task in [(own, mine)] if mine else []:
        found.setdefault(task, []).append(name)
    for number, known in sorted(beliefs.teammates.items()):
        if known.task and last_frame(beliefs, number, now)[1]:
            found.setdefault(known.task, []).append(beliefs.table.name(number))
    return found


def facts_of(beliefs: Beliefs, who: str) -> Data:
    return {
        name: {"value": [rounded(x) for x in fact.value], "known": [who]}
        for name, fact in sorted(beliefs.facts.items())
        if not beliefs.table.fact(name).is_internal
    }


def event_of(robot: str, one: Numbered) -> Data:
    """An event as the page lists it."""
    n, happened = one
    record = record_of(robot, happened)
    return {"n": n, "at": rounded(happened.at), **record, "cause": str(happened.cause)[:LONGEST]}


def robot_frame(snapshot: Snapshot, status: Status, account: Account) -> Data:
    """The page of a robot after a tick."""
    i, beliefs, pose = snapshot.inputs, snapshot.decision.beliefs, snapshot.inputs.senses.pose
    own = robot_of(snapshot, account)
    own |= {"name": snapshot.robot, "on": True, "seized": False, "failed": [],
            "at": [rounded(x) for x in (pose.x, pose.y, pose.heading)] if pose is not None else None,
            "accuracy": rounded(pose.accuracy) if pose is not None else None,
            "faults": [[one.name, one.detail, row_of(one.name).clears] for one in i.faults]}  # fmt: skip
    radio = status.radio
    received, missed = (sum(getattr(one, key) for one in radio.heard) for key in ("frames", "missed"))
    return frame_of(
        i.now - snapshot.started_at,
        [own, *teammates_of(beliefs, i.now)],
        tasks=tasks_of(beliefs, i.now, own["task"]),
        facts=facts_of(beliefs, snapshot.robot),
        done=done_of(beliefs.table, beliefs.facts),
        radio={"sent": radio.sent, "received": received, "missed": missed, "refused": sum(radio.refused.values()),
               "alive": radio.alive},
        run=[status.run.number, status.run.running],
        warnings=status.warnings,
        details=details_of(status),
    )  # fmt: skip


def details_of(status: Status) -> list[list[Any]]:
    """Title, heads and rows of tables."""
    return [[one.title, list(one.columns), [list(row) for row in one.rows]]
            for one in sections(status) if one.title in SHOWN]  # fmt: skip
