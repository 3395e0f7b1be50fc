"""`robotd bundle MISSION`: one checked folder per robot, to be copied to its computer."""

import argparse
import contextlib
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from robotd.config.load import ConfigError, Mission, Problem, find_mission, load_mission
from robotd.deploy.bundle import (
    KEY,
    ROBOT,
    Change,
    change_of,
    check_folder,
    fill_folder,
    find_ignored,
    parts_by_robot,
    replace_files,
    robot_tables,
    robot_text,
)  # fmt: skip
from robotd.files import keyfile
from robotd.files.options import add_repeated
from robotd.files.paths import folder_option, no_folder
from robotd.files.refusal import DONE, FAILED, Refusal, describe


def add_arguments(parser: argparse.ArgumentParser) -> None:
    key = "the team's keys (default: DIR/team.key, made if missing)"
    parser.add_argument("mission", metavar="MISSION", help="an installed mission's name, or a mission file")
    parser.add_argument("--out", metavar="DIR", type=folder_option, required=True, help="where the folders go")
    parser.add_argument("--key", metavar="FILE", type=Path, help=key)
    add_repeated(parser, "--board", "[ROBOT=]NAME", "the board (default mock)")
    add_repeated(parser, "--radio", "[ROBOT=]NAME", "the radio (default transparent)")
    add_repeated(parser, "--set", "KEY=VALUE", "a key of every robot file: radio.region=eu868")


def run(args: argparse.Namespace) -> int:
    """Exit status: 0; 1 where a folder cannot be written; 2 for what is wrong with the mission, keys or options.

    An existing robot file is kept: only mission, plug-ins and keys are renewed. One without the values of the
    options is an error, and nothing is written.
    """
    fresh: dict[Path, Path] = {}
    there = args.out.exists()
    try:
        _write(args, fresh)
    except ValueError as error:
        raise Refusal(str(error)) from error
    except OSError as error:
        raise Refusal(describe(error), FAILED) from error
    finally:
        for begun in fresh.values():
            shutil.rmtree(begun, ignore_errors=True)
        if not there:
            with contextlib.suppress(OSError):  # it holds something, or was never made
                args.out.rmdir()
    if not args.board:
        print("where no board was named it is mock, a simulated body: --board names yours, or robot.toml")
    print(f"copy each folder to its robot and name its ports there; then: robotd check {ROBOT}")
    return DONE


def _write(args: argparse.Namespace, fresh: dict[Path, Path]) -> None:
    """Fill all folders beside their places, and check them, before any is put in its place (noted in `fresh`)."""
    source = find_mission(args.mission)
    mission = load_mission(source)
    given = _changes_by_robot(args, mission)
    tables = {robot: robot_tables(robot, mission, *changes) for robot, changes in given.items()}
    _refuse_ignored(args.out, given)
    key, made = _key(args)
    kept = {}
    for robot, changes in given.items():
        folder = args.out / robot
        fresh[folder] = folder.with_name(f".{robot}.new")
        shutil.rmtree(fresh[folder], ignore_errors=True)
        own = folder / ROBOT
        kept[folder] = own.exists()
        member, content = mission.content.team[robot], mission.content
        fresh_text = robot_text(robot, member.number, content.name, tables[robot])
        text = own.read_text(encoding="utf-8") if kept[folder] else fresh_text
        fill_folder(fresh[folder], source, mission, key, text)
        check_folder(fresh[folder], folder, () if kept[folder] else [one for one in changes if one.option])
    if made is not None:
        keyfile.write(made, key)
        print(f"{made}: a new key; keep it secret")
    for folder, filled in fresh.items():
        replace_files(filled, folder)
        print(f"{folder}: {'robot file kept; mission and keys renewed' if kept[folder] else 'written'}, checked")


def _changes_by_robot(args: argparse.Namespace, mission: Mission) -> dict[str, list[Change]]:
    """By robot: its board, its radio, then what is set."""
    team, changes = mission.content.team, [change_of(text) for text in args.set]
    boards = parts_by_robot("board", team, args.board, "mock")
    radios = parts_by_robot("radio", team, args.radio, "transparent")
    return {robot: [boards[robot], radios[robot], *changes] for robot in team}


def _refuse_ignored(out: Path, given: Mapping[str, Sequence[Change]]) -> None:
    """ConfigError that names each robot file which would be kept though options have other values."""
    problems = []
    for robot, changes in given.items():
        path = out / robot / ROBOT
        if problem := no_folder(path.parent):
            problems.append(Problem("--out", 0, "", problem))
        elif path.exists() and (options := find_ignored(path, [each for each in changes if each.option])):
            message = f"is kept, so this does not get into it: {', '.join(options)}"
            problems.append(Problem(str(path), 0, "", f"{message}; edit it, or remove it and run again"))
    if problems:
        raise ConfigError(problems)


def _key(args: argparse.Namespace) -> tuple[str, Path | None]:
    """The text of the team's keys; the file where it is to be written, None where a file has it already."""
    path: Path = args.key or args.out / KEY
    if args.key is None and not path.exists():
        return keyfile.text_for({"": (keyfile.fresh_key(),)}), path
    text = keyfile.text_of(path)
    try:
        keyfile.lines_of(text)
    except keyfile.KeyFileError as error:
        raise keyfile.KeyFileError(f"{path}: {error}") from None
    return text, None
