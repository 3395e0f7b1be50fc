"""The runner: killed, interrupted, in shares, by one process or two, it ends with the same bytes."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from robotd.__main__ import main
from robotd.experiments import runner, workers
from robotd.experiments.base import Cell, run_seed
from robotd.experiments.jobs import Shard, all_runs, do_job, jobs, shard_of, versions
from robotd.experiments.rows import RunRow
from robotd.experiments.runner import ExperimentError, FolderError, Request, run_experiment
from robotd.timing.clock import monotonic
from tests.patience import LONG_S, WAIT_S

from .fakes import Fake, bytes_of, do

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What an undisturbed run by one process writes: two cells, six runs each."""
    out = tmp_path_factory.mktemp("whole")
    do(out, runs=6)
    return bytes_of(out)


def lines(out: Path) -> int:
    journal = out / "journal.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition) -> None:
    end = monotonic() + 2 * WAIT_S
    while not condition():
        assert monotonic() < end
        threading.Event().wait(0.01)


def test_runs_are_sorted_by_cell_and_number_with_the_same_seeds_in_each_cell(tmp_path: Path, whole) -> None:
    text = whole["runs.csv"].decode().splitlines()
    assert text[0] == "cell,run,seed,letters,coordinator,accomplished,reason,value,versions,half"
    assert text[1:3] == [f"one,{k},{k},3,alliance,true,done,{10 * k},{versions()},{k / 2}" for k in (1, 2)]
    assert [line.split(",")[:3] for line in text[1:]] == [
        [cell, str(run), str(run)] for cell in ("one", "two") for run in range(1, 7)
    ]
    assert set(whole) == {
        "runs.csv", "summary.csv", "report.html", "figures/f.svg", "logs/one-1.jsonl", "logs/two-1.jsonl",
    }  # fmt: skip


