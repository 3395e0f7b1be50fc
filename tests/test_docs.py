"""The pages say what is so: every command works, every file, option, link and example that they name is there.

Not run: the programs of others (`FOREIGN`), and what `make` runs, as `make test` would begin this test again;
its targets are looked up. `robotd demo` is shown to exist, as the simulation that it runs takes long.
"""

import importlib.util
import os
import re
import sys
import tomllib
import types
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from robotd.__main__ import main
from robotd.advice.check import check, kind_of
from robotd.api import simulate
from robotd.config.load import Source, find_mission
from robotd.experiments.file import read_experiment
from robotd.motivate.scenario import parse
from tests.docs_commands import LOG, Reader, helps, make_targets, robot_block
from tests.docs_pages import (
    FOREIGN,
    ROOT,
    Block,
    Command,
    anchors,
    blocks,
    commands,
    links,
    mentioned,
    name_of,
    pages,
    spans,
)

TEXTS = {name_of(page): page.read_text(encoding="utf-8") for page in pages()}
SOURCES = (
    "Makefile", "README.md", "pyproject.toml", ".ci", "docs", "packaging",
    "robotd", "boards", "radio", "behaviors", "motivation", "tests",
)  # fmt: skip
YOURS = ("robot.toml", "mission.toml", "mine.py", "my-plan.toml", "last.py")  # files that a reader writes
UNWANTED = re.compile(
    r"\b(?:TODO|FIXME|claude)\b|\bagents?\b|(?<![\"'])\bsessions?\b(?![\"'])|(?<![\w.~-])/(?:work|root|tmp)/",
    re.IGNORECASE,
)
FIGURES = sorted(figure.relative_to(ROOT).as_posix() for figure in (ROOT / "docs" / "figures").glob("*.svg"))
THEIR_WORDS = {  # of aiohttp for a client, of SPADE for a member, of an SVG for the program that drew it
    "tests/benches/spade_auction.py": "agent",
    "tests/robotd/status/served.py": "session",
    "tests/robotd/status/test_event_streams.py": "session",
    **dict.fromkeys(FIGURES, "agent"),
}
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")


def examples(label: str) -> list[Block]:
    """The blocks of all pages in one language."""
    return [block for page, text in TEXTS.items() for block in blocks(text, page) if block.label == label]


def wrong_mentions(text: str, page: str) -> list[str]:
    """Commands and options in code spans that are not there."""
    known, targets = helps(), make_targets()
    wrong = []
    for found in mentioned(text, page):
        options = set(OPTION.findall(" ".join(found.words)))
        if found.program == "robotd":
            text_of = known.get(found.words[1], "")
            if not text_of or not options <= set(OPTION.findall(text_of)):
                wrong.append(str(found))
        elif found.program == "make" and found.words[1] not in targets:
            wrong.append(str(found))
    anywhere = set(OPTION.findall(" ".join(known.values())))
    alone = ((line, span) for line, span in spans(text) if span.startswith("--"))
    return wrong + [f"{page}:{line}: {span}" for line, span in alone if span.split()[0] not in anywhere]


def wrong_links(text: str, page: str) -> list[str]:
    """Links to pages, files and headings that are not there."""
    wrong = []
    for line, target in links(text):
        if re.match(r"https://", target):
            continue
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        there = not path or (file.exists() and file.resolve().is_relative_to(ROOT))
        own = text if not path else file.read_text(encoding="utf-8") if there and anchor else ""
        if not there or (anchor and anchor not in anchors(own)):
            wrong.append(f"{page}:{line}: {target}")
    return wrong


def wrong_files(text: str, page: str, known: set[str]) -> list[str]:
    """Files and folders of the project in code spans that are not there; `known`: all paths and their ends."""
    pattern = re.compile(r"(?:[\w-]+/)*[\w-]+\.(?:py|md|toml)|(?:[\w-]+/)+")
    named = ((line, span) for line, span in spans(text) if pattern.fullmatch(span) and span not in YOURS)
    return [f"{page}:{line}: {span}" for line, span in named if span.rstrip("/") not in known]


def problems_of(text: str, example: Path) -> list[str]:
    """What is wrong with a robot or mission file, or a part of one; it is written to `example`."""
    example.write_text(text, encoding="utf-8")
    example.write_text(whole(text, kind_of(Source.read(example))), encoding="utf-8")
    return [problem.message for problem in check(str(example), here=False).problems]


