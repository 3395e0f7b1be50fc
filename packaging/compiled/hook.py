"""Hatchling's hook for wheels: with ROBOTD_COMPILE set they hold compiled modules beside the sources."""

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledModules(BuildHookInterface):  # type: ignore[type-arg]
    """Adds what `compile` makes to a wheel, and gives it the tag of this interpreter and platform."""

    def dependencies(self) -> list[str]:
        """What compiling needs besides: mypy looks into the libraries for types."""
        if not os.environ.get("ROBOTD_COMPILE"):
            return []
        return ["mypy>=2.4", "setuptools>=77", *self.metadata.core.dependencies]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """An editable install stays as it is: its sources change."""
        if version == "editable" or not os.environ.get("ROBOTD_COMPILE"):
            return
        sys.path.insert(0, str(Path(self.root, "packaging", "compiled")))
        from compile import compile_into

        folder = Path(self.root, "build", "compiled")
        made = compile_into(folder)
        build_data["force_include"] |= {str(folder / name): name.as_posix() for name in made}
        build_data["pure_python"], build_data["infer_tag"] = False, True
