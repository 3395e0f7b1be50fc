"""Line 1: a fresh clone on a fresh machine; and the installed wheel, then run without git, make or network."""

import dataclasses
import functools
import os
import re
import shlex
import shutil
from pathlib import Path

from tests.accept.check import Check, Found, besides
from tests.accept.desk import ROOT, Desk, Ran

SHOWN = 5  # failed tests named in the table
TEST_S = 180.0  # the whole of `make test`, on two cores
SPELL = re.compile(r"^ *[\d.]+ s +\S+ +\S+ +until +[\d.]+ s$", re.MULTILINE)
BASE = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # where a system has Python, make and git
NETWORK = ("PIP_", "SSL_", "http", "HTTP", "no_proxy", "NO_PROXY")  # how this machine reaches a package index
CLONE = "clone"
BOUND = "exit 0; progress, timeline, log, two figures, and where they are"


def bare(desk: Desk, name: str) -> dict[str, str]:
    """The environment of a fresh machine: nothing of this one but where its programs and its index are."""
    home = desk.folder / name
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    kept = {key: value for key, value in os.environ.items() if key.startswith(NETWORK)}
    return {**kept, "PATH": BASE, "HOME": str(home), "LANG": "C.UTF-8"}


def cloned(desk: Desk) -> Path:
    path = desk.folder / CLONE
    shutil.rmtree(path, ignore_errors=True)
    desk.run("git", "clone", "--quiet", ROOT, path).checked()
    return path


def clone(desk: Desk) -> Path:
    path = desk.folder / CLONE
    return path if head(desk, path) == head(desk, ROOT) != "" else cloned(desk)


def head(desk: Desk, path: Path) -> str:
    if not (path / ".git").exists():
        return ""
    ran = desk.run("git", "-C", path, "rev-parse", "--short", "HEAD")
    return ran.out.strip() if ran.code == 0 else ""


def demo(desk: Desk) -> Found:
    path = cloned(desk)
    output = desk.folder / "demo.txt"  # standard error alone is a terminal, on which progress is shown
    words = ("script", "-qec", f"make demo >{shlex.quote(str(output))}", "/dev/null")
    ran = desk.run(*words, cwd=path, env={**bare(desk, "home"), "TERM": "xterm"})
    ran = dataclasses.replace(ran, out=output.read_text(encoding="utf-8"), err=ran.out)
    found = shown(ran, path, progress=True)
    return found._replace(figure=f"commit {head(desk, path)}: {found.figure}")


def shown(ran: Ran, folder: Path, *, progress: bool) -> Found:
    spells = len(SPELL.findall(ran.out))
    named = re.findall(r"^(figure|log) +(.+)$", ran.out, re.MULTILINE)
    there = [kind for kind, name in named if (folder / name).is_file() and (folder / name).stat().st_size]
    figures, logs = there.count("figure"), there.count("log")
    bar = "\x1b[" in ran.err and "done" in ran.err
    figure = f"exit {ran.code} in {ran.seconds:.0f} s; {spells} spells, {logs} log, {figures} figures"
    if progress:
        figure += f", {'a' if bar else 'no'} progress bar"
    ok = ran.code == 0 and spells >= 5 and (logs, figures) == (1, 2) and (bar or not progress)
    if not ok:
        figure += f"; its output: {(ran.err.strip() or ran.out.strip())[-300:]!r}"
    return Found(figure, BOUND if progress else BOUND.replace(" progress,", ""), ok)


def own_tests(desk: Desk) -> Found:
    """`make test` in the clone of the demo, or another where it is not there: the environment is built before."""
    path = clone(desk)
    env = bare(desk, "home")
    desk.run("make", "env", cwd=path, env=env).checked()
    ran = desk.run("make", "test", cwd=path, env=env)
    lines = ran.out.strip().splitlines() or [ran.err.strip()[-200:]]
    bad = [line.partition(" - ")[0] for line in lines if line.startswith(("FAILED", "ERROR"))]
    figure = f"commit {head(desk, path)}: exit {ran.code} in {ran.seconds:.0f} s: {lines[-1]}"
    figure = besides(figure, [*bad[:SHOWN], *["..."][: len(bad) > SHOWN]], "failed")
    return Found(figure, f"exit 0 within {TEST_S:.0f} s", ran.code == 0 and ran.seconds <= TEST_S)


def wheel(desk: Desk) -> Found:
    """The wheel with its extras in a clean environment, run in an empty folder with no program in reach."""
    source, folder = clone(desk), desk.folder / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    empty, programs = folder / "empty", folder / "no-programs"
    for path in (empty, programs):
        path.mkdir(parents=True)
    env = bare(desk, "wheel/home")
    python = folder / "env" / "bin"
    step = functools.partial(desk.run, cwd=desk.folder, env=env)
    step("python3", "-m", "venv", folder / "env").checked()
    step(python / "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, source).checked()
    (made,) = folder.glob("robotd-*.whl")
    step(python / "pip", "install", "--quiet", f"{made}[sim,plot]").checked()
    clean = {"PATH": str(programs), "HOME": env["HOME"], "LANG": "C.UTF-8"}
    unshare = shutil.which("unshare") or "unshare"
    found = shown(desk.run(unshare, "-rn", python / "robotd", "demo", cwd=empty, env=clean), empty, progress=False)
    return found._replace(figure=f"{made.name}: {found.figure}")


CHECKS = (
    Check("1.1", "fresh clone: the demo", "git clone; make demo", demo),
    Check("1.2", "fresh clone: the tests", "make env; make test", own_tests),
    Check("1.3", "installed wheel, no git, make or network", "pip wheel; pip install WHEEL[sim,plot]; "
          "PATH=(empty folder) unshare -rn robotd demo", wheel),
)  # fmt: skip
