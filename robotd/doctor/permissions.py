"""Files of keys and tokens, and the folders of states and logs: who can read and write them."""

import glob
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from robotd.doctor.view import SERVICE_USER, Finding, View, problem, text_of
from robotd.files.paths import SYSTEM, folder


def find_keys(view: View) -> Iterator[Finding]:
    """Files of keys and tokens that others can read, or that the service cannot."""
    installed = view.at("/etc/robotd/team.key")
    for path in dict.fromkeys([*filter(None, _secrets(view)), installed]):
        try:
            status = os.stat(path)
        except OSError:
            continue
        mode = stat.S_IMODE(status.st_mode)
        if mode & 0o077:
            yield problem(
                "key-mode",
                f"{path} can be read by others (mode {mode:04o})",
                f"chmod 0600 {quote(str(path))}; if a stranger may have read it, make another: robotd keygen",
            )
        if path == installed and view.ids("passwd").get(SERVICE_USER, status.st_uid) != status.st_uid:
            yield problem(
                "key-owner",
                f"{path} is not of the user {SERVICE_USER}: the service cannot read it",
                f"sudo chown {SERVICE_USER}: {quote(str(path))}",
            )


def find_tokens(view: View) -> Iterator[Finding]:
    """A file of tokens that is not there, or that holds keys of the team."""
    keys, tokens = _secrets(view)
    if tokens is not None and not tokens.exists():
        make = f"robotd keygen {quote(str(tokens))}"
        yield problem("token-missing", f"{tokens} is not there: the daemon does not start", make)
    elif tokens is not None and keys is not None and _keys_in(tokens) & _keys_in(keys):
        what = f"{tokens} holds a key of {keys}: whoever sees a token can sign frames of the team"
        yield problem("token-is-key", what, "robotd keygen http.token, and name that file in token_file of [http]")


def _keys_in(path: Path) -> set[str]:
    return set(re.findall(r"\b[0-9a-f]{64}\b", text_of(path).lower()))


def _secrets(view: View) -> list[Path | None]:
    """The files of keys and of tokens that the robot file names; None where it names none."""
    found: list[Path | None] = []
    for part, key, default in (("radio", "key_file", "team.key"), ("http", "token_file", "")):
        table = view.robot.get(part)
        named = table.get(key, default) if isinstance(table, dict) else ""
        found.append(view.folder / named if isinstance(named, str) and named and "\0" not in named else None)
    return found


def find_folders(view: View) -> Iterator[Finding]:
    """Files of another user, as of a run by `sudo`, where the service or this user must write."""
    users = view.ids("passwd")
    places = [(SERVICE_USER, SYSTEM[kind][1]) for kind in ("state", "log")] if SERVICE_USER in users else []
    if view.uid != 0:
        users[view.user()] = view.uid
        places.append((view.user(), folder("state", view.environ, view.uid)))  # logs are below it
    for user, place in places:
        for path in (view.at(str(place)), *view.find(f"{glob.escape(str(place))}/**/*")):
            if os.path.lexists(path) and os.lstat(path).st_uid != users[user]:
                what = f"{path} does not belong to {user}, who cannot write there"
                yield problem("folder-owner", what, f"sudo chown -R {user}: {place}")
                break


CHECKS = (find_keys, find_tokens, find_folders)
