"""What the pages hold: blocks, code spans, links, headings and commands, each with the line that it stands on."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHELL = ("console", "sh", "bash", "shell")
OURS = ("robotd", "make", "python", "python3")
FOREIGN = {
    "pip": "needs the network",
    "apt": "installs on this computer",
    "systemctl": "acts on this computer's services",
    "journalctl": "reads this computer's journal",
    "adduser": "makes users on this computer",
    "systemd-sysusers": "makes users on this computer",
    "cp": "copies into this computer's folders",
    "install": "copies into this computer's folders",
    "ln": "links programs on this computer",
    "git": "works on checkouts, of which the tests need none",
    "jq": "what it is asked for is looked up by the test itself",
    "curl": "the test itself asks for the address",
}
"""Programs of others: a page may name them, and they are not run, for the reason given."""
_COMMAND = re.compile(r"[a-z./][\w./-]*( |$)")
_FENCE = re.compile(r"\s*```(\w*)\s*$")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_SPAN = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Block:
    """A fenced (`label`: its language, '' for none) or indented block; `line`: of its first line, from 1."""

    page: str
    line: int
    label: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole block."""
        return "\n".join(self.lines) + "\n"


@dataclass(frozen=True)
class Command:
    """A command that a page shows: its words, those of the programs that it is piped to, the output shown."""

    where: str  # PAGE:LINE
    words: tuple[str, ...]
    piped: tuple[tuple[str, ...], ...] = ()
    shown: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        """What runs, without its folder."""
        return self.words[0].rpartition("/")[2]

    def __str__(self) -> str:
        return f"{self.where}: {shlex.join(self.words)}"


def pages() -> list[Path]:
    """README.md and every page of docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def name_of(page: Path) -> str:
    """How a page is named in messages."""
    return page.relative_to(ROOT).as_posix()


def blocks(text: str, page: str) -> Iterator[Block]:
    """The fenced and indented blocks of a page, in order."""
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        fence = _FENCE.match(lines[at])
        if fence:
            end = next((n for n in range(at + 1, len(lines)) if _FENCE.match(lines[n])), len(lines))
            yield Block(page, at + 2, fence[1], tuple(lines[at + 1 : end]))
            at = end + 1
        elif lines[at].startswith("    ") and (at == 0 or not lines[at - 1].strip()):
            end = at
            while end < len(lines) and lines[end].startswith("    "):
                end += 1
            yield Block(page, at + 1, "", tuple(line[4:] for line in lines[at:end]))
            at = end
        else:
            at += 1


def prose(text: str) -> str:
    """The page with the lines of its blocks emptied."""
    lines = text.splitlines()
    for block in blocks(text, ""):
        for n in range(block.line - 1, block.line - 1 + len(block.lines)):
            lines[n] = ""
    return "\n".join("" if _FENCE.match(line) else line for line in lines)


def spans(text: str) -> Iterator[tuple[int, str]]:
    """The code spans outside blocks, each with its line."""
    plain = prose(text)
    for found in _SPAN.finditer(plain):
        yield plain.count("\n", 0, found.start()) + 1, " ".join(found[1].split())


def links(text: str) -> Iterator[tuple[int, str]]:
    """Where the links outside blocks and spans lead, each with its line."""
    plain = prose(text)
    for found in _LINK.finditer(plain):
        yield plain.count("\n", 0, found.start()) + 1, found[1]


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives to a page's headings."""
    titles = re.findall(r"^#+ +(.+)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def is_shell(block: Block) -> bool:
    """True for a block of commands: by its label, by a program that is known, or as all lines look like it."""
    if block.label:
        return block.label in SHELL
    filled = [line for line in block.lines if line.strip()]
    known = {"sudo", *OURS, *FOREIGN}
    firsts = {line.split()[0].rpartition("/")[2] for line in filled}
    return bool(firsts & known) or all(_COMMAND.match(line) for line in filled)


def commands(text: str, page: str) -> Iterator[Command]:
    """Every command of a page's blocks, in order; in a console block what follows one is the output shown."""
    for block in blocks(text, page):
        if not is_shell(block):
            continue
        prompted = any(line.startswith("$ ") for line in block.lines)
        starts = [n for n, line in enumerate(block.lines) if line.strip() and (not prompted or line[:2] == "$ ")]
        for n, after in zip(starts, [*starts[1:], len(block.lines)], strict=True):
            shown = block.lines[n + 1 : after] if prompted else ()
            found = command(block.lines[n].removeprefix("$ "), f"{page}:{block.line + n}", shown)
            if found is not None:
                yield found


def command(line: str, where: str, shown: tuple[str, ...] = ()) -> Command | None:
    """A line as a command, without its comment and `sudo`; None for a comment alone."""
    parts: list[list[str]] = [[]]
    for word in shlex.split(line, comments=True):
        if word == "|":
            parts.append([])
        else:
            parts[-1].append(word)
    words = parts[0][1:] if parts[0][:1] == ["sudo"] else parts[0]
    return Command(where, tuple(words), tuple(map(tuple, parts[1:])), tuple(shown)) if words else None


def mentioned(text: str, page: str) -> Iterator[Command]:
    """Commands in a page's code spans: a known program and at least one word more, NAMES in capitals."""
    for line, span in spans(text):
        first = span.split()[0].rpartition("/")[2]
        if " " in span and first in {"sudo", *OURS, *FOREIGN}:
            found = command(span, f"{page}:{line}")
            if found is not None and len(found.words) > 1:
                yield found
