"""docs/configuration.md, from the models that files are validated against: `python -m robotd.config.reference`."""

import sys
from collections.abc import Iterator
from typing import Any

from behaviors.parts import Behavior, BehaviorSet
from boards.contract import plugin_of
from boards.mock.settings import BodySettings, WorldSettings
from robotd.config.mission import MissionFile
from robotd.config.robot import RobotFile
from robotd.config.schema import NAME_PATTERN, PATTERNS, Node, Shape, format_value
from robotd.files.plugins import Plugins
from robotd.model.coordinator_plugin import plugin_of as coordinator_of

Heading = tuple[str | int, ...]
INTRO = """# Configuration

Two TOML files configure a robot. The **robot file** is of one robot: its board, its ports, its radio. The
**mission file** is the same for all robots of a team. Every key has a type, and unknown keys are errors. `robotd
check FILE` reports all errors of both files, each with file, line, what was expected and the nearest valid name.
Of files without errors it reports what follows from them: which robots can do which task, when tasks change hands
at the latest, which frame loss the silence time-out tolerates, which rates and times contradict each other, what
stops the wheels when the computer dies; see [parameters.md](parameters.md). Its exit status is 0, or 2 where a
file cannot be used. `--json` prints one object, with null for never; `--elsewhere` checks a robot's file on
another computer, without its devices and its key.

Numbers are written without quotes. `NAME` is a name of your choice: lower-case letters, digits and hyphens,
beginning with a letter.

This page is generated: `python -m robotd.config.reference > docs/configuration.md`.
"""


def _group(group: str) -> list[tuple[str, Any]]:
    """The installed plug-ins of a group that have settings, by name."""
    plugins = Plugins()
    found = ((name, plugins.get(f"robotd.{group}", name)) for name in plugins.names(f"robotd.{group}"))
    return [(name, plugin) for name, plugin in found if plugin.Settings.model_fields]


def _plugins() -> Iterator[tuple[str, Any, Heading]]:
    """The title, the model and the table of each plug-in's settings, and of the simulated world."""
    for name, plugin in _group("coordinators"):
        yield f"Coordinator `{name}`", plugin.Settings, ("coordinator", "parameters")
        own, title = coordinator_of(plugin), f"Coordinator `{name}`, of each"
        if own.SetSettings is not None:
            yield f"{title} behavior set", own.SetSettings, ("sets", "NAME", "motivation")
        if own.TaskSettings is not None:
            yield f"{title} task", own.TaskSettings, ("tasks", "NAME", "terms", name)
        if own.RobotSettings is not None:
            yield f"{title} robot", own.RobotSettings, ("robots", "NAME", "terms", name)
    for kind, title, table in ((Behavior, "Layer", "layers"), (BehaviorSet, "Behavior set", "sets")):
        for name, plugin in _group("behaviors"):
            if issubclass(plugin, kind):
                yield f"{title} `{name}`", plugin.Settings, (table, "NAME", "parameters")
    yield "The simulated room", WorldSettings, ("world",)
    yield "A simulated body", BodySettings, ("types", "NAME", "body")
    for title, at, add_on in (("Board", ("board",), False), ("Add-on", ("add_ons", 0), True)):
        for name, plugin in _group("boards"):
            if plugin_of(plugin).add_on == add_on and not plugin_of(plugin).simulated:
                yield f"{title} `{name}`", plugin.Settings, (*at, "parameters")
    for name, plugin in _group("radios"):
        yield f"Radio `{name}`", plugin.Settings, ("radio", "parameters")


def reference() -> str:
    """The whole page."""
    parts = [INTRO]
    for title, kind in (("The robot file", RobotFile), ("The mission file", MissionFile)):
        parts += [f"## {title}\n", *_tables(Shape(kind), (), ())]
    parts.append("## Tables of plug-ins\n\nEach plug-in defines the settings of its own table.\n")
    for title, settings, at in _plugins():
        parts += [f"### {title}\n", *_tables(Shape(settings), (), at)]
    return "\n".join(parts)


def _tables(shape: Shape, path: Heading, at: Heading) -> Iterator[str]:
    """The table at `path` of a model whose own table is at `at` of a file, then those inside it."""
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
        below = _inside(shape, (*path, key))
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
    return next((each for each in (path, (*path, "NAME"), (*path, 0)) if "properties" in shape.at(each)), None)


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
    return f'`"{value}"`' if isinstance(value, str) else f"`{format_value(value)}`"


if __name__ == "__main__":
    sys.stdout.write(reference())
