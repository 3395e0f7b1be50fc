"""The body of a robot file: its own board with its settings there, and its add-ons."""

from collections.abc import Iterable, Mapping
from typing import Any

from boards.contract import optional_resources_of
from robotd.advice.coverage import Body, Coverage
from robotd.config.lookup import FOREIGN
from robotd.config.robot import RobotFile
from robotd.config.schema import Node, Shape
from robotd.files.plugins import Plugins


def own_body(robot: RobotFile, plugins: Plugins) -> Body | None:
    """The body of a robot file without faults; None for a simulated one, which the mission describes.

    None too where the board of a plug-in file cannot be made: `robotd run` reports why.
    """
    plugin = plugins.get("robotd.boards", robot.board.name)
    if "world" in plugin.Settings.model_fields:
        return None
    try:
        board = plugin(plugin.Settings(**robot.board.parameters))
        able = board.capabilities(0.0)
    except FOREIGN:
        return None
    adds = {name for part in robot.add_ons for name in plugins.get("robotd.boards", part.name).adds}
    built = frozenset({*able.resources, *dict(able.missing), *adds})
    return Body(built, optional_resources_of(board))


def shortcomings(tasks: Mapping[str, Coverage], robot: str, board: str) -> list[str]:
    """For which tasks a robot lacks what with its own board: a line for each lack."""
    by_lack: dict[tuple[str, ...], list[str]] = {}
    for task, of in tasks.items():
        if robot in of.missing:
            by_lack.setdefault(of.missing[robot], []).append(repr(task))
    own = f"its board {board!r}, as it is set up here, has no"
    return [f"{robot} cannot do {listed(names)}: {own} {listed(lack, 'or')}" for lack, names in by_lack.items()]


def unwired(settings: Any, parameters: Mapping[str, Any]) -> dict[str, str]:
    """Keys of a board's own table that name parts and are empty: a line of TOML to fill in, and what it is.

    A part is a table, or a list of tables.
    """
    shape, found = Shape(settings), {}
    for key, node in shape.at(()).get("properties", {}).items():
        part, many = _part(shape, node)
        if parameters.get(key) or part is None or node.get("default") not in (None, []):
            continue
        inner = ", ".join(f"{name} = ..." for name in part.get("required", ()))
        found[f"{key} = [{{ {inner} }}]" if many else f"{key} = {{ {inner} }}"] = str(node.get("description", ""))
    return found


def _part(shape: Shape, node: Node) -> tuple[Node | None, bool]:
    """The table that a key takes, and whether it takes a list of them; None where it takes something else."""
    for one in (shape.resolved(node), *shape.branches(node)):
        many = one.get("type") == "array" and isinstance(one.get("items"), dict)
        table = shape.resolved(one["items"]) if many else one
        if "properties" in table:
            return table, many
    return None, False


def listed(words: Iterable[str], last: str = "and") -> str:
    """Words in a sentence; at least one."""
    *most, end = words
    return f"{', '.join(most)} {last} {end}" if most else end
