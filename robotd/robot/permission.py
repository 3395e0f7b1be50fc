"""Whether the robot may move: permission by a person, no fault, a base station that is heard. Pure.

The state is a word, a reason and a next step; log, HTTP and status show the same words.
"""

from __future__ import annotations

from collections.abc import Sequence

from robotd.model.decision import State
from robotd.model.inputs import Fault, Inputs, Order
from robotd.model.plain import Json
from robotd.robot.faults import stopping

WAITING, RUNNING, STOPPED, FAULTED, NO_RUN = (
    "waiting for start",
    "running",
    "stopped",
    "faulted",
    "waiting for run",
)

_WAITING_FOR = {
    "command": "nobody has started it",
    "button": "nobody has pressed its start button, or started it",
    "at-boot": "nobody has started it",
}


_PERMITTED = State(RUNNING, "permitted to move", "", may_move=True)


class Permission:
    """`start`: what permits motion; `base_station_timeout_s`: stop after so long without it, 0 for never.

    A stop, by a person or by that time-out, takes the permission back. A fault only holds it up: once
    acknowledged, the robot goes on. An order to start while a fault stops the robot is not kept for later.
    """

    def __init__(self, start: str = "command", base_station_timeout_s: float = 0.0) -> None:
        if start not in _WAITING_FOR:
            raise ValueError(f"start is {start!r}; expected one of {', '.join(_WAITING_FOR)}")
        if base_station_timeout_s < 0:
            raise ValueError(f"base_station_timeout_s is {base_station_timeout_s}; expected 0 (never) or more")
        self._start = start
        self._base_station_timeout_s = base_station_timeout_s
        self._permitted = start == "at-boot"
        self._stopped_why = ""  # of the last stop; '' while none
        self._base_station_from: float | None = None

    def hear_base(self, at: float) -> None:
        """The base station was heard at `at` (own clock, s)."""
        self._base_station_from = at if self._base_station_from is None else max(at, self._base_station_from)

    def step(self, i: Inputs) -> State:
        """The state in this tick, after its orders."""
        stops = stopping(i.faults)
        for order in i.orders:
            self._obey(order, i.now, held=bool(stops))
        if self._base_station_from is None:
            self._base_station_from = i.now
        if self._permitted and 0 < self._base_station_timeout_s < i.now - self._base_station_from:
            self._permitted = False
            self._stopped_why = (
                f"no base station heard for {self._base_station_timeout_s:g} s (base_station_timeout_s)"
            )
        if stops:
            return held_still(stops)
        if self._permitted:
            return _PERMITTED
        if self._stopped_why:
            return State(STOPPED, self._stopped_why, "robotd start", may_move=False)
        return State(
            WAITING, f"start = {self._start!r}: {_WAITING_FOR[self._start]}", "robotd start", may_move=False
        )

    def _obey(self, order: Order, now: float, *, held: bool) -> None:
        if order.kind == "stop":
            self._permitted = False
            self._stopped_why = f"stopped by {order.by or 'an order'}"
        elif order.kind == "start" and not held and (order.by != "button" or self._start == "button"):
            self._permitted = True
            self._stopped_why = ""
            self._base_station_from = now

    def freeze(self) -> Json:
        """The whole state."""
        return [self._permitted, self._stopped_why, self._base_station_from]

    def thaw(self, state: Json) -> None:
        """Take up a frozen state; ValueError where it is not one."""
        if not isinstance(state, list | tuple) or len(state) != 3:
            raise ValueError(f"no frozen permission: {state!r:.80}")
        permitted, why, since = state
        self._permitted, self._stopped_why = bool(permitted), str(why)
        self._base_station_from = float(since) if isinstance(since, int | float) else None


def held_still(stops: Sequence[Fault]) -> State:
    """The state while `stops`, at least one, forbid motion."""
    if all(fault.name == "stopped" for fault in stops):
        return State(STOPPED, "; ".join(fault.detail for fault in stops), "robotd ack", may_move=False)
    reason = "; ".join(f"{fault.name}: {fault.detail}" for fault in stops)
    return State(FAULTED, reason, "robotd ack", may_move=False)


ALL_DONE = "all tasks done"
_OVER = State(RUNNING, ALL_DONE, "robotd mission start", may_move=True)


def in_run(state: State, *, running: bool, all_done: bool = False) -> State:
    """`state` as people see it: a robot that may move waits for a run where none runs or it is over."""
    if state.may_move and not running:
        return State(NO_RUN, "no run of the mission is running", "robotd mission start", may_move=True)
    return _OVER if state.may_move and all_done else state
