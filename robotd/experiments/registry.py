"""Finding experiments: installed ones by entry point, and those of plug-in files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from robotd.experiments.base import Experiment
from robotd.files.plugins import Plugins, load_files

GROUP = "robotd.experiments"


def experiment_names(files: Sequence[Path] = ()) -> list[str]:
    """The names of all installed experiments and those of plug-in `files`, sorted; OSError, ValueError of a
    file."""
    return load_files(files).names(GROUP) if files else Plugins().names(GROUP)


def find_experiment(name: str, files: Sequence[Path] = ()) -> Experiment:
    """The experiment called `name`, installed or of one of the plug-in `files`.

    LookupError names the nearest and all there are; ValueError: a file is no plug-in, or what has that name is no
    instance of a class derived from `Experiment`.
    """
    found = load_files(files).get(GROUP, name)
    if not isinstance(found, Experiment):
        raise ValueError(f"{name}: expected an instance of a class derived from Experiment, found {found!r:.80}")
    return replace(found, plugins=[str(path.resolve()) for path in files]) if files else found
