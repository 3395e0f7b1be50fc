"""Line 7: theorem 1 on random missions."""

from __future__ import annotations

from tests.accept.alliance.experiments import Told, conducted, folder
from tests.accept.check import Check, Found, passed
from tests.accept.desk import Desk

RUNS, QUICK = 100_000, 2_000
BROKEN = "tests/robotd/experiments/test_termination.py"


def told(desk: Desk) -> Told:
    """All missions."""
    return conducted(desk, "termination", "--runs", str(desk.fewer(RUNS, QUICK)))


def violations(desk: Desk) -> Found:
    """Tasks left undone that the theorem does not excuse."""
    summary = told(desk).document["summary"]
    figure = f"{summary['violations']} violations in {summary['runs']} missions"
    runs = desk.fewer(RUNS, QUICK)
    return Found(figure, f"0 in {runs}", (summary["violations"], summary["runs"]) == (0, runs))


def broken(desk: Desk) -> Found:
    """Conditions of the theorem broken on purpose are caught."""
    return passed(desk, BROKEN)


def speed(desk: Desk) -> Found:
    """How many missions a core does in a second."""
    found = told(desk).document["summary"].get("runs_per_core_s")
    page = (folder(desk, "termination") / "report.html").read_text(encoding="utf-8")
    figure = "not told" if found is None else f"{found:.0f} missions per second and core"
    return Found(figure, "told in the report", found is not None and "per second and core" in page)


COMMAND = f"robotd experiment termination --runs {RUNS} --json"
CHECKS = (
    Check("7.1", "nothing is left that the theorem does not excuse", COMMAND, violations),
    Check("7.2", "a rate of 0, coverage 0, a robot that never acts are caught", f"pytest {BROKEN}", broken),
    Check("7.3", "missions per second and core", COMMAND, speed),
)