def test_workers_import_nothing_from_the_working_folder(
    tmp_path: Path, whole, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("socket", "pickle", "random", "multiprocessing"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit\n")
    monkeypatch.chdir(tmp_path)
    do(tmp_path / "out", runs=6, workers=2)
    assert bytes_of(tmp_path / "out") == whole
    assert "PYTHONSAFEPATH" not in os.environ


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_runner_that_is_killed_in_mid_run_goes_on_to_the_same_bytes(tmp_path: Path, whole, how: int) -> None:
    words = [sys.executable, "-m", "tests.robotd.experiments.fakes", str(tmp_path), "3"]
    runner = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.DEVNULL)
    wait_for(lambda: lines(tmp_path) >= 4)  # its first line, and three runs
    pids = children(runner.pid)
    os.kill(runner.pid, how)
    assert runner.wait() != 0
    wait_for(lambda: not any(lives(pid) for pid in pids))
    kept = lines(tmp_path)
    assert kept < 13
    assert "runs.csv" not in bytes_of(tmp_path)
    do(tmp_path, runs=6)
    assert lines(tmp_path) == 13
    assert bytes_of(tmp_path) == whole


def test_what_is_finished_is_not_done_again_but_for_a_last_line_that_was_cut(tmp_path: Path, whole) -> None:
    journal = tmp_path / "journal.jsonl"
    do(tmp_path, runs=2)
    before = journal.read_bytes()
    do(tmp_path, runs=2)
    assert journal.read_bytes() == before
    do(tmp_path, runs=6)
    assert journal.read_bytes().startswith(before)
    assert bytes_of(tmp_path) == whole
    journal.write_bytes(journal.read_bytes()[:-20])
    do(tmp_path, runs=6)
    assert (bytes_of(tmp_path), lines(tmp_path)) == (whole, 13)


def test_progress_begins_with_what_is_done_already_and_counts_each_run(tmp_path: Path) -> None:
    shown: list[tuple[int, int]] = []
    for runs in (2, 3):
        shown.clear()
        run_experiment(Request(Fake(), runs, 1, tmp_path), "", lambda done, total: shown.append((done, total)))
        own = 2 if runs == 3 else 4  # of two cells
        assert shown == [(2 * runs - own + k, 2 * runs) for k in range(own + 1)]


def test_what_a_killed_process_left_of_a_log_is_gone_afterwards(tmp_path: Path, whole) -> None:
    left = tmp_path / "logs" / "one-1.jsonl.99999"
    left.parent.mkdir()
    left.write_text("half a l")
    do(tmp_path, runs=6)
    assert bytes_of(tmp_path) == whole
    dying = tmp_path / "dying"
    do(dying, Fake(names=("logs-and-dies",)), runs=1)
    assert list((dying / "logs").iterdir()) == []


def test_shares_make_up_the_whole_and_merge_in_one_folder(tmp_path: Path, whole) -> None:
    first = do(tmp_path, runs=6, shard=Shard(1, 2))
    assert (len(first.rows), first.left) == (6, 6)
    second = do(tmp_path, runs=6, shard=Shard(2, 2))
    assert (len(second.rows), second.left) == (12, 0)
    assert bytes_of(tmp_path) == whole
    do(tmp_path / "rest", runs=6, shard=Shard(2, 3))
    do(tmp_path / "rest", runs=6)  # what shares have left
    assert (bytes_of(tmp_path / "rest"), lines(tmp_path / "rest")) == (whole, 9)


def test_a_share_without_the_first_cell_compares_nothing_with_it(tmp_path: Path) -> None:
    share = do(tmp_path, Fake(names=("one", "two", "three", "four")), runs=2, shard=Shard(2, 2))
    assert {row["cell"] for row in share.rows} == {"two", "four"}
    head, *body = (tmp_path / "summary.csv").read_text().splitlines()
    assert head == "cell,measure,runs,mean,low,high,median"
    assert len(body) == 6
    whole = do(tmp_path, Fake(names=("one", "two", "three", "four")), runs=2)
    compared = {line["cell"] for line in whole.summary if "ratio" in line}
    assert compared == {"two", "three", "four"}


class Timed(Fake):
    """Runs have a duration, as the command prints it."""

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[RunRow]:
        return [{**row, "duration_s": 10.0 * len(cell.name)} for row in super().run(cell, seeds, log)]


def test_the_command_compares_with_a_baseline_only_where_that_has_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("robotd.experiments.file.find_experiment", lambda name: Timed(names=("one", "three")))
    words = ["experiment", "fake", "--runs", "1", "--jobs", "1", "--out", str(tmp_path)]
    assert main([*words, "--shard", "2/2"]) == 0
    assert "three: 1 of 1 accomplished, mean 50 s\n" in capsys.readouterr().out
    assert main(words) == 0
    assert "three: 1 of 1 accomplished, mean 50 s, 1.67 times that of 'one'\n" in capsys.readouterr().out


def test_shares_never_meet_whatever_is_done() -> None:
    fake = Fake(batch=2)
    parts = [
        [(j.cell.name, run) for j in jobs(fake, 5, 1, "drawn", Shard(k, 3), {("one", 1)}) for run in j.runs]
        for k in (1, 2, 3)
    ]
    assert sorted(key for part in parts for key in part) == [
        k for k in all_runs(fake.cells(), 5) if k != ("one", 1)
    ]
    assert shard_of("2/4") == Shard(2, 4)
    for wrong in ("0/4", "5/4", "1", "a/b", "1/0", "-1/2"):
        with pytest.raises(ValueError, match="expected I/N"):
            shard_of(wrong)


def test_a_batch_gives_the_rows_of_single_runs(tmp_path: Path, whole) -> None:
    do(tmp_path, Fake(batch=4, logged=0), runs=6)
    for name in ("runs.csv", "summary.csv"):
        assert bytes_of(tmp_path)[name] == whole[name]


def test_a_run_that_hangs_dies_or_raises_is_a_row_and_the_others_are_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = Fake(names=("one", "hangs", "dies", "raises", "endless"), limit_s=600.0)
    # Its time is up once the others are done, however long that takes.
    monkeypatch.setattr(workers, "monotonic", lambda: monotonic() + (lines(tmp_path) >= 5) * fake.limit_s)
    rows = do(tmp_path, fake, runs=1, workers=2).rows
    assert [(row["cell"], row["accomplished"], row["reason"]) for row in rows] == [
        ("one", True, "done"), ("hangs", False, "not finished within 600 s of real time"),
        ("dies", False, "its process ended with status -9"), ("raises", False, "ArithmeticError: no such number"),
        ("endless", False, "value is inf"),
    ]  # fmt: skip
    page = (tmp_path / "report.html").read_text()
    assert "not finished within 600 s" in page
    assert "Runs without success" in page


def test_what_did_not_start_or_end_in_time_is_done_again_by_the_next_command_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reasons(limit_s: float, takes_s: float = 0.0) -> list[str]:
        request = Request(Fake(names=("one",), takes_s=takes_s), 1, 1, tmp_path, limit_s=limit_s)
        return [str(row["reason"]) for row in run_experiment(request, "").rows]

    with monkeypatch.context() as patched:
        patched.setattr(workers, "START_S", 0.0)
        never = [sys.executable, "-c", "import signal; signal.pause()"]
        patched.setattr(workers, "module_command", lambda *_: never)
        assert reasons(LONG_S) == ["its process did not start within 0 s"]
    assert reasons(0.1, LONG_S) == ["not finished within 0.1 s of real time"]
    assert reasons(LONG_S) == reasons(0.1) == ["done"]


def test_a_runner_that_is_held_up_past_all_limits_takes_what_came_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(pipes: list[Connection], timeout: float) -> list[Connection]:
        assert all(pipe.poll(WAIT_S) for pipe in pipes)
        return []

    monkeypatch.setattr(workers, "wait", late)
    monkeypatch.setattr(workers, "START_S", 0.0)
    found = run_experiment(Request(Fake(), 1, 1, tmp_path, workers=2, limit_s=1e-6), "")
    assert [row["reason"] for row in found.rows] == ["done", "done"]


def test_a_cell_of_a_long_name_keeps_its_log_and_two_that_differ_at_the_end_have_two(tmp_path: Path) -> None:
    names = [f"events={'1 remove amber; ' * 30}{end}" for end in ("a", "ö")]
    rows = do(tmp_path, Fake(names=names), runs=1).rows
    assert [row["reason"] for row in rows] == ["done", "done"]
    assert len(list((tmp_path / "logs").iterdir())) == 2


def test_a_run_that_fails_for_want_of_disk_space_is_done_again_by_the_next_command(tmp_path: Path) -> None:
    first = do(tmp_path, Fake(names=("full",)), runs=2)
    assert (first.repeat, first.left) == (2, 0)
    assert {str(row["reason"]) for row in first.rows} == {"OSError: [Errno 28] No space left on device"}
    assert do(tmp_path, Fake(names=("full",)), runs=2).repeat == 2
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "logs").touch()
    assert do(tmp_path / "a", Fake(names=("one",)), runs=2).repeat == 1
    (tmp_path / "a" / "logs").unlink()
    again = do(tmp_path / "a", Fake(names=("one",)), runs=2)
    assert (again.repeat, [row["reason"] for row in again.rows]) == (0, ["done", "done"])
    assert len(list((tmp_path / "a" / "logs").iterdir())) == 1


