"""Line 3: whether learning helps, that experience overrules habit, and that memories outlive kills."""

from __future__ import annotations

import sys

from tests.accept.alliance.experiments import accomplished, conducted, interval
from tests.accept.check import Check, Found, passed
from tests.accept.desk import Desk

NAME, RUNS, QUICK = "learning", 10, 1
LEARNS = "learns"
KILLS, QUICK_KILLS = 1000, 50
LAST, CHANGE = "trial_8_s", "change_s"
LOSES = "tests/robotd/robot/test_learning_team.py"
WORDS = {"shorter", "longer", "undecided"}


def helps(desk: Desk) -> Found:
    """Trial 8 against trial 1 and against the unlearned team's, paired; whatever it is must be stated."""
    told = conducted(desk, NAME, "--runs", str(desk.fewer(RUNS, QUICK)))
    change, last = told.line(LEARNS, CHANGE), told.line(LEARNS, LAST)
    figure = f"less trial 1: {interval(change)} s, {change.get('verdict')}; "
    figure += f"less the unlearned team's: {interval(last, 'difference', 'difference_')} s, {last.get('verdict')}"
    stated = {change.get("verdict"), last.get("verdict")} <= WORDS
    return Found(figure, "shorter, or stated plainly that it is not", stated and accomplished(told.rows()).ok)


def killed(desk: Desk) -> Found:
    """A writer is killed at random instants."""
    kills = desk.fewer(KILLS, QUICK_KILLS)
    ran = desk.run(sys.executable, "-m", "tests.robotd.guardian.killing", desk.folder / "killing", str(kills), "1")
    told = ran.document()
    figure = f"{told['kills']} kills, {told['cut_off']} within a write: {told['unreadable']} unreadable, "
    figure += f"{told['torn']} torn, {told['lost']} lost"
    return Found(
        figure, f"{kills} kills, nothing unreadable, torn or lost", told["sound"] and told["kills"] == kills
    )


def lost_skill(desk: Desk) -> Found:
    """A robot whose sensor died between missions."""
    return passed(desk, LOSES)


CHECKS = (
    Check("3.1", "mission time of trial 8", f"robotd experiment {NAME} --runs {RUNS} --json", helps),
    Check("3.2", "a robot whose sensor died loses its category 1 tasks within mu trials", f"pytest {LOSES}",
          lost_skill),
    Check("3.3", "SIGKILL at 1,000 random instants of writing",
          f"python -m tests.robotd.guardian.killing FOLDER {KILLS} 1", killed),
)  # fmt: skip
