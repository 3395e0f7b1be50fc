"""A batch of abstract missions under way, tick by tick, on the array equations of `motivation.alliance.equations`.

What a daemon does round the equations (`motivation.alliance.alliance`) is done here on arrays: a robot states its
task once a beat, and what it knows to be completed; a frame's completions are taken in before its claim;
and a claim from before a task's last completion resets no robot. One tick: work, frames, looking round, decision.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import NamedTuple

import numpy as np

from motivation.alliance.equations import StepResult, complete, hear, step
from motivation.alliance.lone import SAME
from motivation.alliance.parameters import Bools, Reals, State
from robotd.experiments.abstract.draws import Purpose, uniform
from robotd.experiments.abstract.missions import Missions, Wholes, adjacent, others

NOTHING = -1  # the task of a robot that states none
_OF_MISSIONS = ("rows", "done", "done_at", "known", "work", "finished", "_known_at", "_lately", "_lately_from")
NEARLY = 1.0 - 1e-9  # of a round's work: forgives the rounding of a sum of ticks

Adapt = Callable[["Running"], None]
"""Called before each decision: L-ALLIANCE writes its rates into `running.missions.params`."""


class _Frames(NamedTuple):
    at: Reals  # (M, R)
    sent: Bools  # (M, R)
    arrived: Bools  # (M, R, K): at R, from its mate K


class Running:
    """The missions of a batch at one tick.

    `rows` `(M)`: which of the batch they are, as those that are over can be let go. `now` (s). `done` `(M, T)`:
    rounds completed; `done_at` `(M, T)`: when last (-inf: never). `known` `(M, R, T)`: of these, what each robot
    knows. `work` `(M, R, T)`: each robot's share of the present round. `finished` `(M, R, T)`: who worked on a
    round that this tick completed. `state`, `result`, `applicable`: of the equations.
    """

    def __init__(self, missions: Missions, adapt: Adapt | None = None) -> None:
        count, robots, tasks = missions.shape
        self.missions = missions
        self.rows: Wholes = np.arange(count)
        self.state = State.start((count, robots, tasks, robots - 1))
        self.result: StepResult
        self.done: Wholes = np.zeros((count, tasks), np.int64)
        self.done_at: Reals = np.full((count, tasks), -np.inf)
        self.known: Wholes = np.zeros((count, robots, tasks), np.int64)
        self.work: Reals = np.zeros((count, robots, tasks))
        self.finished: Bools = np.zeros((count, robots, tasks), np.bool_)
        self.n = 0
        self._adapt = adapt
        self._mates = others(robots)
        self._known_at: Reals = np.full((count, robots, tasks), -np.inf)
        self._lately: Wholes = np.full((count, robots), NOTHING)
        self._lately_from: Reals = np.zeros((count, robots))
        self.keep(np.ones(count, np.bool_))  # all, adjacent in memory

    def _prepare(self) -> None:
        m = self.missions
        robots, tasks = m.shape[1:]
        self._tasks = adjacent(np.broadcast_to(np.arange(tasks)[:, None], (*m.shape, robots - 1)))
        self._rate = np.where(m.able, 1.0 / m.task_time, 0.0)
        self._any_needs = bool(m.needs.any())
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
        stored = {f.name: adjacent(getattr(self.state, f.name)[which]) for f in fields(State) if f.init}
        self.state = State(**stored)
        for name in _OF_MISSIONS:
            setattr(self, name, adjacent(getattr(self, name)[which]))
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
        """What was active since the last tick has worked; whoever works at a task sees whether it is done."""
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
        looks = np.nonzero((self._looks > before) & self._alive & ~self.state.active.any(axis=-1))
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
        on_air = (at < m.robot_at) & (at < m.radio_at)
        sent = (count > before) & (count >= 0) & on_air
        mate_at = at[:, self._mates]
        arrived = sent[:, self._mates] & (mate_at < m.radio_at[..., None]) & (mate_at < m.robot_at[..., None])
        if m.loss.any():
            row, hearer, k = np.nonzero(arrived)
            sender = self._mates[hearer, k]
            luck = uniform(m.key[row], Purpose.LOSS, count[row, sender], sender, hearer)
            arrived[row, hearer, k] = luck >= m.loss[row]
        return _Frames(at, sent, arrived)

    def _take_facts(self, frames: _Frames, known: Wholes) -> Reals:
        """What was `known` before this tick goes round; the instants `(M, R, T)` of news (inf: none by radio)."""
        news_at = np.full_like(known, np.inf, np.float64)
        rows = np.flatnonzero((known != known[:, :1]).any(axis=(1, 2)))  # elsewhere all know the same
        if len(rows):
            arrived = adjacent(frames.arrived[rows])[..., None]
            received = np.where(arrived, adjacent(known[rows][:, self._mates]), 0)
            greatest = received.max(axis=2, initial=0)
            own = adjacent(self.known[rows])
            news = greatest > own
            newest = arrived & (received == greatest[:, :, None, :])
            at = np.where(newest, adjacent(frames.at[rows][:, self._mates])[..., None], np.inf).min(
                axis=2, initial=np.inf
            )
            self.known[rows] = np.maximum(own, greatest)  # `_work` made a new array
            news_at[rows] = np.where(news, at, np.inf)
        return news_at

    def _take_claims(self, frames: _Frames) -> None:
        stated = self._lately[:, self._mates]  # (M, R, K)
        who = frames.arrived[:, :, None, :] & (stated[:, :, None, :] == self._tasks)
        at = frames.at[:, self._mates][:, :, None, :]
        since = self._lately_from[:, self._mates][:, :, None, :]
        s = self.state
        if np.count_nonzero(who):
            # A claim that began before the task's last known completion is one on the occasion that this ended.
            over = who & (since <= self._known_at[..., None])
            kept = s.first, s.attempt, s.patience_start, s.heard_in_occasion
            hear(s, self.missions.params, who, at, at - since)
            if np.count_nonzero(over):
                s.first, s.attempt = np.where(over, kept[0], s.first), np.where(over, kept[1], s.attempt)
                s.patience_start = np.where(over, kept[2], s.patience_start)
                s.heard_in_occasion = np.where(over, kept[3], s.heard_in_occasion)
                s.news = bool(np.count_nonzero(s.first | s.attempt))
        idle = frames.sent & ~s.active.any(axis=-1)  # the last task is stated once
        self._lately = np.where(idle, NOTHING, self._lately)

    def _note_active(self) -> None:
        active = self.state.active
        busy = active.any(axis=-1)
        self._lately = np.where(busy, adjacent(active.argmax(axis=-1)), self._lately)
        claimed = np.where(active, self.state.claimed_at, 0.0).sum(axis=-1)
        self._lately_from = np.where(busy, claimed, self._lately_from)


def _periods(now: float, phase: Reals, period_s: float) -> Wholes:
    """How many whole periods have passed since `phase`, s; below 0 before it."""
    return np.floor((now - phase) / period_s + SAME).astype(np.int64)
