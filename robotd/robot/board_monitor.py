"""What a board does in mid-run that a person must know of before anything moves again.

It restarts, leaves its driving mode, or falls silent.

A port notices a line that is dead or mute. It takes a flood of garbage for a device that sends, and a board that
starts anew within its patience for one that never was away.
"""

from __future__ import annotations

from boards.contract import Board, drive_mode_exits_of
from robotd.model.senses import Capabilities, Senses
from robotd.robot.faults import Faults

SILENT_S = 1.0  # what a part that fails may take to leave the capabilities; a shorter gap is a noisy line
RESTARTED = "it has started anew by itself: is its battery low, a plug loose, or was it reset?"
LEFT_MODE = "it has left its driving mode by itself: was a button on it pressed?"
SILENT = "nothing that can be read has come for {:g} s: are cable, plug, power and baud rate right?"


class BoardWatch:
    """Looks at one board in each tick, and opens the fault in that same tick."""

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
