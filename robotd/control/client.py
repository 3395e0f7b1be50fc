"""Asking a running robot over its local socket, for commands; standard library alone, to start fast."""

import argparse
import contextlib
import json
import os
import select
import socket
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from robotd.files.nearest import hint, nearest
from robotd.files.paths import socket_folders
from robotd.files.refusal import DONE, FAILED, USAGE, Refusal
from robotd.timing import clock

MAX_LINE = 4096  # of a request, bytes; the server refuses longer ones
MAX_ANSWER = 1 << 20  # a status takes some kilobytes
TIMEOUT_S = 5.0  # an order is answered after the next tick, or refused after two seconds
MAX_PATH = 107  # bytes of a Unix socket's address, sun_path of unix(7) without its final zero
RETRY_S = 0.02  # between two tries where the daemon's queue of connections is full


class CannotAskError(Refusal):
    """No robot could be asked."""


@contextlib.contextmanager
def short_address(path: Path) -> Iterator[str]:
    """`path` as a Unix socket's address: a long one is reached by its folder's descriptor."""
    if len(os.fsencode(path)) <= MAX_PATH:
        yield str(path)
        return
    holder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{holder}/{path.name}"
    finally:
        os.close(holder)


def answers(path: Path) -> bool:
    """True if a process listens at `path`; PermissionError if that may not be known."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            with short_address(path) as address:
                probe.connect(address)
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        except (TimeoutError, BlockingIOError):  # busy
            return True
    return True


def _connect(link: socket.socket, path: Path, timeout_s: float) -> None:
    """Connect, also where many others do at this moment; OSError."""
    deadline = clock.monotonic() + timeout_s
    while True:
        try:
            with short_address(path) as address:
                return link.connect(address)
        except BlockingIOError:  # Linux does not wait for a place in the queue of a Unix socket with a time-out
            if clock.monotonic() >= deadline:
                raise TimeoutError from None
            select.select((), (), (), RETRY_S)


def find_sockets(folders: Sequence[Path] | None = None) -> dict[str, Path]:
    """The sockets of the robots that run here, by name; CannotAskError where there are none."""
    folders = socket_folders() if folders is None else folders
    found = {path.stem: path for folder in reversed(folders) for path in _sockets(folder)}
    if not found:
        looked = " and ".join(str(folder) for folder in folders)
        advice = f"no robotd is running here (looked in {looked}); start one with: robotd run ROBOT.toml"
        raise CannotAskError(advice, FAILED)
    return dict(sorted(found.items()))


def running_robots() -> Collection[str]:
    """The names of the robots that run on this computer, as far as this user may know."""
    try:
        return find_sockets()
    except CannotAskError:
        return ()


def find_socket(robot: str | None, folders: Sequence[Path] | None = None) -> Path:
    """The socket of the running robot called `robot`, or of the only one there is; CannotAskError."""
    found = find_sockets(folders)
    names = ", ".join(found)
    if robot is None:
        if len(found) > 1:
            raise CannotAskError(f"several robots run here: {names}; choose one with --robot NAME", USAGE)
        return next(iter(found.values()))
    if robot in found:
        return found[robot]
    near = hint(nearest(robot, found))
    raise CannotAskError(f"no robot called {robot!r} runs here{near} (running: {names})", FAILED)


def _sockets(folder: Path) -> list[Path]:
    """Sockets that are answered at, or that this user may not try."""
    alive = []
    with contextlib.suppress(OSError):  # of a folder that this user may not list
        for path in sorted(folder.glob("*.sock")):
            try:
                if answers(path):
                    alive.append(path)
            except OSError:
                alive.append(path)
    return alive


def ask(path: Path, request: Mapping[str, Any], timeout_s: float = TIMEOUT_S) -> dict[str, Any]:
    """The robot's answer to one request; CannotAskError where there is none."""
    line = json.dumps(request).encode() + b"\n"
    if len(line) > MAX_LINE:
        raise CannotAskError(f"the request is {len(line)} bytes long; at most {MAX_LINE} are taken", USAGE)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
            link.settimeout(timeout_s)
            _connect(link, path, timeout_s)
            link.sendall(line)
            with link.makefile("rb") as stream:
                answer = stream.readline(MAX_ANSWER)
        values = json.loads(answer)
    except PermissionError:
        reason = f"no permission for {path}: be a member of its group, or use sudo"
        raise CannotAskError(reason, FAILED) from None
    except TimeoutError:
        raise CannotAskError(f"{path.stem} does not answer within {timeout_s:g} s", FAILED) from None
    except OSError as error:
        raise CannotAskError(f"{path.stem} cannot be asked: {error.strerror or error}", FAILED) from None
    except ValueError:
        raise CannotAskError(f"{path.stem} ended the connection without an answer", FAILED) from None
    if not isinstance(values, dict):
        raise CannotAskError(f"{path.stem} gave an answer that is none", FAILED)
    return values


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What all commands to a running robot take."""
    parser.add_argument("--robot", metavar="NAME", help="which robot, if several run on this computer")
    parser.add_argument("--json", action="store_true", help="print the answer as one JSON object")


def format_state(answer: Mapping[str, Any], named: str | None = None) -> str:
    """An answer for people: `green: running (permitted to move)`, and the command to type next, if any.

    `named`: the robot that the person had to name, as several run here; it is named in that command too. An order
    that was given and waits is not asked for again.
    """
    state, waits = answer["state"], answer.get("run", {}).get("asked", "")
    line, step = f"{answer['robot']}: {state['word']} ({state['reason']})", state["next_step"]
    if not step or step == f"robotd {waits.replace('-', ' ')}":
        return line
    return f"{line}\nnext: {next_step(step, named)}"


def next_step(step: str, named: str | None) -> str:
    """The command to type next, for the robot that was named."""
    return f"{step} --robot {named}" if named else step


def order(
    args: argparse.Namespace,
    what: str,
    arguments: Sequence[str] = (),
    failed: Sequence[str] = (),
    describe: Callable[[Mapping[str, Any]], list[str]] = lambda answer: [],
) -> int:
    """Give an order, `describe` what came of it and print the state after it.

    The exit status is 1 too where the word of that state is among `failed`.
    """
    path = find_socket(args.robot)
    answer = ask(path, {"do": what, "args": list(arguments)})
    if not answer.get("ok"):
        raise Refusal(f"{path.stem}: {answer.get('error', 'refused')}", FAILED)
    lines = [json.dumps(answer)] if args.json else [*describe(answer), format_state(answer, args.robot)]
    sys.stdout.write("\n".join(lines) + "\n")
    return FAILED if answer["state"]["word"] in failed else DONE
