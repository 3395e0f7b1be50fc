"""Line 6: the channel experiment; and what beat a base station states to 19 and to 30 robots on RYLR998 modems."""

import functools
import sys
from pathlib import Path

from robotd.config.load import find_mission
from tests.accept.alliance.experiments import Output, Series, interval
from tests.accept.check import Check, Found
from tests.accept.desk import Desk

SERIES = Series("channel", 5, 1)
SLOTTED = "{} robots, base station, loss 0%"


def ranges(output: Output) -> Found:
    rows = output.rows()
    robots, losses = ({row[name] for row in rows} for name in ("robots", "loss"))
    varied = {(row["base_station"], row["lost"]) for row in rows}
    found = min(robots), max(robots), min(losses), max(losses), len(varied)
    figure = "{} to {} robots, loss {:.0%} to {:.0%}, {} ways".format(*found)
    ok = found == (2, 30, 0.0, 0.5, 4)
    return Found(figure, "2 to 30 robots, loss 0% to 50%, both kinds of loss with and without base station", ok)


def measured(name: str, scale: float, unit: str, output: Output) -> Found:
    """A measure of every cell: here of the largest team at most loss, the rest in the report."""
    lines = [line for line in output.document["summary"]["cells"] if line["measure"] == name]
    means = {line["cell"]: float(line["mean"]) for line in lines}
    shown = [f"{cell}: {scale * mean:.3g} {unit}" for cell, mean in means.items() if "50%" in cell]
    return Found("; ".join(shown), "a value in every cell", list(means) == output.cells)


def drawn(output: Output) -> Found:
    tables = [title for title in ("Statements received", "Until all know a new fact") if title in output.page]
    figures = output.page.count("<figure>")
    figure = f"{len(tables)} tables, {figures} figures"
    return Found(figure, "tables and figures", len(tables) == 2 and figures == 4)


def nineteen(output: Output) -> Found:
    rows = output.rows(SLOTTED.format(19))
    line = output.line(SLOTTED.format(19), "collided")
    worst, period = max(row["collided"] for row in rows), max(row["period_s"] for row in rows)
    figure = f"share {interval(line)}, at worst {worst:.2%}, a frame in {period:g} s"
    return Found(figure, "below 1 %, a frame in 3 s", worst < 0.01 and period == 3.0)


def thirty(output: Output) -> Found:
    rows = output.rows(SLOTTED.format(30))
    period, worst = max(row["period_s"] for row in rows), max(row["collided"] for row in rows)
    return Found(
        f"a frame in {period:g} s, collisions {worst:.2%}", "a longer beat than 3 s, stated", period > 3.0
    )


CHECKS = (
    SERIES.check("6.1", "teams, base station, losses", ranges),
    SERIES.check("6.2", "share of statements received", lambda output: measured("received", 100.0, "%", output)),
    SERIES.check("6.3", "time until a fact is known to all", lambda output: measured("known_s", 1.0, "s", output)),
    SERIES.check("6.4", "table and figure", drawn),
    SERIES.check("6.5", "19 robots with slots lose under 1 % to collisions", nineteen),
    SERIES.check("6.6", "30 robots get a longer beat", thirty),
)


PORT = "/dev/no-modem"  # a base station waits for one that is not there, and has printed its beat before
SAYS_S = 6  # after which it is asked to end, with SIGTERM
RADIO = f"reyax@{PORT},region=eu868,band_hz=869525000"
FITS, LONGER = 19, 30


def mission_of(desk: Desk, robots: int) -> Path:
    text = find_mission("cleanup").read_text(encoding="utf-8")
    more = "".join(f'robot-{n} = {{ number = {n}, type = "r2" }}\n' for n in range(4, robots + 1))
    path = desk.folder / f"cleanup-{robots}.toml"
    path.write_text(text.replace("\n[tasks]\n", f"{more}\n[tasks]\n", 1), encoding="utf-8")
    return path


def stated(robots: int, desk: Desk) -> Found:
    key = desk.folder / "team.key"
    if not key.exists():
        desk.robotd("keygen", key)
    state = desk.folder / f"station-{robots}"
    words = ("base-station", mission_of(desk, robots), "--radio", RADIO, "--key-file", key, "--state", state)
    ran = desk.run("timeout", "-s", "TERM", str(SAYS_S), sys.executable, "-m", "robotd", *words)
    (line,) = [line for line in ran.out.splitlines() if "slots in a beat" in line] or [ran.err]
    longer = "not the mission's 3 s" in line
    bound = "a longer beat, and why" if robots == LONGER else "a beat of 3 s"
    ok = f"{robots} robots, {robots + 1} slots" in line and longer == (robots == LONGER) and ran.code == 124
    return Found(line.partition(": ")[2], bound, ok)


COMMAND = "robotd base-station cleanup-{}.toml --radio " + RADIO
CHECKS += (
    Check("6.8", "19 robots hold 1/3 Hz on RYLR998 SF7", COMMAND.format(FITS), functools.partial(stated, FITS)),
    Check("6.9", "30 get a longer beat, stated", COMMAND.format(LONGER), functools.partial(stated, LONGER)),
)
