"""The one fault table, and the faults that are open. Reconnecting is automatic; moving again is not.

A fault opens by name. One whose cause can pass (`lasting`) learns so from `clear`. A row that `latches` stays
open until acknowledged, and an acknowledgement counts only once the cause has passed.
"""

import functools
from collections.abc import Iterable

from boards.contract import Board, drive_mode_exits_of
from robotd.model.inputs import Fault
from robotd.model.senses import Capabilities, Senses
from robotd.model.value import value

_STOP = "wheels held still"
_GOES_ON = "the robot goes on"
SILENT_S = 1.0  # what a part that fails may take to leave the capabilities; a shorter gap is a noisy line
RESTARTED = "it has started anew by itself: is its battery low, a plug loose, or was it reset?"
LEFT_MODE = "it has left its driving mode by itself: was a button on it pressed?"
SILENT = "nothing that can be read has come for {:g} s: are cable, plug, power and baud rate right?"


@value
class Row:
    """What a fault is, what the robot does about it, and when its cause has passed.

    `stops`: the wheels are held still while it is open. `lasting`: its cause lasts until it is seen to pass.
    `latches`: a person must acknowledge it.
    """

    name: str
    what: str
    action: str = _STOP
    passes: str = "its cause has passed"
    stops: bool = True
    lasting: bool = False
    latches: bool = True

    @property
    def clears(self) -> str:
        """When it ends, in words."""
        passed = f"{self.passes}, then " if self.lasting else ""
        return f"{passed}acknowledged" if self.latches else self.passes

    @property
    def who(self) -> str:
        """Who may clear it, in words."""
        return "anyone with robotd ack" if self.latches else "no person needs to"


_passing = functools.partial(Row, stops=False, lasting=True, latches=False)
TABLE = (
    Row("board-silent", "the board's port is open and the board does not answer", lasting=True),
    Row("port-lost", "a port of the body cannot be opened, or hung up", f"{_STOP}; opened again for ever",
        lasting=True),
    Row("board-restarted", "the board started anew while it was connected", f"{_STOP}; greeted again by itself"),
    Row("board-left-mode", "the board left its driving mode by itself, as when a button on it is pressed"),
    Row("tick-raised", "a tick raised an error", f"{_STOP} in that same tick"),
    Row("tick-stalled", "ticks were skipped for longer than a motor command lives"),
    Row("task-died", "a part of the daemon ended by itself"),
    Row("guardian-stop", "the guardian stopped the daemon before this start"),
    Row("duplicate-id", "another robot sends under this robot's number"),
    Row("stopped", "the team was stopped"),
    Row("state-lost", "the radio's state was unreadable or an older copy: a team stop may have been lost"),
    Row("mission-mismatch", "a teammate has another mission file", f"its statements are not read; {_GOES_ON}",
        stops=False),
    _passing("log-stopped", "the run log cannot be written (disk full?)", f"the log stops; {_GOES_ON}"),
    _passing("state-not-saved", "what must outlive a restart cannot be saved (read-only disk?)",
             f"saving is tried again, nothing is sent under an epoch that is not saved; {_GOES_ON}"),
    _passing("radio-lost", "the radio modem's port cannot be opened, hung up or is silent",
             f"{_GOES_ON} as if alone"),
    _passing("add-on-lost", "an add-on that moves nothing is not there, hung up or is silent",
             f"what it brings is missing; {_GOES_ON}"),
    _passing("radio-silent", "no frame of a teammate was received for three beats and a half",
             f"{_GOES_ON} as if alone"),
    _passing("epochs-spent", "no boot epoch is left under the team's key; make a new key for all robots",
             f"the radio sends nothing; {_GOES_ON} as if alone"),
    _passing("airtime-limited", "the duty cycle of the radio's sub-band permits less than a frame per beat",
             f"frames are sent as the regulations permit; {_GOES_ON}"),
    _passing("facts-refused", "the run has no room for more facts, or for more versions of one",
             f"what is refused stays as last known; {_GOES_ON}", "the next run opens"),
    Row("clock-stepped", "the wall clock jumped", f"{_GOES_ON}: no decision reads that clock", stops=False),
)  # fmt: skip
ROWS = {row.name: row for row in TABLE}


