"""A batch of abstract missions under way, tick by tick, on the array equations of `motivation.alliance.equations`.

What a daemon does round the equations (`motivation.alliance.alliance`) is done here on arrays: a robot states its
task once a beat, and what it knows to be completed; a frame's completions are taken in before its claim;
and a claim from before a task's last completion resets no robot. One tick: work, frames, looking round, decision.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from motivation.alliance.equations import StepResult, complete, hear, step
from motivation.alliance.parameters import STORED, Bools, Reals, State
from robotd.experiments.abstract.draws import Purpose, uniform
from robotd.experiments.abstract.missions import Counts, Missions, Wholes, adjacent, others
from robotd.model.beliefs import SAME

NOTHING = -1  # the task of a robot that states none
OF_MISSIONS = (
    "rows", "done", "done_at", "known", "work", "finished", "_known_at", "_busy", "_lately", "_lately_from",
)  # fmt: skip
NEARLY = 1.0 - 1e-9  # of a round's work: forgives the rounding of a sum of ticks

T = TypeVar("T", bound=np.generic)
Adapt = Callable[["Running"], None]
"""Called before each decision: L-ALLIANCE writes its rates into `running.missions.params`."""


class _Frames(NamedTuple):
    sent: Bools  # (M, R)
    at: Reals  # (M, R, K): when that of its teammate K was received at R
    arrived: Bools  # (M, R, K): at R, from its teammate K


class Running:
    """The missions of a batch at one tick.

    `rows` `(M)`: which of the batch they are, as those that are over can be let go. `now` (s). `done` `(M, T)`:
    rounds completed; `done_at` `(M, T)`: when last (-inf: never). `known` `(M, R, T)`: of these, what each robot
    knows. `work` `(M, R, T)`: each robot's share of the present round. `finished` `(M, R, T)`: which robots
    worked on a round that this tick completed. `state`, `result`, `applicable`: of the equations.
    """

    def __init__(self, missions: Missions, adapt: Adapt | None = None) -> None:
        count, robots, tasks = missions.shape
        self.missions = missions
        self.rows: Wholes = np.arange(count)
        self.state = State.start((count, robots, tasks, robots - 1))
        self.result: StepResult
        self.done: Counts = np.zeros((count, tasks), np.int8)
        self.done_at: Reals = np.full((count, tasks), -np.inf)
        self.known: Counts = np.zeros((count, robots, tasks), np.int8)
        self.work: Reals = np.zeros((count, robots, tasks))
        self.finished: Bools = np.zeros((count, robots, tasks), np.bool_)
        self.n = 0
        self._adapt = adapt
        self._teammates = others(robots)
        self._known_at: Reals = np.full((count, robots, tasks), -np.inf)
        self._busy: Bools = np.zeros((count, robots), np.bool_)
        self._lately: Counts = np.full((count, robots), NOTHING, np.int8)
        self._lately_from: Reals = np.zeros((count, robots))
        self.keep(np.ones(count, np.bool_))  # all, adjacent in memory

    def _prepare(self) -> None:
        m = self.missions
        robots, tasks = m.shape[1:]
        self._tasks = adjacent(np.broadcast_to(np.arange(tasks, dtype=np.int8)[:, None], (*m.shape, robots - 1)))
        self._rate = np.where(m.able, 1.0 / m.task_time, 0.0)
        self._any_needs = bool(m.needs.any())
        self._on_air_until = np.minimum(m.robot_at, m.radio_at)
        self._is_received = adjacent(m.loss < 1.0)[:, None]  # by some robot
        self._by_luck = adjacent((m.loss > 0.0) & (m.loss < 1.0))[:, None, None]
        self._any_luck = bool(self._by_luck.any())
        self._beats = _periods(self.now, m.beat_phase, m.params.beat_s)
        self._looks = _periods(self.now, m.look_phase, m.look_s)
        self._sense_failures()
        self._applicable(changed=True)

    @property
    def now(self) -> float:
        """The instant of the last tick, s."""
        return self.n * self.missions.tick_s

    def keep(self, which: Bools) -> None:
        """Let go of all missions but those of the mask `which` `(M)`."""
        self.missions = self.missions.take(which)
        stored = {name: adjacent(getattr(self.state, name)[which]) for name in STORED}
        self.take_up(State(**stored), {name: adjacent(getattr(self, name)[which]) for name in OF_MISSIONS})

    def take_up(self, state: State, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a state, and from the arrays `OF_MISSIONS` by name, at the tick `n`."""
        self.state = state
        for name in OF_MISSIONS:
            setattr(self, name, arrays[name])
        self._prepare()

    def ticks(self, duration_s: float) -> Iterator[float]:
        """Runs while missions are left, at most to `duration_s`; yields `now` after each tick."""
        last = int(duration_s / self.missions.tick_s + SAME)
        while self.n < last and len(self.rows):
            self.tick()
            yield self.now

    def tick(self) -> None:
        """One tick of all missions."""
        self.n += 1
        self._sense_failures()
        known = self.known
        self._work()
        frames = self._frames()
        received_at = self._take_facts(frames, known)
        self._look()
        news = self.known > known
        changed = bool(np.count_nonzero(news))
        if changed:
            done_at = np.where(self.known == self.done[:, None], self.done_at[:, None], self.now)
            self._known_at = np.where(news, done_at, self._known_at)
            complete(self.state, news, np.where(news & (received_at < np.inf), received_at, self.now))
        self._take_claims(frames)
        self.applicable = self._applicable(changed=changed) & ~news
        if self._adapt is not None:
            self._adapt(self)
        m = self.missions
        self.result = step(self.state, m.params, self.now, m.tick_s, self.applicable)
        self._note_active()

    # -- the world

    def _sense_failures(self) -> None:
        self._failed_sensor: Bools = self.now + SAME >= self.missions.sensor_at  # (M, R, T)
        self._alive: Bools = self.now + SAME < self.missions.robot_at  # (M, R)

    def _work(self) -> None:
        """What was active since the last tick has worked; a robot that works at a task sees whether it is done."""
        m = self.missions
        working = self.state.active & self._alive[..., None] & ~self._failed_sensor
        self.work = self.work + np.where(working, self._rate * m.tick_s, 0.0)
        share = self.work.sum(axis=1) if m.shared_work else self.work.max(axis=1)
        completed = (share >= NEARLY) & (self.done < m.rounds)
        self.finished = working & completed[:, None, :]
        if np.count_nonzero(completed):
            self.done = self.done + completed
            self.done_at = np.where(completed, self.now, self.done_at)
            self.work = np.where(completed[:, None, :], 0.0, self.work)
        self.known = np.where(working, self.done[:, None, :], self.known)

    def _look(self) -> None:
        m = self.missions
        if m.look_s == np.inf:
            return
        before, self._looks = self._looks, _periods(self.now, m.look_phase, m.look_s)
        looks = np.nonzero((self._looks > before) & self._alive & ~self._busy)
        sees = ~self._failed_sensor[looks]
        self.known[looks] = np.where(sees, self.done[looks[0]], self.known[looks])  # `_work` made a new array

    def _applicable(self, *, changed: bool) -> Bools:
        m = self.missions
        if changed:
            over = self.known >= m.rounds[:, None, :]
            self._open = m.able & ~over
            if self._any_needs:
                self._open &= ~(m.needs[:, None] & ~over[:, :, None, :]).any(axis=-1)
        return self._open & self._alive[..., None] & ~(m.blind & self._failed_sensor)

    # -- the radio

    def _frames(self) -> _Frames:
        m = self.missions
        beat_s, before = m.params.beat_s, self._beats
        self._beats = count = _periods(self.now, m.beat_phase, beat_s)
        at = m.beat_phase + count * beat_s
        sent = (count > before) & (count >= 0) & (at < self._on_air_until)
        teammate_at = self._of_teammates(at)
        arrived = self._of_teammates(sent & self._is_received) & (teammate_at < self._on_air_until[..., None])
        if self._any_luck:
            k, hearer, row = np.nonzero((arrived & self._by_luck).T)  # adjacent in memory
            sender = self._teammates[hearer, k]
            luck = uniform(m.key[row], Purpose.LOSS, count[row, sender], sender, hearer)
            arrived[row, hearer, k] = luck >= m.loss[row]
        return _Frames(sent, teammate_at, arrived)

    def _of_teammates(self, array: NDArray[T]) -> NDArray[T]:
        """`(M, R, K)` or `(M, R, K, T)`: what each robot's teammates have of an array `(M, R)` or `(M, R, T)`."""
        return array.T[..., self._teammates.T, :].T

    def _take_facts(self, frames: _Frames, known: Counts) -> Reals:
        """What was `known` before this tick goes round; the instants `(M, R, T)` of news (inf: none by radio)."""
        news_at = np.full_like(known, np.inf, np.float64)
        # Elsewhere all know the same, or no robot receives anything.
        differ = np.logical_or.reduce(known != known[:, :1], axis=(1, 2))
        rows = np.flatnonzero(differ & np.logical_or.reduce(frames.arrived, axis=(1, 2)))
        if len(rows):
            arrived = adjacent(frames.arrived[rows])[..., None]
            received = np.where(arrived, self._of_teammates(known[rows]), 0)
            greatest = received.max(axis=2, initial=0)
            own = adjacent(self.known[rows])
            news = greatest > own
            newest = arrived & (received == greatest[:, :, None, :])
            at = np.where(newest, adjacent(frames.at[rows])[..., None], np.inf).min(axis=2, initial=np.inf)
            self.known[rows] = np.maximum(own, greatest)  # `_work` made a new array
            news_at[rows] = np.where(news, at, np.inf)
        return news_at

    def _take_claims(self, frames: _Frames) -> None:
        stated = np.where(frames.arrived, self._of_teammates(self._lately), NOTHING)
        claims = stated[:, :, None, :] == self._tasks
        at, since = frames.at[:, :, None, :], self._of_teammates(self._lately_from)[:, :, None, :]
        s = self.state
        if np.count_nonzero(claims):
            # A claim that began before the task's last known completion is one on the occasion that this ended.
            hear(s, self.missions.params, claims, at, at - since, since <= self._known_at[..., None])
        idle = frames.sent & ~self._busy  # the last task is stated once
        self._lately = np.where(idle, NOTHING, self._lately)

    def _note_active(self) -> None:
        active = self.state.active
        self._busy = busy = np.logical_or.reduce(active, axis=-1)
        self._lately = np.where(busy, active.argmax(axis=-1).astype(np.int8), self._lately)
        claimed = np.where(active, self.state.claimed_at, 0.0).sum(axis=-1)
        self._lately_from = np.where(busy, claimed, self._lately_from)


def _periods(now: float, phase: Reals, period_s: float) -> Wholes:
    """How many whole periods have passed since `phase`, s; below 0 before it."""
    return np.floor((now - phase) / period_s + SAME).astype(np.int64)