@pytest.mark.parametrize("method", ["cells", "summary", "claims", "tables", "figures"])
def test_what_an_experiments_own_code_raises_is_reported_with_its_place_and_its_rows_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    def fail(self: Fake, *of: object) -> None:
        raise KeyError("missing")

    monkeypatch.setattr(
        runner, "in_processes", lambda of, waiting, *_: ((job, do_job(of, job, None)) for job in waiting)
    )
    monkeypatch.setattr(Fake, method, fail)
    with pytest.raises(ExperimentError, match=r"experiment fake: KeyError: 'missing' \(.*, line \d+, in \w+\)"):
        do(tmp_path, runs=1)
    assert (tmp_path / "runs.csv").exists() == (method != "cells")


def test_seeds_are_drawn_from_seed_and_run_and_two_seeds_share_none(tmp_path: Path) -> None:
    drawn = [{run_seed(seed, run, "drawn") for run in range(1, 1001)} for seed in range(1, 6)]
    assert len(set.union(*drawn)) == 5000
    assert run_seed(7, 3, "consecutive") == 9
    fake = Fake(published_seed=1)
    rules = [Request(fake, 1, seed, tmp_path, seeds=rule).rule for seed, rule in (
        (1, None), (2, None), (1, "drawn"), (2, "consecutive"),
    )]  # fmt: skip
    assert rules == ["consecutive", "drawn", "drawn", "consecutive"]
    rows = run_experiment(Request(fake, 2, 2, tmp_path), "").rows
    assert [row["seed"] for row in rows] == 2 * [run_seed(2, run, "drawn") for run in (1, 2)]
    with pytest.raises(FolderError, match="another rule"):
        run_experiment(Request(fake, 2, 2, tmp_path, seeds="consecutive"), "")


