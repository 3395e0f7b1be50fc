"""What outlives a process: small named JSON documents, replaced whole."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Protocol

from robotd.model.plain import Json


class Store(Protocol):
    """Named documents; `save` returns when the document would survive a power cut."""

    def load(self, name: str) -> Json:
        """The document, or None where there is none (or it cannot be read: then it is set aside)."""

    def save(self, name: str, document: Json) -> None:
        """Replace the document; OSError where the disk is full or read-only."""


class MemoryStore:
    """The store of simulations: kept over a simulated reboot, empty at the start."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def load(self, name: str) -> Json:
        """See `Store.load`."""
        text = self._texts.get(name)
        document: Json = json.loads(text) if text is not None else None
        return document

    def save(self, name: str, document: Json) -> None:
        """See `Store.save`."""
        self._texts[name] = json.dumps(document)


class FileStore:
    """One file per document under `folder`: written beside, flushed to the disk, then renamed over the old one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, name: str) -> Json:
        """See `Store.load`; what cannot be read is renamed to NAME.corrupt, so that nothing is lost."""
        path = self._path(name)
        try:
            document: Json = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError):
            with contextlib.suppress(OSError):
                path.replace(path.with_suffix(".corrupt"))
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

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"
