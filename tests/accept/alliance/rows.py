"""The lines on ALLIANCE and L-ALLIANCE that experiments and tests show."""

import functools
import os
import re
from collections.abc import Mapping

from robotd.experiments import statistics
from robotd.experiments.file import find_experiment
from robotd.experiments.missions import MissionExperiment
from tests.accept.alliance.experiments import Output, Row, Series, accomplished, interval, join
from tests.accept.check import Check, Found, passed, pytest_check
from tests.accept.desk import ROOT, Desk

# Line 1: cleanup's four variants, against each other and against the published runs.
CLEANUP, SPEEDS = Series("cleanup", 15, 1), Series("cleanup-speeds", 5, 1)
CALM, BLOCKED, MOVER, REPORTER = "no failure", "finder blocked", "mover removed", "reporter removed"
RATIOS = 1.0, 1.6
PACES = (", 20 % slower", ", 20 % faster")  # as the names of cells end
CLAIMS = {
    BLOCKED: ("a robot whose side range is dead takes over, wandering", "the blocked finder yields to it"),
    MOVER: ("an idle robot takes over in 20 to 60 s",),
    REPORTER: ("movers interrupt their work to report, and resume",),
}


def ratio(output: Output, pace: str = "") -> dict[str, float]:
    calm = {row["seed"]: float(row["duration_s"]) for row in output.rows(CALM + pace)}
    found = {}
    for variant in CLAIMS:
        own = {row["seed"]: float(row["duration_s"]) for row in output.rows(variant + pace)}
        found[variant] = sum(own.values()) / sum(calm[seed] for seed in own)
    return found


def format_ratios(found: Mapping[str, float]) -> str:
    return ", ".join(f"{variant} {value:.3f}" for variant, value in found.items())


def ratios(output: Output) -> Found:
    low, high = RATIOS
    found = ratio(output)
    ok = all(low <= value <= high for value in found.values())
    return Found(format_ratios(found), f"each from {low} to {high}", ok)


def at_other_speeds(output: Output) -> Found:
    """What is concluded run by run, for robots 20 % slower and faster; the ratios there are printed beside it."""
    parts: dict[str, Found] = {"accomplished": accomplished(output.rows())}
    for pace in PACES:
        for variant, claims in CLAIMS.items():
            parts[variant + pace] = output.hold(variant + pace, claims)
    found = join(parts)
    beside = "; ".join(f"ratios{pace}: {format_ratios(ratio(output, pace))}" for pace in PACES)
    return found._replace(figure=f"{found.figure}; {beside}")


def one_set_of_parameters(desk: Desk) -> Found:
    """Whether the variants of a mission differ in more than their events and how long is waited for an end."""
    kinds: dict[str, int] = {}
    for name in ("cleanup", "box-pushing"):
        experiment = find_experiment(name)
        assert isinstance(experiment, MissionExperiment)
        loaded = [each.mission.as_data() | {"time_limit_s": None} for each in experiment.scenarios.values()]
        kinds[name] = sum(one not in loaded[:k] for k, one in enumerate(loaded))
    figure = ", ".join(f"{name}: {count}" for name, count in kinds.items())
    return Found(figure, "one set of parameters for each mission", set(kinds.values()) == {1})


def report(output: Output) -> Found:
    figures, table = output.page.count("<svg"), "Timelines beside the published ones" in output.page
    figure = f"{figures} figures, {'a' if table else 'no'} table of timelines"
    return Found(figure, "a figure for each variant, a table of timelines", figures >= len(CLAIMS) + 1 and table)


# Line 2: box pushing, both experiments of the paper.
BOX = Series("box-pushing", 30, 2)
SEIZED, GENGHIS = "R-2 seized", "Genghis in its place"
BOX_CLAIMS = (
    ("2.1", "one R-2 gone: the other starts for the other end", SEIZED,
     ("the other R-2 pauses 5 to 8 s in the median", "and never longer than 12 s")),
    ("2.2", "healthy R-2s never change ends", "healthy", ("no robot changes ends",)),
    ("2.3", "its teammate received again, it begins no further push at that end", SEIZED,
     ("once it receives its teammate's return it pushes no more at that end",)),
    ("2.5", "and the box stays square", GENGHIS, ("the box stays within 15 degrees of square",)),
    ("2.6", "Genghis alone goes home", GENGHIS, ("left alone, Genghis goes home",)),
)  # fmt: skip


def less_often(output: Output) -> Found:
    after, before = "pushes_per_min_after", "pushes_per_min_before"
    found = statistics.mean([float(row[after]) - float(row[before]) for row in output.rows(GENGHIS)])
    figure = f"against beside an R-2: {found.value:.2f} per minute ({found.low:.2f} to {found.high:.2f})"
    return Found(figure, "the whole interval below 0", found.high < 0.0)


# Line 3: whether learning helps, and that memories outlive kills.
LEARNING = Series("learning", 10, 1)
LEARNS, KILLS, QUICK_KILLS = "learns", 1000, 50
WRITING = "tests/robotd/storage/test_killing.py"