def row_of(name: str) -> Row:
    """The row of a fault, `task-died:http` being one of `task-died`; KeyError where there is none."""
    return ROWS[name.partition(":")[0]]


def describe_fault(fault: Fault) -> dict[str, str]:
    """A fault with what its row says of it; of a name that this version has no row of, its detail alone."""
    known = {"name": fault.name, "detail": fault.detail}
    row = ROWS.get(fault.name.partition(":")[0])
    return (
        {**known, "what": row.what, "action": row.action, "clears": row.clears, "who": row.who} if row else known
    )


def stopping_faults(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Those of `faults` that forbid motion."""
    return tuple([fault for fault in faults if row_of(fault.name).stops])


class Faults:
    """The open faults of one robot."""

    def __init__(self) -> None:
        self._open: dict[str, Fault] = {}
        self._passed: set[str] = set()
        self._sorted: tuple[Fault, ...] = ()

    def open(self) -> tuple[Fault, ...]:
        """All open faults, by name."""
        return self._sorted

    def is_open(self, name: str) -> bool:
        """Whether the fault `name` is open."""
        return name in self._open

    def open_fault(self, name: str, detail: str, now: float) -> None:
        """The cause of `name` is there now; KeyError for a name without a row. Again: only the detail is new."""
        row_of(name)
        self._passed.discard(name)
        known = self._open.get(name)
        if known is None or known.detail != detail:
            since = now if known is None else known.since
            self._keep({**self._open, name: Fault(name, detail, since)})

    def clear(self, name: str) -> None:
        """The cause of `name` has passed: the fault ends, or, where it latches, may now be acknowledged."""
        if name not in self._open:
            return
        if row_of(name).latches:
            self._passed.add(name)
        else:
            self._keep({other: fault for other, fault in self._open.items() if other != name})

    def note(self, name: str, detail: str, now: float) -> None:
        """Open `name` with its detail, or clear it where there is none."""
        if detail:
            self.open_fault(name, detail, now)
        else:
            self.clear(name)

    def acknowledge(self, now: float) -> tuple[Fault, ...]:
        """A person took notice before `now`: what opened before then ends, but what still lasts; the rest."""
        lasts = {name for name in self._open if row_of(name).lasting and name not in self._passed}
        self._keep({name: fault for name, fault in self._open.items() if name in lasts or fault.since >= now})
        return self._sorted

    def _keep(self, faults: dict[str, Fault]) -> None:
        self._open = faults
        self._passed &= set(faults)
        self._sorted = tuple(faults[name] for name in sorted(faults))


class BoardWatch:
    """Looks at one board in each tick, for one that restarts, leaves its driving mode, or falls silent.

    A port notices a line that is dead or mute. It takes a flood of garbage for a device that sends, and a board
    that starts anew within its patience for one that never was away.
    """

    def __init__(self, board: Board, faults: Faults) -> None:
        self._board = board
        self._faults = faults
        self._reboots, self._exits = board.reboots, drive_mode_exits_of(board)
        self._silent = False

    def look(self, now: float, senses: Senses, capabilities: Capabilities) -> None:
        """Take what the board reports at `now` (loop clock, s)."""
        reboots, exits = self._board.reboots, drive_mode_exits_of(self._board)
        if reboots != self._reboots:
            self._faults.open_fault("board-restarted", RESTARTED, now)
        if exits != self._exits:
            self._faults.open_fault("board-left-mode", LEFT_MODE, now)
        self._reboots, self._exits = reboots, exits
        ages = senses.ages
        silent = min(ages.wheels, ages.ranges, ages.bumps) > SILENT_S  # what only a base has: add-ons may go on
        if silent and not self._silent and not self._faults.is_open("port-lost"):  # which names the cause of it
            self._silent = True
            self._faults.open_fault("board-silent", SILENT.format(SILENT_S), now)
        elif self._silent and not silent and capabilities.resources:
            self._silent = False
            self._faults.clear("board-silent")
