"""The status document, field by field with unit: what GET /status and `robotd status --json` answer.

Fields are only ever added; `api_version` grows where one goes or changes its meaning.
"""

from __future__ import annotations

import json
import math
from typing import Any, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field

API_VERSION = 2
DIGITS = 6  # of what is measured: microseconds and micrometres


def rounded(value: Any) -> Any:
    """A real number rounded, None where it is not finite, which JSON cannot carry; anything else as it is."""
    if not isinstance(value, float):
        return value
    return round(value, DIGITS) if math.isfinite(value) else None


class Part(BaseModel):
    """Every field is always there; null: there is no value, which is not zero."""

    model_config = ConfigDict(extra="ignore", strict=True, defer_build=True)  # a start needs no schema of it

    @classmethod
    def of(cls, source: object = None, **own: Any) -> Self:
        """Its fields from `own`, the others from the attributes of `source`; real numbers rounded."""
        values = {name: own[name] if name in own else getattr(source, name) for name in cls.model_fields}
        return cast("Self", cls.model_construct(**{name: rounded(value) for name, value in values.items()}))


def read_status(document: Any) -> Status:
    """A document as it came; keys of later versions are dropped. ValueError where one of ours is missing."""
    return Status.model_validate_json(json.dumps(document))


class StateStatus(Part):
    """A word, why, and what a person can do about it."""

    word: str = Field(description="running, waiting for start, waiting for run, stopped, faulted")
    reason: str = Field(description="why, in words")
    next_step: str = Field(description="what a person can do; empty where nothing needs doing")
    may_move: bool = Field(description="true where it is permitted to move and no fault stops it")


class RobotStatus(Part):
    """A robot of the team."""

    name: str = Field(description="its name in the mission's team")
    number: int = Field(description="its number on the air", ge=1)
    type: str = Field(description="its type in the mission's team")


class MissionStatus(Part):
    """What it takes part in."""

    name: str | None = Field(description="the mission's name")
    digest: str = Field(description="of the number table, hexadecimal: robots of one mission show the same")
    beat_s: float = Field(description="the period of the radio, in which ages are counted, s")
    tasks: list[str] = Field(description="all tasks, sorted")


class RunStatus(Part):
    """The run of the mission."""

    number: int = Field(description="0: none yet", ge=0, le=127)
    running: bool = Field(description="false: opened but stopped")


class AssignmentStatus(Part):
    """A behavior set and the task that it works on."""

    set: str = Field(description="behavior set")
    task: str = Field(description="task; empty where the set acts for a condition")


class ChannelStatus(Part):
    """An output channel of the behaviors."""

    channel: str = Field(description="drive, gripper, lift, sound")
    behavior: str = Field(description="the behavior that drives it now")


class DrivenStatus(Part):
    """The command to the board in the last tick, after all limits."""

    left_m_s: float | None = Field(description="left wheel, m/s")
    right_m_s: float | None = Field(description="right wheel, m/s")
    opening: float | None = Field(description="gripper, 0 closed to 1 open; null: left alone")
    lift: float | None = Field(description="gripper, 0 down to 1 up; null: left alone")
    tune: int | None = Field(description="tune to play; null: none")
    tool: str | None = Field(description="resource that runs, a broom say; null: none")


class LevelStatus(Part):
    """What the coordinator made of one behavior set at the last decision."""

    set: str = Field(description="behavior set")
    active: bool = Field(description="true for the one that acts")
    scores: dict[str, float | None] = Field(
        description="the coordinator's own, each 0 to the limit. ALLIANCE: motivation (at the limit the set "
        "becomes active), impatience, acquiescence; an auction: its bid"
    )
    limit: float = Field(description="of all scores")
    why: str = Field(description="why they are so, in words")


class JobStatus(Part):
    """A task that this robot introduced at run time."""

    task: str = Field(description="the robot that introduced it, and its number there: desk.7")
    kind: str = Field(description="its kind of task")
    args: dict[str, str] = Field(description="its arguments by name")
    state: str = Field(description="the coordinator's word for it: waiting, awarded, refused, done, ...")
    who: str | None = Field(description="the robot that works on it")
    why: str = Field(description="the reason for the state, in words")


class TeammateStatus(RobotStatus):
    """A teammate as last received."""

    age_beats: float | None = Field(description="since its last frame was received, beats; null: none was")
    task: str | None = Field(description="the task that it works on, as it last stated")
    held: str | None = Field(description="the task that it holds while interrupted, as it last stated")
    claimed_beats: float | None = Field(description="since it has the task, by its own statement, beats")


