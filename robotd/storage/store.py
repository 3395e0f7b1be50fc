"""What outlives a process: small named JSON documents, replaced whole."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from robotd.model.plain import Json

ASIDE = ".corrupt"  # the ending of what could not be used
MAX_BYTES = 1 << 20  # of a document: L-ALLIANCE's, the longest, takes about 100 kB for thirty robots


class Store(Protocol):
    """Named documents. A document survives a power cut once it is no longer pending."""

    @property
    def trouble(self) -> str:
        """Why documents cannot be saved now; '' if they can."""

    def is_pending(self, name: str) -> bool:
        """Whether the newest `save` of the document has not reached the disk yet."""

    @property
    def aside(self) -> Sequence[str]:
        """In words: which documents were set aside since the start, and why."""

    def load(self, name: str) -> Json:
        """The document, or None where there is none (or it cannot be read: then it is set aside)."""

    def save(self, name: str, document: Json) -> None:
        """Replace the document; OSError where the disk is full or read-only."""

    def set_aside(self, name: str, why: str) -> None:
        """Put a document that is of no use out of the way, but keep it; says so in `aside`."""


class MemoryStore:
    """The store of simulations: kept over a simulated reboot, empty at the start."""

    trouble = ""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self.aside: list[str] = []

    def is_pending(self, name: str) -> bool:
        """See `Store.is_pending`: never."""
        return False

    def load(self, name: str) -> Json:
        """See `Store.load`."""
        text = self._texts.get(name)
        document: Json = json.loads(text) if text is not None else None
        return document

    def save(self, name: str, document: Json) -> None:
        """See `Store.save`."""
        self._texts[name] = json.dumps(document)

    def set_aside(self, name: str, why: str) -> None:
        """See `Store.set_aside`."""
        self._texts[f"{name}{ASIDE}"] = self._texts.pop(name)
        self.aside.append(f"{name} is set aside: {why}")


class FileStore:
    """One file per document under `folder`: written beside, flushed to the disk, then renamed over the old one."""

    trouble = ""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.aside: list[str] = []

    def is_pending(self, name: str) -> bool:
        """See `Store.is_pending`: never, as `save` waits for the disk."""
        return False

    def load(self, name: str) -> Json:
        """See `Store.load`; what cannot be read is renamed to NAME.corrupt, so that nothing is lost."""
        path = self._path(name)
        try:
            with path.open("rb") as file:
                content = file.read(MAX_BYTES + 1)
            if len(content) > MAX_BYTES:
                raise ValueError(f"it is longer than {MAX_BYTES} bytes")
            document: Json = json.loads(content.decode("utf-8"), parse_constant=_refuse)
            if document is None:
                raise ValueError("it holds no document")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, RecursionError) as error:
            self.set_aside(name, f"it cannot be read ({str(error)[:200]})")
            return None
        return document

    def save(self, name: str, document: Json) -> None:
        """See `Store.save`."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._path(name)
        fresh = path.with_suffix(".new")
        with fresh.open("w", encoding="utf-8") as file:
            json.dump(document, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def set_aside(self, name: str, why: str) -> None:
        """See `Store.set_aside`."""
        path = self._path(name)
        with contextlib.suppress(OSError):
            path.replace(path.with_suffix(ASIDE))
        self.aside.append(f"{path} is set aside as {path.stem}{ASIDE}: {why}")

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"


def _refuse(constant: str) -> float:
    """JSON has neither infinity nor a value that is no number, which Python's reader takes."""
    raise ValueError(f"{constant} is no number")
