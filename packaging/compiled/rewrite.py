"""Sources as mypyc compiles them well: the same program, line for line, with what it needs besides.

A dataclass gets a constructor, an equality and a hash that are compiled (those that `dataclass` makes are not),
its annotations as they were written (mypyc keeps only the classes), and no slots: a compiled class has no
attributes but those of its source. Any other class may have interpreted subclasses, as plug-ins and tests have.
Constants of a module and of a class are marked as such.
What is added takes the place of blank lines and docstrings, so that tracebacks name the lines of the source.
"""

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

MARKS = ("value", "dataclass", "dataclasses.dataclass")
OPEN = "@mypy_extensions.mypyc_attr(allow_interpreted_subclasses=True)"
IMPORTS = "import dataclasses, typing"
ATTRIBUTES = "if typing.TYPE_CHECKING: import mypy_extensions"  # mypyc looks for the name alone
CLOSED = ("NamedTuple", "Protocol", "BaseModel", "Error")  # bases of classes that mypyc leaves as they are


@dataclass
class Field:
    """One field of a dataclass, as text; `default` is '' where it has none, `made` where a call makes it."""

    name: str
    kind: str
    default: str = ""
    made: bool = False
    compared: bool = True
    given: bool = True


class Page:
    """The lines of a module (the first is number 1), and which are blank."""

    def __init__(self, source: str, tree: ast.Module) -> None:
        self.lines = source.splitlines()
        self._blank = {n for n, line in enumerate(self.lines, 1) if not line.strip()}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                self._blank -= set(range(node.lineno, _end(node) + 1))

    def free(self, after: int, before: int) -> list[int]:
        """The blank lines between two lines."""
        return [n for n in range(after + 1, before) if n in self._blank]

    def put(self, number: int, text: str) -> None:
        self._blank.remove(number)
        self.lines[number - 1] = text

    def shorten(self, docstring: ast.stmt, text: str) -> None:
        """Write a docstring on its first line; '': leave that blank too."""
        for number in range(docstring.lineno, _end(docstring) + 1):
            self.lines[number - 1] = ""
            self._blank.add(number)
        if text:
            self.put(docstring.lineno, f"    {text!r}")


def assigned(source: str) -> set[str]:
    """The names of attributes that a module sets on instances."""
    found = (one for one in ast.walk(ast.parse(source)) if isinstance(one, ast.Attribute))
    return {one.attr for one in found if isinstance(one.ctx, ast.Store)}


def rewrite(source: str, assigned: Collection[str]) -> str:
    """The module as it is to be compiled; `assigned`: what some compiled module sets on instances."""
    tree = ast.parse(source)
    page = Page(source, tree)
    last = _import(page, tree)
    for node in tree.body:
        if isinstance(node, ast.Assign):
            _fix(page, node)
        if isinstance(node, ast.ClassDef) and _mark(node) is None and not _is_closed(node):
            page.put(page.free(last, _first(node))[-1], OPEN)
            _share(page, node, assigned)
        elif isinstance(node, ast.ClassDef) and _is_closed(node):
            _quote(page, node)
        last = _end(node)
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(node, ast.ClassDef) and (mark := _mark(node)) is not None:
            _rewrite_dataclass(page, node, mark, _first(after) if after else _end(node) + 1)
    return "\n".join(page.lines) + "\n"


def _end(node: ast.AST) -> int:
    return getattr(node, "end_lineno", None) or 0


def _first(node: ast.stmt) -> int:
    return min(one.lineno for one in (node, *getattr(node, "decorator_list", ())))


def _mark(node: ast.ClassDef) -> ast.expr | None:
    """The decorator that makes a class a dataclass, if one does."""
    for one in node.decorator_list:
        if ast.unparse(one.func if isinstance(one, ast.Call) else one) in MARKS:
            return one
    return None


def _is_closed(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).split("[")[0].endswith(CLOSED) for base in node.bases)


def _fix(page: Page, node: ast.Assign) -> None:
    """Mark constants of the module as such: compiled code then has them, and looks nothing up."""
    target, value = node.targets[0], node.value
    if len(node.targets) > 1 or node.lineno != _end(node):
        return
    if isinstance(target, ast.Name):
        pairs = [(target, value)]
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = list(zip(target.elts, value.elts, strict=True))
    else:
        return
    if all(isinstance(name, ast.Name) and name.id.isupper() and len(name.id) > 1 for name, _ in pairs):
        texts = [f"{ast.unparse(name)}: typing.Final = {ast.unparse(one)}" for name, one in pairs]
        page.lines[node.lineno - 1] = "; ".join(texts)


def _share(page: Page, node: ast.ClassDef, assigned: Collection[str]) -> None:
    """Mark what a class body sets, and no code sets on an instance, as the class's: subclasses may have others."""
    for one in node.body:
        if not isinstance(one, ast.Assign | ast.AnnAssign) or (value := one.value) is None:
            continue
        targets = one.targets if isinstance(one, ast.Assign) else [one.target]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        kind = ast.unparse(one.annotation) if isinstance(one, ast.AnnAssign) else "typing.Any"
        is_set = isinstance(value, ast.Constant) and set(names) & set(assigned)
        if (
            not names
            or "__slots__" in names
            or is_set
            or kind.startswith("ClassVar")
            or value.lineno != one.lineno
        ):
            continue
        end = value.end_col_offset if value.end_lineno == one.lineno else None
        text = page.lines[one.lineno - 1][value.col_offset : end].partition("  #")[0]
        shared = [f"{name}: typing.ClassVar[{kind}] = {text}" for name in names]
        page.lines[one.lineno - 1] = f"    {'; '.join(shared)}  # type: ignore"


