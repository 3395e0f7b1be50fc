"""The same rows from a Dask cluster on this machine; what is wrong with a cluster is reported in words."""

import sys
import warnings
from pathlib import Path

import pytest

from robotd.__main__ import main
from robotd.experiments.base import Cell
from robotd.experiments.jobs import RunJob
from robotd.experiments.runner import Request, run_experiment
from robotd.experiments.workers import ClusterError, check_address, on_worker, pack

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
    for name, limit_s, reason in (
        ("one", 600.0, "done"),
        ("prints", 600.0, "done"),
        ("dies", 600.0, "status -9"),
        ("hangs", 0.1, "within 0.1 s"),
    ):
        _, done = on_worker(pack(Fake(names=(name,))), RunJob(Cell(name), (1,), (1,)), limit_s)
        (row,) = done.rows
        assert reason in str(row["reason"])


def test_without_dask_the_error_names_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"pip install 'robotd\[cluster\]'"):
        run_experiment(Request(Fake(), 1, 1, tmp_path, scheduler="tcp://127.0.0.1:1"), "")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("nonsense", "missing port number"),
        ("foo://x:1", "unknown address scheme 'foo'"),
        ("tcp://x", "missing port number"),
        ("tcp://x:y", "invalid literal"),
        ("tcp://:8786", "no host, or no port from 1 to 65535"),
        ("tcp://x:65536", "no host, or no port from 1 to 65535"),
        ("tcp://x..y:8786", "label"),
        ("inproc://192.168.1.1/1/2", "host and port"),
        ("tls://x:8786", "no certificates"),
    ],
)
def test_an_address_that_is_none_is_refused_before_a_client_is_made_and_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], address: str, words: str
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "Client", lambda *_, **__: pytest.fail("a client was made"))
    out = tmp_path / "out"
    assert main(["experiment", "cleanup", "--runs", "1", "--scheduler", address, "--out", str(out)]) == 2
    reported = capsys.readouterr().err
    assert reported.startswith(f"robotd: --scheduler {address}: ")
    assert words in reported
    assert not out.exists()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "tcp://[::1]:8786", "localhost:8786", "ws://h:1"])
def test_an_address_that_may_be_one_is_let_through(address: str) -> None:
    pytest.importorskip("distributed")
    check_address(address)


def test_a_local_cluster_gives_the_same_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.chdir(ROOT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of Dask's own parts
        from distributed import LocalCluster

        with LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, protocol="tcp", host="127.0.0.1",
            dashboard_address=None, silence_logs=50,
        ) as cluster:  # fmt: skip
            request = Request(
                Fake(names=("one", "raises")), 1, 1, tmp_path / "a", scheduler=cluster.scheduler_address
            )
            run_experiment(request, "robotd experiment fake")
            monkeypatch.setattr("robotd.experiments.workers.RETRIES", 0)
            lost = Request(Unreadable(names=("one",)), 1, 1, tmp_path / "c", scheduler=cluster.scheduler_address)
            with pytest.raises(ClusterError, match=r"a job was given up: (?s:.*); finished runs are kept"):
                run_experiment(lost, "robotd experiment fake")
    do(tmp_path / "b", Fake(names=("one", "raises")), runs=1)
    for name in ("runs.csv", "summary.csv", "report.html"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
