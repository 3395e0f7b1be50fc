"""An abstract model of the paper's world (003, section V): no physics, and the real coordinator on every robot.

Points drive straight to where their robot's choice sends them; a puck is held by one robot at its place that sees
its colour; frames of 22 bytes reach who is within 10 m, once a beat. `python -m tests.motivation.cobos.abstract
[--pucks 1,2,1,2] [--seeds N] [--json]` reports which puck counts end with every task performed at once.
"""

import argparse
import json
import math
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from motivation.cobos import Cobos
from motivation.cobos.settings import CobosSettings, RobotTerms, TaskTerms
from robotd.model.beliefs import Beliefs, statement_of
from robotd.model.choice import Choice, Event
from robotd.model.facts import Fact
from robotd.model.inputs import Inputs, Order
from robotd.model.senses import Capabilities, Pose, Senses
from robotd.model.statements import Heard
from robotd.model.streams import draw
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Feedback, Task

PLACES = {"t0": (5.0, 5.0), "t1": (12.0, 6.0), "t2": (26.0, 5.0), "t3": (5.0, 25.0), "t4": (25.0, 25.0)}
COLOURS = {"t1": "red", "t2": "blue", "t3": "red", "t4": "red"}
SEES = ("blue", "red", "blue", "red", "blue", "red", "blue red")  # r1 to r7 (table III)
BASIS = ("goto", "blue-find-attach", "red-find-attach")
FEASIBLE = (
    *((1, n, 1, 1) for n in (1, 2, 3, 4)), *((1, n, 1, 2) for n in (1, 2, 3)), *((1, n, 2, 1) for n in (1, 2, 3)),
    *((2, n, 1, 1) for n in (1, 2, 3)),
)  # fmt: skip
PUBLISHED = (1, 2, 1, 2)
BYTES = {"activity": 5, "presence": 4, "presence-more": 5, "page": 13, "fact": 6}  # of a record
FRAME = 22
NEAR = 0.5  # m: a robot is at a place


def terms() -> dict[str, TaskTerms]:
    """The tasks of table III."""
    found = {"t0": TaskTerms(idle=True, priority=1000)}
    for k, (name, colour) in enumerate(COLOURS.items(), 1):
        found[name] = TaskTerms(
            ways=(("goto", f"{colour}-find-attach"),), priority=k, from_s=600.0 if name == "t4" else 0.0
        )
    return found


ONE = {name: own for name, own in terms().items() if name in ("t0", "t3")}
"""The idle place and one task for red."""


def table(settings: CobosSettings, robots: int, tasks: Mapping[str, TaskTerms], beat_s: float) -> NumberTable:
    """The number table that a mission file would give."""
    entries = []
    for k, (name, own) in enumerate(tasks.items()):
        x, y = PLACES[name]
        task = Task("visit" if own.idle else "attach", (("x", str(x)), ("y", str(y))), name)
        entries.append(TaskEntry(task, k + 1, terms=json.dumps(own.model_dump(mode="json"))))
    team = tuple(Member(f"r{k}", k, "seeker") for k in range(1, robots + 1))
    plain = NumberTable(team, tuple(entries), (), beat_s=beat_s)
    return plain.extended(Cobos.own_kinds, Cobos.own_facts(settings, plain))