class FactStatus(Part):
    """Something that is known in this run."""

    name: str = Field(description="a fact of the mission")
    kind: str = Field(description="flag, count, place, scalar")
    value: bool | int | float | list[float | None] = Field(
        description="true (flag), a number (count, scalar), [x, y] in m (place)"
    )
    age_s: float = Field(description="since it became known to be so, s")
    by: str | None = Field(description="who wrote a place or scalar")


class FaultStatus(Part):
    """An open fault."""

    name: str = Field(description="its row in the fault table")
    detail: str = Field(description="this occasion, in words")
    age_s: float = Field(description="since it opened, s")
    what: str = Field(description="what the fault is")
    action: str = Field(description="what the robot does about it")
    clears: str = Field(description="when it ends")
    who: str = Field(description="who may clear it")
    stops: bool = Field(description="true where the wheels are held still meanwhile")


class SpreadStatus(Part):
    """How a duration was distributed since the start."""

    p50_s: float = Field(description="median, s")
    p99_s: float = Field(description="99th percentile, s")
    max_s: float = Field(description="greatest, s")


class TickStatus(Part):
    """The control ticks since the start; the percentiles are up to a second old."""

    n: int = Field(description="index of the control period of this document")
    count: int = Field(description="ticks run")
    skipped: int = Field(description="whole periods skipped after overruns")
    lateness: SpreadStatus = Field(description="from a tick's deadline to its beginning")
    work: SpreadStatus = Field(description="from its beginning until it waits again")


class ContactStatus(Part):
    """A sender as received by the radio."""

    name: str = Field(description="a robot of the team, base station, or robot and its number")
    number: int = Field(description="on the air; 0 is the base station", ge=0)
    frames: int = Field(description="frames taken since the start")
    missed: int = Field(description="its frames between those taken, by their counters: lost, or never on the air")
    age_s: float = Field(description="since the last one, s")
    strength_dbm: float | None = Field(description="of the last one, dBm; null: the modem does not report it")


class LinkStatus(Part):
    """What one modem has done since the start."""

    alive: bool = Field(description="false: the modem cannot be used; a robot goes on as if alone")
    airtime_s: float = Field(description="time on the air of the frames sent, s")
    band: str | None = Field(description="the regulations that limit the airtime, in words; null: none")
    hour_used_s: float = Field(description="airtime of the last hour, and for an hour the worst before a start, s")
    hour_budget_s: float | None = Field(description="airtime permitted in any hour, s; null: no limit")
    heard: list[ContactStatus] = Field(description="senders received, by number")
    framing: dict[str, int] = Field(description="what the modem's framing dropped, by reason")


class RadioStatus(LinkStatus):
    """The radio link since the start."""

    pacing: str = Field(description="slots: a base station hands them out; free: by its own phase")
    sent: int = Field(description="frames that left")
    bytes_sent: int = Field(description="bytes of those frames")
    period_s: float | None = Field(description="least time between two longest frames, s; null: none permitted")
    pending: int = Field(description="states that wait to be sent")
    refused: dict[str, int] = Field(description="frames not believed, by reason")
    skipped: dict[str, int] = Field(description="records not understood, by reason")


class PortStatusPart(Part):
    """A serial or TCP port."""

    name: str = Field(description="board or radio")
    word: str = Field(description="closed, opening, handshake, ready, silent, lost")
    detail: str = Field(description="its address, or the reason of an outage")
    age_s: float = Field(description="since it is so, s")
    reopened: int = Field(description="how often it was opened again")
    bytes_in: int = Field(description="bytes received")
    bytes_out: int = Field(description="bytes written")


class MissingStatus(Part):
    """A resource that the body was built with and has lost."""

    resource: str = Field(description="its name")
    reason: str = Field(description="why, in words")


class BodyStatus(Part):
    """What the body can do and where it is."""

    resources: list[str] = Field(description="what works now, sorted")
    missing: list[MissingStatus] = Field(description="what it had and has lost")
    max_speed_m_s: float = Field(description="of one wheel, m/s")
    x_m: float | None = Field(description="position in the room, m; null: no positioning")
    y_m: float | None = Field(description="position in the room, m; null: no positioning")
    heading_rad: float | None = Field(description="from the room's x axis, counter-clockwise, rad")
    accuracy_m: float | None = Field(description="one standard deviation of the position, m")
    battery: float | None = Field(description="0 empty to 1 full; null: not measured")


class Versions(Part):
    """What runs here."""

    robotd: str = Field(description="this program")
    python: str = Field(description="the interpreter")


