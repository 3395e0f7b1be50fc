"""`robotd bundle MISSION`: one checked folder per robot, to be copied to its computer."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

from robotd import bundling, keyfile
from robotd.config.load import ConfigError, Mission, find_mission, load_mission

HELP = "write one folder per robot: robot file, mission, keys"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` reads."""
    many: dict[str, Any] = {"action": "append", "default": []}
    parser.add_argument("mission", metavar="MISSION", help="an installed mission's name, or a mission file")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="where the folders go")
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

    A robot file that is there already is kept: only mission, plug-ins and keys are renewed.
    """
    try:
        source = find_mission(args.mission)
        mission = load_mission(source)
        bundles = _bundles(args, mission)
        key = _key(args)
        for robot in mission.content.team:
            _write(args.out / robot, source, mission, key, bundles[robot])
    except (ConfigError, keyfile.KeyFileError, ValueError) as error:
        sys.stderr.write(f"robotd: {error}\n")
        return 2
    except OSError as error:
        sys.stderr.write(f"robotd: {error.filename}: {error.strerror}\n")
        return 1
    print(f"copy each folder to its robot and name its ports there; then: robotd check {bundling.ROBOT}")
    return 0


def _bundles(args: argparse.Namespace, mission: Mission) -> dict[str, str]:
    """The robot files by robot."""
    team, changes = mission.content.team, [bundling.change_of(text) for text in args.set]
    boards = bundling.chosen("--board", team, args.board, "mock")
    radios = bundling.chosen("--radio", team, args.radio, "transparent")
    name = mission.content.name
    return {
        robot: bundling.robot_text(
            robot, of.number, name, bundling.robot_tables(robot, mission, boards[robot], radios[robot], changes)
        )
        for robot, of in team.items()
    }


def _key(args: argparse.Namespace) -> str:
    path: Path = args.key or args.out / bundling.KEY
    if args.key is None and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        keyfile.write(path, keyfile.text_for({"": (keyfile.fresh_key(),)}))
        print(f"{path}: a new key; keep it, and show it to nobody")
    text = keyfile.text_of(path)
    try:
        keyfile.lines_of(text)
    except keyfile.KeyFileError as error:
        raise keyfile.KeyFileError(f"{path}: {error}") from None
    return text


def _write(folder: Path, source: Path, mission: Mission, key: str, robot_file: str) -> None:
    """Fill a folder beside, check it, and put it in its place; what was there before stays until then."""
    fresh = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    kept = (folder / bundling.ROBOT).exists()
    if kept:
        robot_file = (folder / bundling.ROBOT).read_text(encoding="utf-8")
    try:
        bundling.fill(fresh, source, mission, key, robot_file)
        bundling.check(fresh, folder)
        bundling.move(fresh, folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    print(f"{folder}: {'robot file kept; mission and keys renewed' if kept else 'written'}, checked")
