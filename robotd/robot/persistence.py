"""What a robot keeps over a restart: the radio's state, the run, and the memory of its coordinator."""

import functools
import logging

from radio.link import Radio
from robotd.model.beliefs import RUNS
from robotd.model.keeper import Keeper
from robotd.model.plain import Json, from_plain
from robotd.model.value import value
from robotd.robot.mind import Mind
from robotd.storage.document import KeptDocument, Save
from robotd.storage.store import Store

log = logging.getLogger(__name__)
RADIO_MEMORY = "radio"
RUN = "run"
LEARNED = "learned"  # L-ALLIANCE's `memory_name`, which `simulate` takes and returns


@value
class SavedRun:
    """The run that a robot takes part in, and the digest of the mission that it is a run of."""

    run: int
    running: bool
    digest: int

    def __post_init__(self) -> None:
        if not 0 <= self.run < RUNS:
            raise ValueError(f"run {self.run} is not within 0 to {RUNS - 1}")


class Persistence:
    """Recalls at the start, and saves what changed after each tick. `warnings`: what could not be used."""

    def __init__(self, store: Store, radio: Radio, mind: Mind) -> None:
        self._mind = mind
        self.warnings: list[str] = []
        kept = KeptDocument(store, RADIO_MEMORY, radio.memory, lambda: radio.memory_version, radio.mark_persisted)
        self._documents = [kept, KeptDocument(store, RUN, lambda: list(self._run()), self._run)]
        if (keeper := mind.keeper) is not None:
            name, memory = keeper.memory_name, functools.partial(self._memory, keeper)
            self._documents.append(KeptDocument(store, name, memory, lambda: keeper.memory_version))

    def recall(self) -> None:
        """Take up the run and the coordinator's memory; call after `Mind.begin`, before the first tick.

        A document of no use is set aside. The number of a run of another mission file is kept, as the team has
        used it, and the run is not resumed.
        """
        for document, use in zip(self._documents[1:], (self._resume, self._recall), strict=False):
            self.warnings += document.load(use)
            document.assume_saved()
        for words in self.warnings:
            log.warning("%s", words)

    def keep(self, now: float, save: Save | None = None) -> None:
        """Save (by `save`, else by the store) each document that changed.

        After all were tried raises what a document raised, OSError where only the disk did.
        """
        failed: BaseException | None = None
        for document in self._documents:
            try:
                document.keep(now, save)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - the other documents are saved all the same
                failed = error if failed is None or isinstance(failed, OSError) else failed
        if failed is not None:
            raise failed

    def _run(self) -> tuple[int, bool, int]:
        """What a `SavedRun` has of this moment, in its order."""
        beliefs = self._mind.beliefs
        return beliefs.run, beliefs.running, beliefs.table.digest

    def _resume(self, document: Json) -> None:
        saved, beliefs = from_plain(SavedRun, document), self._mind.beliefs
        if saved.run:
            self._mind.beliefs = beliefs.opened(saved.run, saved.running and saved.digest == beliefs.table.digest)

    def _memory(self, keeper: Keeper) -> Json:
        memory = keeper.memory()
        return {"run": self._mind.beliefs.run, "memory": memory} if keeper.memory_of_run else memory

    def _recall(self, document: Json) -> None:
        """Give the keeper its memory; one of one run is of use in that run alone."""
        keeper = self._mind.keeper
        assert keeper is not None
        if not keeper.memory_of_run:
            keeper.recall(document)
            return
        if not isinstance(document, dict) or set(document) != {"run", "memory"}:
            raise ValueError("it does not name the run that it is of")
        if document["run"] == self._mind.beliefs.run:
            keeper.recall(document["memory"])
