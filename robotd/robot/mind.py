"""The deciding half of a tick: pure, so that a run log replays through it and gives the same decisions."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from behaviors.engine import Behaviors
from behaviors.parts import Drive
from robotd.model.beliefs import RUNS, Beliefs, Teammate
from robotd.model.choice import Choice, Coordinator, Decision, Event, State
from robotd.model.command import Command, limit
from robotd.model.facts import Fact
from robotd.model.inputs import Inputs, Order
from robotd.model.keeper import Keeper
from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.statements import Heard, Sent
from robotd.model.table import NumberTable
from robotd.model.tasks import Feedback, Task
from robotd.robot.conditions import Conditions
from robotd.robot.hand import Hand
from robotd.robot.permission import Permission, in_run

Remake = Callable[[Sequence[str]], Coordinator]
"""Makes a robot's coordinator, not begun, with the numbers of KEY=VALUE words in place of the mission's."""
STILL = Command()
IDLE = Choice()
NO_RUN, BY_HAND = "no run of the mission is running", "a person drives the robot by hand"
NEWER_RUN = "a newer run has opened since it was asked for"


def _stopped(state: State) -> str:
    """Why a robot that may not move does nothing."""
    return state.reason if state.reason.startswith(state.word) else f"{state.word}: {state.reason}"


def keeper_of(coordinator: Coordinator) -> Keeper | None:
    """The coordinator, if it has a memory; `isinstance` would ask for the version, which `begin` may make."""
    names = ("memory_name", "memory_of_run", "memory_version", "memory", "recall")
    absent = object()
    found = [inspect.getattr_static(coordinator, name, absent) is not absent for name in names]
    return cast(Keeper, coordinator) if all(found) else None


class Mind:
    """One robot's beliefs, coordinator, behaviors and permission; `decide` is its only verb."""

    def __init__(
        self,
        table: NumberTable,
        me: int,
        coordinator: Coordinator,
        behaviors: Behaviors,
        permission: Permission,
        ticks_per_decision: int,
        conditions: Conditions | None = None,
        remake: Remake | None = None,
    ) -> None:
        self.beliefs = Beliefs(table, me)
        self.choice = IDLE
        self._coordinator, self._remake = coordinator, remake
        self._tuned: tuple[str, ...] = ()  # KEY=VALUE words of the numbers that are not the mission's
        self.keeper = keeper_of(coordinator)
        self._behaviors = behaviors
        self._permission = permission
        self._conditions = conditions or Conditions({})
        self._hand = Hand()
        self._ticks_per_decision = ticks_per_decision
        self._next_decision = 0
        self.acting = False  # permitted to move, in a running run, and not driven by hand
        self._still = Feedback(applicable=False)  # what every set reports while it is not
        self._orders: tuple[Order, ...] = ()  # since the last decision
        self._late: tuple[Order, ...] = ()  # orders to add a task to a run that has ended
        self._subtasks: tuple[Task, ...] = ()  # that the behaviors asked for in the last tick
        self._refused: dict[str, str] = {}  # by fact, since the run opened

    def begin(self, now: float) -> None:
        """Start the coordinator afresh: at the first tick, and whenever a run opens."""
        self._begin(self._coordinator, now)
        self._behaviors.reset(now)
        self._conditions.reset()
        self.choice = IDLE
        self._orders, self._subtasks, self._refused = (), (), {}

    def _begin(self, coordinator: Coordinator, now: float) -> None:
        table = self.beliefs.table
        coordinator.begin(now, self.beliefs.me, [entry.task for entry in table.tasks], table.team, 0)

    def _tune(self, words: tuple[str, ...], now: float, state: Json) -> None:
        """Go on from a frozen state with a coordinator that has other numbers."""
        if self._remake is None:
            return
        made = self._remake(words)
        self._begin(made, now)
        made.thaw(state)
        self._coordinator, self._tuned, self.keeper = made, words, keeper_of(made)

    def decides(self, n: int) -> bool:
        """True where tick `n` is a decision; what was received and sent waits for it."""
        return n >= self._next_decision

    def decide(self, i: Inputs, heard: Sequence[Heard], sent: Sequence[Sent]) -> Decision:
        """One tick; `heard` and `sent` are empty between decisions.

        An order to add a task is refused where a newer run opens before the decision that would take it.
        """
        for frame in heard:
            if frame.sender == 0:
                self._permission.hear_base(frame.at)
        state = self._permission.step(i)
        for order in i.orders:
            self._hand.take(order, i.now)
            if order.kind == "tune":
                self._tune(order.args, i.now, self._coordinator.freeze())
        hand = self._hand.wants(i.now, may_move=state.may_move)
        beliefs = self._obey(i.orders, self.beliefs.learn(heard))
        if beliefs.run != self.beliefs.run:
            self._late += tuple(order for order in self._orders if order.kind == "task-add")
            self.begin(i.now)
        self._orders += i.orders
        self.beliefs = beliefs  # whatever raises below, what was received and ordered holds
        self.acting = state.may_move and beliefs.running and hand is None
        if not self.acting:
            why = _stopped(state) if not state.may_move else NO_RUN if hand is None else BY_HAND
            self._still = self._still if self._still.why == why else Feedback(applicable=False, why=why)
        choice = self._choose(i, heard, sent) if self.decides(i.n) else None
        acted = self._behaviors.act(i, self.beliefs, self.choice if self.acting else IDLE, hand and Drive(*hand))
        self._subtasks = acted.subtasks
        self._assert(acted.facts, i.now)
        wanted = limit(acted.command, i.capabilities) if self.acting or hand else STILL
        beliefs = self.beliefs
        seen = in_run(state, running=beliefs.running, all_done=beliefs.all_done)
        return Decision(choice, acted, wanted, beliefs, seen, self._hand.reason or self._conditions.reason)

    def _choose(self, i: Inputs, heard: Sequence[Heard], sent: Sequence[Sent]) -> Choice:
        self._conditions.update(i.senses)
        asked = Inputs(i.now, i.n, i.senses, i.capabilities, self._orders, i.faults, self._subtasks)
        self._orders = ()  # an order that makes the coordinator raise is not given to it again
        choice = self._coordinator.step(asked, self.beliefs, self._assess, heard, sent)
        choice = self._conditions.override(choice, self.choice.run) if self.acting else choice
        if self._late:
            refused = (Event("refused", "", " ".join(late.args[:1]), NEWER_RUN) for late in self._late)
            choice = replace(choice, events=(*refused, *choice.events))
        self.choice, self._late = choice, ()
        self._assert(choice.facts, i.now)
        self._next_decision = (i.n // self._ticks_per_decision + 1) * self._ticks_per_decision
        return choice

    @property
    def refused(self) -> str:
        """The facts that this run has no room for, in words; '' where there are none."""
        return "; ".join(self._refused.values())

    def _assert(self, facts: Sequence[Fact], now: float) -> None:
        """Believe own facts from now on; one that the run has no room for is refused, and the robot continues."""
        for fact in facts:
            try:
                self.beliefs = self.beliefs.learn([fact if fact.since else replace(fact, since=now)])
            except OverflowError as error:
                self._refused[fact.name] = str(error)

    def _assess(self, i: Inputs, beliefs: Beliefs, set: str, task: Task) -> Feedback:
        if not self.acting:
            return self._still
        feedback = self._behaviors.assess(i, beliefs, set, task)
        return self._conditions.judge(set, task, self.choice.run, feedback)

    def _obey(self, orders: Sequence[Order], beliefs: Beliefs) -> Beliefs:
        for order in orders:
            if order.kind in ("mission-start", "mission-stop", "mission-reset"):
                running = beliefs.running if order.kind == "mission-reset" else order.kind == "mission-start"
                beliefs = beliefs.opened((beliefs.run + 1) % RUNS, running)
        return beliefs

    def freeze(self) -> Json:
        b = self.beliefs
        late = (self._late,) if self._late else ()
        hand = self._hand.freeze()
        return {
            "beliefs": [b.run, b.running, to_plain(dict(b.facts)), to_plain(dict(b.teammates)), *(b.longer or ())],
            "choice": to_plain(self.choice),
            "coordinator": self._coordinator.freeze(),
            "behaviors": self._behaviors.freeze(),
            "permission": self._permission.freeze(),
            "conditions": self._conditions.freeze(),
            "next_decision": self._next_decision,
            "acting": self.acting,
            "asked": to_plain((self._orders, self._subtasks, self._refused, *late)),
            **({"hand": hand} if hand is not None else {}),
            **({"tuned": list(self._tuned)} if self._tuned else {}),
        }

    def thaw(self, state: Json) -> None:
        """Take up a frozen state; ValueError where it is not one."""
        assert isinstance(state, dict)
        run, running, facts, teammates, *longer = state["beliefs"]
        self.beliefs = replace(
            self.beliefs,
            run=run,
            running=running,
            facts={name: from_plain(Fact, fact) for name, fact in facts.items()},
            teammates={int(number): from_plain(Teammate, one) for number, one in teammates.items()},
            longer=(longer[0], longer[1]) if longer else None,
        )
        self.choice = from_plain(Choice, state["choice"])
        if words := tuple(state.get("tuned", ())):
            self._tune(words, 0.0, state["coordinator"])  # which has all that begins at an instant
        else:
            self._coordinator.thaw(state["coordinator"])
        self._behaviors.thaw(state["behaviors"])
        self._permission.thaw(state["permission"])
        self._conditions.thaw(state.get("conditions", [{}, ""]))
        self._hand.thaw(state.get("hand"))
        self._next_decision = state["next_decision"]
        self.acting = state["acting"]
        orders, subtasks, self._refused, *late = state.get("asked", ((), (), {}))
        self._orders, self._late = (
            tuple(from_plain(Order, order) for order in them) for them in (orders, late[0] if late else ())
        )
        self._subtasks = tuple(from_plain(Task, task) for task in subtasks)
