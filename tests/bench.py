"""`make bench`: what is promised about speed, as ratios measured in one run; status 1 where one is missed."""

import argparse
import dataclasses
import importlib
import json
import sys
from collections.abc import Sequence

from tests.benches.measure import Figure

BENCHES = ("ticks", "simulation", "abstract", "step", "startup", "frames", "create2", "auction", "http")
GROWTH = ("growth_teams", "growth_tasks", "growth_logs")
LONG = ("earlier", "growth", *GROWTH)  # only where they are named; growth is its three parts


def line_of(figure: Figure) -> str:
    """One line of the table."""
    met = {True: "met", False: "MISSED", None: ""}[figure.met]
    return f"{figure.name:<40} {figure.value:8.2f} {figure.unit:<4} {figure.bound:<14} {met:<7} {figure.detail}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run all benchmarks, or those named; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    names = f"of {', '.join(BENCHES)} (default: all), or {', '.join(LONG)}"
    parser.add_argument("bench", nargs="*", metavar="BENCH", help=names)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    unknown = sorted(set(options.bench) - {*BENCHES, *LONG})
    if unknown:
        parser.error(f"no benchmark is called {', '.join(unknown)}; there are: {', '.join((*BENCHES, *LONG))}")
    figures: list[Figure] = []
    named = options.bench or BENCHES
    for name in [part for one in named for part in (GROWTH if one == "growth" else (one,))]:
        found = importlib.import_module(f"tests.benches.{name}").run()
        figures += found
        if not options.json:
            sys.stdout.write("".join(f"{line_of(figure)}\n" for figure in found))
            sys.stdout.flush()
    missed = [figure.name for figure in figures if figure.met is False]
    if options.json:
        document = {"figures": [dataclasses.asdict(figure) for figure in figures], "missed": missed}
        sys.stdout.write(json.dumps(document) + "\n")
    if missed:
        sys.stderr.write(f"missed: {'; '.join(missed)}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