def whole(text: str, kind: str) -> str:
    """A robot or mission file as it stands, or a part of one laid over the file that README.md shows or names."""
    data = tomllib.loads(text)
    if {"name", "board" if kind == "robot" else "team"} <= data.keys():
        return text
    base = robot_block() if kind == "robot" else find_mission("cleanup").read_text(encoding="utf-8")
    return tomli_w.dumps(laid(tomllib.loads(base), data))


def laid(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """`base` with the keys of `over` in their place, tables inside tables too."""
    both = {key: laid(base[key], over[key]) for key in base.keys() & over.keys() if isinstance(base[key], dict)}
    return {**base, **over, **both}


def unwanted(text: str, file: str) -> list[str]:
    """Words and paths of whoever built this, which are nobody else's business."""
    lines = enumerate(text.splitlines(), 1)
    found = [(number, match[0]) for number, line in lines for match in UNWANTED.finditer(line)]
    return [f"{file}:{number}: {word}" for number, word in found if word.lower() != THEIR_WORDS.get(file)]


def files() -> list[str]:
    """Every text of the project, by its path."""
    found = []
    for top in SOURCES:
        walk = os.walk(ROOT / top) if (ROOT / top).is_dir() else [(str(ROOT), (), (top,))]
        for folder, _, names in walk:
            if "__pycache__" not in folder:
                texts = [name for name in names if not name.endswith(".so")]  # compiled, and ignored by git
                found += [(Path(folder) / name).relative_to(ROOT).as_posix() for name in texts]
    return sorted(found)


@pytest.fixture
def reader(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch):
    """A reader in a folder with a short name: a socket's path holds 107 bytes."""
    one = Reader(tmp_path_factory.mktemp("d"), monkeypatch)
    try:
        yield one
    finally:
        one.close()


def tried_before(found: Command, page: str) -> bool:
    """Whether an earlier page has the same command to a board, which takes seconds."""
    if found.words[1:2] != ("board",) and "--against" not in found.words:
        return False
    earlier = list(TEXTS)[: list(TEXTS).index(page)]
    return any(found.words == other.words for name in earlier for other in commands(TEXTS[name], name))


@pytest.mark.parametrize("page", [page for page, text in TEXTS.items() if any(commands(text, page))])
@pytest.mark.long
def test_every_command_of_a_page_works_in_the_order_of_the_page(page: str, reader: Reader) -> None:
    for found in commands(TEXTS[page], page):
        if not tried_before(found, page):
            reader.follow(found)


def test_every_command_and_option_in_the_prose_is_in_its_help() -> None:
    assert [wrong for page, text in TEXTS.items() for wrong in wrong_mentions(text, page)] == []


def test_every_command_has_a_help_and_is_in_a_page() -> None:
    told = [found for page, text in TEXTS.items() for f in (commands, mentioned) for found in f(text, page)]
    assert set(helps()) == {found.words[1] for found in told if found.program == "robotd"}
    assert set(make_targets()) >= {"test", "demo"}
    assert all(found.program in FOREIGN for found in told if found.program in ("pip", "systemctl"))


def test_what_make_runs_is_there() -> None:
    modules = re.findall(r"python -m ([\w.]+)", " ".join(make_targets().values()))
    assert [name for name in modules if importlib.util.find_spec(name) is None] == []


def test_every_extra_that_a_page_names_can_be_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = re.findall(r"robotd\[([\w,]+)\]", " ".join(TEXTS.values()))
    assert found
    assert set(",".join(found).split(",")) <= set(project["optional-dependencies"])


class Table(list[Any]):
    """What the pages use of a table of pandas, made of records with the same columns."""

    @property
    def columns(self) -> list[str]:
        (columns,) = {tuple(record) for record in self}
        return list(columns)

    def to_csv(self, path: str, *, index: bool) -> None:
        assert all(isinstance(value, str | int | float) for record in self for value in record.values())
        Path(path).touch()


@pytest.mark.parametrize("block", examples("python"), ids=lambda block: f"{block.page}:{block.line}")
def test_every_example_in_python_runs(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if LOG in block.text:
        assert main(["sim", "cleanup", "--duration", "15"]) == 0
    if importlib.util.find_spec("pandas") is None:  # no dependency of robotd
        monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=Table))
    module = types.ModuleType("example")  # a dataclass looks its module up by name
    monkeypatch.setitem(sys.modules, "example", module)
    exec(compile("\n" * (block.line - 1) + block.text, block.page, "exec"), module.__dict__)


