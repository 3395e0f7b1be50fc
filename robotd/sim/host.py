"""Running a whole team on one virtual event loop until the mission is accomplished or cut."""

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from boards.mock.world import progress
from radio.base_station import NUMBER
from radio.link import BASE_STATION
from robotd.config.events import ScenarioEvent
from robotd.files.progress_bar import bar
from robotd.model.inputs import Order
from robotd.record.happened import SIMULATION
from robotd.robot.snapshot import Snapshot
from robotd.sim.activity_trace import ActivityTrace, Cut, Outcome
from robotd.sim.director import Director, check_event
from robotd.sim.ending import ending_of
from robotd.sim.team import Team
from robotd.timing.calendar import Periodic
from robotd.timing.virtual_loop import VirtualLoop

JUDGE_S = 0.5  # how often the world is compared with the mission
BOOT_S = 20.0  # what a Raspberry Pi takes from power to a running service


Progress = Callable[[float, int, int], None]
"""Receives the simulated time (s), and how much of how much the mission has brought about in the world."""
EVERY = 10  # judgements between two redraws of the progress bar: what an eye can follow


@contextlib.contextmanager
def progress_bar(limit_s: float, quiet: bool) -> Iterator[Progress | None]:
    """Shows simulated time and objects delivered; nothing where `quiet`, off a terminal, or without rich."""
    with bar("starting", None, "{task.completed} of {task.total} done", quiet=quiet) as update:
        calls = itertools.count()

        def show(now: float, delivered: int, total: int) -> None:
            if update is not None and next(calls) % EVERY == 0:
                text = f"{now:6.0f} s (limit {limit_s:.0f} s)"
                update(description=text, completed=delivered, total=total)

        yield show if update is not None else None


