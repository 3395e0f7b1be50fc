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


class Store(Protocol):
    """Named documents; `save` returns when the document would survive a power cut."""

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

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self.aside: list[str] = []

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

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.aside: list[str] = []

    def load(self, name: str) -> Json:
        """See `Store.load`; what cannot be read is renamed to NAME.corrupt, so that nothing is lost."""
        path = self._path(name)
        try:
            document: Json = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            self.set_aside(name, f"it cannot be read ({error})")
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
