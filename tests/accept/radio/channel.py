"""Line 6: the channel experiment."""

from __future__ import annotations

from tests.accept.alliance.experiments import Row, Told, conducted, folder, interval
from tests.accept.check import Check, Found
from tests.accept.desk import Desk

RUNS, QUICK = 5, 1
SLOTTED = "{} robots, base station, loss 0%"


def told(desk: Desk) -> Told:
    """All runs."""
    return conducted(desk, "channel", "--runs", str(desk.fewer(RUNS, QUICK)))


def ranges(desk: Desk) -> Found:
    """What is varied."""
    rows = told(desk).rows()
    robots, losses = ({row[name] for row in rows} for name in ("robots", "loss"))
    varied = {(row["base_station"], row["lost"]) for row in rows}
    figure = (
        f"{min(robots)} to {max(robots)} robots, loss {min(losses):.0%} to {max(losses):.0%}, {len(varied)} ways"
    )
    ok = (min(robots), max(robots), min(losses), max(losses), len(varied)) == (2, 30, 0.0, 0.5, 4)
    return Found(figure, "2 to 30 robots, loss 0% to 50%, both kinds of loss with and without base station", ok)


def measured(name: str, scale: float, unit: str, desk: Desk) -> Found:
    """A measure of every cell: here of the largest team at most loss, the rest in the report."""
    experiment = told(desk)
    lines = {cell: _line(experiment, cell, name) for cell in experiment.cells}
    shown = [
        f"{cell}: {scale * line['mean']:.3g} {unit}" for cell, line in lines.items() if line and "50%" in cell
    ]
    missing = [cell for cell, line in lines.items() if not line]
    return Found("; ".join(shown), "told of every cell", not missing)


def _line(experiment: Told, cell: str, name: str) -> Row:
    try:
        return experiment.line(cell, name)
    except LookupError:
        return {}


def received(desk: Desk) -> Found:
    """The share of statements received."""
    return measured("received", 100.0, "%", desk)


def known(desk: Desk) -> Found:
    """The time until all know a new fact."""
    return measured("known_s", 1.0, "s", desk)


def drawn(desk: Desk) -> Found:
    """Table and figures in the report."""
    told(desk)
    page = (folder(desk, "channel") / "report.html").read_text(encoding="utf-8")
    tables = [title for title in ("Statements received", "Until all know a new fact") if title in page]
    figures = page.count("<figure>")
    return Found(
        f"{len(tables)} tables, {figures} figures", "tables and figures", len(tables) == 2 and figures == 4
    )


def nineteen(desk: Desk) -> Found:
    """Collisions of 19 robots with slots."""
    rows = told(desk).rows(SLOTTED.format(19))
    line = told(desk).line(SLOTTED.format(19), "collided")
    worst, period = max(row["collided"] for row in rows), max(row["period_s"] for row in rows)
    figure = f"share {interval(line)}, at worst {worst:.2%}, a frame in {period:g} s"
    return Found(figure, "below 1 %, a frame in 3 s", worst < 0.01 and period == 3.0)


def thirty(desk: Desk) -> Found:
    """The beat of 30 robots with slots, and their collisions."""
    rows = told(desk).rows(SLOTTED.format(30))
    period, worst = max(row["period_s"] for row in rows), max(row["collided"] for row in rows)
    return Found(
        f"a frame in {period:g} s, collisions {worst:.2%}", "a longer beat than 3 s, stated", period > 3.0
    )


COMMAND = f"robotd experiment channel --runs {RUNS} --json"
CHECKS = (
    Check("6.1", "teams, base station, losses", COMMAND, ranges),
    Check("6.2", "share of statements received", COMMAND, received),
    Check("6.3", "time until a fact is known to all", COMMAND, known),
    Check("6.4", "table and figure", COMMAND, drawn),
    Check("6.5", "19 robots with slots lose under 1 % to collisions", COMMAND, nineteen),
    Check("6.6", "30 robots get a longer beat", COMMAND, thirty),
)