class Status(Part):
    """One robot after its last finished tick."""

    api_version: Literal[2] = Field(description="of this document; apart from the program's version")
    state: StateStatus = Field(description="a word, a reason, a next step")
    robot: RobotStatus = Field(description="who this is")
    mission: MissionStatus = Field(description="what it takes part in")
    run: RunStatus = Field(description="the run of the mission")
    uptime_s: float = Field(description="from the start of the daemon to this tick, s")
    active: AssignmentStatus | None = Field(description="the behavior set that acts; null: none")
    stack: list[AssignmentStatus] = Field(description="from the mission's root to the active set")
    condition: str | None = Field(description="the condition that goes before all tasks now, and why; null: none")
    held: str | None = Field(description="the task held while it is interrupted")
    channels: list[ChannelStatus] = Field(description="which behavior drives each channel; others are at rest")
    driven: DrivenStatus = Field(description="the command to the board")
    levels: list[LevelStatus] = Field(description="of each behavior set that the coordinator scores, in its order")
    jobs: list[JobStatus] = Field(description="the tasks that this robot introduced at run time")
    teammates: list[TeammateStatus] = Field(description="all others of the team, by number")
    facts: list[FactStatus] = Field(
        description="known in this run, by name; internal ones of a coordinator left out"
    )
    faults: list[FaultStatus] = Field(description="open faults, by name")
    ticks: TickStatus = Field(description="the control ticks")
    radio: RadioStatus = Field(description="the radio link")
    ports: list[PortStatusPart] = Field(description="the ports of board and radio")
    body: BodyStatus = Field(description="what the body can do and where it is")
    warnings: list[str] = Field(description="what a person should look at, in words")
    versions: Versions = Field(description="what runs here")


class EventPart(Part):
    """Something that happened, and why."""

    n: int = Field(description="its number since the start of the daemon, from 1", ge=1)
    at_s: float = Field(description="from the start of the daemon, s")
    kind: str = Field(
        description="of a coordinator's event its own word (activated, yielded, done, ...); order, fault, cleared "
        "(a fault), state, lost (a part of the body)"
    )
    set: str = Field(description="behavior set that it is about; empty where none")
    task: str = Field(description="task that it is about; empty where none")
    what: str = Field(description="what happened, in words")
    cause: str = Field(description="why, in words and numbers")
    data: dict[str, Any] = Field(description="the same for programs, as far as the coordinator hands it out")


class EventsPart(Part):
    """What has happened since event number `since`, the oldest first."""

    boot: str = Field(description="of this start of the daemon: another one counts its events anew")
    last: int = Field(description="number of the last event: the next since", ge=0)
    lost: int = Field(description="events after since that are kept no more", ge=0)
    events: list[EventPart] = Field(description="those that are kept, at most 500")


class OrderPart(BaseModel):
    """What a person asks of a robot."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)

    do: Literal[
        "start", "stop", "ack", "stop-team", "mission-start", "mission-stop", "mission-reset", "task-add"
    ] = Field(description="as of the commands robotd start, stop, ack, stop --team, mission, task add")
    args: list[str] = Field(
        default=[], max_length=16, description="of task-add: the task, and its arguments as KEY=VALUE; else none"
    )


class DrivePart(BaseModel):
    """Driving by hand, below the robot's layers: to be sent again within half a second, or it stops."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)

    speed: float = Field(ge=-1, le=1, description="forwards, a share of the greatest speed")
    turn: float = Field(ge=-3, le=3, description="to the left, rad/s")


class ReplyPart(Part):
    """What came of an order."""

    robot: str = Field(description="the robot that obeyed")
    state: StateStatus = Field(description="its state after the order")
    run: RunStatus = Field(description="the run of the mission")
    asked: str = Field(description="the run order that waits until the team's run is known; empty where none")
    alone: bool = Field(description="true where no radio works: an order to the team reached this robot only")
    task: str | None = Field(description="of task-add: the task")
    reason: str | None = Field(description="of task-add: what the coordinator says of it")


class Health(Part):
    """Whether the robot ticks."""

    healthy: bool = Field(description="true while ticks finish")
    reason: str = Field(description="why not, in words; empty where it is healthy")
    state: str | None = Field(description="the state word of the last tick; null before the first")
    tick: int | None = Field(description="index of the last finished control period; null before the first")
    age_s: float | None = Field(description="since the last finished tick, s; null before the first", ge=0)


class Error(Part):
    """A request that cannot be answered."""

    error: str = Field(description="what is wrong, in words")
    status: int = Field(description="the HTTP status", ge=400, le=599)
    hint: str = Field(description="what to ask for instead; empty where there is nothing")