@pytest.mark.parametrize("block", examples("toml"), ids=lambda block: f"{block.page}:{block.line}")
def test_every_example_in_toml_is_a_valid_robot_mission_experiment_or_scenario(
    block: Block, tmp_path: Path
) -> None:
    if {"factors", "cells"} & set(tomllib.loads(block.text)):
        (tmp_path / "example.toml").write_text(block.text, encoding="utf-8")
        assert read_experiment(tmp_path / "example.toml").cells()
    elif "set" in tomllib.loads(block.text):
        assert parse(block.text.encode()).ticks > 0
    else:
        assert problems_of(block.text, tmp_path / "example.toml") == []


def test_the_whole_mission_of_the_page_on_missions_is_accomplished_in_simulation(tmp_path: Path) -> None:
    (block,) = (block for block in examples("toml") if block.page == "docs/own-mission.md")
    (tmp_path / "mission.toml").write_text(block.text, encoding="utf-8")
    assert simulate(tmp_path / "mission.toml").accomplished


def test_the_plan_and_the_interaction_behavior_of_the_page_on_plans_are_a_whole(tmp_path: Path) -> None:
    plan, last = (
        next(block.text for block in examples(kind) if block.page == "docs/bite.md") for kind in ("toml", "python")
    )
    assert plan == (ROOT / "docs" / "examples" / "steps.toml").read_text(encoding="utf-8")
    (tmp_path / "last.py").write_text(last, encoding="utf-8")
    changed = plan.replace('"bite"', '"bite-with-last"').replace('decide = "vote"', 'decide = "last"')
    ran = {}
    for name, text in (("plan", plan), ("last", f'plugins = ["last.py"]\n{changed}')):
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
        outcome = simulate(tmp_path / f"{name}.toml")
        assert outcome.accomplished
        ran[name] = set(outcome.story.done)
    assert ran == {"plan": {"out", "look", "back"}, "last": {"out", "back"}}


def test_the_robot_file_names_a_robot_of_the_mission_that_it_names() -> None:
    robot = tomllib.loads(robot_block())
    assert robot["name"] in tomllib.loads(find_mission(robot["mission"]).read_text(encoding="utf-8"))["team"]


def test_every_link_leads_somewhere() -> None:
    assert [wrong for page, text in TEXTS.items() for wrong in wrong_links(text, page)] == []


def test_every_page_is_linked_from_the_readme() -> None:
    assert {target for _, target in links(TEXTS["README.md"])} >= set(TEXTS) - {"README.md"}


def test_every_file_that_a_page_names_is_there() -> None:
    known = {"/".join(parts[k:end]) for parts in (file.split("/") for file in files())
             for end in range(1, len(parts) + 1) for k in range(end)}  # fmt: skip
    assert [wrong for page, text in TEXTS.items() for wrong in wrong_files(text, page, known)] == []


def test_nothing_tells_of_who_built_it_or_what_is_left_to_do() -> None:
    own = Path(__file__).relative_to(ROOT).as_posix()
    texts = {file: (ROOT / file).read_text(encoding="utf-8", errors="replace") for file in files() if file != own}
    assert [wrong for file, text in texts.items() for wrong in unwanted(text, file)] == []


# -- the questions of tests/docs_questions.md: each answer's page exists and uses the answer's term


ASKED = (ROOT / "tests" / "docs_questions.md").read_text(encoding="utf-8")
QUESTIONS = re.split(r"^\d+\. ", ASKED, flags=re.MULTILINE)[1:]


def lacking(question: str) -> list[str]:
    """The terms of a question and its answer that the page does not use; the page itself if it is not there."""
    found = re.search(r"Page: (\S+)", question)
    assert found is not None
    page = ROOT / found[1]
    if not page.is_file():
        return [found[1]]
    text = " ".join(page.read_text(encoding="utf-8").lower().split())
    return [term for term in re.findall(r"\*\*`?([^*`]+)`?\*\*", question) if term.lower() not in text]


@pytest.mark.parametrize("question", QUESTIONS, ids=range(1, len(QUESTIONS) + 1))
def test_the_page_that_is_named_uses_the_terms_of_the_question(question: str) -> None:
    assert lacking(question) == []


def test_there_are_twenty_questions() -> None:
    assert len(QUESTIONS) == 20
