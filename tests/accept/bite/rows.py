"""The lines on BITE: tests of the algorithms, a search through plans, and four experiments."""

import re
import sys
from collections.abc import Callable

from robotd.experiments import statistics
from robotd.experiments.bite.mix import RATIOS, VARIANTS, cell_of
from robotd.experiments.bite.published import RICH_RICH
from tests.accept.alliance.experiments import Output, Series
from tests.accept.check import Check, Found, besides, pytest_check
from tests.accept.desk import Desk

PLANS, QUICK_PLANS = 10_000, 200
LIMIT_S = 6 * 3600.0
MIX, BEAT = Series("bite-mix", 20, 1), Series("bite-beat", 20, 2)
GRAPHS, CLEANUP = Series("bite-graphs", 6, 1), Series("cleanup-plan", 20, 1)
HERE, SIM = "tests/motivation/bite/", "tests/robotd/sim/"
SCHEDULES = "tests.motivation.bite.schedules"
CLAIMS = (
    ("2.1", "synchronisation of the poor variants is 0", MIX, "synchronisation takes no time"),
    ("2.2", "allocation takes longer by messages", MIX, "^allocation takes"),
    ("2.3", "interaction, poor to rich", MIX, "^interaction takes"),
    ("3.1", "a one-way", BEAT, "^a one-way"),
    ("3.2", "15 one-ways, and none without messages", BEAT, "its interactions|no time to interact"),
    ("3.3", "the beat from which it costs more than it gains", BEAT, "costs more"),
    ("4.1", "by sight, and every failure traced", GRAPHS, "by sight"),
    ("4.2", "no failure by messages or agreed order", GRAPHS, "no run by"),
    ("7.1", "cleanup as a plan over ALLIANCE", CLEANUP, "mission time|same tasks"),
)


def search(desk: Desk) -> Found:
    """No point left by two edges in any plan, and at 30 % loss all stacks agree within five beats of quiet."""
    count = desk.fewer(PLANS, QUICK_PLANS)
    ran = desk.run(sys.executable, "-m", SCHEDULES, "--count", str(count), timeout_s=LIMIT_S)
    lines = ran.out.strip().splitlines()
    bound = f"{count} plans, 0 points by different edges, stacks agree within 5 beats of quiet"
    ok = (
        ran.code == 0 and lines[:1] != [] and lines[0].startswith(f"{count} plans") and "later than" not in ran.out
    )
    return Found("; ".join(lines) or ran.err.strip()[-200:], bound, ok)


def claims(part: str) -> Callable[[Output], Found]:
    """Whether all claims whose text matches hold in every run."""

    def judge(output: Output) -> Found:
        found = [one for one in output.document["claims"] if re.search(part, one["claim"]) and one["runs"]]
        shown = [f"{one['cell']}: {one['counted'] or one['holds']} ({one['published']})" for one in found]
        failing = [f"{one['cell']}, {one['claim']}" for one in found if one["holds"] < one["runs"]]
        return Found(
            besides("; ".join(shown), failing, "not in every run"),
            "each in every run",
            bool(found) and not failing,
        )

    return judge


def ratios(output: Output) -> Found:
    """Task times of rich/rich over those of each variant, as found."""
    times = {(row["cell"], row["seed"]): row["task_s"] for row in output.rows() if "task_s" in row}
    shown = []
    for pair, published in RATIOS.items():
        rich, poor = VARIANTS[RICH_RICH], cell_of(*pair)
        both = [seed for cell, seed in times if cell == poor and (rich, seed) in times]
        ratio = statistics.ratio([times[rich, seed] for seed in both], [times[poor, seed] for seed in both])
        shown.append(f"over {poor}: {statistics.words(ratio, 3)} (published {published:.3f})")
    return Found("; ".join(shown), "stated as found", ok=True)


def fitting(output: Output) -> Found:
    """In which share of the runs the roles agreed on beforehand happen to fit."""
    found = [row["fits"] for row in output.rows(cell_of("vote", "agreed")) if "fits" in row]
    return Found(statistics.words(statistics.share(found), 2), "stated as found", bool(found))


CHECKS = (
    pytest_check("1.1", "algorithms 1 and 2, line by line", f"{HERE}test_control.py", f"{HERE}test_fusion.py"),
    Check("1.2", "random plans and schedules", f"python -m {SCHEDULES} --count {PLANS}", search),
    *(series.check(id, what, claims(part)) for id, what, series, part in CLAIMS),
    MIX.check("2.4", "task times", ratios),
    MIX.check("2.5", "agreed roles that fit", fitting),
    pytest_check("5.1", "the leader hidden from one follower", f"{SIM}test_formation.py"),
    pytest_check("6.1", "two protocols in one mission, exchanged by a word; a robot removed in each of five",
                 f"{SIM}test_exchange.py", f"{HERE}test_allocate.py"),
    pytest_check("8.1", "the page", "tests/test_docs.py", "-k", "bite"),
)  # fmt: skip
