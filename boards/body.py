"""A body of a base and add-ons: it can do what any of them can; contacts that stick are detected."""

import bisect
import dataclasses
import math
import operator
from collections import deque
from collections.abc import Sequence

from boards.contract import AddOn, Board, drive_mode_exits_of, optional_resources_of
from boards.stuck import StuckContacts
from robotd.model.command import Command
from robotd.model.senses import Capabilities, Pose, Senses

WINDOW_S = 5.0  # of comparing the ways: at 0.1 m/s three times what a good beacon system errs
SIGMAS = 3.0  # of the positions at both ends: what chance does once in some hundred windows
SAME_S = 0.005  # ages are rounded: the same fix
SURELY = 0.1  # m, besides: unreported latencies, and turns on the spot


class Slip:
    """Compares how far the wheels and the positioning report that the robot went, over the last seconds."""

    def __init__(self) -> None:
        self._rolled: deque[tuple[float, Pose]] = deque()  # the odometry of late, and when it was so
        self._ahead: deque[tuple[float, Pose]] = deque()  # fixes that are newer than any odometry
        self._fixes: deque[tuple[float, Pose, Pose]] = deque()  # when taken, by odometry, by positioning

    def note(
        self, now: float, odometry: Pose | None, pose: Pose | None, age: float, rolled_age: float = 0.0
    ) -> str:
        """What is wrong in words, '' for nothing; asked in every tick, with None for what is not known. `age` (s)
        is that of the pose, `rolled_age` that of the odometry. A pose is compared with the odometry of the time at
        which it was taken, however late it comes; one that is older than all odometry with nothing."""
        if odometry is None or pose is None:
            for each in (self._rolled, self._ahead, self._fixes):
                each.clear()
            return ""
        self._roll(now - rolled_age, odometry)
        self._fix(now - age, pose)
        return self._difference() if self._fixes else ""

    def _roll(self, at: float, odometry: Pose) -> None:
        rolled = self._rolled
        if not rolled or at > rolled[-1][0]:
            rolled.append((at, odometry))
        while len(rolled) > 1 and rolled[1][0] < at - WINDOW_S:
            rolled.popleft()

    def _fix(self, at: float, pose: Pose) -> None:
        fixes, ahead, rolled = self._fixes, self._ahead, self._rolled
        last = ahead[-1][0] if ahead else fixes[-1][0] if fixes else -math.inf
        if at > last + SAME_S and at >= rolled[0][0] - SAME_S:
            ahead.append((at, pose))
        while ahead and ahead[0][0] <= rolled[-1][0] + SAME_S:
            taken, went = ahead.popleft()
            fixes.append((taken, self._where(taken), went))
        while fixes and fixes[-1][0] - fixes[0][0] > WINDOW_S:
            fixes.popleft()

    def _where(self, at: float) -> Pose:
        rolled = self._rolled
        k = bisect.bisect_left(rolled, at, key=operator.itemgetter(0))
        if k in (0, len(rolled)):
            return rolled[min(k, len(rolled) - 1)][1]
        (early, before), (late, after) = rolled[k - 1], rolled[k]
        share = (at - early) / (late - early)
        pairs = (before.x, after.x), (before.y, after.y), (before.accuracy, after.accuracy)
        x, y, accuracy = (old + share * (new - old) for old, new in pairs)
        return Pose(x, y, after.heading, accuracy)

    def _difference(self) -> str:
        fixes = self._fixes
        _, wheels, place = fixes[0]
        _, rolled, went = fixes[-1]
        rolls = math.dist((rolled.x, rolled.y), (wheels.x, wheels.y))
        goes = math.dist((went.x, went.y), (place.x, place.y))
        doubt = SURELY + SIGMAS * math.hypot(place.accuracy, went.accuracy) + rolled.accuracy - wheels.accuracy
        if abs(rolls - goes) <= doubt:
            return ""
        cause = "do they slip?" if rolls > goes else "was it moved?"
        return f"the wheels say {rolls:.2f} m and the positioning {goes:.2f} m: {cause}"


class Body:
    """`Board` made of a base and its add-ons. Their capabilities are united; a slip costs the odometry, a contact
    that sticks the bumpers, a cliff sensor that sticks the drive."""

    def __init__(self, base: Board, add_ons: Sequence[AddOn] = ()) -> None:
        self.base, self.add_ons = base, tuple(add_ons)
        self._slip = Slip()
        self._slips = ""
        self._contacts = StuckContacts()
        self._known: tuple[object, Capabilities] = (None, Capabilities())

    @property
    def reboots(self) -> int:
        return self.base.reboots + sum(part.reboots for part in self.add_ons)

    @property
    def drive_mode_exits(self) -> int:
        """See `drive_mode_exits_of`: of the base, which alone has wheels."""
        return drive_mode_exits_of(self.base)

    @property
    def optional_resources(self) -> frozenset[str]:
        return optional_resources_of(self.base)

    def capabilities(self, now: float) -> Capabilities:
        """See `Board`: what the base or any add-on has; the same object as long as nothing changes."""
        base = self.base.capabilities(now)
        if not self.add_ons and not self._contacts.missing:
            return base
        lacks = [part.missing(now) for part in self.add_ons]
        worn = self._contacts.missing | ({"odometry": self._slips} if self._slips else {})
        key = (base, tuple(tuple(sorted(one.items())) for one in (*lacks, worn)))
        if self._known[0] != key:
            self._known = (key, self._unite(base, lacks, worn))
        return self._known[1]

    def _unite(self, base: Capabilities, lacks: Sequence[dict[str, str]], worn: dict[str, str]) -> Capabilities:
        able, missing = set(base.resources), dict(base.missing)
        for part, lack in zip(self.add_ons, lacks, strict=True):
            able.update(name for name in part.adds if name not in lack)
            missing.update(lack)
        for resource in able & worn.keys():
            able.discard(resource)
            missing[resource] = worn[resource]
        gone = tuple(sorted(item for item in missing.items() if item[0] not in able))
        return dataclasses.replace(base, resources=tuple(sorted(able)), missing=gone)

    def senses(self, now: float) -> Senses:
        felt = self._contacts.note(self.base.senses(now))
        if not self.add_ons:
            return felt
        for part in self.add_ons:
            felt = part.complete(now, felt)
        self._slips = self._slip.note(now, felt.odometry, felt.pose, felt.ages.pose, felt.ages.wheels)
        return dataclasses.replace(felt, odometry=None) if self._slips else felt

    def command(self, now: float, command: Command) -> Command:
        """See `Board`: the base drives, and each part does its share."""
        if "mobile" in self._contacts.missing:
            command = dataclasses.replace(command, left=0.0, right=0.0)
        driven = self.base.command(now, command)
        self._contacts.drive(now, driven)
        for part in self.add_ons:
            done = part.command(now, command)
            opening = done.opening if done.opening is not None else driven.opening
            lift = done.lift if done.lift is not None else driven.lift
            driven = dataclasses.replace(driven, opening=opening, lift=lift)
        return driven
