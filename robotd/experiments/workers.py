"""Processes that do jobs: on this machine, one job each at a time, or on the workers of a Dask cluster.

A process that dies or hangs is replaced, and its job fails.
"""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from queue import SimpleQueue

from robotd.experiments.base import Experiment
from robotd.experiments.jobs import Finished, JobResult, RunJob, code, do_job, fail, fail_late, remove_log_drafts
from robotd.files.paths import module_command
from robotd.files.plugins import load_files
from robotd.timing.clock import monotonic

START_S = 60.0  # what importing everything may take on a loaded machine, before a worker's first job
RETRIES = 3  # times that a job is given to another worker of a cluster, when the one that had it is gone
EXPECTED = "expected an address as the scheduler prints it, such as tcp://192.168.1.10:8786"
SECURE = ("tls", "wss")


class ClusterError(ValueError):
    """A cluster that cannot be used; the message says why, and what to do."""


Packed = tuple[Sequence[str], bytes]
"""An experiment on its way to another process: the plug-in files that its class comes from, and its pickle."""


def pack(experiment: Experiment) -> Packed:
    """What `unpack` takes in another process."""
    return experiment.plugins, pickle.dumps(experiment)


def unpack(packed: Packed) -> Experiment:
    """The experiment; its plug-in files are loaded first, so that its class is found."""
    files, data = packed
    load_files(Path(name) for name in files)
    experiment: Experiment = pickle.loads(data)  # noqa: S301 - from the process that started this one
    return experiment


def serve(pipe: Connection) -> None:
    """A worker process: it receives an experiment and where logs go, sends None once it is ready, then results."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # control-C is for the runner, which ends its workers
    packed, folder = pipe.recv()
    experiment, jobs = unpack(packed), SimpleQueue[RunJob]()
    threading.Thread(target=_receive, args=(pipe, jobs), daemon=True).start()
    with contextlib.suppress(OSError):
        pipe.send(None)
        while True:
            pipe.send(do_job(experiment, jobs.get(), folder))


def _receive(pipe: Connection, jobs: SimpleQueue[RunJob]) -> None:
    """Take jobs, and end with the runner: one that was killed cannot end its workers."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            jobs.put(pipe.recv())
    os._exit(1)


class _Worker:
    """A process with the job that it does, or will do as soon as it has reported that it is ready."""

    def __init__(self, packed: Packed, job: RunJob, folder: Path | None) -> None:
        self.job, self.deadline, self.ready = job, monotonic() + START_S, False
        self.pipe, theirs = Pipe()
        words = module_command("robotd.experiments.workers", str(theirs.fileno()))
        self.process = subprocess.Popen(words, pass_fds=[theirs.fileno()])  # noqa: S603
        theirs.close()
        self.pipe.send((packed, folder))

    def take(self, job: RunJob, limit_s: float) -> None:
        """Begin a job."""
        self.job, self.deadline = job, monotonic() + limit_s
        with contextlib.suppress(OSError):  # a process that died while idle is detected by its closed pipe
            self.pipe.send(job)

    def end(self) -> None:
        """Kill the process, whatever it does."""
        self.process.kill()
        self.process.wait()
        self.pipe.close()


def in_processes(
    experiment: Experiment, jobs: Iterable[RunJob], workers: int, folder: Path | None, limit_s: float
) -> Finished:
    """Each job with its result, as they end; one takes `limit_s` at most. Closing kills what still runs."""
    waiting, packed = iter(jobs), pack(experiment)
    pool: list[_Worker] = []
    try:
        while True:
            while len(pool) < workers and (job := next(waiting, None)) is not None:
                pool.append(_Worker(packed, job, folder))
            if not pool:
                return
            timeout = max(0.0, min(worker.deadline for worker in pool) - monotonic())
            wait([worker.pipe for worker in pool], timeout)
            for worker in list(pool):
                job, done = worker.job, _done(worker, limit_s)
                if done is None:
                    continue
                following = next(waiting, None) if worker.ready else None
                if following is not None:
                    worker.take(following, limit_s)
                else:
                    pool.remove(worker)
                    worker.end()
                    if folder is not None:
                        remove_log_drafts(experiment, job, folder)
                yield job, done
    finally:
        for worker in pool:
            worker.end()


def _done(worker: _Worker, limit_s: float) -> JobResult | None:
    """The result of a worker's job, None while it lasts; one that is dead or late is no longer `ready`.

    What is there once its time is up came in time, however late this process looks.
    """
    late = monotonic() >= worker.deadline
    if worker.pipe.poll():
        try:
            done: JobResult | None = worker.pipe.recv()
        except (EOFError, OSError):
            worker.ready = False
            return fail(worker.job, f"its process ended with status {worker.process.wait()}")
        if done is None:
            worker.ready = True
            worker.take(worker.job, limit_s)
        return done
    if not late:
        return None
    was_ready, worker.ready = worker.ready, False
    if was_ready:
        return fail_late(worker.job, limit_s)
    return fail(worker.job, f"its process did not start within {START_S:g} s", repeat=True)


def check_address(address: str) -> None:
    """ClusterError where Dask is not installed, or could not even try to connect to this address.

    A Dask client that fails for any other reason than that nothing answers waits without end to be closed.
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
        where = "name them in Dask's configuration, distributed.comm.tls"
        raise ClusterError(f"--scheduler {address}: no certificates; {where}")


def on_cluster(experiment: Experiment, jobs: Iterable[RunJob], address: str, limit_s: float) -> Finished:
    """Each job with its result, as they are finished; no logs are kept, as workers may be anywhere.

    `address`: one that passes `check_address`. ClusterError where nothing answers there, the scheduler goes away
    or gives a job up, or a worker has other code than ours.
    """
    from distributed import Client, as_completed

    try:
        client = Client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(f"--scheduler {address}: no Dask scheduler answers: {error}") from None
    with client:
        ours, packed = code(), pack(experiment)
        sent = {client.submit(on_worker, packed, job, limit_s, pure=False, retries=RETRIES): job for job in jobs}
        for future in as_completed(list(sent), loop=client.loop):
            if future.status != "finished":
                why = "it has gone" if future.cancelled() else f"a job was given up: {future.exception()}"
                kept = "finished runs are kept, and the same command does the others"
                raise ClusterError(f"--scheduler {address}: {why}; {kept}")
            theirs, done = future.result()
            if theirs != ours:
                why = f"a worker has version {theirs} of the code, and here is {ours}"
                raise ClusterError(f"--scheduler {address}: {why}; install the same one everywhere")
            yield sent[future], done


def on_worker(packed: Packed, job: RunJob, limit_s: float) -> tuple[str, JobResult]:
    """On a Dask worker: the version of the code there, and a job done in a process of its own."""
    experiment = unpack(packed)  # a worker that lacks its package gives the job up, rather than fail every run
    ((_, done),) = in_processes(experiment, [job], 1, None, limit_s)
    return code(), done


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