def _quote(page: Page, node: ast.ClassDef) -> None:
    """Write annotations as strings, which are kept as they are."""
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and one.annotation.lineno == one.annotation.end_lineno:
            line, kind = page.lines[one.lineno - 1], one.annotation
            text = ast.unparse(kind)
            page.lines[one.lineno - 1] = line[: kind.col_offset] + repr(text) + line[kind.end_col_offset :]


def _rewrite_dataclass(page: Page, node: ast.ClassDef, mark: ast.expr, before: int) -> None:
    given = {word.arg: ast.unparse(word.value) for word in mark.keywords} if isinstance(mark, ast.Call) else {}
    hashed = given.pop("frozen", "") == "True" or ast.unparse(mark) == "value"
    given.pop("slots", None)
    fields = list(_fields(node))
    made = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
    if fields and all(ast.unparse(base).startswith("Generic") for base in node.bases):
        methods = []
        if "__init__" not in made:
            last = "; self.__post_init__()" if "__post_init__" in made else ""
            methods.append(_constructor(fields, keyword=given.pop("kw_only", "") == "True") + last)
            given["init"] = "False"
        parts = [one.name for one in fields if one.compared]
        compared = [_equality(node.name, parts), *([_hash(parts)] if hashed else [])]
        free = _free(page, node, before, len(methods) + len(compared))
        own = made & {"__eq__", "__hash__"} or given.keys() & {"eq", "order"}
        if not own and len(methods) + len(compared) <= len(free):
            methods += compared
            given["eq"], hashed = "False", False
        for number, text in zip(free, methods, strict=False):
            page.put(number, f"    {text}")
    if hashed:
        given["unsafe_hash"] = "True"
    words = ", ".join(f"{name}={text}" for name, text in given.items())
    page.lines[mark.lineno - 1] = f"@dataclasses.dataclass({words})"
    if fields:
        kinds = ", ".join(f"{one.name!r}: {one.kind!r}" for one in fields)
        page.lines.append(f"setattr({node.name}, '__annotations__', {{{kinds}}})")


def _free(page: Page, node: ast.ClassDef, before: int, wanted: int) -> list[int]:
    """Where `wanted` methods can be put: between the statements of a class, behind it, else for its docstring."""
    docstring, text = node.body[0], ast.get_docstring(node, clean=False)
    ends = [node.lineno, *[_end(one) for one in node.body]]
    starts = [*[_first(one) for one in node.body], before]
    if text is not None:
        page.shorten(docstring, text)
        ends[1] = docstring.lineno
    free = [n for end, start in zip(ends, starts, strict=True) for n in page.free(end, start)]
    if text is not None and len(free) < wanted:
        page.shorten(docstring, "")
        free.insert(0, docstring.lineno)
    return free


def _fields(node: ast.ClassDef) -> Iterator[Field]:
    for one in node.body:
        if not isinstance(one, ast.AnnAssign) or not isinstance(one.target, ast.Name):
            continue
        kind = ast.unparse(one.annotation)
        if kind.startswith("ClassVar"):
            continue
        made, compared, given, default = False, True, True, ast.unparse(one.value) if one.value is not None else ""
        if isinstance(one.value, ast.Call) and ast.unparse(one.value.func) in ("field", "dataclasses.field"):
            words = {word.arg: ast.unparse(word.value) for word in one.value.keywords}
            given = words.get("init") != "False"
            made, compared = "default_factory" in words, words.get("compare") != "False"
            default = words.get("default_factory", words.get("default", ""))
        yield Field(one.target.id, kind, default, made, compared, given)


def _constructor(fields: list[Field], *, keyword: bool) -> str:
    parts, sets = ["self", "*"] if keyword else ["self"], []
    for one in fields:
        value = one.name
        if not one.given:
            continue
        if one.made:
            parts.append(f"{one.name}: {one.kind} | None = None")
            value = f"({one.default})() if {one.name} is None else {one.name}"
        else:
            parts.append(f"{one.name}: {one.kind} = {one.default}" if one.default else f"{one.name}: {one.kind}")
        sets.append(f"self.{one.name} = {value}")
    return f"def __init__({', '.join(parts)}) -> None: {'; '.join(sets)}"


def _equality(name: str, parts: list[str]) -> str:
    same = " and ".join(f"self.{part} == other.{part}" for part in parts)
    value = f"self is other or ({same}) if isinstance(other, {name}) else NotImplemented"
    return f"def __eq__(self, other: object) -> bool: return {value}"


def _hash(parts: list[str]) -> str:
    return f"def __hash__(self) -> int: return hash(({''.join(f'self.{part}, ' for part in parts)}))"


def _import(page: Page, tree: ast.Module) -> int:
    """Import what is added; the first line after that, or of all imports.

    It stands after the docstring, or on the line of the import from __future__, which must come first.
    """
    body = tree.body
    last = max(k for k, node in enumerate(body) if isinstance(node, ast.Import | ast.ImportFrom))
    futures = [node for node in body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    if futures:
        page.lines[futures[0].lineno - 1] += f"; {IMPORTS}"
    else:
        page.put(page.free(_end(body[0]), _first(body[1]))[0], IMPORTS)
    number = page.free(_end(body[last]), _first(body[last + 1]))[0]
    page.put(number, ATTRIBUTES)
    return number