class Bot:
    """One robot: its coordinator, beliefs, place, and what it is about to send."""

    def __init__(self, world: "World", number: int, sees: str, xy: tuple[float, float]) -> None:
        self.world, self.number, self.sees, self.xy = world, number, sees, xy
        self.beliefs = Beliefs(world.table, number, 1, running=True)
        self.choice = Choice()
        self.inbox: list[Heard] = []
        self.events: list[tuple[float, Event]] = []
        self.sent: dict[str, tuple[float, Fact]] = {}
        self.bytes: list[int] = []
        self.changes = 0  # of facts of its own
        self.coordinator = self.made()

    def made(self) -> Cobos:
        tasks = [entry.task for entry in self.world.table.tasks]
        sets = [(f"do-{task.id}", task.id, None) for task in tasks]
        given = RobotTerms(**dict.fromkeys(BASIS, 0.9))
        made = Cobos(self.world.settings, sets, self.world.table, 0.2, own=given)
        made.begin(self.world.now, self.number, tasks, self.world.table.team, 0)
        return made

    @property
    def works_on(self) -> str:
        """The task whose place it is at and works on; '' for none."""
        if not self.choice.run or self.choice.run[0].set == "do-t0":
            return ""
        task = self.choice.run[0].task.id
        return task if math.dist(self.xy, PLACES[task]) <= NEAR else ""

    def assess(self, i: Inputs, beliefs: Beliefs, name: str, task: Task) -> Feedback:
        world, active = self.world, any(step.set == name for step in self.choice.run)
        x, y = (float(task.arg(key)) for key in ("x", "y"))
        if name == "do-t0":
            return Feedback(applicable=True, progress=1.0 if active and math.dist(self.xy, (x, y)) <= 1.0 else 0.0)
        if not active or self.works_on != task.id:
            return Feedback(applicable=True)
        if COLOURS[task.id] not in self.sees:
            return Feedback(applicable=True, progress=0.5)
        holds = self.number in world.holders(task.id)
        return Feedback(applicable=True, progress=1.0 if world.performed(task.id) else 0.75 if holds else 0.5)

    def drive(self, seconds: float) -> None:
        if not self.choice.run:
            return
        task = self.choice.run[0].task
        there = (float(task.arg("x")), float(task.arg("y")))
        far = math.dist(self.xy, there)
        step = min(far, seconds * self.world.speed)
        if far > 0:
            self.xy = tuple(a + (b - a) * step / far for a, b in zip(self.xy, there, strict=True))  # type: ignore[assignment]

    def frame(self, now: float) -> Heard:
        """What fits into one frame: states, then facts never sent as they are, own first, then the oldest."""
        said, room = list(self.choice.statements), FRAME
        room -= sum(BYTES[one.kind] for one in said)
        for fact in sorted(self.beliefs.facts.values(), key=self._turn):
            statement = statement_of(fact, self.world.table, now)
            if BYTES[statement.kind] <= room:
                room -= BYTES[statement.kind]
                self.sent[fact.name] = (now, fact)
                said.append(statement)
        self.bytes.append(FRAME - room)
        return Heard(now, self.number, 1, running=True, same_mission=True, statements=tuple(said))

    def _turn(self, fact: Fact) -> tuple[float, bool, str]:
        at, sent = self.sent.get(fact.name, (-1.0, fact))
        fresh = (sent.value, sent.version) == (fact.value, fact.version)
        return at if fresh else -1.0, fact.writer != self.number, fact.name

    def decide(self, now: float, n: int, orders: Sequence[Order] = ()) -> None:
        heard, self.inbox = self.inbox, []
        self.beliefs = self.beliefs.learn(heard)
        pose = Pose(*self.xy, 0.0, 0.1)
        i = Inputs(now, n, Senses(pose=pose), Capabilities(("mobile", "positioning")), tuple(orders))
        self.choice = self.coordinator.step(i, self.beliefs, self.assess, heard, ())
        self.beliefs = self.beliefs.learn([replace(fact, since=now) for fact in self.choice.facts])
        self.changes += len(self.choice.facts)
        self.events += [(now, event) for event in self.choice.events]


@dataclass
class World:
    """A team and its pucks; `run` steps beat by beat until all tasks are performed at once, or the limit."""

    pucks: Sequence[int] = PUBLISHED
    seed: int = 0
    parameters: Mapping[str, Any] = field(default_factory=dict)
    sees: Sequence[str] = SEES
    loss: float = 0.0
    range_m: float = 10.0
    speed: float = 0.3
    beat_s: float = 3.0
    tasks: Mapping[str, TaskTerms] = field(default_factory=terms)
    starts: Sequence[tuple[float, float]] = ()
    in_turn: bool = False  # no two robots decide at the same instant, as on robots
    shuffle: bool = False  # which robot sees which colours is drawn, too

    def __post_init__(self) -> None:
        if self.shuffle:
            keys = [draw(self.seed, f"r{k}", "sees", 0) for k in range(len(self.sees))]
            self.sees = [sees for _, sees in sorted(zip(keys, self.sees, strict=True))]
        home = {"basis": BASIS, "home": PLACES["t0"]}
        self.settings = CobosSettings(**{**home, **self.parameters})
        self.table = table(self.settings, len(self.sees), self.tasks, self.beat_s)
        self.now, self.n = 0.0, 0
        self.count = dict(zip(COLOURS, self.pucks, strict=True))
        self.bots = []
        for k, sees in enumerate(self.sees, 1):
            spread = (2.0 * draw(self.seed, f"r{k}", axis, 0) for axis in ("x", "y"))
            at = self.starts[k - 1] if self.starts else tuple(5.0 + one - 1.0 for one in spread)
            self.bots.append(Bot(self, k, sees, at))  # type: ignore[arg-type]
        self._pace = {bot.number: 0.9 + 0.2 * draw(self.seed, f"r{bot.number}", "pace", 0) for bot in self.bots}

    def holders(self, task: str) -> list[int]:
        """The robots that hold a puck: the first at the place that see its colour."""
        able = [bot.number for bot in self.bots if bot.works_on == task and COLOURS[task] in bot.sees]
        return able[: self.count[task]]

    def performed(self, task: str) -> bool:
        return len(self.holders(task)) == self.count[task]

    @property
    def missing(self) -> list[str]:
        return [name for name in COLOURS if not self.performed(name)]

    def beat(self) -> None:
        """Drive, send in order of number, decide: all at once, or each before it sends."""
        self.now += self.beat_s
        self.n += 1
        for bot in self.bots:
            bot.drive(self.beat_s * self._pace[bot.number])
        for k, bot in enumerate(self.bots):
            at = self.now - self.beat_s * (1.0 - k / len(self.bots))
            if self.in_turn:
                bot.decide(at, self.n)
            frame = bot.frame(at)
            for other in self.bots:
                lost = self.loss and draw(self.seed, f"r{bot.number}", f"to {other.number}", self.n) < self.loss
                if other is not bot and math.dist(bot.xy, other.xy) <= self.range_m and not lost:
                    other.inbox.append(frame)
        for bot in () if self.in_turn else self.bots:
            bot.decide(self.now, self.n)

    def run(self, limit_s: float = 3600.0, least_s: float = 30.0) -> float | None:
        """When all tasks were performed at once, for `least_s`, s; None if not before the limit."""
        since: float | None = None
        while self.now < limit_s:
            self.beat()
            since = None if self.missing else self.now if since is None else since
            if since is not None and self.now - since >= least_s:
                return since
        return None