class Host:
    """A team with the events of its script; with `stays` further ones may be added while it runs.

    `at_end` is called when the mission is over, before the computers are switched off.
    """

    def __init__(
        self, team: Team, script: Sequence[ScenarioEvent], cut: Cut, progress: Progress | None = None, *,
        stays: bool = False, at_end: Callable[[], None] | None = None,
    ) -> None:  # fmt: skip
        self._team, self._script, self._cut, self._progress = team, script, cut, progress
        self._stays, self._at_end = stays, at_end
        self.world, self.airs, self.numbers = team.world, team.airs, team.numbers
        self._director = Director(self)
        self._story = ActivityTrace()
        self._ticking: dict[str, Periodic] = {}
        self._boots: dict[str, asyncio.TimerHandle] = {}
        self._ticks = 0
        self._raised: dict[str, str] = {}  # by robot: what the first tick that raised has raised

    async def run(self) -> Outcome:
        """From switching all computers on to switching them off."""
        loop = asyncio.get_running_loop()
        self._start = loop.time()
        if self._team.station is not None:
            self._team.station.switch_on()
        for name in self._team.names:
            self._switch_on(name)
            orders = [Order(kind, by=SIMULATION) for kind in ("start", "mission-start")]
            self._team.robots[name].orders += orders
        play = asyncio.ensure_future(self._director.play(self._script, stays=self._stays))
        try:
            reason = await self._judge(play)
            known = {fact for robot in self._team.robots.values() for fact in robot.mind.beliefs.facts}
            ending = ending_of(
                self._team.mission, self._team.world, self._story, self._director.happened, known,
                accomplished=reason == "accomplished",
            )  # fmt: skip
            if self._at_end is not None:
                self._at_end()
        finally:
            play.cancel()
            for boot in self._boots.values():
                boot.cancel()
            for name in self._team.names:
                self._switch_off(name)
            if self._team.station is not None:
                self._team.station.switch_off()
        return self._outcome(reason, ending, loop.time() - self._start)

    async def _judge(self, play: asyncio.Future[None]) -> str:
        loop = asyncio.get_running_loop()
        checks, done = 0, False
        while True:
            checks += 1
            await asyncio.sleep(self._start + checks * JUDGE_S - loop.time())
            now = loop.time() - self._start
            station = self._team.station.task if self._team.station is not None else None
            for task in (play, station):
                if task is not None and task.done() and not task.cancelled():
                    task.result()  # a dead task is an error of the simulation itself
            self._team.world.advance(loop.time())
            brought_about, total = progress(self._team.world, self._team.mission.content.goal.world)
            if self._progress is not None:
                self._progress(now, brought_about, total)
            done_before, done = done, brought_about == total and self._known_done()
            # By the second look the robot that did the last task has decided and reported it.
            if reason := self._cut.reason(now, accomplished=done and done_before):
                return reason

    def _known_done(self) -> bool:
        """Whether some robot knows all facts of the goal."""
        facts = self._team.mission.content.goal_facts()
        return any(all(robot.mind.beliefs.flag(fact) for fact in facts) for robot in self._team.robots.values())

    def add(self, event: ScenarioEvent) -> None:
        """An event more; ValueError for one that cannot happen in this mission."""
        check_event(event, self._team.mission)
        self._director.add(event)

    @property
    def muted(self) -> Collection[str]:
        """The robots whose radio is switched off."""
        return self._director.muted

    @property
    def holding(self) -> Mapping[str, Collection[str]]:
        """See `Backend`."""
        return self._story.holding

    @property
    def done(self) -> Mapping[str, Sequence[tuple[float, str]]]:
        """By task, when (s) and by which robot it was done."""
        return self._story.done

    def order(self, name: str, order: Order) -> None:
        """See `Backend`."""
        robot = self._team.robots.get(name)
        if robot is not None:
            robot.submit(order)

    def end(self, name: str, verb: str) -> None:
        """See `Backend`; a process that is stopped counts as killed: on a robot its guardian kills it."""
        self._switch_off(name)

    def reboot(self, name: str) -> None:
        """See `Backend`; it starts again after `BOOT_S`."""
        self._switch_off(name)
        if name in self._boots:  # it was starting already: it starts again
            self._boots[name].cancel()
        self._boots[name] = asyncio.get_running_loop().call_later(BOOT_S, self._switch_on, name)

    def note(self, event: ScenarioEvent, name: str, now: float) -> None:
        """See `Backend`: in the run log."""
        self._team.log.note("event", at_s=now - self._start, verb=event.verb, who=name, arg=event.arg)

    def _switch_station(self, *, on: bool) -> None:
        """The base station: a program, or a part of the air."""
        station = self._team.station
        if station is None:
            self.airs.switch(NUMBER, on, asyncio.get_running_loop().time())
        elif on:
            station.switch_on()
        else:
            station.switch_off()

    def _switch_on(self, name: str) -> None:
        if name == BASE_STATION:
            self._switch_station(on=True)
            return
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        now = loop.time()
        robot = self._team.boot(name, now)
        robot.watchers.append(self._watch)
        period_s = 1.0 / self._team.mission.content.control.tick_hz
        after_tick = self._team.attached[name].after_tick

        def tick(n: int) -> None:
            robot.step(loop.time(), n)
            after_tick()

        self._ticking[name] = loop.call_every(now + self._team.phase(name), period_s, tick)

    def _switch_off(self, name: str) -> None:
        if name == BASE_STATION:
            self._switch_station(on=False)
            return
        ticking = self._ticking.pop(name, None)
        if ticking is None:
            return
        ticking.cancel()
        self._ticks += ticking.count
        self._team.switch_off(name)
        self._story.gone(name, asyncio.get_running_loop().time() - self._start)

    def _watch(self, snapshot: Snapshot) -> None:
        if snapshot.decision.choice is not None:
            self._story.decided(snapshot.robot, snapshot.inputs.now - self._start, snapshot.choice)
        for fault in snapshot.inputs.faults:
            if fault.name == "tick-raised":
                self._raised.setdefault(snapshot.robot, fault.detail)

    def _outcome(self, reason: str, ending: str, duration_s: float) -> Outcome:
        self._story.close(duration_s)
        extra: dict[str, object] = {"raised": dict(sorted(self._raised.items()))} if self._raised else {}
        if self._team.station is not None:
            extra["base_station"] = self._team.station.document()
        outcome = Outcome(
            self._team.mission.content.name, self._team.seed, reason == "accomplished", reason, duration_s,
            self._story, self._team.names, self._team.airs.statistics(), {"count": self._ticks, "skipped": 0},
            log="", extra={**extra, **self._director.outcome(), **self._story.outcome(self._team.mission.table)},
            ending=ending,
        )  # fmt: skip
        self._team.log.note("end", reason=reason, accomplished=outcome.accomplished, duration_s=duration_s)
        return outcome
