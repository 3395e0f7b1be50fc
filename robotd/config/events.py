"""What can happen in a simulation, in one vocabulary for mission files, `--event` and experiments.

`AT VERB WHO [ARG]`: "300 remove holder:move-spill-right", "60 dead blue side-range", "0 loss all 0.3". WHO is a
robot, `all` of them, or `holder:TASK`: whoever has the task active or suspended; nobody yet: it waits for someone.
Some verbs can concern `base-station` too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from boards.mock.anatomy import parts_of
from radio.link import BASE_STATION
from robotd.files.nearest import unknown

BODY_VERBS = {
    "remove": "lift the robot out of the room",
    "return": "put it back at the entrance, or at its end of the box once the others are busy at the other",
    "seize": "hold it fast",
    "release": "let it go",
    "slow": "scale its top speed by ARG",
    "motors-dead": "its motors no longer turn",
    "dead": "the sensor, group or named resource ARG falls silent",
    "frozen": "the sensor ARG repeats its last reading",
    "noisy": "the sensor ARG reads wildly",
    "restore": "the sensor ARG, or motors, work again",
}
PROCESS_VERBS = {
    "kill": "its process dies at once (SIGKILL)",
    "stop-process": "its process stands still (SIGSTOP)",
    "reboot": "its computer starts afresh; it waits for permission again",
    "start": "a person permits it to move",
}
RADIO_VERBS = {"radio": "its radio goes ARG: off or on", "loss": "share ARG of frames is lost, to and from it"}
MISSION_VERBS = {
    "stop-team": "a person at this robot stops the whole team",
    "ack": "a person acknowledges its faults and the stop",
    "restart-mission": "the next run opens at this robot",
    "add-task": "a person adds the task ARG, NAME or NAME:key=value,..., at this robot",
}
VERBS = {**BODY_VERBS, **PROCESS_VERBS, **RADIO_VERBS, **MISSION_VERBS}
WITH_ARG = {"slow", "dead", "frozen", "noisy", "restore", "radio", "loss", "add-task"}
STATION_VERBS = ("kill", "stop-process", "reboot", *RADIO_VERBS)  # that can concern a base station
HOLDER = "holder:"


@dataclass(frozen=True, slots=True)
class ScenarioEvent:
    """One event: when (s from the start), what, to whom, and the verb's argument."""

    at_s: float
    verb: str
    who: str
    arg: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in (f"{self.at_s:g}", self.verb, self.who, self.arg) if part)


def parse(text: str) -> ScenarioEvent:
    """An event as written for `--event`; ValueError says what was expected."""
    parts = text.split()
    if not 3 <= len(parts) <= 4:
        raise ValueError(f'{text!r}: expected "AT VERB WHO [ARG]", for example "300 remove green"')
    try:
        at_s = float(parts[0])
    except ValueError:
        raise ValueError(f"{text!r}: the first word is when, in seconds, not {parts[0]!r}") from None
    if not 0 <= at_s < float("inf"):
        raise ValueError(f"{text!r}: the time must be 0 or more seconds")
    return ScenarioEvent(at_s, parts[1], parts[2], parts[3] if len(parts) == 4 else "")


def check(
    event: ScenarioEvent, robots: Collection[str], tasks: Collection[str], resources: Collection[str] = ()
) -> None:
    """ValueError where the event names something that is not there, or its argument is not as it must be.

    `resources` are those that bodies name besides their parts, an overhead camera for example.
    """
    if event.verb not in VERBS:
        raise ValueError(f"{event}: {unknown('verb', event.verb, VERBS)}")
    if event.who == BASE_STATION:
        if event.verb not in STATION_VERBS:
            raise ValueError(f"{event}: a {BASE_STATION} is no robot; of it expected {', '.join(STATION_VERBS)}")
    elif event.who.startswith(HOLDER):
        task = event.who.removeprefix(HOLDER)
        if task not in tasks:
            raise ValueError(f"{event}: {unknown('task', task, tasks)}")
    elif event.who not in ("all", *robots):
        raise ValueError(f"{event}: {unknown('robot', event.who, robots)}; all and holder:TASK are possible too")
    if event.verb in WITH_ARG and not event.arg:
        raise ValueError(f"{event}: {event.verb} needs an argument: {VERBS[event.verb]}")
    if event.verb not in WITH_ARG and event.arg:
        raise ValueError(f"{event}: {event.verb} takes no argument: {VERBS[event.verb]}")
    _check_argument(event, tasks, resources)


def _check_argument(event: ScenarioEvent, tasks: Collection[str], resources: Collection[str]) -> None:
    if event.verb == "loss" and not _within(event.arg, 1.0):
        raise ValueError(f"{event}: the share of lost frames is a number from 0 to 1")
    if event.verb == "slow" and not _within(event.arg, 2.0):
        raise ValueError(f"{event}: the factor on the top speed is a number from 0 to 2")
    if event.verb == "radio" and event.arg not in ("on", "off"):
        raise ValueError(f"{event}: expected radio WHO off or radio WHO on")
    if event.verb == "add-task" and (task := event.arg.partition(":")[0]) not in tasks:
        raise ValueError(f"{event}: {unknown('task', task, tasks)}")
    if event.verb in ("dead", "frozen", "noisy", "restore"):
        _check_part(event, resources)


def _within(text: str, most: float) -> bool:
    try:
        return 0 <= float(text) <= most
    except ValueError:
        return False


def _check_part(event: ScenarioEvent, resources: Collection[str]) -> None:
    try:
        parts_of(event.arg, resources)
    except ValueError as error:
        raise ValueError(f"{event}: {error}") from None
    if event.verb in ("frozen", "noisy") and event.arg in ("motors", "sound", *resources):
        raise ValueError(f"{event}: {event.arg} is no sensor: it can be dead, not {event.verb}")


def whom(event: ScenarioEvent, robots: Collection[str], holders: Mapping[str, Collection[str]]) -> list[str]:
    """The robots that the event concerns now, sorted; empty where nobody holds the task yet."""
    if event.who == "all":
        return sorted(robots)
    if event.who.startswith(HOLDER):
        return sorted(holders.get(event.who.removeprefix(HOLDER), ()))[:1]
    return [event.who]
