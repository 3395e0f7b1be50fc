"""Somebody who watches a simulation without a log: every tick as the log would have it, and the judge's looks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from robotd.model.command import Command
from robotd.model.decision import Decision
from robotd.model.inputs import Inputs
from robotd.model.statements import Heard, Sent
from robotd.record.log import NoSink, RunLog, Sink
from robotd.sim.team import Team


class Observer(Protocol):
    """A watcher; it changes nothing."""

    def tick(self, robot: str, i: Inputs, sent: tuple[Sent, ...], thought: Decision) -> None:
        """A robot has finished a tick."""

    def look(self, now: float, team: Team) -> None:
        """The judge looks, `now` s after the start; the world stands at that instant."""


class WatchedLog(RunLog):
    """A run log that passes each tick to an observer, and writes nothing where nobody reads it."""

    def __init__(self, sink: Sink, about: Mapping[str, Any], watch: Observer) -> None:
        super().__init__(sink, about)
        self._watch = watch
        self._writes = not isinstance(sink, NoSink)

    def begin_tick(self, now: float) -> None:
        if self._writes:
            super().begin_tick(now)

    def tick(
        self,
        robot: str,
        i: Inputs,
        heard: tuple[Heard, ...],
        sent: tuple[Sent, ...],
        thought: Decision,
        driven: Command,
    ) -> None:
        self._watch.tick(robot, i, sent, thought)
        if self._writes:
            super().tick(robot, i, heard, sent, thought, driven)
