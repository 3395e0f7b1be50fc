"""Parts of emulated robots that fail in mid-mission: what needs them is given up at once, and taken up again."""

from dataclasses import dataclass, field
from typing import NamedTuple

import pytest

from robotd.api import simulate
from robotd.config.load import find_mission, load_mission
from robotd.sim.parts import parts_of

WITHIN_S = 1.0  # a part that fails leaves the capabilities within, and is back within
DOWN_S = 2.5  # so long each part is out of order
TRIED_S = 1.4  # a motor that takes no current is tried again a second after it was found dead


class Failure(NamedTuple):
    """At `at` (s) `part` of `robot` fails so; then `resource` is missing, and so `set` is not applicable."""

    at: float
    verb: str
    robot: str
    part: str
    resource: str
    set: str
    lasts: float = DOWN_S

    @property
    def events(self):
        """It fails, and works again."""
        fails = f"{self.at:g} {self.verb} {self.robot} {'' if self.verb == 'motors-dead' else self.part}"
        return [fails.strip(), f"{self.back:g} restore {self.robot} {self.part}"]

    @property
    def back(self):
        """When it works again."""
        return self.at + self.lasts


CLEANUP = {
    "boards": ["green=pioneer+positioning", "blue=r2", "gold=firmata+positioning"],
    "failures": [
        Failure(4.0, "dead", "green", "front-range", "front-range", "find-locations-wander"),
        Failure(4.0, "dead", "blue", "gripper", "gripper", "move-spill-left"),
        Failure(4.0, "dead", "gold", "front-range", "front-range", "find-locations-wander"),
        Failure(8.0, "dead", "green", "side-range", "side-range", "find-locations-methodical"),
        Failure(8.0, "dead", "blue", "side-range", "side-range", "find-locations-methodical"),
        Failure(8.0, "dead", "gold", "positioning", "positioning", "find-locations-wander"),
        Failure(14.0, "frozen", "green", "positioning", "positioning", "find-locations-methodical"),
    ],
    # Green drives when its position freezes: else nothing would show.
    "changes": {"robots__green__sets__find-locations-methodical__motivation__fast_rate": 50.0},
}
PATROL = {
    "boards": ["amber=kobuki", "olive=pioneer", "slate=create2"],
    "failures": [
        Failure(6.0, "motors-dead", "amber", "motors", "mobile", "first-round", TRIED_S),
        Failure(6.0, "motors-dead", "olive", "motors", "mobile", "second-round", TRIED_S),
        Failure(6.0, "motors-dead", "slate", "motors", "mobile", "third-round", TRIED_S),
    ],
    "changes": {},
}
MISSIONS = {"cleanup": CLEANUP, "patrol": PATROL}


@dataclass
class Seen:
    """By robot and decision: when, what works, and what moves the motivation of each set."""

    looks: dict[str, list] = field(default_factory=dict)

    def tick(self, robot, i, sent, decision):
        """See `Watch`."""
        if decision.choice is not None:
            why = {level.set: level.why for level in decision.choice.levels}
            self.looks.setdefault(robot, []).append((i.now, set(i.capabilities.resources), why))

    def look(self, now, team):
        """See `Watch`."""

    def between(self, robot, start, end):
        """The decisions of a robot."""
        return [(resources, why) for now, resources, why in self.looks[robot] if start <= now < end]


@pytest.mark.parametrize("mission", MISSIONS)
def test_a_set_lacks_what_has_failed_within_a_second_and_applies_again_by_itself(mission):
    case = MISSIONS[mission]
    parts = parts_of(load_mission(find_mission(mission)), case["boards"], [], all_bytes=True)
    seen, events = Seen(), [event for failure in case["failures"] for event in failure.events]
    until = max(failure.back for failure in case["failures"]) + 2 * WITHIN_S
    simulate(mission, 1, events=events, parts=parts, watch=seen, duration_s=until, **case["changes"])
    for failure in case["failures"]:
        reported = f"lacks {failure.resource}"
        before = seen.between(failure.robot, failure.at - WITHIN_S, failure.at)
        down = seen.between(failure.robot, failure.at + WITHIN_S, failure.back)
        after = seen.between(failure.robot, failure.back + WITHIN_S, failure.back + 2 * WITHIN_S)
        assert all((before, down, after)), failure
        for resources, why in before + after:
            assert failure.resource in resources, failure
            assert not why[failure.set].startswith("lacks"), failure
        for resources, why in down:
            assert failure.resource not in resources, failure
            assert why[failure.set] == reported, failure
