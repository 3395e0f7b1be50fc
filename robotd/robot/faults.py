"""The one fault table, and the faults that are open. Reconnecting is automatic; moving again is not.

A fault opens by name. One whose cause can pass (`lasting`) is told so with `clear`. A row that `latches` stays
open until acknowledged, and an acknowledgement counts only once the cause has passed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from robotd.model.inputs import Fault
from robotd.model.plain import Json


@dataclass(frozen=True, slots=True)
class Row:
    """What a fault is, what the robot does about it, when it clears, and who may clear it.

    `stops`: the wheels are held still while it is open. `lasting`: its cause goes on until it is seen to pass.
    `latches`: a person must acknowledge it.
    """

    name: str
    what: str
    action: str
    clears: str
    who: str
    stops: bool = True
    lasting: bool = False
    latches: bool = True


_STOP = "wheels held still"
_GOES_ON = "the robot goes on"
_ACK = "acknowledged"
_PASSED = "its cause has passed, then acknowledged"
_ITSELF = "its cause has passed"
_PEOPLE = "anyone with robotd ack"
_NOBODY = "nobody needs to"

TABLE = (
    Row("board-silent", "the board's port is open and the board does not answer", _STOP, _PASSED, _PEOPLE,
        lasting=True),
    Row("port-lost", "a port of the body cannot be opened, or hung up", f"{_STOP}; opened again for ever",
        _PASSED, _PEOPLE, lasting=True),
    Row("board-restarted", "the board started anew while it was connected", f"{_STOP}; greeted again by itself",
        _ACK, _PEOPLE),
    Row("board-left-mode", "the board left its driving mode by itself, as when a button on it is pressed", _STOP,
        _ACK, _PEOPLE),
    Row("tick-raised", "the thinking raised an error", f"{_STOP} in that same tick", _ACK, _PEOPLE),
    Row("tick-stalled", "ticks were skipped for longer than a motor command lives", _STOP, _ACK, _PEOPLE),
    Row("task-died", "a part of the daemon ended by itself", _STOP, _ACK, _PEOPLE),
    Row("guardian-stop", "the guardian stopped the daemon before this start", f"{_STOP}", _ACK, _PEOPLE),
    Row("duplicate-id", "another robot sends under this robot's number", _STOP, _ACK, _PEOPLE),
    Row("stopped", "the team was stopped", _STOP, _ACK, _PEOPLE),
    Row("state-lost", "the radio's state was unreadable or an older copy: a team stop may have been lost", _STOP,
        _ACK, _PEOPLE),
    Row("mission-mismatch", "a teammate has another mission file", f"what it says is not read; {_GOES_ON}",
        _ACK, _PEOPLE, stops=False),
    Row("log-stopped", "the run log cannot be written (disk full?)", f"the log stops; {_GOES_ON}", _ITSELF,
        _NOBODY, stops=False, lasting=True, latches=False),
    Row("state-not-saved", "what must outlive a restart cannot be saved (read-only disk?)",
        f"saving is tried again, nothing is sent under an epoch that is not saved; {_GOES_ON}", _ITSELF, _NOBODY,
        stops=False, lasting=True, latches=False),
    Row("radio-lost", "the radio modem's port cannot be opened, hung up or is silent",
        f"{_GOES_ON} as if alone", _ITSELF, _NOBODY, stops=False, lasting=True, latches=False),
    Row("add-on-lost", "an add-on that moves nothing is not there, hung up or is silent",
        f"what it brings is missing; {_GOES_ON}", _ITSELF, _NOBODY, stops=False, lasting=True, latches=False),
    Row("radio-silent", "no teammate was heard for three beats and a half", f"{_GOES_ON} as if alone", _ITSELF,
        _NOBODY, stops=False, lasting=True, latches=False),
    Row("epochs-spent", "no boot epoch is left under the team's key; make a new key for all robots",
        f"the radio says nothing; {_GOES_ON} as if alone", _ITSELF, _NOBODY, stops=False, lasting=True,
        latches=False),
    Row("airtime-limited", "the duty cycle of the radio's sub-band permits less than a frame per beat",
        f"frames are sent as the regulations permit; {_GOES_ON}", _ITSELF, _NOBODY, stops=False, lasting=True,
        latches=False),
    Row("facts-refused", "the run has no room for more facts, or for more versions of one",
        f"what is refused stays as last known; {_GOES_ON}", "the next run opens", _NOBODY, stops=False,
        lasting=True, latches=False),
    Row("clock-stepped", "the wall clock jumped", f"{_GOES_ON}: nothing that decides reads that clock", _ACK,
        _PEOPLE, stops=False),
)  # fmt: skip
ROWS = {row.name: row for row in TABLE}


def row_of(name: str) -> Row:
    """The row of a fault, `task-died:http` being one of `task-died`; KeyError where there is none."""
    return ROWS[name.partition(":")[0]]


def stopping(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Those of `faults` that forbid motion."""
    return tuple(fault for fault in faults if row_of(fault.name).stops)


class Faults:
    """The open faults of one robot."""

    def __init__(self) -> None:
        self._open: dict[str, Fault] = {}
        self._passed: set[str] = set()
        self._sorted: tuple[Fault, ...] = ()

    def open(self) -> tuple[Fault, ...]:
        """All open faults, by name."""
        return self._sorted

    def open_fault(self, name: str, detail: str, now: float) -> None:
        """The cause of `name` is there now; KeyError for a name without a row. Again: only the detail is new."""
        row_of(name)
        known = self._open.get(name)
        self._passed.discard(name)
        if known is None:
            self._keep({**self._open, name: Fault(name, detail, now)})
        elif known.detail != detail:
            self._keep({**self._open, name: replace(known, detail=detail)})

    def clear(self, name: str) -> None:
        """The cause of `name` has passed: the fault ends, or, where it latches, may now be acknowledged."""
        if name not in self._open:
            return
        if row_of(name).latches:
            self._passed.add(name)
        else:
            self._keep({other: fault for other, fault in self._open.items() if other != name})

    def acknowledge(self, now: float) -> tuple[Fault, ...]:
        """A person took notice before `now`: what opened before then ends, but what still lasts; the rest."""
        left = {name: f for name, f in self._open.items() if self._lasts(name) or f.since >= now}
        self._keep(left)
        return self._sorted

    def _lasts(self, name: str) -> bool:
        return row_of(name).lasting and name not in self._passed

    def _keep(self, faults: dict[str, Fault]) -> None:
        self._open = faults
        self._passed &= set(faults)
        self._sorted = tuple(faults[name] for name in sorted(faults))

    def freeze(self) -> Json:
        """The whole state."""
        return [[f.name, f.detail, f.since, f.name in self._passed] for f in self._sorted]

    def thaw(self, state: Json) -> None:
        """Take up a frozen state; ValueError where it is not one."""
        if not isinstance(state, list | tuple):
            raise ValueError(f"no frozen faults: {state!r:.80}")
        entries = [(str(name), str(detail), float(since), bool(passed)) for name, detail, since, passed in state]
        self._keep({name: Fault(name, detail, since) for name, detail, since, _ in entries})
        self._passed = {name for name, _, _, passed in entries if passed}
