"""What people ask of a running robot, as the control socket and HTTP both take it.

`{"do": "start"}` -> `{"ok": true, "robot": ..., "state": {"word", "reason", "next_step", "may_move"},
"run": {"number", "running", "asked"}, "alone"}`, after the next tick has taken the order; "alone": true where no
radio works, so that an order to the team reaches this robot only. `{"do": "status"}` -> the same with "status";
`{"do": "task-add", "args": [NAME, "key=value", ...]}` -> the same with "task" and "reason" once the coordinator
has introduced the task; `{"do": "page"}` -> the same with the "link" to its page; `{"do": "drive", "args":
[SPEED, TURN]}` -> the same without waiting for a tick, and again within half a second, or the robot stops;
whatever cannot be done -> `{"ok": false, "error": ...}`.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any

from robotd.model.choice import Event
from robotd.model.inputs import Order
from robotd.robot import hand
from robotd.robot.mind import IDLE
from robotd.robot.snapshot import Snapshot

SAME = ("start", "stop", "stop-team", "mission-start", "mission-stop", "mission-reset", "radio-forget", "task-add",
        "drive")  # fmt: skip
ORDERS = {"ack": "acknowledge", **{name: name for name in SAME}}
ANSWERS = ("introduced", "refused")  # events of a coordinator that is asked for a task
MAX_ARGUMENTS = 16
TICK_S = 2.0  # longest wait for the tick that takes an order; a stalled one is killed by the guardian long before
DECISION_S = 1.5  # longest wait for a decision after it: decisions are a second apart at most
LOOK_S = 0.01  # between two looks at whether that tick has been

log = logging.getLogger(__name__)
Describe = Callable[[Snapshot], Any]
Reply = dict[str, Any]


class RefusedError(Exception):
    """What was asked cannot be done; the message is the reason."""


class Orders:
    """Takes orders to one robot, called `robot`.

    `submit` is given each order; `snapshot` returns what the last tick left, None before the first; `describe`
    makes the answer to a status request of it; `check_task` raises ValueError for the words of a task that cannot
    be added, `link` where there is no page; `plugins`: whose code these may run, for the refusal where that raises
    anything else.
    """

    def __init__(
        self,
        robot: str,
        submit: Callable[[Order], None],
        snapshot: Callable[[], Snapshot | None],
        describe: Describe,
        check_task: Callable[[Sequence[str]], None],
        plugins: str,
        link: Callable[[], str],
    ) -> None:
        self.robot = robot
        self.describe = describe
        self._submit = submit
        self._snapshot = snapshot
        self._check_task = check_task
        self._plugins = plugins
        self._link = link

    async def answer(self, request: Any, by: str) -> Reply:
        """The answer to a request of `by`; it never raises for what is asked, whatever plug-ins do."""
        try:
            return await self._answer(request, by)
        except RefusedError as error:
            return refusal(str(error))
        except (Exception, SystemExit) as error:  # of a plug-in: no fault of the robot
            log.exception("a request could not be answered")
            return self.broken(error)

    def broken(self, error: BaseException) -> Reply:
        """The refusal where a plug-in's code, or what it hands out, is at fault."""
        return refusal(f"{self._plugins} raised {type(error).__name__}: {error}")

    async def _answer(self, request: Any, by: str) -> Reply:
        if not isinstance(request, dict):
            raise RefusedError("the request is not an object")
        what, arguments = request.get("do"), request.get("args", [])
        if what == "status":
            return await self._status()
        if what == "page":
            return {**self._reply(self._ticked()), "link": _checked(self._link)}
        if not isinstance(what, str) or what not in ORDERS:
            raise RefusedError(f"cannot do {str(what)[:40]!r}; expected status, page, {', '.join(ORDERS)}")
        if not _are_arguments(arguments):
            raise RefusedError(f"args must be at most {MAX_ARGUMENTS} strings")
        if what == "drive":
            return self._drive(arguments, by)
        adds = what == "task-add"
        if adds:
            _checked(self._check_task, arguments)
        before = self._snapshot()
        self._submit(Order(ORDERS[what], tuple(arguments), by))
        after = await self._wait_for(lambda snapshot: snapshot is not before, TICK_S)
        if after is None:
            raise RefusedError("no tick took the order: the daemon does not tick")
        return await self._answer_of_coordinator(before, " ".join(arguments[:1])) if adds else self._reply(after)

    def _drive(self, arguments: list[str], by: str) -> Reply:
        _checked(hand.parse, arguments)
        snapshot = self._ticked()
        state = snapshot.decision.state
        if not state.may_move:
            raise RefusedError(f"it may not move: {state.word} ({state.reason})")
        self._submit(Order("drive", tuple(arguments), by, asyncio.get_running_loop().time()))
        return self._reply(snapshot)

    def _ticked(self) -> Snapshot:
        snapshot = self._snapshot()
        if snapshot is None:
            raise RefusedError("it has not ticked yet")
        return snapshot

    async def _wait_for(self, is_it: Callable[[Snapshot], bool], timeout_s: float) -> Snapshot | None:
        for _ in range(round(timeout_s / LOOK_S)):
            await asyncio.sleep(LOOK_S)
            snapshot = self._snapshot()
            if snapshot is not None and is_it(snapshot):
                return snapshot
        return None

    async def _answer_of_coordinator(self, before: Snapshot | None, task: str) -> Reply:
        """The answer of the first decision after `before` that has one for `task`."""
        known = before.choice if before is not None else None

        def answers_in(snapshot: Snapshot) -> list[Event]:
            events = snapshot.choice.events if snapshot.choice is not known else ()
            return [event for event in events if event.kind in ANSWERS and event.task == task]

        after = await self._wait_for(lambda snapshot: bool(answers_in(snapshot)), DECISION_S)
        if after is None:
            raise RefusedError("the coordinator gives no answer: it takes no task at run time")
        event = answers_in(after)[0]
        if event.kind == "refused":
            raise RefusedError(f"refused {task}: {event.cause}")
        return {**self._reply(after), "task": task, "reason": event.cause}

    async def _status(self) -> Reply:
        """The status after the first decision of a start or a run: before it there are no levels."""
        snapshot = self._ticked()
        if snapshot.choice is IDLE:
            snapshot = await self._wait_for(lambda one: one.choice is not IDLE, DECISION_S) or snapshot
        return {**self._reply(snapshot), "status": self.describe(snapshot)}

    def _reply(self, snapshot: Snapshot) -> Reply:
        state = snapshot.decision.state
        words = {key: getattr(state, key) for key in ("word", "reason", "next_step", "may_move")}
        beliefs = snapshot.decision.beliefs
        run = {"number": beliefs.run, "running": beliefs.running, "asked": snapshot.run_asked}
        alone = not snapshot.radio.alive and len(beliefs.table.team) > 1
        return {"ok": True, "robot": self.robot, "state": words, "run": run, "alone": alone}


def _checked(check: Callable[..., Any], *words: Any) -> Any:
    try:
        return check(*words)
    except ValueError as error:
        raise RefusedError(str(error)) from None


def refusal(error: str) -> Reply:
    """The reply to what cannot be done."""
    return {"ok": False, "error": error}


def _are_arguments(arguments: object) -> bool:
    if not isinstance(arguments, list) or len(arguments) > MAX_ARGUMENTS:
        return False
    return all(isinstance(item, str) for item in arguments)
