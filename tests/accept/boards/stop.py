"""Line 2: at full speed, whatever becomes of the daemon, the port or the computer, the wheels stand in time."""

from itertools import product
from statistics import median

from robotd.experiments.stop.trial import CAUSES, WITHIN_S
from robotd.sim.emulated import emulations
from tests.accept.alliance.experiments import Output, Series, accomplished
from tests.accept.check import Found, pytest_check

SERIES = Series("stop", 1000, 30)


def in_time(output: Output) -> Found:
    """How many trials the wheels stood in, and, of many, that all boards and causes were among them."""
    rows = output.rows()
    found = accomplished(rows)
    drawn = {(row.get("board"), row.get("cause")) for row in rows}
    missing = [" ".join(pair) for pair in product(emulations().boards, CAUSES) if pair not in drawn]
    figure = found.figure + (f"; not drawn: {', '.join(missing)}" if missing else "")
    ok = found.ok and (not missing or len(rows) < SERIES.runs)
    return Found(figure, f"{found.bound}, each board and cause", ok)


def times(output: Output, by: str) -> Found:
    groups: dict[str, list[float]] = {}
    for row in output.rows():
        groups.setdefault(str(row.get(by)), []).append(float(row.get("zero_s", "inf")))
    spans = {name: (median(values), max(values)) for name, values in sorted(groups.items())}
    figure = ", ".join(f"{name}: {middle:.3f}, worst {worst:.3f} s" for name, (middle, worst) in spans.items())
    return Found(figure, f"at most {WITHIN_S} s", max(worst for _, worst in spans.values()) <= WITHIN_S)


def nothing_after(output: Output) -> Found:
    counts = [int(row["bytes_after"]) for row in output.rows() if "bytes_after" in row]
    return Found(f"{sum(counts)} bytes after {len(counts)} stops", "0 bytes", bool(counts) and not any(counts))


CHECKS = (
    SERIES.check("2.1", "wheels at zero, for good, in trials over boards, causes and bytes", in_time),
    SERIES.check("2.2", "median and worst by board", lambda output: times(output, "board")),
    SERIES.check("2.3", "median and worst by cause", lambda output: times(output, "cause")),
    SERIES.check("2.4", "nothing written afterwards", nothing_after),
    pytest_check(
        "2.7", "the computer dead for 10 s: wheels at zero 0.2 s after the halt that its start sends",
        "tests/robotd/robot/test_board_faults.py", "tests/robotd/guardian/test_halt.py", "-k",
        "starts_anew or port_that_appears"),
)  # fmt: skip
