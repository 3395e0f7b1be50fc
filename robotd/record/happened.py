"""What has happened to a robot, in words: what was done to it, and a coordinator's events."""

from collections.abc import Mapping
from typing import Any

from robotd.model.choice import Event

SIMULATION = (
    "simulation"  # by whom orders are that a simulation gives: to start, and by events, which its log notes
)
OFF = {  # verbs after which a robot's computer decides nothing more
    "kill": "its process was killed", "stop-process": "its process was stopped",
    "reboot": "its computer reboots, and its process with it",
}  # fmt: skip
_DONE = {
    "remove": "a person has taken it out of the room", "return": "a person has put it back into the room",
    "seize": "a person holds it in place", "release": "a person lets it go",
    "slow": "its top speed is {arg} of what it was",
    "motors-dead": "its motors do not turn any more", "dead": "{arg} has fallen silent",
    "frozen": "{arg} repeats its last reading", "noisy": "{arg} reads wildly",
    "blind": "its camera misses what is {arg}, and nothing reports so", "restore": "{arg} works again", **OFF,
    "start": "a person permits it to move", "radio": "its radio was switched {arg}",
    "loss": "the share {arg} of its frames is lost from now on",
    "stop-team": "a person here has stopped the whole team",
    "ack": "a person acknowledges its faults and the stop", "restart-mission": "a person here opens the next run",
    "tune": "a person changes numbers of its coordinator",
    "add-task": "a person here adds the task {arg}",
}  # fmt: skip
_KINDS = {
    "reset": "motivation of {} set to 0", "lapsed": "not performed in time", "not-won": "auction not won",
    "teammate-silent": "teammate silent", "teammate-back": "teammate back", "gave-up": "gave up",
    "backed-off": "backed off", "condition-began": "condition began:", "condition-ended": "condition ended:",
}  # fmt: skip


def why_done(verb: str, arg: str) -> str:
    """What an event of a simulation did to a robot."""
    return _DONE.get(verb, f"{verb} was done to it").format(arg=arg)


def named(event: Event) -> str:
    """What a coordinator did: the kind of event in words, and which set and task it is about."""
    about = [event.set] if event.set else []
    if event.task and event.task != event.set:
        about.append(f"({event.task})")
    words, whom = str(_KINDS.get(event.kind, event.kind)), " ".join(about)
    return words.format(whom) if "{}" in words else f"{words} {whom}".strip()


def names_of(event: Event) -> Mapping[str, str]:
    """The name in the mission of a task that was introduced at run time, by the name that it has there."""
    given: Any = event.data.get("task") if isinstance(event.data, Mapping) else None
    return {given: event.task} if isinstance(given, str) and event.task else {}
