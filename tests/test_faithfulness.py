"""docs/faithfulness.md and CITATION.cff say what is so: every name there is one of the program or of its tests."""

import ast
import importlib
import importlib.util
import re
import tomllib
from collections import Counter
from functools import cache
from typing import Any

import pytest
import yaml

from tests.docs_pages import ROOT, spans

PAGE = (ROOT / "docs" / "faithfulness.md").read_text(encoding="utf-8")
TEST = re.compile(r"(test_\w+)::(test_\w+)")
CODE = re.compile(r"(?:robotd|boards|radio|behaviors|motivation)(?:\.\w+)+")


@cache
def defined(file: str) -> Counter[str]:
    """The tests in the files of that name, and in how many of them each is."""
    names: Counter[str] = Counter()
    for path in sorted((ROOT / "tests").rglob(f"{file}.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        names.update(set(functions))
    return names


def found(name: str) -> Any:
    """What a dotted name stands for: a module's own, or a key of settings; LookupError where there is nothing."""
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        if _is_module(".".join(parts[:cut])):
            thing: Any = importlib.import_module(".".join(parts[:cut]))
            for part in parts[cut:]:
                keys = getattr(thing, "model_fields", {})
                if part not in keys and not hasattr(thing, part):
                    raise LookupError(name)
                thing = keys[part] if part in keys else getattr(thing, part)
            return thing
    raise LookupError(name)


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def wrong_names(text: str) -> list[str]:
    """The code spans of a page that are the name of a test or of code that is not there."""
    wrong = []
    for _, span in spans(text):
        test = TEST.fullmatch(span)
        try:
            if test is not None and defined(test[1])[test[2]] != 1:
                wrong.append(span)
            elif CODE.fullmatch(span):
                found(span)
        except LookupError:
            wrong.append(span)
    return wrong


def test_every_function_key_and_test_of_the_page_is_there() -> None:
    assert wrong_names(PAGE) == []
    names = [span for _, span in spans(PAGE)]
    kinds = Counter("test" if TEST.fullmatch(name) else "code" if CODE.fullmatch(name) else "" for name in names)
    assert kinds["test"] > 60
    assert kinds["code"] > 40


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading, without its head."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


@pytest.mark.parametrize("heading", re.findall(r"^## (.+)$", PAGE, re.MULTILINE))
def test_every_row_names_a_test_and_where_it_has_code_that_too(heading: str) -> None:
    for row in rows(heading):
        assert TEST.search(row[-1]), row
        if len(row) == 3:
            assert CODE.search(row[1]), row


def test_each_term_of_the_equations_and_each_reading_has_a_row() -> None:
    terms = " ".join(row[0] for row in rows("ALLIANCE: equation (1)"))
    for term in ("theta", "feedback", "rho", "tau", "comm_received", "suppression", "impatience", "phi", "reset",
                 "psi", "lambda", "m(t)"):  # fmt: skip
        assert term in terms
    learned = " ".join(row[0] for row in rows("L-ALLIANCE: section III-E"))
    for term in ("monitors", "task_time", "phi", "slow", "high, low", "scale", "fast", "psi", "1 (a)", "2 (b)"):
        assert term in learned
    readings = " ".join(row[0] for row in rows("Interpretations"))
    for term in ("Occasions", "not active", "newer claim", "new attempt", "preempts", "strategies", "orders"):
        assert term in readings


# -- the citation


def test_the_citation_names_the_software_and_the_papers_that_it_builds() -> None:
    document = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(document)
    assert (document["cff-version"], document["type"], document["license"]) == ("1.2.0", "software", "Apache-2.0")
    assert document["authors"] == [{"name": "the robotd developers"}]
    alliance, adaptive, sold, cobos = document["references"]
    assert (alliance["volume"], alliance["issue"], alliance["year"]) == (14, 2, 1998)
    assert (alliance["start"], alliance["end"]) == (220, 240)
    assert (sold["volume"], sold["issue"], sold["start"], sold["year"]) == (18, 5, 758, 2002)
    assert (cobos["volume"], cobos["issue"], cobos["year"]) == (21, 6, 2005)
    assert (adaptive["journal"], adaptive["volume"], adaptive["year"]) == ("Neurocomputing", 28, 1999)
    for reference in document["references"]:
        assert reference["type"] == "article"
        assert all({"family-names", "given-names"} <= set(author) for author in reference["authors"])


def test_the_citation_has_the_version_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    document = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (document["title"], document["version"]) == (project["name"], project["version"])
