"""The same rows from a Dask cluster on this machine; what is wrong with a cluster is told in words."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pytest

from robotd.experiments.cluster import ClusterError, on_worker
from robotd.experiments.contract import Cell
from robotd.experiments.plan import Job
from robotd.experiments.runner import Request, conduct

from .fakes import Fake, do

ROOT = Path(__file__).parents[3]


class Unreadable(Fake):
    """An experiment that a worker cannot read, as one has it that lacks its package."""

    def __reduce__(self):
        return _read, ()


def _read():
    raise ModuleNotFoundError("no such module there")


def test_a_job_is_done_in_a_process_of_its_own_that_may_die_or_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("robotd.experiments.cluster.START_S", 1.5)
    for name, limit_s, reason in (
        ("one", 9.0, "done"),
        ("prints", 9.0, "done"),
        ("dies", 9.0, "status -9"),
        ("hangs", 0.1, "within 0.1 s"),
    ):
        _, done = on_worker(Fake((name,)), Job(Cell(name), (1,), (1,)), limit_s)
        (row,) = done.rows
        assert reason in str(row["reason"])


def test_without_dask_it_is_said_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"pip install 'robotd\[cluster\]'"):
        conduct(Request(Fake(), 1, 1, tmp_path, scheduler="tcp://127.0.0.1:1"), "")


def test_a_local_cluster_gives_the_same_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.chdir(ROOT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of Dask's own parts
        from distributed import LocalCluster

        with LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None, silence_logs=50
        ) as cluster:
            request = Request(Fake(("one", "raises")), 1, 1, tmp_path / "a", scheduler=cluster.scheduler_address)
            conduct(request, "robotd experiment fake")
            monkeypatch.setattr("robotd.experiments.cluster.RETRIES", 0)
            lost = Request(Unreadable(("one",)), 1, 1, tmp_path / "c", scheduler=cluster.scheduler_address)
            with pytest.raises(ClusterError, match=r"a job was given up: (?s:.*); finished runs are kept"):
                conduct(lost, "robotd experiment fake")
    do(tmp_path / "b", Fake(("one", "raises")), runs=1)
    for name in ("runs.csv", "summary.csv", "report.html"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
