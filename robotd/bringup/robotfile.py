"""The first robot file of a board that was tried: `robotd check` accepts it and `robotd run` runs it."""

from collections.abc import Mapping
from pathlib import Path

from robotd.files.options import split_pair
from robotd.files.toml import as_toml, quote, value_of
from robotd.transport.device_names import is_shared

STABLE = ("/dev/serial/by-id", "/dev/serial/by-path")  # where udev names ports by what is plugged in, and where


def stable(port: str, folders: tuple[str, ...] = STABLE, devices: str = "/dev") -> tuple[str, str]:
    """The name of `port` that stays when things are plugged in in another order, and a remark ('' for none).

    A by-id name that several adapters share leads to either of them, so that the name by path is returned.
    """
    path = port.removeprefix("serial://").partition("?")[0]
    baud = port.partition("?")[2]
    given = Path(path)
    if not path.startswith(devices) or (given.parent != Path(folders[0]) and path.startswith(folders)):
        return port, ""
    for folder in folders:
        for link in sorted(Path(folder).glob("*")):
            if link.resolve() != given.resolve() or (folder == folders[0] and is_shared(link, Path(folders[-1]))):
                continue
            remark = "" if folder == folders[0] else (
                f"no name identifies its adapter: {link} names the socket that it is plugged into"
            )  # fmt: skip
            return (f"serial://{link}?{baud}" if baud else str(link)), remark
    return port, f"{path} may be another device after the next start: no stable name of it is known"


def settings_of(pairs: list[str]) -> dict[str, str]:
    """The settings `KEY=VALUE` by key, each value as TOML; what is not TOML is a string. ValueError."""
    example = "baud=9600, a setting of the board (docs/configuration.md)"
    return {key: as_toml(text) for key, text in (split_pair(pair, "--set", example) for pair in pairs)}


def values_of(settings: Mapping[str, str]) -> dict[str, object]:
    """The values of the TOML texts of `settings_of`, by key."""
    return {key: value_of(text) for key, text in settings.items()}


def text_of(
    name: str, mission: str, board: str, port: str, settings: Mapping[str, str], plugins: list[str],
    parts: Mapping[str, str],
) -> str:  # fmt: skip
    """The file's text; `settings` as of `settings_of`, `plugins` as paths beside it.

    `parts`: lines for what may be wired to the board, and what they are, written as comments to fill in.
    """
    lines = [
        "# A first robot file, written by robotd board. Every key is in docs/configuration.md.",
        f"name = {quote(name)}                # one of the robots that the mission's [team] names",
        f"mission = {quote(mission)}",
        *([f"plugins = [{', '.join(map(quote, plugins))}]"] if plugins else []),
        "",
        "[board]",
        f"name = {quote(board)}",
        f"port = {quote(port)}",
        *(["", "[board.parameters]"] if settings or parts else []),
        *(f"{key} = {text}" for key, text in settings.items()),
        *(f"# {line}    # {what}" for line, what in parts.items()),
        "",
        "[radio]",
        'name = "none"                 # as if alone; for modems see docs/radio.md',
    ]
    return "\n".join(lines) + "\n"
