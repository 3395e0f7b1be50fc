"""`robotd demo`: three robots clean up two spills, with the timeline and both figures at the end."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from robotd.commands.earlier import NotOursError, replace_log
from robotd.commands.progress import reading
from robotd.commands.sim import not_written, print_outcome
from robotd.config.load import find_mission, load_mission
from robotd.files.paths import folder_option

MISSION = "cleanup"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `robotd demo`."""
    parser.add_argument("--seed", type=int, default=1, help="another seed is another run (default 1)")
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=folder_option,
        help="folder for log and figures (default ./robotd-cleanup-SEED)",
    )


def run(options: argparse.Namespace) -> int:
    """Exit status 0 accomplished, 1 not, 2 something is not installed, or cannot be written."""
    missing = _missing()
    if missing:
        sys.stderr.write(f"robotd demo needs {missing}; install it with: pip install 'robotd[sim,plot]'\n")
        return 2
    from robotd.api import simulate
    from robotd.figures.files import draw_log
    from robotd.sim.progress import progress_bar

    mission = load_mission(find_mission(MISSION))
    log = Path(options.out or f"robotd-{MISSION}-{options.seed}") / "run.jsonl"
    print("Three robots find two spills, move them to the goal and report, talking at 1/3 Hz.")
    try:
        replaced = replace_log(log)
        with progress_bar(mission.content.time_limit_s, quiet=False) as progress:
            outcome = simulate(mission, options.seed, log=log, progress=progress)
        print_outcome(outcome, as_json=False, replaced=replaced)
        with reading(log, "drawing") as read:
            figures = draw_log(log, progress=read)
    except BrokenPipeError:
        raise
    except NotOursError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except OSError as error:
        sys.stderr.write(f"{not_written(error, options.out)}\n")
        return 2
    for figure in figures:
        print(f"figure     {figure}")
    print("Next: robotd sim cleanup --event '300 remove holder:move-spill-right' --out robotd-removed")
    return 0 if outcome.accomplished else 1


def _missing() -> str:
    import importlib.util

    needed = ("pymunk", "rich", "matplotlib")
    return ", ".join(name for name in needed if importlib.util.find_spec(name) is None)