def story(world: World) -> Iterator[str]:
    """The events of a run in order of time."""
    for at, number, event in sorted(
        ((at, bot.number, event) for bot in world.bots for at, event in bot.events), key=lambda row: row[:2]
    ):
        yield f"{at:7.0f} r{number} {event.kind:10} {event.task:3} {event.cause} {dict(event.data)}"


def report(vectors: Sequence[tuple[int, ...]], seeds: int, limit_s: float, **options: Any) -> dict[str, Any]:
    """By puck counts: how many runs ended staffed, the median time of these, and which tasks the others lack."""
    rows = {}
    for pucks in vectors:
        worlds = [World(pucks, seed, **options) for seed in range(seeds)]
        times = [world.run(limit_s) for world in worlds]
        done = [at for at in times if at is not None]
        lacking = [world.missing for world, at in zip(worlds, times, strict=True) if at is None]
        rows[",".join(map(str, pucks))] = {
            "staffed": len(done), "runs": seeds, "median_s": statistics.median(done) if done else None,
            "missing": sorted({" ".join(names) for names in lacking}),
        }  # fmt: skip
    staffed = sum(row["staffed"] for row in rows.values())
    return {"staffed": staffed, "runs": seeds * len(vectors), "vectors": rows}


def main(words: Sequence[str]) -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.motivation.cobos.abstract", description=__doc__)
    parser.add_argument("--pucks", help="one vector, as 1,2,1,2; default: all 13 feasible ones")
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--limit", type=float, default=5400.0, help="s of virtual time")
    parser.add_argument("--loss", type=float, default=0.0)
    parser.add_argument("--range", type=float, default=10.0, help="of the radio, m; 100: one network")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a parameter")
    parser.add_argument("--shuffle", action="store_true", help="draw which robot sees which colours")
    parser.add_argument("--in-turn", action="store_true", help="no two robots decide at the same instant")
    parser.add_argument("--story", action="store_true", help="print the events of the last seed")
    parser.add_argument("--json", action="store_true")
    own = parser.parse_args(words)
    pairs = (word.partition("=") for word in own.set)
    parameters = {key: {"true": True, "false": False}.get(value, value) for key, _, value in pairs}
    vectors = [tuple(int(n) for n in own.pucks.split(","))] if own.pucks else FEASIBLE
    options = {
        "parameters": parameters,
        "loss": own.loss,
        "range_m": own.range,
        "shuffle": own.shuffle,
        "in_turn": own.in_turn,
    }
    if own.story:
        world = World(vectors[0], own.seeds - 1, **options)
        lines = [f"staffed at {world.run(own.limit)} s", f"missing: {' '.join(world.missing)}"]
        lines = [*story(world), *lines]
    else:
        found = report(vectors, own.seeds, own.limit, **options)
        rows = found["vectors"].items()
        lines = [
            f"{name}: {r['staffed']} of {r['runs']}, median {r['median_s']} s  {r['missing']}" for name, r in rows
        ]
        lines.append(f"{found['staffed']} of {found['runs']}")
        lines = [json.dumps(found, indent=1)] if own.json else lines
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