def helps(output: Output) -> Found:
    """Trial 8 against trial 1 and against the unlearned team's, paired; whatever it is must be stated."""
    change, last = output.line(LEARNS, "change_s"), output.line(LEARNS, "trial_8_s")
    figure = f"less trial 1: {interval(change)} s, {change.get('verdict')}; "
    figure += f"less the unlearned team's: {interval(last, 'difference', 'difference_')} s, {last.get('verdict')}"
    stated = {change.get("verdict"), last.get("verdict")} <= {"shorter", "longer", "undecided"}
    ok = stated and accomplished(output.rows()).ok
    return Found(figure, "shorter, or stated plainly that it is not", ok)


def kill_writers(desk: Desk) -> Found:
    kills = desk.fewer(KILLS, QUICK_KILLS)
    found = passed(desk, WRITING, env={**os.environ, "ROBOTD_KILLS": str(kills)})
    return found._replace(figure=f"{kills} kills: {found.figure}")


# Line 4: equal robots on one endless task. 32 cells are more runs than are printed: the summary's lines are read.
DUEL = Series("duel", 100, 20)
LEAST = {0.0: 0.95, 0.3: 0.9}  # at each loss the least share of the time with exactly one robot on the task
LIVELOCK = 0.5  # of the time: with the paper's literal rule not even this much


def duels(output: Output, rule: str, measure: str, loss: float) -> dict[str, Row]:
    start, end = f"{rule}, ", f" robots, loss {loss:.0%}"
    names = [name for name in output.cells if name.startswith(start) and name.endswith(end)]
    return {name.removeprefix(start).removesuffix(end): output.line(name, measure) for name in names}


def format_duels(found: Mapping[str, Row]) -> str:
    return ", ".join(f"{robots} robots {line['mean']:.3g}" for robots, line in found.items())


def exactly_one(output: Output, loss: float) -> Found:
    found = duels(output, "ours", "one", loss)
    short = [robots for robots, line in found.items() if line["mean"] < LEAST[loss]]
    figure = format_duels(found) + (f"; short of it: teams of {' and '.join(short)}" if short else "")
    return Found(figure, f"at least {LEAST[loss]} in the mean", bool(found) and not short)


def always_attended(output: Output) -> Found:
    """The share of the time after the first begin with no robot on the task, at the losses that are asked for."""
    found = {f"loss {loss:.0%}": duels(output, "ours", "none", loss) for loss in LEAST}
    ok = all(lines and all(line["mean"] == 0.0 for line in lines.values()) for lines in found.values())
    figure = "; ".join(f"{loss}: {format_duels(lines)}" for loss, lines in found.items())
    return Found(figure, "0 in every run", ok)


def livelock(output: Output) -> Found:
    found = duels(output, "letter", "one", 0.0)
    crowds = [line["mean"] for robots, line in found.items() if int(robots) > 2]
    bound = f"exactly one less than {LIVELOCK} of the time with three robots and more"
    return Found(format_duels(found), bound, bool(crowds) and max(crowds) < LIVELOCK)


# Line 5: cleanup at every loss of frames, 100 % included.
LOSS = Series("loss", 10, 1)
ALONE = "one robot alone"


def duplicated(output: Output) -> Found:
    means = {cell: output.line(cell, "duplicated_work_s") for cell in output.cells if cell != ALONE}
    figure = ", ".join(f"{cell}: {interval(line)} s" for cell, line in means.items())
    return Found(figure, "reported at every loss", bool(means))


def sooner_than_alone(output: Output) -> Found:
    means = {cell: float(output.line(cell, "duration_s")["mean"]) for cell in output.cells}
    alone = means.pop(ALONE)
    figure = ", ".join(f"{cell}: {mean:.0f} s" for cell, mean in means.items()) + f"; alone: {alone:.0f} s"
    return Found(figure, f"each below {alone:.0f} s", all(mean < alone for mean in means.values()))


# Line 6: how far from the optimum, and whether learning helps.
OPTIMALITY = Series("optimality", 200, 20)
UNLEARNED, OVER = "unlearned", "over_optimum"
TEAMS = 9  # three strategies by three orders
PLAINLY = "Learning shortens the missions in "


def over_optimum(output: Output) -> Found:
    found = {cell: output.line(cell, OVER) for cell in output.cells}
    figure = "; ".join(f"{cell} {interval(line)}" for cell, line in found.items())
    ok = len(found) == TEAMS + 1 and all("low" in line and line["low"] >= 1.0 for line in found.values())
    return Found(figure, "nine teams and the unlearned one, each with its interval, none below 1", ok)


def gains(output: Output) -> Found:
    """Learned less unlearned, in pairs of one mission; the report must say in words what that is."""
    found = {cell: output.line(cell, OVER) for cell in output.cells if cell != UNLEARNED}
    figure = "; ".join(f"{cell} {interval(line, 'difference', 'difference_')}" for cell, line in found.items())
    start = output.page.find(PLAINLY)
    words = output.page[start : output.page.find("<", start)] if start >= 0 else "the report does not say it"
    return Found(f"{figure}. {words}", "stated plainly", start >= 0 and len(found) == TEAMS)


