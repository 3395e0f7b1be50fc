"""One robot's behaviors: always-on layers, and behavior sets, of which those on one path are active.

Subsumption as Brooks (1986) and Parker (paper 000, section II-B) use it. The stack of one tick, lowest first, is
the behaviors of the active sets, root first, then the layers, each in declared order; wires join them (`wiring`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any

from behaviors.by_hand import ByHand
from behaviors.parts import CHANNELS, Behavior, BehaviorSet, Drive, Out, Percept, by_sector
from behaviors.whereabouts import Estimate, steady
from behaviors.wiring import Hold, Stack, build_stack, keep_holds, resolve
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Choice
from robotd.model.command import ActionResult, Command, limit
from robotd.model.facts import Fact
from robotd.model.inputs import Inputs
from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.senses import Capabilities
from robotd.model.tasks import Assignment, Feedback, Task

STILL = Drive(0.0, 0.0)
Path = tuple[Assignment, ...]
Drivers = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class EngineState:
    path: Path = ()  # the active sets, root first
    done: tuple[str, ...] = ()  # active sets that have reported done: they start afresh if they are chosen again
    estimate: Estimate = field(default_factory=Estimate)
    percept_n: int = -1  # the tick that `estimate` has taken in
    started: bool = False
    holds: dict[str, Hold] = field(default_factory=dict)


class Behaviors:
    """One robot's layers (lowest first) and behavior sets, by name. Pure: all it knows comes in as arguments."""

    def __init__(self, layers: Mapping[str, Behavior[Any]], sets: Mapping[str, BehaviorSet[Any]]) -> None:
        for name, layer in layers.items():
            layer.name = name
        self._layers = tuple(layers.values())
        self._sets = dict(sets)
        self._stacks: dict[tuple[str, ...], Stack] = {}
        self._hand = ByHand()
        self._by_hand = build_stack({"": (self._hand,)}, self._layers)
        for path in ((), *((name,) for name in sets)):
            self._stack(path)
        self._state = EngineState()
        self._percept: Percept | None = None
        # The last path, its stack and its tasks.
        self._chosen: tuple[Path | None, Stack, tuple[str, ...]] = (None, self._by_hand, ())
        self._asked: tuple[object, ...] = (None,)  # what the last command was made of
        self._command, self._result = Command(), ActionResult()  # of the last tick

    def assess(self, i: Inputs, beliefs: Beliefs, set: str, task: Task) -> Feedback:
        """How the behavior set called `set` judges `task` now; KeyError where there is no such set."""
        group = self._sets[set]
        percept = self._sense(i)
        lacks, feedback = group.lacking(percept), group.assess(percept, beliefs, task)
        mine = (set, task) in [(step.set, step.task) for step in self._state.path]
        done = feedback.done and mine
        if done and set not in self._state.done:
            self._state.done += (set,)
        elif not lacks and not feedback.done and (mine or not feedback.holding):
            return feedback
        applicable, holding = feedback.applicable and not lacks and not done, feedback.holding and mine
        missing, why = lacks or feedback.missing, "" if lacks or feedback.applicable else feedback.why
        over = feedback.done
        return replace(
            feedback, applicable=applicable, done=done, missing=missing, holding=holding, over=over, why=why
        )

    def act(self, i: Inputs, beliefs: Beliefs, choice: Choice, hand: Drive | None = None) -> ActionResult:
        """One tick of the chosen sets below the layers; with `hand` of that in place of any set."""
        state, percept, run = self._state, self._sense(i), choice.run if hand is None else ()
        if not state.started:
            self._start(i.now)
        if state.done or (run is not state.path and run != state.path):
            self._switch(i.now, run)
        if self._chosen[0] is not state.path:
            stack = self._stack(tuple([step.set for step in state.path]))
            self._chosen = state.path, stack, tuple([step.task.id for step in state.path])
        _, stack, percept.tasks = self._chosen
        if hand is not None:
            stack, self._hand.drive = self._by_hand, hand
        outs, facts, subtasks, tool = self._run_all(stack.behaviors, percept, beliefs)
        driven = resolve(outs, stack, state.holds, i.now)
        drivers = tuple([(channel, stack.names[rank]) for channel, (rank, _) in driven.items()])
        command = self._command_of(driven, percept.capabilities, tool)
        return self._result_of(command, facts, subtasks, drivers)

    def _stack(self, path: tuple[str, ...]) -> Stack:
        """The stack of the sets of a path, made once; ValueError where a set is named twice."""
        stack = self._stacks.get(path)
        if stack is None:
            if len(set(path)) != len(path):
                raise ValueError(f"a set is named twice in the path {'/'.join(path)}")
            stack = build_stack({name: self._sets[name].behaviors for name in path}, self._layers)
            self._stacks[path] = stack
        return stack

    @staticmethod
    def _run_all(
        stack: Sequence[Behavior[Any]], percept: Percept, beliefs: Beliefs
    ) -> tuple[list[Out | None], tuple[Fact, ...], tuple[Task, ...], str | None]:
        """The outputs of the stack's behaviors, in order, each of which sees what is wanted below it; what all of
        them assert and ask for; and the tool of the highest that wants one."""
        outs: list[Out | None] = []
        facts: tuple[Fact, ...] = ()
        subtasks: tuple[Task, ...] = ()
        tool: str | None = None
        percept.wanted, percept.handled = None, False
        for behavior in stack:
            out = behavior.act(percept, beliefs)
            outs.append(out)
            if out is not None:
                if out.drive is not None:
                    percept.wanted = out.drive
                percept.handled = percept.handled or out.gripper is not None or out.lift is not None
                if out.tool is not None:
                    tool = out.tool
                if out.facts or out.subtasks:
                    facts, subtasks = facts + out.facts, subtasks + out.subtasks
        return outs, facts, subtasks, tool

    def _command_of(self, driven: Mapping[str, tuple[int, Any]], body: Capabilities, tool: str | None) -> Command:
        """The command; the same object as before where nothing that it comes of is another."""
        wanted, opening, lift, tune = [driven[one][1] if one in driven else None for one in CHANNELS]
        drive: Drive = wanted or STILL
        asked = (drive, opening, lift, tune, tool, body)
        if not all(map(is_, asked, self._asked)):
            speed, half = drive.speed * body.max_speed, drive.turn * body.wheel_base / 2.0
            self._asked = asked
            self._command = limit(Command(speed - half, speed + half, opening, lift, tune, tool=tool), body)
        return self._command

    def _result_of(
        self, command: Command, facts: tuple[Fact, ...], subtasks: tuple[Task, ...], drivers: Drivers
    ) -> ActionResult:
        """The result; the same object as before where nothing in it is another."""
        last = self._result
        parts = (command, facts, subtasks, last.drivers if drivers == last.drivers else drivers)
        if not all(map(is_, parts, (last.command, last.facts, last.subtasks, last.drivers))):
            self._result = ActionResult(*parts)
        return self._result

    def _sense(self, i: Inputs) -> Percept:
        """The tick's senses with the pose steadied; taken in once a tick, at the first call."""
        state = self._state
        if self._percept is None or state.percept_n != i.n:
            state.percept_n = i.n
            pose = steady(state.estimate, i.now, i.senses)
            last, ranges = self._percept, i.senses.ranges
            eyes = last.eyes if last is not None and last.senses.ranges is ranges else by_sector(ranges)
            self._percept = Percept(i.now, i.n, i.senses, i.capabilities, pose, eyes)
        return self._percept

    def _start(self, now: float) -> None:
        self._state.started = True
        for layer in self._layers:
            layer.enter(now, None)

    def _switch(self, now: float, path: Path) -> None:
        """Leave, leaf first, what is not on `path` or is done; then enter, root first, what is new on it."""
        state = self._state
        kept = 0
        for old, new in zip(state.path, path, strict=False):
            if old != new or old.set in state.done:
                break
            kept += 1
        self._leave(now, kept, "hibernates")
        state.holds = keep_holds(state.holds, [step.set for step in path[:kept]])
        state.path, state.done = path, ()
        for step in path[kept:]:
            self._sets[step.set].enter(now, step.task)

    def _leave(self, now: float, kept: int, why: str) -> None:
        for step in reversed(self._state.path[kept:]):
            self._sets[step.set].leave(now, "done" if step.set in self._state.done else why)

    def reset(self, now: float) -> None:
        """Forget everything but where the robot is: a new run has opened."""
        self._leave(now, 0, "reset")
        self._state = EngineState(estimate=self._state.estimate, percept_n=self._state.percept_n)
        for layer in self._layers:
            layer.state = type(layer.state)()
        for group in self._sets.values():
            group.memory = type(group.memory)()
            for behavior in group.behaviors:
                behavior.state = type(behavior.state)()

    def freeze(self) -> Json:
        return {
            "engine": to_plain(self._state),
            "layers": {layer.name: to_plain(layer.state) for layer in self._layers},
            "sets": {
                name: [to_plain(group.memory), {b.name: to_plain(b.state) for b in group.behaviors}]
                for name, group in self._sets.items()
            },
        }

    def thaw(self, state: Json) -> None:
        """Take up a frozen state; ValueError or KeyError where it is not one of these behaviors."""
        if not isinstance(state, dict):
            raise ValueError(f"expected a frozen state of behaviors, found {state!r:.80}")
        self._state, self._percept = from_plain(EngineState, state["engine"]), None
        for layer in self._layers:
            layer.state = from_plain(type(layer.state), state["layers"][layer.name])
        for name, group in self._sets.items():
            memory, behaviors = state["sets"][name]
            group.memory = from_plain(type(group.memory), memory)
            for behavior in group.behaviors:
                behavior.state = from_plain(type(behavior.state), behaviors[behavior.name])
