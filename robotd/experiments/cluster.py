"""Jobs spread over a Dask cluster: each in a process of its own on the worker that takes it."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

from robotd.experiments.contract import Experiment
from robotd.experiments.identity import code
from robotd.experiments.plan import Done, Finished, Job
from robotd.experiments.worker import do, failed, late

RETRIES = 3  # times that a job is given to another worker, when the one that had it is gone
START_S = 60.0  # what importing everything may take on a loaded machine


class ClusterError(ValueError):
    """A cluster that cannot be used; the message says why, and what to do."""


def on_cluster(experiment: Experiment, jobs: Iterable[Job], address: str, limit_s: float) -> Finished:
    """Each job with what became of it, as they are finished; no logs are kept, as workers may be anywhere.

    ClusterError where Dask is not installed, nobody answers at `address`, the scheduler goes away or gives a job
    up, or a worker has other code than ours.
    """
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise ClusterError("--scheduler needs Dask: pip install 'robotd[cluster]'") from None
    try:
        client = Client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(f"--scheduler {address}: no Dask scheduler answers: {error}") from None
    with client:
        ours = code()
        sent = {
            client.submit(on_worker, experiment, job, limit_s, pure=False, retries=RETRIES): job for job in jobs
        }
        for future in as_completed(list(sent), loop=client.loop):
            if future.status != "finished":
                why = "it has gone" if future.cancelled() else f"a job was given up: {future.exception()}"
                raise ClusterError(
                    f"--scheduler {address}: {why}; finished runs are kept, and the same command goes on"
                )
            theirs, done = future.result()
            if theirs != ours:
                raise ClusterError(
                    f"--scheduler {address}: a worker has version {theirs} of the code, and here is {ours};"
                    " install the same one everywhere"
                )
            yield sent[future], done


def on_worker(experiment: Experiment, job: Job, limit_s: float) -> tuple[str, Done]:
    """On a Dask worker: the version of the code there, and a job done in a process of its own."""
    words = [sys.executable, "-m", "robotd.experiments.cluster"]
    try:
        ended = subprocess.run(  # noqa: S603 - ourselves
            words,
            input=pickle.dumps((experiment, job)),
            capture_output=True,
            timeout=limit_s + START_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return code(), late(job, limit_s)
    if ended.returncode:
        return code(), failed(job, f"its process ended with status {ended.returncode}")
    done: Done = pickle.loads(ended.stdout)  # noqa: S301 - from our own child
    return code(), done


def main() -> int:
    """In the child: the job comes in by standard input, it leaves, done, by standard output."""
    given: tuple[Any, Any] = pickle.load(sys.stdin.buffer)  # noqa: S301 - from our own parent
    sys.stdout.buffer.write(pickle.dumps(do(*given, None)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
