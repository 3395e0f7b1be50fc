"""One document that is saved whenever its content changes, and again until the disk has it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from robotd.model.plain import Json
from robotd.storage.store import Store

RETRY_S = 2.0  # between two attempts to save: a disk that gets room again is used within seconds
UNFIT = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading a foreign document may raise."""

Save = Callable[[str, Json], None]


@dataclass(slots=True)
class KeptDocument:
    """The document `name` of `store`: `content()` as of `version()`.

    `persisted(version)` is called once that version is on the disk.
    """

    store: Store
    name: str
    content: Callable[[], Json]
    version: Callable[[], object]
    persisted: Callable[[object], None] = lambda version: None
    handed: Any = None  # a version
    handed_at: float = 0.0
    on_disk: Any = None

    def assume_saved(self) -> None:
        """What it holds now was read from the store, or is not worth a file."""
        self.handed = self.on_disk = self.version()

    def keep(self, now: float, save: Save | None = None) -> None:
        """Save (by `save`, else by the store) what changed, again after `RETRY_S` where the disk did not take it.

        OSError where the store reports a failure at once.
        """
        version = self.version()
        if version == self.handed == self.on_disk:
            return
        waits = self.handed != self.on_disk and self.store.is_pending(self.name)
        overdue = waits and bool(self.store.failure_of(self.name)) and now >= self.handed_at + RETRY_S
        if version != self.handed or overdue:
            self.handed_at = now
            (save or self.store.save)(self.name, self.content())
            self.handed = version
        if self.on_disk != self.handed and not self.store.is_pending(self.name):
            self.on_disk = self.handed
            self.persisted(self.on_disk)

    def load(self, use: Callable[[Json], None]) -> list[str]:
        """See `load`."""
        return load(self.store, self.name, use)


def load(store: Store, name: str, use: Callable[[Json], None]) -> list[str]:
    """`use` the document, where there is one; what is of no use is set aside. What was set aside, in words."""
    before = len(store.aside)
    document = store.load(name)
    if document is not None:
        try:
            use(document)
        except UNFIT as error:
            store.set_aside(name, str(error)[:200] or type(error).__name__)
    return [f"{words}; {name} starts afresh" for words in store.aside[before:]]
