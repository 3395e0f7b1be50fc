"""docs/configuration.md, from the models that the files are held against: `python -m robotd.config.reference`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from behaviors.parts import Behavior, BehaviorSet
from boards.contract import plugin_of
from boards.mock.settings import BodySettings, WorldSettings
from motivation.alliance.alliance import Alliance
from motivation.alliance.l_alliance import LAlliance
from motivation.murdoch import Murdoch
from radio.reyax.modem import Reyax
from radio.transparent.modem import Transparent
from radio.udp.modem import Udp
from radio.xbee.modem import XBee
from radio.zenoh.modem import Zenoh
from robotd.config.mission import MissionFile
from robotd.config.robot import RobotFile
from robotd.config.schema import NAME_PATTERN, PATTERNS, Node, Shape, shown
from robotd.files.plugins import Plugins

Heading = tuple[str | int, ...]

INTRO = """# Configuration

Two TOML files make a robot. The **robot file** says what one robot is and where its things are. The **mission
file** says what the whole team agrees on; every robot of a team has the same one. Every key has a type, and no
unknown key is taken: `robotd check FILE` reports all faults of both files at once, each with file, line, what was
expected and the nearest valid name, and then in words what follows from a sound file: which robots can do which
task, when tasks change hands at the latest, which loss of frames the silence time-out tolerates, which rates and
times defeat each other, what stops the wheels when the computer dies; [parameters.md](parameters.md) explains how
to read that. It ends with 0, or with 2 where a file cannot be used; `--json` prints one object, with null for
never; `--elsewhere` checks a robot's file on another computer, without looking for its devices and its key.

Numbers are written without quotes. `NAME` stands for a name of your choice: lower-case letters, digits and
hyphens, beginning with a letter.

This page is made from the program: `python -m robotd.config.reference > docs/configuration.md`.
"""
PARTS = (
    ("The robot file", RobotFile, ()),
    ("The mission file", MissionFile, ()),
)


def _boards() -> list[tuple[str, Any, Heading]]:
    """The boards, then the add-ons; the mission describes a simulated one."""
    plugins = Plugins()
    found = [(name, plugin_of(plugins.get("robotd.boards", name))) for name in plugins.names("robotd.boards")]
    places: dict[bool, tuple[str, Heading]] = {
        False: ("Board", ("board", "parameters")), True: ("Add-on", ("add_ons", 0, "parameters"))
    }  # fmt: skip
    return [
        (f"{places[add_on][0]} `{name}`", plugin.Settings, places[add_on][1])
        for add_on in (False, True)
        for name, plugin in found
        if not plugin.simulated and plugin.add_on == add_on
    ]


def _behaviors() -> list[tuple[str, Any, Heading]]:
    """The layers, then the behavior sets, that come along and have keys."""
    plugins = Plugins()
    found = [(name, plugins.get("robotd.behaviors", name)) for name in plugins.names("robotd.behaviors")]
    return [
        (f"{title} `{name}`", plugin.Settings, (table, "NAME", "parameters"))
        for kind, title, table in ((Behavior, "Layer", "layers"), (BehaviorSet, "Behavior set", "sets"))
        for name, plugin in found
        if issubclass(plugin, kind) and plugin.Settings.model_fields
    ]


PLUGINS: tuple[tuple[str, Any, Heading], ...] = (
    ("Coordinator `alliance`", Alliance.Settings, ("coordinator", "parameters")),
    ("Coordinator `alliance`, of each behavior set", Alliance.SetSettings, ("sets", "NAME", "motivation")),
    ("Coordinator `l-alliance`", LAlliance.Settings, ("coordinator", "parameters")),
    ("Coordinator `l-alliance`, of each behavior set", LAlliance.SetSettings, ("sets", "NAME", "motivation")),
    ("Coordinator `murdoch`", Murdoch.Settings, ("coordinator", "parameters")),
    ("Coordinator `murdoch`, of each task", Murdoch.TaskSettings, ("tasks", "NAME", "terms", "murdoch")),
    ("Coordinator `murdoch`, of a robot or type", Murdoch.RobotSettings, ("robots", "NAME", "terms", "murdoch")),
    *_behaviors(),
    ("The simulated room", WorldSettings, ("world",)),
    ("A simulated body", BodySettings, ("types", "NAME", "body")),
    *_boards(),
    ("Radio `transparent`", Transparent.Settings, ("radio", "parameters")),
    ("Radio `xbee`", XBee.Settings, ("radio", "parameters")),
    ("Radio `reyax`", Reyax.Settings, ("radio", "parameters")),
    ("Radio `udp`", Udp.Settings, ("radio", "parameters")),
    ("Radio `zenoh`", Zenoh.Settings, ("radio", "parameters")),
)


def reference() -> str:
    """The whole page."""
    parts = [INTRO]
    for title, kind, _ in PARTS:
        parts += [f"## {title}\n", *_tables(Shape(kind), (), ())]
    parts.append("## Tables of plug-ins\n")
    parts.append(
        "Each plug-in brings the settings of its own table; these are those of the ones that come along.\n"
    )
    for title, kind, at in PLUGINS:
        parts += [f"### {title}\n", *_tables(Shape(kind), (), at)]
    return "\n".join(parts)


def _tables(shape: Shape, path: Heading, at: Heading) -> Iterator[str]:
    """The table at `path` of a model whose own table stands at `at` of a file, then those inside it."""
    node = shape.at(path)
    heading = (*at, *path)
    if heading:
        holder = _sentence(shape.at(path[:-1])) + " " if path and path[-1] in ("NAME", 0) else ""
        words = (holder + _sentence(node)).strip(" .")
        yield f"`{_header(path, at)}`{f': {words}.' if words else ''}\n"
    required = node.get("required", ())
    rows = [_row(key, shape, (*path, key), key in required) for key in node["properties"]]
    if any(rows):
        yield "\n".join(["| key | takes | default | |", "| --- | --- | --- | --- |", *filter(None, rows)]) + "\n"
    for key in node["properties"]:
        inner = (*path, key)
        below = _inside(shape, inner)
        if below is not None:
            yield from _tables(shape, below, at)


def _header(path: Heading, at: Heading) -> str:
    dotted = ".".join(str(part) for part in (*at, *path) if part != 0)
    return f"[[{dotted}]]" if path and path[-1] == 0 else f"[{dotted}]"


def _sentence(node: Node) -> str:
    words = str(node.get("description", "")).partition("\n")[0].rstrip(".")
    return f"{words[:1].upper()}{words[1:]}."


def _inside(shape: Shape, path: Heading) -> Any:
    """The path of the table with fixed keys that the key at `path` holds, by name, in a list, or itself."""
    node = shape.at(path)
    if "properties" in node:
        return path
    for part in ("NAME", 0):
        below: Any = (*path, part)
        if "properties" in shape.at(below):
            return below
    return None


def _row(key: str, shape: Shape, path: Heading, required: bool) -> str:
    """A line of the table; '' for a key that has a table of its own."""
    if _inside(shape, path) is not None:
        return ""
    node = shape.at(path)
    default = "**required**" if required else _default(node)
    takes = shape.expected(path).replace(PATTERNS[NAME_PATTERN], "a name in quotes") or "anything"
    return f"| `{key}` | {takes} | {default} | {node.get('description', '')} |".replace("  ", " ")


def _default(node: Node) -> str:
    value = node.get("default")
    if value is None or isinstance(value, dict):
        return ""
    if value == []:
        return "`[]`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{shown(value)}`"


if __name__ == "__main__":
    sys.stdout.write(reference())
