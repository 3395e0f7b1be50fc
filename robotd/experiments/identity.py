"""What rows depend on beside their seed: the code, the libraries, the machine."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from robotd.experiments.base import Experiment, SeedRule
from robotd.record.log import libraries

ROOMS = ("behaviors", "boards", "motivation", "radio", "robotd")


@cache
def code() -> str:
    """Twelve hexadecimal digits of all modules and missions of the program as it is installed."""
    digest = hashlib.blake2s(digest_size=6)
    for room in ROOMS:
        spec = find_spec(room)
        for place in (spec.submodule_search_locations if spec is not None else None) or ():
            for path in sorted(p for p in Path(place).rglob("*") if p.suffix in (".py", ".toml")):
                digest.update(f"{room}/{path.relative_to(place).as_posix()}\x00".encode())
                digest.update(hashlib.blake2s(path.read_bytes()).digest())
    return digest.hexdigest()


def versions() -> str:
    """The versions that a row has as a column."""
    found = _libraries()
    words = [f"{name} {found[name]}" for name in ("python", "numpy", "pymunk") if found[name]]
    return "; ".join([f"robotd {found['robotd']} ({code()})", *words])


def identity(experiment: Experiment, seed: int, rule: SeedRule) -> Mapping[str, Any]:
    """What must agree between runs of one table."""
    own = {"experiment": experiment.name, "digest": experiment.digest, "seed": seed, "seeds": rule}
    return {**own, "code": code(), "libraries": _libraries()}


def _libraries() -> dict[str, str]:
    try:
        return {**libraries(), "pymunk": version("pymunk")}
    except PackageNotFoundError:
        return {**libraries(), "pymunk": ""}
