"""Line 8: damaged input for every board's driver."""

from __future__ import annotations

import re
import sys

from tests.accept.check import Check, Found
from tests.accept.desk import Desk

INPUTS, QUICK = 10_000_000, 20_000


def fuzzed(desk: Desk) -> Found:
    """So many inputs in all, and what became of them."""
    count = desk.fewer(INPUTS, QUICK)
    state = desk.folder / f"fuzz-boards-{count}.jsonl"
    words = ("--what", "boards", "--count", str(count), "--jobs", str(desk.jobs), "--state", str(state))
    ran = desk.run(sys.executable, "-m", "tests.hostile", *words, timeout_s=24 * 3600.0)
    done = sum(map(int, re.findall(r": (\d+) inputs", ran.out)))
    figure = f"exit {ran.code}; {done} inputs, {ran.out.count('board ')} decoders; {ran.err or 'nothing raised'}"
    return Found(figure, f"{count} inputs, none raised", ran.code == 0 and done == count)


CHECKS = (Check("8.1", "make fuzz over all board decoders", "make fuzz WHAT=boards", fuzzed),)
