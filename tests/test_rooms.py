"""Who may import whom, to the last module: import-linter's layers do not see what lies beside `robotd.model`."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = ("robotd", "boards", "radio", "behaviors", "motivation")
ROOMS = ("boards", "radio", "behaviors", "motivation", "robotd/model")


def imported(source: str) -> Iterator[str]:
    """The modules that a source imports, wherever in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            yield from (f"{base}.{alias.name}" for alias in node.names) if base in OURS else (base,)


def trespasses(room: str, source: str) -> list[str]:
    """What of ours a module of `room` imports beside its own room and the model."""
    own = (room.replace("/", "."), "robotd.model")
    ours = [name for name in imported(source) if name.partition(".")[0] in OURS]
    return [name for name in ours if not any(name == at or name.startswith(f"{at}.") for at in own)]


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_itself_and_the_model_alone(room: str) -> None:
    files = sorted((ROOT / room).rglob("*.py"))
    assert files
    found = {str(path): trespasses(room, path.read_text(encoding="utf-8")) for path in files}
    assert {path: names for path, names in found.items() if names} == {}
