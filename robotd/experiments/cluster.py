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
EXPECTED = "expected an address as the scheduler tells it, such as tcp://192.168.1.10:8786"
SECURE = ("tls", "wss")


class ClusterError(ValueError):
    """A cluster that cannot be used; the message says why, and what to do."""


def check_address(address: str) -> None:
    """ClusterError where Dask is not installed, or could not even try to connect to this address.

    A Dask client that fails for any other reason than that nobody answers waits without end to be closed.
    """
    try:
        from dask import config
        from distributed import Security
        from distributed.comm import get_address_host_port
        from distributed.comm.addressing import parse_address
    except ImportError:
        raise ClusterError("--scheduler needs Dask: pip install 'robotd[cluster]'") from None
    try:
        host, port = get_address_host_port(address)
        host.encode("idna")  # as it is looked up: too long a part of a name raises
    except ValueError as error:
        raise ClusterError(f"--scheduler {address}: {error}; {EXPECTED}") from None
    if not host or not 1 <= port <= 65535:
        raise ClusterError(f"--scheduler {address}: no host, or no port from 1 to 65535; {EXPECTED}")
    keyless = Security().get_connection_args("client").get("ssl_context") is None
    if parse_address(address)[0] in SECURE and keyless and not config.get("distributed.client.security-loader"):
        raise ClusterError(
            f"--scheduler {address}: no certificates; name them in Dask's configuration, distributed.comm.tls"
        )


def on_cluster(experiment: Experiment, jobs: Iterable[Job], address: str, limit_s: float) -> Finished:
    """Each job with what became of it, as they are finished; no logs are kept, as workers may be anywhere.

    `address`: one that passes `check_address`. ClusterError where nobody answers there, the scheduler goes away or
    gives a job up, or a worker has other code than ours.
    """
    from distributed import Client, as_completed

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
