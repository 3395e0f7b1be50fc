"""Which modules are imported: where some are compiled, ROBOTD_PURE makes their sources be taken all the same.

Compiled and interpreted modules do not mix, so that this holds for all packages; each imports this one first. The
program `robotd` and its children import nothing that happens to lie in the working folder.
"""

import os
import sys
from collections.abc import Sequence
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader

PACKAGES = ("robotd", "boards", "radio", "behaviors", "motivation")


class Sources:
    """Finds the sources of our modules; what is none of them is left to the finders after it."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        """See `importlib.abc.MetaPathFinder`."""
        if path is None or name.partition(".")[0] not in PACKAGES:
            return None
        finders = (FileFinder(entry, (SourceFileLoader, SOURCE_SUFFIXES)) for entry in path)
        found = (finder.find_spec(name) for finder in finders)
        return next((spec for spec in found if spec is not None and spec.loader is not None), None)


def ignore_working_folder() -> None:
    """Relative entries of PYTHONPATH, an empty one too, lead to the folder in which a person happens to be: no
    module is looked for there by this process or its children, but where robotd itself is."""
    named = os.environ["PYTHONPATH"].split(os.pathsep)
    kept = [entry for entry in named if os.path.isabs(entry)]
    needed = {*kept, os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}
    dropped = {os.path.abspath(entry) for entry in named} - needed
    sys.path[:] = [entry for entry in sys.path if entry not in dropped]
    os.environ["PYTHONPATH"] = os.pathsep.join(kept)


if os.environ.get("PYTHONPATH") and os.path.basename("".join(sys.argv[:1])) == "robotd":
    ignore_working_folder()
if os.environ.get("ROBOTD_PURE"):
    sys.meta_path.insert(0, Sources)
