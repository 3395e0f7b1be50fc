"""When a robot enters the two phases, and what follows for it: algorithms 1 and 2 over its own state."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from motivation.cobos import allocation, recruitment
from motivation.cobos.allocation import Allocation, Knowledge
from motivation.cobos.models import KEEPS, ON_THE_WAY, PERFORMED, STARTED
from motivation.cobos.settings import CobosSettings, Plan
from motivation.cobos.state import NO, WORKS, Models, State, put
from motivation.cobos.words import why_taken, why_waits

UNKNOWN_WINDOWS = 4  # network windows without any page: the robot takes no part
ARCHIVED_TERMS = 2
DESERTED_BEATS = 12.0  # a page may be so much later than what others say of its robot
EXCHANGE_WINDOWS = 4  # so many `network_beats` a robot waits for those whose task it takes
STEADY_BEATS = 3.0  # what a team reports of a performed task must hold for so long before a robot is sent away


class Phases(Models):
    """One robot's decisions.

    Set before each: `now` (own clock, s), `unit_s`, a beat, `unknown`, the robots in the network whose pages have
    not arrived yet, and `over`, the tasks whose completion is known.
    """

    def __init__(self, me: int, settings: CobosSettings, plan: Plan, given: Sequence[float], state: State) -> None:
        super().__init__(settings, plan, given, state)
        self.me, self.now, self.unit_s = me, state.began, 1.0
        self.unknown: tuple[int, ...] = ()
        self.over: frozenset[int] = frozenset()
        self.names: Mapping[int, str] = {}  # for people

    def watch(self, known: Knowledge) -> None:
        """Whether the own task is performed, and by how many, as all of its robots here report."""
        state, now = self.state, self.now
        if not state.task or state.place != WORKS:
            state.found_since = state.lost_since = -1.0
            return
        record = state.records[state.task - 1]
        team = [known.members[robot].status for robot in known.holders(state.task)]
        steady_s = STEADY_BEATS * self.unit_s
        if max(team) < PERFORMED:
            state.found_since = -1.0
            state.lost_since = now if state.lost_since < 0 or not record.performed else state.lost_since
            if record.performed and state.status > ON_THE_WAY and now - state.lost_since >= steady_s:
                self.take_up(now, state.task, record.changed(performed=False))
            return
        state.lost_since, state.found_since = -1.0, now if state.found_since < 0 else state.found_since
        need = team.count(KEEPS) or team.count(PERFORMED)
        if need != state.fitting or not record.performed:
            state.fitting, state.fitting_since = need, now
        if state.status >= PERFORMED and now - state.found_since >= steady_s:
            record = record.changed(performed=True, open=False)
            if self.settings.completion == "fits" and now - state.fitting_since >= steady_s:
                record = record.changed(required=self._number(state.task, need), tried=False)
            self.take_up(now, state.task, record)
        elif (
            record.performed and self.settings.completion == "fits"
            and state.status == STARTED and now - state.fitting_since >= steady_s
        ):  # fmt: skip
            self.back_off(state.task, "others perform it, and it does not observe that")

    def desert(self, holders: Collection[int]) -> None:
        """Open a performed task that no robot is on any more, in reach or not, as was last received."""
        state, now = self.state, self.now
        for k, record in enumerate(state.records):
            gone = record.performed and k + 1 not in holders
            since = -1.0 if not gone else now if state.deserted[k] < 0 else state.deserted[k]
            state.deserted = put(state.deserted, k, since)
            if gone and now - since >= DESERTED_BEATS * self.unit_s:
                self.take_up(now, k + 1, record.changed(performed=False, open=True))

    def allocate(self, known: Knowledge) -> None:
        """Algorithm 1, wherever the tasks considered have changed and nothing changes any more."""
        state, now = self.state, self.now
        part = replace(known, members=allocation.settled(known))
        if self.me not in part.members:
            state.asked, state.asking, state.at_home = "", "", False
            return
        if self._exchange(known, part):
            return
        if part.is_home and not state.at_home:
            mine = state.task
            state.since = tuple(at if k == mine else now for k, at in enumerate(state.since, 1))
        state.at_home = part.is_home
        self._lapse(part)
        self._retry(part)
        part = replace(part, records=state.records)
        tasks = allocation.considered(part)
        asking = repr((
            [(task, allocation.demand(part, task, self.settings), part.record(task).tried) for task in tasks],
            [(robot, [one.values[task - 1] for task in tasks]) for robot, one in part.members.items()],
            self.unknown,
        ))  # fmt: skip
        if asking != state.asking:
            state.asking, state.asking_since = asking, now
        if self._is_early():
            return
        if asking == state.asked and not state.due:
            return
        if self._break(part, tasks):
            return
        result = allocation.allocate(part, tasks, self.settings)
        if self._gathers(part, result):
            return
        state.asked, state.due, state.awaited = asking, False, ()
        self._follow(known, part, tasks, result)

    def _is_early(self) -> bool:
        """Whether others are to be received first: after a start, and while something changes or is on its way."""
        state, now, window_s = self.state, self.now, self.settings.network_beats * self.unit_s
        still_s = UNKNOWN_WINDOWS * window_s if self.unknown else self.settings.synchronise_beats * self.unit_s
        return now - state.listens_since < window_s or now - state.asking_since < still_s

    def _lapse(self, part: Knowledge) -> None:
        """Count the lapses of the tasks that this network is responsible for (lines 6 to 18)."""
        state, now = self.state, self.now
        done = {one.task for one in part.members.values()}
        recruiting = {one.task for one in part.members.values() if one.recruits}
        for number in sorted(part.ready):
            record, k = state.records[number - 1], number - 1
            if record.performed or number in recruiting:
                state.since = put(state.since, k, now)
            elif (number in done or part.is_home) and now - state.since[k] >= self.plan.tasks[k].expected_s:
                new, back = allocation.lapse(part, number, self.settings)
                state.since = put(state.since, k, now)
                words = f"after {self.plan.tasks[k].expected_s:g} s; robots needed from now on: {new.required}"
                self.note("lapsed", number, words, required=new.required)
                self.take_up(now, number, new)
                if back and state.task == number:
                    self.fail(number)

    def _retry(self, part: Knowledge) -> None:
        """Let a task leave the archive with one robot less, as what it needs may have been misjudged."""
        state = self.state
        for number in sorted(part.archived) if part.is_home and self.settings.archive == "retry" else ():
            if self.now - state.since[number - 1] >= ARCHIVED_TERMS * self.plan.tasks[number - 1].expected_s:
                record, fixed = state.records[number - 1], number in self.plan.fixed
                fewer = record.changed(required=record.required - 1)
                new = allocation.freed(record, self.settings, fixed=True) if fixed else fewer
                self.note("retried", number, f"it needs more robots than can do it; now with {new.required}")
                self.take_up(self.now, number, new.changed(open=True))

    def _break(self, part: Knowledge, tasks: Sequence[int]) -> bool:
        """Whether all robots had backed off some task, which is tried anew."""
        stuck = allocation.stuck(part, tasks, self.state.able, self.settings)
        for task in stuck:
            new = allocation.freed(part.record(task), self.settings, fixed=task in self.plan.fixed)
            self.take_up(self.now, task, new)
        return bool(stuck)

    def _gathers(self, part: Knowledge, result: Allocation) -> bool:
        """Whether those whom it recruited must state first that they come.

        Where it is itself to take the task of one of them, it does so as soon as they have: a task that it left
        before the other has taken it up would not be considered any more.
        """
        state, mine = self.state, result.tasks[self.me]
        gathers = self.settings.gathers and state.task and state.place != WORKS
        if not gathers or state.task not in result.active or state.task in result.short:
            return False
        stays = mine == state.task
        coming = [robot for robot, one in result.tasks.items() if one == state.task]
        awaited = [robot for robot in coming if stays or not part.members[robot].recruits]
        if all(part.members[robot].task == state.task for robot in awaited):
            return False
        if stays:
            return True
        if state.awaits_since < state.asking_since:  # a new allocation
            state.awaits_since = self.now
            state.awaited, state.exchanged = tuple(awaited), mine if mine not in result.short else 0
        return self._awaits()

    def _awaits(self) -> bool:
        """Whether those whose task it is to take may still state that they come."""
        return self.now - self.state.awaits_since < EXCHANGE_WINDOWS * self.settings.network_beats * self.unit_s

    def _exchange(self, known: Knowledge, part: Knowledge) -> bool:
        """Whether it takes the task of those that have now stated that they come to the one it recruited for."""
        state, recruited = self.state, self.state.task
        here = state.place != WORKS and set(state.awaited) <= part.members.keys()
        if not (state.awaited and state.exchanged and here and self._awaits()):
            return False
        if any(part.members[robot].task != recruited for robot in state.awaited):
            return False
        tasks = {self.me: state.exchanged, **dict.fromkeys(state.awaited, recruited)}
        result, state.awaited = Allocation(tasks, (recruited, state.exchanged), frozenset(), 0), ()
        self._take(state.exchanged, recruits=False, known=known, result=result)
        return True

    def _follow(self, known: Knowledge, part: Knowledge, tasks: Sequence[int], result: Allocation) -> None:
        """Take up what the allocation has for this robot (lines 24 to 35)."""
        state = self.state
        for task in tasks:
            team, k = tuple(robot for robot, one in result.tasks.items() if one == task), task - 1
            if team and team != state.teams[k]:  # a new team has a whole term
                state.teams, state.since = put(state.teams, k, team), put(state.since, k, self.now)
        mine = result.tasks[self.me]
        backed = state.task > 0 and state.backed[state.task - 1] != NO
        recruits = self.settings.recruits
        if mine:
            self._take(mine, recruits=recruits and mine in result.short, known=known, result=result)
        elif recruits and backed and state.task in result.short and not part_of(result, state.task):
            self._take(state.task, recruits=True, known=known, result=result)
        elif recruits and result.next and part.members[self.me].values[result.next - 1]:
            self._take(result.next, recruits=True, known=known, result=result)
        elif not self._remains(tasks):
            self._take(0, recruits=False, known=known, result=result)

    def _remains(self, tasks: Sequence[int]) -> bool:
        """Line 32: a robot that backed off at its task's place stays there, unless the task is performed."""
        state = self.state
        if state.task not in tasks or state.place != WORKS:
            return False
        return state.backed[state.task - 1] != NO and not state.records[state.task - 1].performed

    def _take(self, task: int, *, recruits: bool, known: Knowledge, result: Allocation) -> None:
        state, old = self.state, self.state.task
        before = (old, state.recruits, state.place)
        if old and old != task:
            self.charge(old)
            others = [
                robot for robot in known.holders(old) if robot != self.me and result.tasks.get(robot, old) == old
            ]
            if not others and not part_of(result, old) and old not in self.over:
                self.take_up(self.now, old, state.records[old - 1].changed(open=True, performed=False))
        state.task = task
        if not recruits:
            state.status = ON_THE_WAY if old != task or state.place != WORKS else state.status
            state.place, state.visiting_of = (WORKS if task else 0), 0
        elif not state.recruits or old != task:
            if state.visiting_of != task or self.settings.visiting == "anew":
                state.visiting = recruitment.places(task, state.introduced, self.settings.tour)
                state.visiting_of = task
            state.place = state.visiting[0] if state.visiting else 0
        state.recruits = recruits
        if task and state.records[task - 1].open:
            self.take_up(self.now, task, state.records[task - 1].changed(open=False))
        waits, state.waits = state.waits, ""
        changed = before != (task, recruits, state.place)
        state.version += changed
        if not task:
            words = state.waits = why_waits(self.plan, state, known, result, self.settings)
            changed = changed or words != waits
        elif recruits:
            words = f"visits {self.plan.id(state.place)} to find more robots for {self.plan.id(task)}"
        else:
            words = why_taken(task, self.me, self.plan, known, result, self.names) if changed else ""
        if changed:
            self.note("recruits" if recruits else "assigned", task, words, place=max(0, state.place))

    def arrive(self, known: Knowledge) -> None:
        """Lines 7 to 12 of algorithm 2: it is at the place that it visits."""
        state = self.state
        if state.visiting:
            state.visiting, state.recruits, state.due = state.visiting[1:], False, True
            state.asking, state.waits_since = "", self.now
        elif self.settings.impasse == "try" and state.waits_since < 0.0:  # it has rebooted here
            state.waits_since = self.now
        elif self.settings.impasse == "try":
            record = state.records[state.task - 1]
            if self.now - state.waits_since >= self.plan.tasks[state.task - 1].expected_s:
                state.waits_since, state.visiting_of, state.due = self.now, 0, True
                team = self._number(state.task, len(known.holders(state.task)))
                self.take_up(self.now, state.task, record.changed(required=team, tried=False))

    def _number(self, task: int, found: int) -> int:
        """How many robots a task needs from now on: what was found, or what is known all along."""
        return self.plan.tasks[task - 1].required or found


def part_of(result: Allocation, task: int) -> bool:
    """Whether an allocation has any robot for a task."""
    return task in result.tasks.values()
