"""Allocation by a market: the auctioneer opens a round, all bid for every child, it announces the award.

Each robot restates the award that it knows, so that it outlives its auctioneer and reaches robots that come late.
"""

from collections.abc import Iterable, Mapping

from motivation.bite.interactions.contract import Allocate, Point, Shares
from motivation.bite.words import AWARD, BIDS, OPEN, PAGE
from motivation.cobos.transport import assign

ROUNDS, ROUND_SHIFT = 8, 21  # rounds are counted modulo 8, in the highest bits of a value
CHILDREN, BID_BITS = 3, 7  # bids of one ballot: so many children of so many bits
ROBOTS, CHILD_BITS = 7, 3  # an award's ballot: so many robots by number, each with its child
WORTH, STAYS = 98, 28  # greatest bid of a robot for a child that it is not on, less one, and for being on it
NONE = -1.0


class Market(Allocate):
    """The children go to the robots that bid most in all; of several allocations as good to the lower numbers.

    A bid is the fitness that the behavior set of a child reports, and more for the child that a robot is on. With
    fewer robots than children the first children in the order of the file are allocated. The robot of the lowest
    number present is the auctioneer; it opens another round when a robot is lost, joins or is done early.
    """

    steps = ("open the round", "bid", "solve", "announce the award")
    most_children = 7

    def allocate(self, point: Point) -> Shares | None:
        """The award in force, once it is known; a new one replaces it."""
        self._learn(point)
        if min(point.team) == point.me:
            self._auction(point)
        else:
            self._bid(point)
        return self._award(point)

    # -- the auctioneer

    def _auction(self, point: Point) -> None:
        memory = point.memory
        if memory.get("open", NONE) == NONE:
            if not self._is_due(point):
                return
            memory["open"] = (memory.get("round", NONE) + 1) % ROUNDS
            memory["opened"] = point.now
        number = int(memory["open"])
        point.state(OPEN, number << ROUND_SHIFT)
        bids = {point.me: self._worths(point), **_bids_of(point, number)}
        silent = [robot for robot in point.team if robot not in bids]
        if silent and point.now - memory["opened"] < self.window_s(point):
            return
        known = {**self._kept(point), **bids}
        who = self._solved(point, {robot: known[robot] for robot in point.team if robot in known})
        memory.update({f"who {robot}": float(child) for robot, child in who.items()})
        for robot in _robots(memory):
            if robot not in who:
                del memory[f"who {robot}"]
        memory.update({"round": float(number), "open": NONE, "own": float(number), "awarded": point.now})
        asked = sum(1 << robot for robot in point.team if robot in bids)
        memory.update({**_occasion(point), "team": float(asked)})  # robots not received are asked again

    @staticmethod
    def _is_due(point: Point) -> bool:
        """Whether there is no award yet, or one without a robot that is present, or before a chain ended."""
        return "round" not in point.memory or any(point.memory.get(k) != v for k, v in _occasion(point).items())

    @staticmethod
    def _kept(point: Point) -> dict[int, list[int]]:
        """For robots whose bids were not received: those that have a child, bid for that alone."""
        mine = {robot: int(point.memory[f"who {robot}"]) for robot in _robots(point.memory)}
        children = range(1, point.choices + 1)
        return {
            robot: [(1 + WORTH + STAYS) * (child == one and not point.done >> child - 1 & 1) for one in children]
            for robot, child in mine.items() if child
        }  # fmt: skip

    @staticmethod
    def _solved(point: Point, bids: Mapping[int, list[int]]) -> dict[int, int]:
        """The child of each robot, from 1; 0 for a reserve."""
        able = [child for child in range(1, point.choices + 1) if any(row[child - 1] for row in bids.values())]
        joint = [child for child in able if point.children[child - 1].is_joint]
        taken = able if joint else able[: len(bids)]
        if not taken:
            return dict.fromkeys(bids, 0)
        shared = -(-len(bids) // len(taken))
        counts = [shared if child in joint else 1 for child in taken]
        values = [[row[child - 1] or None for child in taken] for row in bids.values()]
        found = assign(values, counts, "transport")
        return {robot: taken[k] if k >= 0 else 0 for robot, k in zip(bids, found, strict=True)}

    # -- bidders

    def _bid(self, point: Point) -> None:
        opened = point.receive(OPEN)
        point.memory["open"] = NONE
        if not opened:
            return
        number = opened[min(opened)] >> ROUND_SHIFT
        if "round" in point.memory and number == int(point.memory["round"]):
            return  # its award is here
        worths = self._worths(point)
        for page in range(-(-point.choices // CHILDREN)):
            own = worths[page * CHILDREN : (page + 1) * CHILDREN]
            value = number << ROUND_SHIFT | sum(bid << BID_BITS * k for k, bid in enumerate(own))
            point.state(BIDS + PAGE * page, value)

    @staticmethod
    def _worths(point: Point) -> list[int]:
        """The bid for each child; 0 where this robot cannot do it, or its chain has ended."""
        worths, on = [], point.on.get(point.me, 0)
        keeps = on if on and point.memory.get("repeats") and not point.done >> on - 1 & 1 else 0
        for child, node in enumerate(point.children, 1):
            can = point.enabled >> child - 1 & 1 and not point.done >> child - 1 & 1 and keeps in (0, child)
            mine = not node.is_joint or point.me in node.team
            fitness = max(0.0, min(1.0, point.fitness(child)))
            stays = STAYS * (on == child)
            worths.append(1 + round(WORTH * fitness) + stays if can and mine else 0)
        return worths

    # -- the award

    @staticmethod
    def _learn(point: Point) -> None:
        """Take over the newest award that a teammate states; of two of one round the lesser."""
        memory = point.memory
        for page in range(-(-max(point.everybody) // ROBOTS)):
            for value in point.receive(AWARD + PAGE * page).values():
                number, own = value >> ROUND_SHIFT, memory.get("round", NONE)
                who = _read(value, page, point.everybody)
                if not who or max(who.values()) > point.choices:
                    continue
                mine = {robot: int(memory.get(f"who {robot}", 0)) for robot in who}
                newer = own == NONE or 0 < (number - int(own)) % ROUNDS < ROUNDS // 2
                lesser = number == int(own) and list(who.values()) < list(mine.values())
                if newer:
                    for robot in _robots(memory):
                        del memory[f"who {robot}"]
                more = number == int(own) and f"who {min(who)}" not in memory
                if newer or lesser or more:
                    memory.update({f"who {robot}": float(child) for robot, child in who.items()})
                    memory.update({"round": float(number), "open": NONE, "own": NONE, **_occasion(point)})

    def _award(self, point: Point) -> Shares | None:
        """State the award that is known. Its auctioneer heeds it once it has left."""
        memory = point.memory
        if "round" not in memory:
            return None
        number = int(memory["round"])
        who = {robot: int(memory[f"who {robot}"]) for robot in _robots(memory)}
        pages = {(robot - 1) // ROBOTS for robot in who}
        for page in pages:
            value = number << ROUND_SHIFT
            for robot, child in who.items():
                if (robot - 1) // ROBOTS == page:
                    value |= child << CHILD_BITS * ((robot - 1) % ROBOTS)
            point.state(AWARD + PAGE * page, value)
            first = memory.setdefault("awarded", point.now)
            waits = (
                memory.get("own") == number and len(point.team) > 1 and point.left(AWARD + PAGE * page) != value
            )
            if waits and point.now - first < self.window_s(point):
                on = point.on.get(point.me, 0)
                return Shares(on, who) if on else None
        return Shares(who.get(point.me, 0), who)


def _occasion(point: Point) -> dict[str, float]:
    """For whom an award is, and what was done before it."""
    return {"team": float(sum(1 << robot for robot in point.team)), "done": float(point.done)}


def _robots(memory: Mapping[str, float]) -> list[int]:
    return sorted(int(key.removeprefix("who ")) for key in memory if key.startswith("who "))


def _read(value: int, page: int, robots: Iterable[int]) -> dict[int, int]:
    """The children of the robots of a page."""
    mask = (1 << CHILD_BITS) - 1
    here = sorted(robot for robot in robots if (robot - 1) // ROBOTS == page)
    return {robot: value >> CHILD_BITS * ((robot - 1) % ROBOTS) & mask for robot in here}


def _bids_of(point: Point, number: int) -> dict[int, list[int]]:
    """The bids of teammates in a round, of those of whom all pages are here."""
    pages = range(-(-point.choices // CHILDREN))
    received = [point.receive(BIDS + PAGE * page) for page in pages]
    mask, found = (1 << BID_BITS) - 1, {}
    for robot in received[0]:
        values = [page.get(robot, -1) for page in received]
        if all(value >> ROUND_SHIFT == number for value in values):
            bids = [value >> BID_BITS * k & mask for value in values for k in range(CHILDREN)]
            found[robot] = bids[: point.choices]
    return found
