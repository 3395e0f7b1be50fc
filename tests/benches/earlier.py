"""A whole simulated mission against an earlier revision, checked out beside this one, in turns.

The two may decide otherwise, so that a run lasts longer in one: what counts is processor time a simulated second.
"""

import io
import math
import statistics
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.benches.measure import Figure
from tests.compiled import COMPILED

ROOT = Path(__file__).parents[2]
REVISION = "fa0f0c5"
MISSION, SEED = "cleanup", 3
PAIRS = 5
BOUNDS = {"log": 2.1, "no log": 2.7} if COMPILED else {"log": 1.25, "no log": 1.45}
WORKER = """
import sys, time
from pathlib import Path
from robotd.api import simulate
mission, seed, log = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
simulate(mission, seed, duration_s=5.0)  # imports, first plans
for line in sys.stdin:
    what, duration_s = line.rsplit(maxsplit=1)
    before = time.process_time()
    outcome = simulate(mission, seed, duration_s=float(duration_s), log=log if what == "log" else None)
    print((time.process_time() - before) / outcome.duration_s, flush=True)
"""


def check_out(revision: str, folder: Path) -> None:
    """Put the files of a revision there, and what lists its plug-ins; RuntimeError where git has none."""
    done = subprocess.run(["git", "-C", ROOT, "archive", revision], capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"no revision {revision} to compare with: {done.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    about = folder / f"robotd-{project['version']}.dist-info"
    about.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: robotd\nVersion: {project['version']}\n"
    (about / "METADATA").write_text(metadata, encoding="utf-8")
    groups = project["entry-points"].items()
    lines = [line for group, own in groups for line in (f"[{group}]", *(f"{k} = {v}" for k, v in own.items()))]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


@contextmanager
def worker(tree: Path, log: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that simulates with the program in `tree` what it reads lines of."""
    words = [sys.executable, "-c", WORKER, MISSION, str(SEED), str(log)]
    pipe, environment = subprocess.PIPE, {"PYTHONPATH": str(tree)}
    with subprocess.Popen(words, cwd=tree, env=environment, stdin=pipe, stdout=pipe, text=True) as one:
        yield one


def cost(one: subprocess.Popen[str], what: str, duration_s: float) -> float:
    """Processor time a simulated second, s."""
    assert one.stdin is not None
    assert one.stdout is not None
    one.stdin.write(f"{what} {duration_s}\n")
    one.stdin.flush()
    return float(one.stdout.readline())


def run(duration_s: float = math.inf, pairs: int = PAIRS) -> list[Figure]:
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        check_out(REVISION, folder / "earlier")
        trees = {"earlier": folder / "earlier", "now": ROOT}
        both = [stack.enter_context(worker(tree, folder / f"{which}.jsonl")) for which, tree in trees.items()]
        figures = []
        for what, bound in BOUNDS.items():
            measured = [[cost(one, what, duration_s) for one in both] for _ in range(pairs)]
            ratios = sorted(earlier / now for earlier, now in measured)
            now_ms = statistics.median(now for _, now in measured) * 1e3
            found = statistics.median(ratios)
            detail = f"{ratios[0]:.2f} to {ratios[-1]:.2f}; now {now_ms:.1f} ms of processor a simulated second"
            name = f"whole {MISSION}, {what}, against {REVISION}"
            figures.append(Figure(name, found, "x", f"at least {bound:g}", found >= bound, detail))
    return figures