# Line 7: theorem 1 on random missions.
TERMINATION = Series("termination", 100_000, 2_000)
BROKEN = "tests/robotd/experiments/test_termination.py"


def violations(output: Output) -> Found:
    summary = output.document["summary"]
    figure = f"{summary['violations']} violations in {summary['runs']} missions"
    return Found(figure, "0, none left to run", (summary["violations"], summary["left"]) == (0, 0))


def speed(output: Output) -> Found:
    found = output.document["summary"].get("runs_per_core_s")
    figure = "not reported" if found is None else f"{found:.0f} missions per second and core"
    return Found(figure, "in the report", found is not None and "per second and core" in output.page)


# Line 9: where readers stumble, what other programs have got wrong, and the worked values: a test for each.
PAGE = ROOT / "docs" / "faithfulness.md"
POINTS = "## Frequent errors"
NAMED = re.compile(r"(test_\w+)::(test_\w+)")


def find_named(text: str) -> list[str]:
    """The tests that a text names, as pytest does; LookupError for one that is not there once."""
    found = []
    for file, test in dict.fromkeys(NAMED.findall(text)):
        head = f"\ndef {test}("
        paths = [path for path in (ROOT / "tests").rglob(f"{file}.py") if head in path.read_text(encoding="utf-8")]
        if len(paths) != 1:
            raise LookupError(f"{file}::{test} is there {len(paths)} times")
        found.append(f"{paths[0].relative_to(ROOT)}::{test}")
    return found


def points(desk: Desk) -> Found:
    """All tests of the page's part on points that readers trip over and errors found elsewhere."""
    text = PAGE.read_text(encoding="utf-8")
    tests = find_named(text[text.index(POINTS) :])
    found = passed(desk, *tests)
    return found._replace(figure=f"{len(tests)} tests: {found.figure}", ok=found.ok and bool(tests))


CHECKS = (
    CLEANUP.check("1.1", "accomplished in every variant", lambda output: accomplished(output.rows())),
    CLEANUP.check("1.2", "mean time over the undisturbed variant's (published 1.18, 1.29, 1.29)", ratios),
    *(CLEANUP.check(f"1.{part}", what, functools.partial(Output.hold, cell=cell, claims=CLAIMS[cell]))
      for part, cell, what in (
        (3, BLOCKED, "finder blocked: one without its side range takes over, wandering; GREEN yields"),
        (4, MOVER, "mover removed: an idle robot takes over in 20 to 60 s"),
        (5, REPORTER, "reporter removed: movers interrupt and resume"))),
    SPEEDS.check("1.6", "the same conclusions at speeds 20 % up and down", at_other_speeds),
    Check("1.7", "one set of parameters serves all variants of a mission", "robotd experiment NAME",
          one_set_of_parameters),
    CLEANUP.check("1.8", "figures, and a table beside the published timelines", report),
    *(BOX.check(id, what, functools.partial(Output.hold, cell=cell, claims=claims))
      for id, what, cell, claims in BOX_CLAIMS),
    BOX.check("2.4", "beside Genghis-II the R-2 pushes less often", less_often),
    LEARNING.check("3.1", "mission time of trial 8", helps),
    pytest_check("3.2", "a robot whose sensor died loses its category 1 tasks within mu trials",
                 "tests/robotd/robot/test_learning_team.py"),
    Check("3.3", "SIGKILL at 1,000 random instants of writing",
          f"ROBOTD_KILLS={KILLS} pytest {WRITING}", kill_writers),
    DUEL.check("4.1", "exactly one robot on the task, no loss", lambda output: exactly_one(output, 0.0)),
    DUEL.check("4.2", "exactly one robot on the task, 30 % loss", lambda output: exactly_one(output, 0.3)),
    DUEL.check("4.3", "never without a robot on the task after the start", always_attended),
    DUEL.check("4.4", "with the literal rule the livelock", livelock),
    LOSS.check("5.1", "accomplished at every loss",
               lambda output: accomplished([row for row in output.rows() if row["cell"] != ALONE])),
    LOSS.check("5.2", "duplicated work", duplicated),
    LOSS.check("5.3", "the team's mean time stays below that of one robot alone", sooner_than_alone),
    OPTIMALITY.check("6.1", "time over the optimum: the table of nine, with intervals", over_optimum),
    OPTIMALITY.check("6.2", "whether learning helps", gains),
    TERMINATION.check("7.1", "nothing is left that the theorem does not excuse", violations),
    pytest_check("7.2", "a rate of 0, coverage 0, a robot that never acts are caught", BROKEN),
    TERMINATION.check("7.3", "missions per second and core", speed),
    Check("9.1", "points that readers trip over, errors found elsewhere", "pytest (tests of docs/faithfulness.md)",
          points),
    pytest_check("9.2", "each name of the page; the worked values", "tests/test_faithfulness.py",
                 "tests/motivation/alliance/test_learning.py"),
)  # fmt: skip
