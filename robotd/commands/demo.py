"""`robotd demo`: three robots clean up two spills, with the timeline and both figures at the end."""

import argparse
import importlib.util
from pathlib import Path

from robotd.commands.earlier import replace_log
from robotd.commands.progress import reading
from robotd.commands.sim import print_outcome
from robotd.files.paths import folder_option
from robotd.files.refusal import DONE, FAILED, Refusal, refuse_unwritten

MISSION = "cleanup"
NEEDED = ("pymunk", "rich", "matplotlib")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    out = "folder for log and figures (default ./robotd-cleanup-SEED)"
    parser.add_argument("--seed", type=int, default=1, help="another seed is another run (default 1)")
    parser.add_argument("--out", metavar="DIR", type=folder_option, help=out)


def run(options: argparse.Namespace) -> int:
    """Exit status 0 accomplished, 1 not; Refusal where something is not installed, or cannot be written."""
    if missing := ", ".join(name for name in NEEDED if importlib.util.find_spec(name) is None):
        raise Refusal(f"demo needs {missing}; install it with: pip install 'robotd[sim,plot]'")
    from robotd.api import simulate
    from robotd.config.load import find_mission, load_mission
    from robotd.figures.files import draw_log
    from robotd.sim.host import progress_bar

    mission = load_mission(find_mission(MISSION))
    log = Path(options.out or f"robotd-{MISSION}-{options.seed}") / "run.jsonl"
    print("Three robots find two spills, move them to the goal and report over a radio of 1/3 Hz.")
    with refuse_unwritten(options.out or log):
        replaced = replace_log(log)
        with progress_bar(mission.content.time_limit_s, quiet=False) as progress:
            outcome = simulate(mission, options.seed, log=log, progress=progress)
        print_outcome(outcome, as_json=False, replaced=replaced)
        with reading(log, "drawing") as read:
            figures = draw_log(log, progress=read)
    for figure in figures:
        print(f"figure     {figure}")
    print("Next: robotd sim cleanup --event '300 remove holder:move-spill-right' --out robotd-removed")
    return DONE if outcome.accomplished else FAILED
