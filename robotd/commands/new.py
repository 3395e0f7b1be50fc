"""`robotd new KIND NAME`: write the first version of a plug-in or a mission, with its test.

In a checkout of robotd the files go to their room, and the entry point to pyproject.toml; elsewhere all go to one
folder, for `plugins = ["./NAME.py"]`. A board and a radio bring their emulator in a file of its own, as it needs
what a robot need not have.
"""

import argparse
import errno
import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from shlex import quote

from robotd.files.options import add_json
from robotd.files.paths import folder_option
from robotd.files.refusal import Refusal, refuse_on
from robotd.files.tables import replacing

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
LONGEST = 40  # characters of a name


@dataclass(frozen=True)
class Kind:
    """Where a kind of plug-in goes in a checkout: its room, its tests, and the group of its entry point."""

    room: str
    tests: str
    group: str = ""
    attribute: str = "{Class}"
    suffix: str = ".py"
    module: str = ""  # in a checkout it is a folder with this module, and that of its emulator beside it


KINDS = {
    "board": Kind("boards", "tests/boards", "robotd.boards", module="driver"),
    "behavior": Kind("behaviors", "tests/behaviors", "robotd.behaviors"),
    "coordinator": Kind("motivation", "tests/motivation", "robotd.coordinators"),
    "experiment": Kind("robotd/experiments", "tests/robotd/experiments", "robotd.experiments", "EXPERIMENT"),
    "mission": Kind("robotd/missions", "tests/robotd/sim", suffix=".toml"),
    "radio": Kind("radio", "tests/radio", "robotd.radios", module="modem"),
}
KIND_WORDS = {
    "experiment": 'write a file with plugins = ["{file}"] and experiment = "{name}", for robotd experiment FILE',
    "mission": 'robotd check "{file}" reports its errors, robotd sim "{file}" runs it',
}
PLUGIN_WORDS = 'name it in a mission or robot file: plugins = ["{file}"]'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", choices=sorted(KINDS), metavar="KIND", help=", ".join(sorted(KINDS)))
    parser.add_argument("name", metavar="NAME", help="lower case letters, digits, hyphens: follow-line")
    where = "write all files there (default: this folder)"
    parser.add_argument("--folder", type=folder_option, metavar="DIR", help=where)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Exit status: 0, or 2 where the name cannot be used or a file is there already; nothing is overwritten."""
    if not NAME.fullmatch(options.name) or len(options.name) > LONGEST:
        raise Refusal(f"{options.name[:LONGEST]!r} is no name: expected lower case letters, digits and hyphens")
    checkout = Path() if options.folder is None and is_checkout(Path()) else None
    with refuse_on():
        written = write(options.kind, options.name, Path(options.folder or "."), checkout)
    command, then = _steps(options.kind, options.name, written, in_checkout=checkout is not None)
    if options.json:
        print(json.dumps({"written": [str(path) for path in written], "next": command, "then": then}))
        return 0
    lines = [*(f"wrote {path}" for path in written), f"next: {command}"]
    print("\n".join([*lines, f"then: {then}"] if then else lines))
    return 0


def _steps(kind: str, name: str, written: Sequence[Path], *, in_checkout: bool) -> tuple[str, str]:
    """The command to type next, which runs the test, and in words what to do then; '' for nothing."""
    test = f"-m pytest -q {quote(str(written[1]))}"
    if not in_checkout:
        return f"python {test}", KIND_WORDS.get(kind, PLUGIN_WORDS).format(file=written[0], name=name)
    if KINDS[kind].group:  # its entry point is in pyproject.toml
        return f".venv/bin/python -m pip install -e . && .venv/bin/python {test}", ""
    return f".venv/bin/python {test}", KIND_WORDS[kind].format(file=written[0], name=name)


def is_checkout(folder: Path) -> bool:
    """Whether a folder is the root of a source tree of robotd."""
    try:
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(project.get("project", {}).get("name") == "robotd")


def write(kind: str, name: str, folder: Path, checkout: Path | None) -> list[Path]:
    """Write the files of a plug-in, into their rooms where there is a `checkout`; the files written, the plug-in
    first, then its test. FileExistsError before anything is written; OSError."""
    place, module = KINDS[kind], name.replace("-", "_")
    class_name = "".join(part.capitalize() for part in name.split("-"))
    room, tests = (checkout / place.room, checkout / place.tests) if checkout else (folder, folder)
    own = room / f"{name if place.suffix == '.toml' else module}{place.suffix}"
    emulator, test = room / f"{module}_emulator.py", tests / f"test_{module}.py"
    plugin = f'Path(__file__).with_name("{own.name}")'
    if checkout and place.module:
        own, emulator = room / module / f"{place.module}.py", room / module / "emulator.py"
    if checkout:
        up = len(test.relative_to(checkout).parts) - 1
        plugin = f'Path(__file__).parents[{up}] / "{own.relative_to(checkout)}"'
    words = {
        "name": name, "Class": class_name, "plugin": plugin, "driver": _module(own, checkout),
        "emulator": f"{_module(emulator, checkout)}:{class_name}Emulator",
    }  # fmt: skip
    texts = {own: _template(f"{kind}{place.suffix}", words), test: _template(f"test_{kind}.py", words)}
    if place.module:
        texts[emulator] = _template(f"{kind}_emulator.py", words)
        texts |= {own.with_name("__init__.py"): ""} if checkout else {}
    for file in texts:
        if file.exists():
            raise FileExistsError(errno.EEXIST, "exists and is not overwritten; choose another name", str(file))
    if checkout and place.group:
        project = checkout / "pyproject.toml"
        target = f"{_module(own, checkout)}:{place.attribute.format(Class=class_name)}"
        texts[project] = add_entry_point(project.read_text(encoding="utf-8"), place.group, name, target)
    for file, text in texts.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file) as fresh:  # pyproject.toml is there already
            fresh.write(text)
    return [*texts]


def add_entry_point(project: str, group: str, name: str, target: str) -> str:
    """The text of pyproject.toml with one more entry point, in the order of names."""
    head = f'[project.entry-points."{group}"]\n'
    before, _, rest = project.partition(head)
    table, blank, after = rest.partition("\n\n")
    lines = sorted([*table.splitlines(), f'{name} = "{target}"'])
    return before + head + "\n".join(lines) + blank + after


def _module(file: Path, checkout: Path | None) -> str:
    """The name by which Python imports a file: of its room, or with its folder on the path."""
    return ".".join(file.relative_to(checkout).with_suffix("").parts) if checkout else file.stem


def _template(file: str, words: dict[str, str]) -> str:
    text = (resources.files("robotd") / "templates" / f"{file}.txt").read_text(encoding="utf-8")
    return re.sub(r"@(name|Class|plugin|driver|emulator)@", lambda found: words[found[1]], text)
