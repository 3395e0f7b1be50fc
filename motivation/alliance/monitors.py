"""L-ALLIANCE's performance monitors: whose attempts at which task took how long (000, section III-E).

A robot measures its own attempts and receives those of its teammates: a `trial` statement per task, repeated until
it was surely received. It carries how long the work took and one byte that distinguishes attempts, so that a
repetition, a lost frame or a restart of either side never makes a trial that was none.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from motivation.alliance.learning import remember, task_time, trials
from motivation.alliance.parameters import Reals
from robotd.model.beliefs import TrialReport
from robotd.model.facts import BEAT_PARTS
from robotd.model.plain import Json
from robotd.model.statements import Statement
from robotd.model.table import Member

MOST_PARTS = 0xFFFF  # a `beats` field takes two bytes
SERIALS = 128  # seven bits of the outcome: attempts counted round; the eighth: given up
KNOWN = 4  # a teammate's last trials by which a repetition is known, even if its sender lost its newest
FRAMES = 4  # own frames that report a trial: at a loss of 30 % one trial in 120 is received in none of them


class Reported(NamedTuple):
    """The last trial of a task as a statement reports it: the byte `outcome`, and the time in beats."""

    outcome: int
    beats: float

    @property
    def gave_up(self) -> bool:
        """Whether the attempt ended without the task's completion."""
        return self.outcome % 2 == 1


class Trial(NamedTuple):
    """A trial that became known: whose (number), of which own sets (rows), how long (s), and how it ended."""

    robot: int
    rows: tuple[int, ...]
    took_s: float
    gave_up: bool


