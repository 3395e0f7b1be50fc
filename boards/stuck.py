"""Readings that stick: the same while the body moves; a contact that stays pressed while it is driven away."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from boards.proximity import named
from robotd.model.command import Command
from robotd.model.senses import Bump, Senses

FROZEN_S = 0.7  # of motion without a change: under the second within which a part must leave the capabilities
MOVING = 0.02  # m/s of a wheel: past the noise of standing


def moving(left: float, right: float) -> bool:
    """True where wheel speeds, m/s, show that the body moves."""
    return abs(left) > MOVING or abs(right) > MOVING


class StuckDetector:
    """Watches one reading; `stuck` from `FROZEN_S` of motion without a change until it changes. `value` is the
    last one, and `at` (s) when it came."""

    def __init__(self) -> None:
        self.stuck = False
        self.value: Any = None
        self.at = -math.inf
        self._since: float | None = None

    def note(self, now: float, reading: object, *, moves: bool) -> bool:
        """Take the reading of `now` (s); returns `stuck`."""
        self.at = now
        if reading != self.value:
            self.value, self._since, self.stuck = reading, None, False
        elif moves and not self.stuck:
            if self._since is None:
                self._since = now
            self.stuck = now - self._since >= FROZEN_S
        elif not moves:
            self._since = None
        return self.stuck


AWAY_M = 0.3  # driven away, or turned, while pressed: contacts open within 3 cm, escapes are 0.1 m and more
AHEAD_RAD = 1.75  # contacts up to 100 degrees from ahead are left backwards, others forwards
STILL_M_S = 0.005  # a wheel that is slower drives nowhere
LONGEST_S = 0.2  # between two commands that count: four ticks
KINDS = (("bumper", "bumpers"), ("cliff sensor", "mobile"))  # without cliff sensors forward driving is not safe

Contact = tuple[str, float]  # kind, bearing in rad


class StuckContacts:
    """Watches the contacts of one body. All times are the loop's clock, s. What counts is the way that was
    commanded: wheels may slip, and one that is held turns nowhere. A contact is believed again as soon as it
    opens."""

    def __init__(self) -> None:
        self.missing: dict[str, str] = {}  # resources that stuck contacts take away, and why
        self._away: dict[Contact, float] = {}  # m, of contacts that are pressed
        self._stuck: frozenset[Contact] = frozenset()
        self._driven: tuple[float, float, float] | None = None  # since when, at which wheel speeds

    def note(self, senses: Senses) -> Senses:
        """Take a reading; returns it without the contacts that are stuck."""
        if not self._away and not _any_pressed(senses.bumps) and not _any_pressed(senses.cliffs):
            return senses
        pressed = [(KINDS[0][0], bump.bearing) for bump in senses.bumps if bump.pressed]
        pressed += [(KINDS[1][0], cliff.bearing) for cliff in senses.cliffs if cliff.pressed]
        self._away = {contact: self._away.get(contact, 0.0) for contact in pressed}
        self._judge()
        if not self._stuck:
            return senses
        bumps, cliffs = (self._believed(kind, ring) for (kind, _), ring in
                         zip(KINDS, (senses.bumps, senses.cliffs), strict=True))  # fmt: skip
        return dataclasses.replace(senses, bumps=bumps, cliffs=cliffs)

    def drive(self, now: float, driven: Command) -> None:
        """What the body drives from now on."""
        if self._driven is not None:
            since, left, right = self._driven
            for contact in self._away:
                self._away[contact] += _leaving(left, right, contact[1]) * min(now - since, LONGEST_S)
        self._driven = (now, driven.left, driven.right)

    def _judge(self) -> None:
        stuck = frozenset(contact for contact, way in self._away.items() if way >= AWAY_M)
        if stuck == self._stuck:
            return
        self._stuck, self.missing = stuck, {}
        for kind, resource in KINDS:
            names = [named(kind, bearing) for one, bearing in sorted(stuck) if one == kind]
            if names:
                way = f"stays pressed in {AWAY_M:g} m of driving away from it"
                self.missing[resource] = f"{', '.join(names)} {way}: it sticks, or the robot is held"

    def _believed(self, kind: str, ring: Sequence[Bump]) -> tuple[Bump, ...]:
        return tuple(one for one in ring if (kind, one.bearing) not in self._stuck)


def _any_pressed(ring: Sequence[Bump]) -> bool:
    return any(one.pressed for one in ring)


def _leaving(left: float, right: float, bearing: float) -> float:
    """How fast a contact at `bearing` is driven away from what it touches, or turned, m/s."""
    ahead = (left + right) / 2 * (1.0 if abs(bearing) < AHEAD_RAD else -1.0)
    return 0.0 if ahead > STILL_M_S else max(-ahead, 0.0) + abs(right - left) / 2
