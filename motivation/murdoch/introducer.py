"""How tasks come in: people's orders, subtasks of a running task, timers, and the children of a tree's node."""

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from motivation.events import NO_RUN
from motivation.murdoch.lots import ANNOUNCED, DONE, ENDED, NODE, REFUSED, WAITING, AuctioneerState, Lot, mark_of
from motivation.murdoch.settings import AT_RUN_TIME, MurdochSettings, TaskTerms
from motivation.murdoch.words import OWN_JOB
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Event
from robotd.model.facts import LONGEST_BEATS
from robotd.model.inputs import Inputs, Order
from robotd.model.table import NumberTable
from robotd.model.tasks import Task

OBSERVED = "progress"  # the argument of a subtask in which its behavior says what it observes
MOST_OPEN, MOST_ASKED, MOST_CLOSED = 128, 32, 16  # jobs of one robot; of those that have ended the last are shown
MOST_LOTS = 192  # with ended children of open nodes; subtasks come on top, and a job's number is below 255


class Introducer:
    """Makes lots of what one robot introduces; it is the auctioneer of all of them (002, section IV-B)."""

    def __init__(
        self, settings: MurdochSettings, table: NumberTable, terms: Mapping[str, TaskTerms], me: int,
        state: AuctioneerState,
    ) -> None:  # fmt: skip
        self._settings, self._table, self._terms = settings, table, terms
        self._name, self.state = table.name(me), state
        self._timers = {task: own for task, own in terms.items() if self._is_mine(task, own)}

    def _is_mine(self, task: str, own: TaskTerms) -> bool:
        if own.by or not self._settings.introducer:
            return own.by == self._name
        child = any(task in other.children for other in self._terms.values())
        return self._settings.introducer == self._name and not child

    def step(self, i: Inputs, beliefs: Beliefs, parent: str) -> list[Event]:
        """New lots of one decision; `parent` is the mission's task that this robot works on, '' for none."""
        events = [self._order(i.now, order, beliefs) for order in i.orders if order.kind == "task-add"]
        if beliefs.running:
            events += self._run_timers(i.now, beliefs)
            events += self._ask(i.now, i.subtasks, beliefs, parent)
            events += self._tend_nodes(i.now, beliefs)
        self._forget()
        return events

    @property
    def _has_room(self) -> bool:
        lots = self.state.lots
        return len(lots) < MOST_LOTS and sum(lot.is_open for lot in lots.values()) < MOST_OPEN

    def _order(self, now: float, order: Order, beliefs: Beliefs) -> Event:
        name = " ".join(order.args[:1])
        try:
            if not beliefs.running:
                raise ValueError(NO_RUN)
            if not self._has_room:
                raise ValueError(f"{MOST_OPEN} jobs are open, or {MOST_LOTS} with children that have ended")
            lot = self._add(now, order.args, beliefs)
        except ValueError as error:
            return Event("refused", "", name, str(error))
        return Event("introduced", "", name, f"as {lot.task.id}, ordered by {order.by or 'a person'}")

    def _run_timers(self, now: float, beliefs: Beliefs) -> list[Event]:
        s, events = self.state, []
        for task, own in self._timers.items():
            fired = s.fired.get(task, 0)
            due = s.began + own.at_s + fired * own.every_s
            if now >= due and (fired == 0 or own.every_s > 0.0) and self._has_room:
                s.fired[task] = fired + 1
                lot = self._add(now, (task,), beliefs, task)
                lot.own = True
                events.append(Event("introduced", "", task, f"as {task}, by its timer"))
        return events

    def _ask(self, now: float, subtasks: Sequence[Task], beliefs: Beliefs, parent: str) -> list[Event]:
        """Subtasks are states: one that is asked for continues, with other arguments it is another one.

        A new one brings those back that were refused: all are auctioned anew (002, VI-B.2a, step 4).
        """
        s, events, asked = self.state, [], set()
        for rank, task in enumerate(subtasks[:MOST_ASKED]):
            args = dict(task.args)
            seen = args.pop(OBSERVED, None)
            bare = Task(task.kind, tuple(sorted(args.items())), task.id)
            known = [lot for lot in s.lots.values() if lot.asked and lot.wanted and lot.task == bare]
            if known:
                lot = known[-1]
            else:
                lot = self._subtask(now, bare, beliefs, parent)
                events.append(Event(
                    "refused" if lot.state == REFUSED else "introduced", "", lot.template, f"as {lot.task.id}"
                ))  # fmt: skip
            lot.rank = rank
            lot.observed = _number(seen)
            asked.add(lot.job)
        for lot in s.lots.values() if events else ():
            if lot.job in asked and lot.state == REFUSED and lot.number >= 0:
                lot.turn(WAITING, now, "its turn comes")
                lot.not_before = now
        for lot in s.lots.values():
            if lot.asked and lot.wanted and lot.job not in asked:
                lot.wanted = False
                if lot.state in (WAITING, ANNOUNCED):
                    lot.turn(ENDED, now, "it is no longer asked for")
                    s.version += 1
        return events

    def _subtask(self, now: float, task: Task, beliefs: Beliefs, parent: str) -> Lot:
        try:
            template = self._table.template(task)
            children = self._terms[parent].children if parent in self._terms else ()
            if children and template not in children:
                raise ValueError(f"{template} is no child of {parent}; it has {', '.join(children)}")
            lot = self._add(now, (template, *map("=".join, task.args)), beliefs, task.id)
        except (KeyError, ValueError) as error:
            lot = self._put(now, task, task.kind, TaskTerms(), beliefs)
            lot.turn(REFUSED, now, str(error.args[0] if error.args else error))
        lot.asked, lot.task = True, task
        return lot

    def _add(self, now: float, words: Sequence[str], beliefs: Beliefs, id: str = "", parent: str = "") -> Lot:
        """A lot of the mission's task `words[0]` with arguments; ValueError where it cannot be auctioned."""
        task = self._table.introduced(words, id)
        name = words[0]
        own, given = self._terms[name], dict(word.split("=", 1) for word in words[1:])
        changed = {key: value for key, value in given.items() if key in TaskTerms.model_fields}
        if fixed := sorted(set(changed) - set(AT_RUN_TIME)):
            raise ValueError(
                f"{fixed[0]} is agreed in the mission file; a task may bring {', '.join(AT_RUN_TIME)}"
            )
        try:
            terms = TaskTerms(**own.model_dump() | changed) if changed else own
        except ValidationError as error:
            raise ValueError("; ".join(f"{e['loc'][0]}: {e['msg']}" for e in error.errors())) from None
        self._check_length(terms)
        args = {key: value for key, value in task.args if key not in changed}
        shipped = dict(self._table.task_entries[name].task.args)
        for key, value in args.items():
            if key in own.travelling:
                if _number(value) is None:
                    raise ValueError(f"{key}={value}: expected a number, as it travels with the announcement")
            elif shipped.get(key) != value:
                raise ValueError(f"{key}={value} does not travel; the mission's {name} has {shipped.get(key)!r}")
        bare = Task(task.kind, tuple(sorted(args.items())), id)
        return self._put(now, bare, name, terms, beliefs, parent)

    def _check_length(self, terms: TaskTerms) -> None:
        longest_s = LONGEST_BEATS * self._table.beat_s
        if max(terms.length_s, terms.contract_s or 0.0) > longest_s:
            raise ValueError(f"longer than a statement can say at this beat, {longest_s:g} s")

    def _put(self, now: float, task: Task, name: str, terms: TaskTerms, beliefs: Beliefs, parent: str = "") -> Lot:
        s = self.state
        while s.jobs in s.lots:
            s.jobs = (s.jobs + 1) % OWN_JOB
        job, s.jobs = s.jobs, (s.jobs + 1) % OWN_JOB
        entry = self._table.task_entries.get(name)
        lot = Lot(
            job, Task(task.kind, task.args, task.id or f"{self._name}.{job}"), name, terms.length_s,
            terms.contract_s or self._settings.contract_s, terms.reserve,
            terms.no_progress_s or self._settings.no_progress_s, now, now, parent,
            mark=mark_of(beliefs, entry) if entry else 0,
        )  # fmt: skip
        s.lots[job] = lot
        s.version += 1
        if terms.is_node:
            lot.turn(NODE, now, "its children are auctioned")
        return lot

    # -- nodes of a tree

    def _tend_nodes(self, now: float, beliefs: Beliefs) -> list[Event]:
        """Introduce the children of each node, and end it as they have ended."""
        events = []
        for node in [lot for lot in self.state.open() if lot.state == NODE]:
            terms = self._terms[node.template]
            below = {lot.template: lot for lot in self.state.lots.values() if lot.parent == node.task.id}
            failed = [lot for lot in below.values() if lot.state in (REFUSED, ENDED)]
            to_do = [name for name in terms.children if name not in below]
            running = any(lot.is_open for lot in below.values())
            if failed:
                node.turn(REFUSED, now, failed[0].why)
                events.append(Event("refused", "", node.template, node.why))
            elif not to_do and not running:
                node.turn(DONE, now, "all its children are done")
                events.append(Event("done", "", node.template, node.why))
            for name in () if failed or (terms.in_order and running) else to_do[: 1 if terms.in_order else None]:
                if len(self.state.lots) >= MOST_LOTS:
                    break  # the others come once nodes have ended
                id = name if node.own else f"{node.task.id}/{name}"
                lot = self._add(now, (name,), beliefs, id, node.task.id)
                lot.own = node.own
                events.append(Event("introduced", "", name, f"as {lot.task.id}, child of {node.task.id}"))
            self.state.version += not node.is_open
        return events

    def _forget(self) -> None:
        """Keep the last of those that have ended, and the children of open nodes."""
        s = self.state
        nodes = {lot.task.id for lot in s.open() if lot.state == NODE}
        over = [
            job for job, lot in s.lots.items()
            if not lot.is_open and lot.parent not in nodes and not (lot.asked and lot.wanted)
        ]  # fmt: skip
        for job in over[:-MOST_CLOSED]:
            del s.lots[job]


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None
