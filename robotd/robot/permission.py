"""Whether the robot may move: permission by a person, no fault, frames of the base station. Pure.

The state is a word, a reason and a next step; log, HTTP and status show the same words.
"""

from collections.abc import Sequence

from robotd.model.choice import State
from robotd.model.inputs import Fault, Inputs, Order
from robotd.model.plain import Json
from robotd.robot.faults import stopping_faults

STOPPED, FAULTED = "stopped", "faulted"
_WAITING_FOR = {"button": "its start button was not pressed, nor was it started"}
_PERMITTED = State("running", "permitted to move", "", may_move=True)
OVER = State("running", "all tasks done", "robotd mission start", may_move=True)
_NO_RUN = State("waiting for run", "no run of the mission is running", "robotd mission start", may_move=True)


class Permission:
    """`start`: what permits motion; `base_station_timeout_s`: stop after so long without it, 0 for never.

    A stop, by a person or by that time-out, takes the permission back. A fault only holds it up: once
    acknowledged, the robot continues. An order to start while a fault stops the robot is not kept for later.
    """

    def __init__(self, start: str = "command", base_station_timeout_s: float = 0.0) -> None:
        self._start = start
        self._base_station_timeout_s = base_station_timeout_s
        self._permitted = start == "at-boot"
        self._stopped_why = ""  # of the last stop; '' while none
        self._base_station_from: float | None = None

    def hear_base(self, at: float) -> None:
        """A frame of the base station was received at `at` (own clock, s)."""
        self._base_station_from = at if self._base_station_from is None else max(at, self._base_station_from)

    def step(self, i: Inputs) -> State:
        """The state in this tick, after its orders."""
        stops = stopping_faults(i.faults)
        for order in i.orders:
            self._obey(order, i.now, held=bool(stops))
        if self._base_station_from is None:
            self._base_station_from = i.now
        limit_s = self._base_station_timeout_s
        if self._permitted and 0 < limit_s < i.now - self._base_station_from:
            self._permitted = False
            self._stopped_why = f"no frame of a base station for {limit_s:g} s (base_station_timeout_s)"
        if stops:
            return held_still(stops)
        if self._permitted:
            return _PERMITTED
        if self._stopped_why:
            return State(STOPPED, self._stopped_why, "robotd start", may_move=False)
        reason = f"start = {self._start!r}: {_WAITING_FOR.get(self._start, 'it was not started')}"
        return State("waiting for start", reason, "robotd start", may_move=False)

    def _obey(self, order: Order, now: float, *, held: bool) -> None:
        if order.kind == "stop":
            self._permitted = False
            self._stopped_why = f"stopped by {order.by or 'an order'}"
        elif order.kind == "start" and not held and (order.by != "button" or self._start == "button"):
            self._permitted = True
            self._stopped_why = ""
            self._base_station_from = now

    def freeze(self) -> Json:
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


def in_run(state: State, *, running: bool, all_done: bool = False) -> State:
    """`state` as people see it: a robot that may move waits for a run where none runs or it is over."""
    if not state.may_move:
        return state
    return _NO_RUN if not running else OVER if all_done else state
