"""One robot's behaviors: always-on layers, and behavior sets of which at most one is awake.

Subsumption as Brooks (1986) and Parker (paper 000, section II-B) use it. The stack of one tick, lowest first, is
the active set's behaviors in declared order, then the layers in declared order; wires join them (`wiring`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from behaviors.eyes import look
from behaviors.parts import Behavior, BehaviorSet, Drive, Out, Percept
from behaviors.whereabouts import Estimate, steadied
from behaviors.wiring import Hold, resolve, wiring
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Choice
from robotd.model.command import ActionResult, Command
from robotd.model.facts import Fact
from robotd.model.inputs import Inputs
from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.senses import Capabilities
from robotd.model.tasks import Assignment, Feedback, Task

STILL = Drive(0.0, 0.0)
NOBODY: tuple[int, Any] = (-1, None)  # who has a channel that nobody drives, and its value
Stack = tuple[Behavior[Any], ...]


@dataclass(slots=True)
class EngineState:
    """What the engine itself remembers."""

    active: Assignment | None = None
    told_done: bool = False  # the active set has reported done: it starts afresh if it is chosen again
    estimate: Estimate = field(default_factory=Estimate)
    felt_n: int = -1  # the tick that `estimate` has taken in
    started: bool = False
    holds: dict[str, Hold] = field(default_factory=dict)


class Behaviors:
    """One robot's layers (lowest first) and behavior sets, by name. Pure: all it knows comes in as arguments."""

    def __init__(self, layers: Mapping[str, Behavior[Any]], sets: Mapping[str, BehaviorSet[Any]]) -> None:
        self._layers: Stack = tuple(layers.values())
        self._sets = dict(sets)
        self._stacks: dict[str, Stack] = {"": self._layers}
        for name, layer in layers.items():
            layer.name = name
        for name, group in self._sets.items():
            self._stacks[name] = (*group.behaviors, *self._layers)
        self._wirings = {name: wiring(stack) for name, stack in self._stacks.items()}
        self._state = EngineState()
        self._felt: Percept | None = None

    def assess(self, i: Inputs, beliefs: Beliefs, set: str, task: Task) -> Feedback:
        """How the behavior set called `set` judges `task` now; KeyError where there is no such set."""
        group = self._sets[set]
        felt = self._feel(i)
        lacks, feedback = group.lacking(felt), group.assess(felt, beliefs, task)
        active = self._state.active
        mine = active is not None and active.set == set and active.task == task
        done = feedback.done and mine
        if done:
            self._state.told_done = True
        elif not lacks and not feedback.done and (mine or not feedback.holding):
            return feedback
        return Feedback(
            feedback.applicable and not lacks and not done,
            done,
            feedback.progress,
            feedback.fitness,
            lacks or feedback.missing,
            feedback.holding and mine,
        )

    def act(self, i: Inputs, beliefs: Beliefs, choice: Choice) -> ActionResult:
        """One tick of the set at the leaf of `choice.run` (none: the layers alone) and of the layers."""
        state, felt = self._state, self._feel(i)
        if not state.started:
            self._start(i.now)
        leaf = choice.run[-1] if choice.run else None
        if state.told_done or (leaf is not state.active and leaf != state.active):
            self._switch(i.now, leaf)
        name = leaf.set if leaf is not None else ""
        stack = self._stacks[name]
        outs, facts, subtasks = self._said(stack, felt, beliefs)
        driven = resolve(outs, self._wirings[name], state.holds, i.now)
        drivers = tuple([(channel, stack[rank].name) for channel, (rank, _) in driven.items()])
        return ActionResult(self._command(driven, felt.capabilities, _tool(outs)), facts, subtasks, drivers)

    def _said(
        self, stack: Stack, felt: Percept, beliefs: Beliefs
    ) -> tuple[list[Out | None], tuple[Fact, ...], tuple[Task, ...]]:
        """What every behavior of the stack says, in order, each hearing what is wanted below it."""
        outs: list[Out | None] = []
        facts: tuple[Fact, ...] = ()
        subtasks: tuple[Task, ...] = ()
        felt.wanted, felt.handled = None, False
        for behavior in stack:
            out = behavior.act(felt, beliefs)
            outs.append(out)
            if out is not None:
                if out.drive is not None:
                    felt.wanted = out.drive
                felt.handled = felt.handled or out.gripper is not None or out.lift is not None
                if out.facts or out.subtasks:
                    facts, subtasks = facts + out.facts, subtasks + out.subtasks
        return outs, facts, subtasks

    @staticmethod
    def _command(driven: Mapping[str, tuple[int, Any]], body: Capabilities, tool: str | None) -> Command:
        drive: Drive = driven.get("drive", NOBODY)[1] or STILL
        opening, lift, tune = (
            driven.get("gripper", NOBODY),
            driven.get("lift", NOBODY),
            driven.get("sound", NOBODY),
        )
        speed, half = drive.speed * body.max_speed, drive.turn * body.wheel_base / 2.0
        left, right = speed - half, speed + half
        fastest = max(abs(left), abs(right))
        if fastest > body.max_speed:
            left, right = left * body.max_speed / fastest, right * body.max_speed / fastest
        return Command(left, right, opening[1], lift[1], tune[1], tool=tool)

    def _feel(self, i: Inputs) -> Percept:
        """The tick's senses with the pose steadied; taken in once a tick, whoever asks first."""
        state = self._state
        if self._felt is None or state.felt_n != i.n:
            state.felt_n = i.n
            pose = steadied(state.estimate, i.now, i.senses)
            last, ranges = self._felt, i.senses.ranges
            eyes = last.eyes if last is not None and last.senses.ranges is ranges else look(ranges)
            self._felt = Percept(i.now, i.n, i.senses, i.capabilities, pose, eyes)
        return self._felt

    def _start(self, now: float) -> None:
        self._state.started = True
        for layer in self._layers:
            layer.enter(now, None)

    def _switch(self, now: float, leaf: Assignment | None) -> None:
        state = self._state
        if state.active is not None:
            self._sets[state.active.set].leave(now, "done" if state.told_done else "hibernates")
        state.active, state.told_done = leaf, False
        layers = tuple(f"{layer.name}/" for layer in self._layers)
        state.holds = {key: hold for key, hold in state.holds.items() if key.startswith(layers)}
        if leaf is not None:
            self._sets[leaf.set].enter(now, leaf.task)

    def reset(self, now: float) -> None:
        """Forget everything but where the robot is: a new run has opened."""
        if self._state.active is not None:
            self._sets[self._state.active.set].leave(now, "reset")
        self._state = EngineState(estimate=self._state.estimate, felt_n=self._state.felt_n)
        for layer in self._layers:
            layer.state = type(layer.state)()
        for group in self._sets.values():
            group.memory = type(group.memory)()
            for behavior in group.behaviors:
                behavior.state = type(behavior.state)()

    def freeze(self) -> Json:
        """The whole state as plain JSON."""
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
        self._state, self._felt = from_plain(EngineState, state["engine"]), None
        for layer in self._layers:
            layer.state = from_plain(type(layer.state), state["layers"][layer.name])
        for name, group in self._sets.items():
            memory, behaviors = state["sets"][name]
            group.memory = from_plain(type(group.memory), memory)
            for behavior in group.behaviors:
                behavior.state = from_plain(type(behavior.state), behaviors[behavior.name])


def _tool(outs: Sequence[Out | None]) -> str | None:
    """The tool that the highest of those that want one."""
    return next((out.tool for out in reversed(outs) if out is not None and out.tool is not None), None)
