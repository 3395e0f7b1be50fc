"""Models walked by key path, as JSON Schema: what a key expects, in the words of a person who edits the file."""

from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticUserError

Path_ = tuple[str | int, ...]
Node = dict[str, Any]
Names = tuple[str, ...]

NAME_PATTERN = "^[a-z][a-z0-9-]*$"
PATTERNS = {NAME_PATTERN: "a name of lower-case letters, digits and hyphens that begins with a letter"}
TYPES = {
    "integer": "a whole number",
    "number": "a number",
    "string": "a text in quotes",
    "boolean": "true or false",
    "object": "a table",
    "null": "nothing",
}


class Shape:
    """What a model (pydantic or dataclass) accepts. A kind that has no schema accepts anything."""

    def __init__(self, kind: Any) -> None:
        try:
            self.root: Node = TypeAdapter(kind).json_schema(mode="validation")
        except PydanticUserError:
            self.root = {}

    def resolved(self, node: Node) -> Node:
        """`node` with its reference followed; keys beside the reference take precedence."""
        while "$ref" in node or len(node.get("allOf", ())) == 1:
            beside = {key: value for key, value in node.items() if key not in ("$ref", "allOf")}
            reference = node.get("$ref") or node["allOf"][0].get("$ref", "")
            node = {**self.root["$defs"][reference.rpartition("/")[2]], **beside}
        return node

    def at(self, path: Path_) -> Node:
        """The schema at a key path; {} where there is none. A table that may be left out counts as a table."""
        node: Node | None = self.resolved(self.root)
        for part in path:
            node = self._inner(node, part) if node is not None else None
        return self._table_or_none(node or {})

    def branches(self, node: Node) -> list[Node]:
        """The alternatives of a schema; none where it is not a union."""
        return [self.resolved(branch) for branch in node.get("anyOf", ())]

    def _table_or_none(self, node: Node) -> Node:
        branches = self.branches(node)
        tables = [branch for branch in branches if branch.get("type") != "null"]
        if len(tables) != 1 or len(branches) == 1 or "properties" not in tables[0]:
            return node
        return {**tables[0], **{key: value for key, value in node.items() if key != "anyOf"}}

    def _inner(self, node: Node, part: str | int) -> Node | None:
        for branch in self.branches(node):
            found = self._inner(branch, part)
            if found is not None:
                return found
        if isinstance(part, int):
            prefix = node.get("prefixItems", ())
            inner = prefix[part] if part < len(prefix) else node.get("items")
        else:
            by_pattern = next(iter(node.get("patternProperties", {}).values()), node.get("additionalProperties"))
            inner = node.get("properties", {}).get(part, by_pattern)
        return self.resolved(inner) if isinstance(inner, dict) else None

    def keys(self, path: Path_) -> list[str]:
        """The keys that the table at `path` may have, sorted; empty where they are free."""
        node = self.at(path)
        return sorted({key for branch in (node, *self.branches(node)) for key in branch.get("properties", ())})

    def expected(self, path: Path_) -> str:
        """What the key at `path` takes, in words, or '' where anything goes."""
        return self.words(self.at(path))

    def choices(self, path: Path_) -> list[str]:
        """The texts among which the key at `path` chooses; empty where it does not."""
        node = self.at(path)
        values = (value for branch in (node, *self.branches(node)) for value in branch.get("enum", ()))
        return [value for value in values if isinstance(value, str)]

    def tables(self, key: str) -> list[str]:
        """Where else a key of this name is known: dotted paths of tables ('' the top), `NAME` for free names."""
        return sorted(".".join(path) for path in self._owners(key, self.resolved(self.root), (), ()))

    def _owners(self, key: str, node: Node, at: Names, seen: tuple[int, ...]) -> Iterator[Names]:
        keys = node.get("properties", {})
        if id(keys) in seen:
            return
        if key in keys:
            yield at
        inner = [*keys.items(), *(("NAME", value) for value in node.get("patternProperties", {}).values())]
        for name, value in [*inner, ("", node.get("items"))]:
            if isinstance(value, dict):
                yield from self._owners(key, self.resolved(value), (*at, name) if name else at, (*seen, id(keys)))

    def words(self, node: Node) -> str:
        """What a schema accepts, in words, or '' where anything goes."""
        if branches := self.branches(node):
            texts = [self.words(branch) for branch in branches if branch.get("type") != "null"]
            return " or ".join(dict.fromkeys(text for text in texts if text))
        if "enum" in node or "const" in node:
            values = node.get("enum", [node.get("const")])
            return ("one of " if len(values) > 1 else "") + ", ".join(format_value(value) for value in values)
        kind = node.get("type", "")
        if kind == "array":
            return self._list_words(node)
        if kind == "string" and "pattern" in node:
            return PATTERNS.get(node["pattern"], f"a text that matches {node['pattern']}")
        by_name = node.get("additionalProperties")
        inner = self.words(self.resolved(by_name)) if kind == "object" and isinstance(by_name, dict) else ""
        return TYPES.get(kind, "") + _bounds(node) + (f" by name, each {inner}" if inner else "")

    def _list_words(self, node: Node) -> str:
        if "prefixItems" in node:
            return f"a list of {len(node['prefixItems'])} values"
        items = self.words(self.resolved(node.get("items", {})))
        fewest = f" with at least {node['minItems']}" if node.get("minItems") else ""
        return f"a list{fewest}" + (f", each {items}" if items else "")


def _bounds(node: Node) -> str:
    low, above = node.get("minimum"), node.get("exclusiveMinimum")
    high, below = node.get("maximum"), node.get("exclusiveMaximum")
    if low is not None and high is not None:
        text = f" from {low:.12g} to {high:.12g}"
    else:
        words = (("of at least", low), ("above", above), ("at most", high), ("below", below))
        parts = [f"{word} {value:.12g}" for word, value in words if value is not None]
        text = " " + " and ".join(parts) if parts else ""
    if node.get("multipleOf") is not None:
        text += f", a multiple of {node['multipleOf']:g}"
    if node.get("minProperties"):
        text += (
            " that is not empty" if node["minProperties"] == 1 else f" of at least {node['minProperties']} keys"
        )
    return text


def format_value(value: Any) -> str:
    """A value as a TOML file has it, or what kind of thing it is; at most 60 characters."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value) if isinstance(value, float) else str(value)[:60]
    if isinstance(value, str):
        text = repr(value)
        return text if len(text) <= 60 else f"{text[:57]}..."
    if isinstance(value, list | tuple):
        return "a list"
    return "a table" if isinstance(value, dict) else f"a {type(value).__name__}"
