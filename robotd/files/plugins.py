"""Finding boards, radios, behaviors, coordinators and missions by name.

They come from entry points (`robotd.boards`, `robotd.radios`, `robotd.behaviors`, `robotd.coordinators`,
`robotd.missions`) and from the files of a configuration's `plugins = ["./mine.py"]`, whose module-level
`ROBOTD = {"robotd.behaviors": {"my-set": MySet}}` lists what they bring.
"""

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from traceback import walk_tb
from types import CodeType, ModuleType
from typing import Any

from robotd import PACKAGES
from robotd.files.nearest import unknown
from robotd.files.text import printable

GROUPS = (
    "robotd.boards",
    "robotd.radios",
    "robotd.behaviors",
    "robotd.coordinators",
    "robotd.missions",
    "robotd.experiments",
)


class UnknownPlugin(LookupError):  # noqa: N818 - it is what the user typed that is unknown
    """A name that no plug-in of the group has; the message names the nearest and all there are."""


FROM_FILE = "robotd_plugin_"  # begins the name of the module of a plug-in file
MOST_OF_ERROR = 200  # characters of an exception's message


@cache
def _installed(group: str) -> dict[str, importlib.metadata.EntryPoint]:
    return {point.name: point for point in importlib.metadata.entry_points(group=group)}


class Plugins:
    """The plug-ins that one configuration may name."""

    def __init__(self, files: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self.files = files or {}

    def names(self, group: str) -> list[str]:
        """All names of a group, sorted."""
        return sorted({*_installed(group), *self.files.get(group, {})})

    def get(self, group: str, name: str) -> Any:
        """The object called `name`; UnknownPlugin where there is none."""
        if name in (own := self.files.get(group, {})):
            return own[name]
        point = _installed(group).get(name)
        if point is None:
            raise UnknownPlugin(unknown(group.partition(".")[2].rstrip("s"), name, self.names(group)))
        return point.load()


INSTALLED = Plugins()


def load_files(paths: Iterable[Path], before: Plugins = INSTALLED) -> Plugins:
    """The plug-ins known `before` and those of the Python files at `paths`; OSError, ValueError."""
    found = {group: dict(named) for group, named in before.files.items()}
    for path in paths:
        brings = getattr(_imported(path), "ROBOTD", None)
        if not isinstance(brings, dict) or not set(brings) <= set(GROUPS):
            raise ValueError(
                f"{path}: expected ROBOTD = {{group: {{name: object}}}} with groups {', '.join(GROUPS)}"
            )
        for group, named in brings.items():
            found.setdefault(group, {}).update(named)
    return Plugins(found)


class _AsItStands(SourceFileLoader):
    """Compiles the file anew: a compiled copy counts as that of a file changed within the same second."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def _imported(path: Path) -> ModuleType:
    """The module of a file; it is put into `sys.modules`, where its dataclasses look their annotations up."""
    name = f"{FROM_FILE}{hashlib.blake2s(bytes(path.resolve())).hexdigest()}"
    loader = _AsItStands(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if path.suffix != ".py" or spec is None or not path.is_file():
        raise ValueError(f"{path}: not a Python file that can be read")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # standard output is for the command's own answer
            loader.exec_module(module)
    except SystemExit as error:
        del sys.modules[name]
        raise ValueError(f"{path}: it ends the program while it is imported (sys.exit)") from error
    except BaseException:
        del sys.modules[name]
        raise
    return module


def describe_error(error: BaseException) -> str:
    """An exception, bounded, with file, line and function: the innermost of a plug-in, else of robotd."""
    try:
        words = f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 - whose text raises as well
        words = type(error).__name__
    places = [
        (frame.f_globals.get("__name__", ""), frame.f_code, line) for frame, line in walk_tb(error.__traceback__)
    ]
    words = printable(words, MOST_OF_ERROR)
    if not places:
        return words
    module, code, line = max(enumerate(places), key=lambda one: (_rank(one[1][0]), one[0]))[1]
    name = (
        f"{module.replace('.', '/')}.py" if module.partition(".")[0] in PACKAGES else Path(code.co_filename).name
    )
    return f"{words} ({printable(name, MOST_OF_ERROR)}, line {line}, in {code.co_name})"


def _rank(module: str) -> int:
    """2 for code of a plug-in, 1 for that of robotd, 0 for that of a library."""
    top = module.partition(".")[0]
    if top in PACKAGES:
        return 1
    points = (point for group in GROUPS for point in _installed(group).values())
    return 2 if top.startswith(FROM_FILE) or top in {point.module.partition(".")[0] for point in points} else 0
