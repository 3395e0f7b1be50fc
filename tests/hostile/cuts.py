"""`python -m tests.hostile.cuts`: a log that is cut at any byte replays, and is explained, up to the cut."""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from robotd.record.reading import LogLines
from robotd.record.replay import Mind, replay
from robotd.record.why import read_accounts
from robotd.robot.build import mind_of_part
from tests.robotd.sim.small import run

ROBOTS = ("green", "blue")


def write_log(path: Path) -> bytes:
    """A run of two robots in several parts, one of which is taken out for a while; its bytes."""
    run("2 remove blue", "3 return blue", for_s=4.0, robots=ROBOTS, log=path, part_bytes=30_000)
    return path.read_bytes()


def places(size: int, count: int) -> Iterator[int]:
    """`count` places to cut, spread over the whole; the first and the last byte among them."""
    return (round(k * size / max(1, count - 1)) for k in range(count))


def whole_rows(data: bytes) -> list[float]:
    """The time of each tick of which a log cut after `data` has the whole line (its end may lack), in order."""
    times = []
    for line in data.split(b"\n"):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        times += [row[2]] if isinstance(row, list) else []
    return times


def faults_of(log: bytes, cuts: Iterator[int], path: Path) -> list[str]:
    """What went wrong at each cut, in words; the cut log is written to `path`."""
    path.write_bytes(log)
    part = next(line for line in LogLines(path) if isinstance(line, dict))
    minds: dict[str, Mind] = {robot: mind_of_part(part, robot) for robot in part["frozen"]}
    first, wrong = log.index(b"\n"), []
    for cut in cuts:
        path.write_bytes(log[:cut])
        times = whole_rows(log[:cut])
        try:
            found = replay(path, lambda part, robot: minds[robot])
            accounts = read_accounts(path)
        except ValueError as error:
            if cut >= first:
                wrong.append(f"cut at byte {cut}: {error}")
            continue
        if found.difference is not None or found.ticks != len(times):
            wrong.append(f"cut at byte {cut}: {found.ticks} of {len(times)} ticks replayed; {found.difference}")
        if max((one.at for one in accounts.robots), default=0.0) != max(times, default=0.0):
            wrong.append(f"cut at byte {cut}: the account ends elsewhere")
        if bool(found.cut) != bool(accounts.cut):
            wrong.append(f"cut at byte {cut}: only one of the two says that it was cut")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.cuts", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many cuts (default 1000)")
    count = parser.parse_args().count
    with tempfile.TemporaryDirectory() as folder:
        log = write_log(Path(folder) / "run.jsonl")
        wrong = faults_of(log, places(len(log), count), Path(folder) / "cut.jsonl")
    sys.stdout.writelines(f"{line}\n" for line in wrong)
    sys.stdout.write(f"{count} cuts of a log of {len(log)} bytes: {len(wrong)} faults\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
