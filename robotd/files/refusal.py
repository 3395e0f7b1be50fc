"""A command that cannot do what it was asked: raised anywhere, printed once by the command line."""

import contextlib
import errno
import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from robotd import PACKAGES

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
"""The exit statuses of all commands: done; the mission or check failed; bad usage or configuration; control-C."""


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)  # a write fails by these without naming a file


class Refusal(Exception):  # noqa: N818 - it is the answer of a command
    """The message is for people, a line for each reason; `status` is the exit status of the command."""

    prefix = "robotd: "

    def __init__(self, message: str, status: int = USAGE) -> None:
        super().__init__(message)
        self.status = status

    def report(self, *, as_json: bool = False) -> int:
        """Print it, for people to standard error, for programs `{"error": ...}` to standard output; its status."""
        if as_json:
            sys.stdout.write(json.dumps({"error": str(self)}) + "\n")
        else:
            sys.stderr.write("".join(f"{self.prefix}{line}\n" for line in str(self).splitlines()))
        return self.status


@contextlib.contextmanager
def refuse_on(*kinds: type[Exception], status: int = USAGE) -> Iterator[None]:
    """What is raised inside becomes a Refusal: an OSError, and an exception of these kinds."""
    try:
        yield
    except BrokenPipeError:  # the reader of the output has gone
        raise
    except OSError as error:
        raise Refusal(describe(error), status) from error
    except kinds as error:
        raise Refusal(str(error), status) from error


@contextlib.contextmanager
def refuse_unwritten(where: object, other: str = "folder with --out DIR") -> Iterator[None]:
    """An OSError inside becomes a Refusal: the error's file, or `where`, cannot be written; choose another."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is None and error.errno not in FULL:
            raise Refusal(str(error)) from error
        place, reason = error.filename or where, error.strerror or error
        raise Refusal(f"{place}: cannot be written: {reason}; choose another {other}") from error


def describe(error: OSError) -> str:
    """The file and the reason, without the number of the error."""
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason


EXTRAS = {"dask": "cluster", "distributed": "cluster", "foxglove": "foxglove", "matplotlib": "plot",
          "pyarrow": "parquet", "pymunk": "sim", "rich": "sim", "tomli_w": "sim", "zenoh": "zenoh"}  # fmt: skip
"""Packages that `pip install 'robotd[EXTRA]'` installs, each with its extra."""


def advise_install(error: ImportError) -> str:
    """What to do where a package of an extra is missing, or one of ours is hidden: a line; '' for others."""
    package = (error.name or "").partition(".")[0]
    if package in PACKAGES and (found := importlib.util.find_spec(package)) is not None:
        if not found.origin or not Path(found.origin).is_relative_to(Path(__file__).parents[2]):
            return f"the package {package} in {found.origin} is not robotd's: see robotd doctor"
        return ""
    extra = EXTRAS.get(package)
    return f"the package {package} is not installed: pip install 'robotd[{extra}]'" if extra else ""
