"""Line 3: damaged input for all decoders."""

from __future__ import annotations

import re
import sys

from tests.accept.check import Check, Found, passed
from tests.accept.desk import ROOT, Desk

COUNT, QUICK = 10_000_000, 200_000
LIMIT_S = 6 * 3600.0
NOTICED = ("tests/hostile", "-k", "not libfuzzer")  # which is skipped where atheris is not installed


def fuzzed(desk: Desk) -> Found:
    """All inputs; an interrupted campaign goes on where it was."""
    count = desk.fewer(COUNT, QUICK)
    words = ("--count", str(count), "--jobs", str(desk.jobs), "--state", str(desk.folder / f"fuzz-{count}.jsonl"))
    ran = desk.run(sys.executable, "-m", "tests.hostile", *words, timeout_s=LIMIT_S)
    done = [int(number) for number in re.findall(r": (\d+) inputs; ", ran.out)]
    failures = len(ran.err.splitlines())
    figure = f"{sum(done)} inputs to {len(done)} decoders, {failures} raised or believed {ran.err.strip()[:200]}"
    bound = f"{count}, none raised or believed"
    return Found(figure.strip(), bound, ran.code == 0 and sum(done) == count and not failures)


def in_ci(desk: Desk) -> Found:
    """A short run for each change."""
    words = re.findall(
        r"^make fuzz COUNT=(\d+)$", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE
    )
    return Found(f"{', '.join(words) or 'no'} inputs for each change", "a short run", len(words) == 1)


def noticed(desk: Desk) -> Found:
    """What raises, or is believed, is found and told."""
    return passed(desk, *NOTICED)


CHECKS = (
    Check("3.1", "no damaged input raises or is believed", f"make fuzz COUNT={COUNT}", fuzzed),
    Check("3.2", "a short run in CI", "cat .ci/run", in_ci),
    Check("3.3", "what raises or is believed would be noticed", f"pytest {' '.join(NOTICED)}", noticed),
)