class Monitors:
    """The last `mu` trials of each own behavior set's task, of each robot of the team; its size never changes."""

    def __init__(self, sets: Sequence[tuple[str, str]], team: Sequence[Member], mu: int, beat_s: float) -> None:
        """`sets`: name and task of each."""
        self._sets = tuple(sets)
        self._team = tuple(sorted(team, key=lambda member: member.number))
        self._column = {member.number: k for k, member in enumerate(self._team)}
        self._beat_s = beat_s
        self._window: Reals = np.full((len(self._sets), len(self._team), mu), np.nan)
        self._own: dict[str, Reported] = {}
        self._received: dict[tuple[int, str], tuple[Reported, ...]] = {}  # the newest last
        self._sent: dict[str, int] = {}  # of each own last trial, in how many frames of this run
        self.version = 0

    def begin(self, me: int, teammates: Sequence[Member]) -> None:
        """A run opens: own last trials are sent again, as the end of the last run may have cut them off."""
        self._me = me
        self._teammates = [self._column[teammate.number] for teammate in teammates]
        self._sent = dict.fromkeys(self._own, 0)

    def times(self) -> tuple[Reals, Reals]:
        """The task times `(sets)` of this robot and `(sets, teammates)` of its teammates, s; nan where unknown."""
        times = task_time(self._window)
        return times[:, self._column[self._me]], times[:, self._teammates]

    def count(self, row: int, robot: int) -> int:
        """How many trials of `robot` (by number) are known for a set."""
        return int(trials(self._window[row, self._column[robot]]))

    def time(self, row: int, robot: int) -> float:
        """The task time of `robot` for a set, s; nan where unknown."""
        return float(task_time(self._window[row, self._column[robot]]))

    def attempt(self, row: int, took_s: float, *, gave_up: bool) -> Trial:
        """An own attempt with set `row` has ended; it counts as rounded on the air, as for everybody."""
        task = self._sets[row][1]
        beats = min(round(max(0.0, took_s) / self._beat_s * BEAT_PARTS), MOST_PARTS) / BEAT_PARTS
        last = self._own.get(task)
        serial = (last.outcome // 2 + 1) % SERIALS if last is not None else 0
        self._own[task] = trial = Reported(2 * serial + gave_up, beats)
        self._sent[task] = 0
        return self._take(self._me, (row,), trial, trial.beats * self._beat_s)

    def receive(self, robot: int, report: TrialReport) -> Trial | None:
        """A teammate's trial; None where it is known already, or of no task of this robot."""
        rows = tuple(j for j, (_, own) in enumerate(self._sets) if own == report.task)
        beats = round(report.took_s / self._beat_s, 9)  # to the bit as it was on the air
        trial, known = Reported(report.outcome, beats), self._received.get((robot, report.task), ())
        if not rows or robot not in self._column or trial in known:
            return None
        self._received[robot, report.task] = (*known, trial)[-KNOWN:]
        return self._take(robot, rows, trial, report.took_s)

    def _take(self, robot: int, rows: tuple[int, ...], trial: Reported, took_s: float) -> Trial:
        which = np.zeros(self._window.shape[:-1], np.bool_)
        which[list(rows), self._column[robot]] = True
        self._window = remember(self._window, which, took_s)
        self.version += 1
        return Trial(robot, rows, took_s, trial.gave_up)

    def statement(self) -> Statement | None:
        """The own trial that was sent least often in this run; None once each was sent in `FRAMES` frames."""
        waiting = [(count, task) for task, count in self._sent.items() if count < FRAMES]
        if not waiting:
            return None
        task = min(waiting)[1]
        return Statement("trial", (task, *self._own[task]))

    def note_sent(self, statement: Statement) -> None:
        """A `trial` statement left in an own frame."""
        task, outcome = str(statement.fields[0]), statement.fields[1]
        if task in self._own and self._own[task].outcome == outcome:
            self._sent[task] += 1

    def memory(self) -> dict[str, Any]:
        names = [member.name for member in self._team]
        times = [[one[~np.isnan(one)].tolist() for one in row] for row in self._window]
        return {
            "trials": {
                name: dict(zip(names, own, strict=True)) for (name, _), own in zip(self._sets, times, strict=True)
            },
            "told": {task: list(trial) for task, trial in sorted(self._own.items())},
            "heard": [[*whose, [list(trial) for trial in last]] for whose, last in sorted(self._received.items())],
        }

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Take up a `memory()`, of it the newest where it holds more than mu trials; ValueError, all unchanged."""
        try:
            window = self._read(memory["trials"])
            own = {str(task): _reported(*trial) for task, trial in memory["told"].items()}
            received = {
                (int(robot), str(task)): tuple(_reported(*trial) for trial in last[-KNOWN:])
                for robot, task, last in memory["heard"]
            }
        except (AttributeError, LookupError, TypeError, OverflowError) as error:
            raise ValueError(f"it is not what a robot writes down ({type(error).__name__}: {error})") from None
        if not set(own) <= {task for _, task in self._sets}:
            raise ValueError("it holds own trials of tasks that this robot has not")
        self._window, self._own, self._received = window, own, received
        self._sent = dict.fromkeys(own, 0)

    def _read(self, found: Mapping[str, Mapping[str, Sequence[float]]]) -> Reals:
        window = np.full_like(self._window, np.nan)
        for j, (name, _) in enumerate(self._sets):
            for k, member in enumerate(self._team):
                times = [float(x) for x in found[name][member.name]][-window.shape[-1] :]
                if not all(math.isfinite(x) and x >= 0 for x in times):
                    raise ValueError(f"a time of {member.name} for {name} is not a length of time: {times}")
                if times:
                    window[j, k, -len(times) :] = times
        return window

    def freeze(self) -> Json:
        """The memory, and how often own trials were sent."""
        return {"memory": self.memory(), "said": dict(self._sent), "version": self.version}

    def thaw(self, state: Mapping[str, Any]) -> None:
        self.recall(state["memory"])
        self._sent, self.version = dict(state["said"]), state["version"]


def _reported(outcome: Any, beats: Any) -> Reported:
    trial = Reported(int(outcome), float(beats))
    if not (0 <= trial.outcome < 2 * SERIALS and 0 <= trial.beats <= MOST_PARTS / BEAT_PARTS):
        raise ValueError(f"no statement reports a trial as {list(trial)}")
    return trial
