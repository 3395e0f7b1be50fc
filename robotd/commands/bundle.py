"""`robotd bundle MISSION`: one checked folder per robot, to be copied to its computer."""

from __future__ import annotations

import argparse
import contextlib
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from robotd.config.load import ConfigError, Mission, Problem, find_mission, load_mission
from robotd.deploy import bundle as deploy_bundle
from robotd.deploy.bundle import Change
from robotd.files import keyfile
from robotd.files.paths import folder_option, no_folder

HELP = "write one folder per robot: robot file, mission, keys"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` reads."""
    many: dict[str, Any] = {"action": "append", "default": []}
    parser.add_argument("mission", metavar="MISSION", help="an installed mission's name, or a mission file")
    parser.add_argument("--out", metavar="DIR", type=folder_option, required=True, help="where the folders go")
    parser.add_argument(
        "--key",
        metavar="FILE",
        type=Path,
        help="the team's keys (default: DIR/team.key, made if missing)",
    )
    parser.add_argument("--board", **many, metavar="[ROBOT=]NAME", help="the board (default mock)")
    parser.add_argument("--radio", **many, metavar="[ROBOT=]NAME", help="the radio (default transparent)")
    parser.add_argument("--set", **many, metavar="KEY=VALUE", help="a key of every robot file: radio.region=eu868")


def run(args: argparse.Namespace) -> int:
    """Exit status: 0; 1 where a folder cannot be written; 2 for what is wrong with the mission, keys or options.

    A robot file that is there already is kept: only mission, plug-ins and keys are renewed. Where it does not say
    what the options do, that is an error, and nothing is written.
    """
    fresh: dict[Path, Path] = {}
    there = args.out.exists()
    try:
        source = find_mission(args.mission)
        mission = load_mission(source)
        given = _given(args, mission)
        files = {robot: _robot_file(robot, mission, *given[robot]) for robot in given}
        _refuse_ignored(args.out, given)
        key, made = _key(args)
        for robot in given:  # all are filled and checked before anything is put in its place
            folder = args.out / robot
            fresh[folder] = folder.with_name(f".{folder.name}.new")
            _fill(fresh[folder], folder, source, mission, key, files[robot], given[robot])
        if made is not None:
            keyfile.write(made, key)
            print(f"{made}: a new key; keep it, and show it to nobody")
        for folder, filled in fresh.items():
            _place(filled, folder)
    except (ConfigError, keyfile.KeyFileError, ValueError) as error:
        sys.stderr.write(f"robotd: {error}\n")
        return 2
    except OSError as error:
        sys.stderr.write(f"robotd: {error.filename}: {error.strerror}\n")
        return 1
    finally:
        for begun in fresh.values():
            shutil.rmtree(begun, ignore_errors=True)
        if not there:
            with contextlib.suppress(OSError):  # it holds something, or was never made
                args.out.rmdir()
    if not args.board:
        print("where no board was named it is mock, a simulated body: --board names yours, or robot.toml")
    print(f"copy each folder to its robot and name its ports there; then: robotd check {deploy_bundle.ROBOT}")
    return 0


def _given(args: argparse.Namespace, mission: Mission) -> dict[str, list[Change]]:
    """By robot: its board, its radio, then what is set."""
    team, changes = mission.content.team, [deploy_bundle.change_of(text) for text in args.set]
    boards = deploy_bundle.chosen("board", team, args.board, "mock")
    radios = deploy_bundle.chosen("radio", team, args.radio, "transparent")
    return {robot: [boards[robot], radios[robot], *changes] for robot in team}


def _robot_file(robot: str, mission: Mission, board: Change, radio: Change, *changes: Change) -> str:
    tables = deploy_bundle.robot_tables(robot, mission, board, radio, changes)
    return deploy_bundle.robot_text(robot, mission.content.team[robot].number, mission.content.name, tables)


def _refuse_ignored(out: Path, given: Mapping[str, Sequence[Change]]) -> None:
    """ConfigError that names each robot file which would be kept though options say otherwise."""
    problems = []
    for robot, changes in given.items():
        path = out / robot / deploy_bundle.ROBOT
        if problem := no_folder(path.parent):
            problems.append(Problem("--out", 0, "", problem))
        elif path.exists() and (
            options := deploy_bundle.find_ignored(path, [each for each in changes if each.option])
        ):
            message = f"is kept, so this does not get into it: {', '.join(options)}"
            problems.append(Problem(str(path), 0, "", f"{message}; edit it, or remove it and run again"))
    if problems:
        raise ConfigError(problems)


def _key(args: argparse.Namespace) -> tuple[str, Path | None]:
    """The text of the team's keys; the file where it is to be written, None where it stands in one already."""
    path: Path = args.key or args.out / deploy_bundle.KEY
    if args.key is None and not path.exists():
        return keyfile.text_for({"": (keyfile.fresh_key(),)}), path
    text = keyfile.text_of(path)
    try:
        keyfile.lines_of(text)
    except keyfile.KeyFileError as error:
        raise keyfile.KeyFileError(f"{path}: {error}") from None
    return text, None


def _fill(
    fresh: Path, folder: Path, source: Path, mission: Mission, key: str, robot_file: str, given: Sequence[Change]
) -> None:
    """Fill a folder beside the one that it is to be, and check it."""
    shutil.rmtree(fresh, ignore_errors=True)
    kept = (folder / deploy_bundle.ROBOT).exists()
    if kept:
        robot_file = (folder / deploy_bundle.ROBOT).read_text(encoding="utf-8")
    deploy_bundle.fill(fresh, source, mission, key, robot_file)
    deploy_bundle.check(fresh, folder, () if kept else [each for each in given if each.option])


def _place(fresh: Path, folder: Path) -> None:
    kept = (folder / deploy_bundle.ROBOT).exists()
    deploy_bundle.move(fresh, folder)
    print(f"{folder}: {'robot file kept; mission and keys renewed' if kept else 'written'}, checked")
