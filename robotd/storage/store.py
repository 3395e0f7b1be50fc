"""What outlives a process: small named JSON documents, replaced whole."""

import contextlib
import errno
import json
import os
from pathlib import Path

from robotd.files.paths import sync_folder
from robotd.model.plain import Json

ASIDE = ".corrupt"  # the ending of what could not be used
MAX_BYTES = 1 << 20  # of a document: L-ALLIANCE's, the longest, takes about 100 kB for thirty robots


class Store:
    """Named documents. A document survives a power cut once it is no longer pending.

    `aside`, in words: which documents were set aside since the start, and why.
    """

    def __init__(self) -> None:
        self.aside: list[str] = []

    def is_pending(self, name: str) -> bool:
        """Whether the newest `save` of the document has not reached the disk yet."""
        return False

    def failure_of(self, name: str) -> str:
        """Why the last attempt to save the document failed; '' if it did not, or `save` raises at once."""
        return ""

    def load(self, name: str) -> Json:
        """The document, or None where there is none (or it cannot be read: then it is set aside)."""
        raise NotImplementedError

    def save(self, name: str, document: Json) -> None:
        """Replace the document; OSError where the disk is full or read-only, or `document` is not JSON."""
        raise NotImplementedError

    def set_aside(self, name: str, why: str) -> None:
        """Put a document that is of no use out of the way, but keep it; says so in `aside`."""
        raise NotImplementedError


class MemoryStore(Store):
    """The store of simulations: kept over a simulated reboot, empty at the start."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: dict[str, str] = {}

    def load(self, name: str) -> Json:
        document: Json = json.loads(self._texts.get(name, "null"))
        return document

    def save(self, name: str, document: Json) -> None:
        self._texts[name] = _text_of(document)

    def set_aside(self, name: str, why: str) -> None:
        self._texts[f"{name}{ASIDE}"] = self._texts.pop(name)
        self.aside.append(f"{name} is set aside: {why}")


class FileStore(Store):
    """One file per document under `folder`: written beside, flushed to the disk, then renamed over the old one."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

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
        text = _text_of(document)
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._path(name)
        fresh = path.with_suffix(".new")
        with fresh.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        sync_folder(self._folder)

    def set_aside(self, name: str, why: str) -> None:
        path = self._path(name)
        with contextlib.suppress(OSError):
            path.replace(path.with_suffix(ASIDE))
        self.aside.append(f"{path} is set aside as {path.stem}{ASIDE}: {why}")

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"


def _text_of(document: Json) -> str:
    """`document` as `load` reads it; OSError (EINVAL) where it would not."""
    try:
        text = json.dumps(document, allow_nan=False)
        if len(text) > MAX_BYTES:
            raise ValueError(f"it has {len(text)} bytes, more than {MAX_BYTES}")
    except (TypeError, ValueError, RecursionError) as error:
        raise OSError(errno.EINVAL, f"the document cannot be saved as JSON: {error}") from error
    return text


def _refuse(constant: str) -> float:
    """JSON has neither infinity nor a value that is no number, which Python's reader takes."""
    raise ValueError(f"{constant} is no number")
