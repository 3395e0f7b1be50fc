"""The events of a simulation, in one vocabulary for mission files, `--event` and experiments.

`AT VERB WHO [ARG]`: "300 remove holder:move-spill-right", "60 dead blue side-range", "box:1.2 seize green". AT
is in seconds from the start, or `box:METRES`: once the middle of the box has come so far to its goal. WHO is a
robot, `all`, or `holder:TASK`: the robot that has the task active or suspended, for which the event waits; a task
introduced at run time is ROBOT.NUMBER, the first of its introducer has number 0. Some verbs apply to
`base-station` too.
"""

import re
from collections.abc import Collection, Mapping

from boards.mock.anatomy import parts_of
from radio.link import BASE_STATION
from robotd.config.mission import EventFile
from robotd.config.verbs import STATION_VERBS, VERBS, WITH_ARG
from robotd.files.nearest import unknown
from robotd.model.value import value

COLOUR = re.compile("[a-z]+")
HOLDER, BOX = "holder:", "box:"


@value
class ScenarioEvent:
    """One event: when (s from the start), what, to whom, and the verb's argument.

    `box_m`: it waits until the box has come so far towards its goal, m.
    """

    at_s: float
    verb: str
    who: str
    arg: str = ""
    box_m: float = 0.0

    def __str__(self) -> str:
        at = f"{BOX}{self.box_m:.12g}" if self.box_m else f"{self.at_s:.12g}"
        return " ".join(part for part in (at, self.verb, self.who, self.arg) if part)


def parse(text: str) -> ScenarioEvent:
    """An event as written for `--event`; ValueError names what was expected."""
    parts = text.split()
    if not 3 <= len(parts) <= 4:
        raise ValueError(f'{text!r}: expected "AT VERB WHO [ARG]", for example "300 remove green"')
    boxed, arg = parts[0].startswith(BOX), parts[3] if len(parts) == 4 else ""
    try:
        at = float(parts[0].removeprefix(BOX))
    except ValueError:
        words = f"the first word is when, in seconds or as {BOX}METRES, not {parts[0]!r}"
        raise ValueError(f"{text!r}: {words}") from None
    if boxed and not 0 < at < float("inf"):
        raise ValueError(f"{text!r}: the box's way must be more than 0 m")
    if not 0 <= at < float("inf"):
        raise ValueError(f"{text!r}: the time must be 0 or more seconds")
    return ScenarioEvent(0.0 if boxed else at, parts[1], parts[2], arg, at if boxed else 0.0)


def event_of(file: EventFile) -> ScenarioEvent:
    """An event of a mission file."""
    return ScenarioEvent(file.at_s, file.verb, file.who, file.arg, file.at_box_m)


def check(
    event: ScenarioEvent, robots: Collection[str], tasks: Collection[str], resources: Collection[str] = (),
    *, box: bool = False,
) -> None:  # fmt: skip
    """ValueError for an event that names something unknown, or whose argument does not fit.

    `resources`: what bodies have besides their parts, an overhead camera for example. `box`: the world has one.
    """
    if event.verb not in VERBS:
        fault = unknown("verb", event.verb, VERBS)
    elif event.box_m and not box:
        fault = "the world has no box; expected a time in seconds"
    else:
        fault = _fault_of_target(event, robots, tasks) or _fault_of_argument(event, tasks, resources)
    if fault:
        raise ValueError(f"{event}: {fault}")


def _fault_of_target(event: ScenarioEvent, robots: Collection[str], tasks: Collection[str]) -> str:
    task = event.who.removeprefix(HOLDER)
    if event.who == BASE_STATION and event.verb not in STATION_VERBS:
        return f"a {BASE_STATION} is no robot; of it expected {', '.join(STATION_VERBS)}"
    if event.who.startswith(HOLDER):
        introducer, _, number = task.rpartition(".")
        known = task in tasks or (introducer in robots and number.isdecimal())
        return "" if known else unknown("task", task, tasks)
    if event.who in (BASE_STATION, "all") or event.who in robots:
        return ""
    return f"{unknown('robot', event.who, robots)}; all and holder:TASK are possible too"


def _fault_of_argument(event: ScenarioEvent, tasks: Collection[str], resources: Collection[str]) -> str:
    verb, arg = event.verb, event.arg
    if (verb in WITH_ARG) != bool(arg):
        return f"{verb} {'needs an' if verb in WITH_ARG else 'takes no'} argument: {VERBS[verb]}"
    if verb == "loss" and not _within(arg, 1.0):
        return "the share of lost frames is a number from 0 to 1"
    if verb == "slow" and not _within(arg, 2.0):
        return "the factor on the top speed is a number from 0 to 2"
    if verb == "blind" and not COLOUR.fullmatch(arg):
        return "a colour is a word of lower-case letters"
    if verb == "radio" and arg not in ("on", "off"):
        return "expected radio WHO off or radio WHO on"
    if verb == "add-task" and (task := arg.partition(":")[0]) not in tasks:
        return unknown("task", task, tasks)
    if verb in ("frozen", "noisy") and arg in ("motors", "sound", *resources):
        return f"{arg} is no sensor: it can be dead, not {verb}"
    if verb in ("dead", "frozen", "noisy", "restore"):
        try:
            parts_of(arg, resources)
        except ValueError as error:
            return str(error)
    return ""


def _within(text: str, most: float) -> bool:
    try:
        return 0 <= float(text) <= most
    except ValueError:
        return False


def whom(event: ScenarioEvent, robots: Collection[str], holders: Mapping[str, Collection[str]]) -> list[str]:
    """The robots that the event applies to now, sorted; empty where no robot holds the task yet."""
    if event.who == "all":
        return sorted(robots)
    if event.who.startswith(HOLDER):
        return sorted(holders.get(event.who.removeprefix(HOLDER), ()))[:1]
    return [event.who]