def test_what_a_run_prints_is_kept_off_standard_output(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    do(tmp_path, Fake(names=("prints",)), runs=1)
    reported = capfd.readouterr()
    assert (reported.out, reported.err) == ("", "a plug-in's word\n")


@pytest.mark.parametrize(
    ("other", "seed", "word"),
    [
        (Fake(name="fake2"), 1, "another experiment"),
        (Fake(mark="x"), 1, "other files"),
        (Fake(), 2, "another seed"),
    ],
)
def test_a_folder_of_something_else_is_refused_and_left_alone(
    tmp_path: Path, other: Fake, seed: int, word
) -> None:
    do(tmp_path, runs=1)
    before = bytes_of(tmp_path)
    with pytest.raises(FolderError, match=f"holds the runs of .*{word}.*choose another folder with --out"):
        run_experiment(Request(other, 1, seed, tmp_path), "")
    assert bytes_of(tmp_path) == before


def test_other_code_and_files_of_others_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    do(tmp_path / "a", runs=1)
    (tmp_path / "runs.csv").write_text("mine")
    with pytest.raises(FolderError, match="no experiment has written this"):
        do(tmp_path, runs=1)
    assert (tmp_path / "runs.csv").read_text() == "mine"
    monkeypatch.setattr("robotd.experiments.jobs.code", lambda: "0123456789ab")
    with pytest.raises(FolderError, match="another version of the code"):
        do(tmp_path / "a", runs=1)


@pytest.mark.parametrize("line", ["{}", "not JSON", '{"cell": "one", "runs": [1, 2], "rows": [{}], "cpu_s": 0}'])
def test_a_line_of_the_journal_that_was_spoilt_is_reported_with_its_number(tmp_path: Path, line: str) -> None:
    do(tmp_path, runs=1)
    journal = tmp_path / "journal.jsonl"
    journal.write_text(journal.read_text() + line + "\n")
    with pytest.raises(FolderError, match=r"journal\.jsonl:4: it is no finished run; delete the line"):
        do(tmp_path, runs=1)


def test_two_runners_in_one_folder_do_not_meet(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tests.robotd.experiments.fakes", str(tmp_path), "0"]
    runner = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: lines(tmp_path) >= 1)
        with pytest.raises(FolderError, match="running already"):
            do(tmp_path, runs=6)
    finally:
        runner.kill()
        runner.wait()


def test_the_object_for_programs_counts_runs_and_violations_and_leaves_out_long_tables(tmp_path: Path) -> None:
    result = do(tmp_path, Fake(batch=300, logged=0), runs=501)
    reported = result.as_json(Fake())
    assert list(reported) == ["experiment", "claims", "summary", "files"]
    assert reported["claims"][0]["holds"] == reported["claims"][0]["runs"] == 501
    assert reported["summary"]["runs"] == 1002
    assert "violations" not in reported["summary"]
    counting = type(result)([{"cell": "one", "violations": 2}, {"cell": "one"}], [], 0, [])
    reported = counting.as_json(Fake())
    assert (reported["summary"]["violations"], len(reported["runs"])) == (2, 2)
    assert json.loads(json.dumps(reported)) == reported


def test_speed_is_measured_but_in_no_table_and_in_the_report_only_where_that_is_asked_for(
    tmp_path: Path, whole
) -> None:
    result = do(tmp_path / "timed", Fake(batch=3, logged=0, timed=True), runs=6)
    assert result.as_json(Fake())["summary"]["runs_per_core_s"] > 0.0
    written = bytes_of(tmp_path / "timed")
    assert b"runs per second and core" in written["report.html"]
    assert (written["runs.csv"], written["summary.csv"]) == (whole["runs.csv"], whole["summary.csv"])
    assert b"per second and core" not in whole["report.html"]
    again = do(tmp_path / "timed", Fake(batch=3, logged=0, timed=True), runs=6)
    assert again.runs_per_core_s == result.runs_per_core_s  # the journal keeps what was measured
    assert bytes_of(tmp_path / "timed") == written
    lost = do(tmp_path / "lost", Fake(names=("dies",)), runs=1)
    assert "runs_per_core_s" not in lost.as_json(Fake())["summary"]
