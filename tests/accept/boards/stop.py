"""Line 2: at full speed, whatever becomes of the daemon, the port or the computer, the wheels stand in time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from statistics import median
from typing import Any

from robotd.experiments.stop.trial import CAUSES, WITHIN_S
from robotd.sim.emulated import BOARDS
from tests.accept.alliance.experiments import Output, Series, accomplished
from tests.accept.boards.computer import BACK_S, DRIVING, STANDING, Return, returned
from tests.accept.check import Check, Found
from tests.accept.desk import Desk

SERIES = Series("stop", 1000, 30)


def in_time(output: Output) -> Found:
    """How many trials the wheels stood in, and, of many, that all boards and causes were among them."""
    rows = output.rows()
    found = accomplished(rows)
    drawn = {(row.get("board"), row.get("cause")) for row in rows}
    missing = [f"{board} {cause}" for board in BOARDS for cause in CAUSES if (board, cause) not in drawn]
    figure = found.figure + (f"; not drawn: {', '.join(missing)}" if missing else "")
    return Found(
        figure, f"{found.bound}, each board and cause", found.ok and (not missing or len(rows) < SERIES.runs)
    )


def times(output: Output, by: str) -> Found:
    """Median and worst time until the wheels stood, by board or by cause."""
    groups: dict[str, list[float]] = {}
    for row in output.rows():
        groups.setdefault(str(row.get(by)), []).append(float(row.get("zero_s", "inf")))
    figure = ", ".join(
        f"{name}: {median(values):.3f}, worst {max(values):.3f} s" for name, values in sorted(groups.items())
    )
    worst = max(max(values) for values in groups.values())
    return Found(figure, f"at most {WITHIN_S} s", worst <= WITHIN_S)


def nothing_after(output: Output) -> Found:
    counts = [int(row["bytes_after"]) for row in output.rows() if "bytes_after" in row]
    return Found(f"{sum(counts)} bytes after {len(counts)} stops", "0 bytes", bool(counts) and not any(counts))


def computer_again(desk: Desk) -> Found:
    """A host that dies and starts again: `robotd halt` as udev has it started, for each robot that drives on."""

    def run() -> Mapping[str, Any]:
        return {board: asyncio.run(returned(board))._asdict() for board in BOARDS}

    found = {board: Return(**values) for board, values in desk.kept("computer again", run).items()}
    figure = "; ".join(f"{board} {_format(one)}" for board, one in found.items())
    goes_on = [one for one in found.values() if one.goes_on]
    stood = all(one.zero_s <= one.first_s + BACK_S for one in goes_on)
    as_said = all(one.was == (DRIVING if one.goes_on else STANDING) for one in found.values())
    bound = (
        f"those that nothing stops at full speed until then, the others standing; wheels at zero {BACK_S} s after "
        "the port's return and the program's start"
    )
    return Found(figure, bound, bool(goes_on) and stood and as_said)


def _format(one: Return) -> str:
    if not one.goes_on:
        return f"{one.was}, by itself" if one.was == STANDING else f"{one.was}, though it stops by itself"
    return (
        f"{one.was}, wheels at zero after {one.zero_s:.3f} s, {one.first_s / one.zero_s:.0%} of that the "
        f"program's start, {one.zero_s - one.first_s:.3f} s the rest"
    )


CHECKS = (
    SERIES.check("2.1", "wheels at zero, for good, in trials over boards, causes and bytes", in_time),
    SERIES.check("2.2", "median and worst by board", lambda output: times(output, "board")),
    SERIES.check("2.3", "median and worst by cause", lambda output: times(output, "cause")),
    SERIES.check("2.4", "nothing written afterwards", nothing_after),
    Check("2.7", "the computer dead for 10 s: wheels at zero 0.2 s after the port's return, beside the start of "
          "the halt that udev starts", "robotd halt --plugged PORT ROBOT.toml", computer_again),
)  # fmt: skip
