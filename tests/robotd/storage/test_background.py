"""Disks that are slow, full or read-only hold up no tick; the log continues once there is room."""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from robotd.storage import background
from robotd.storage.background import BackgroundStore, LogFolder, Worker
from robotd.storage.document import RETRY_S, KeptDocument
from robotd.storage.store import MAX_BYTES, FileStore
from tests.patience import WAIT_S

PART = '{"part":0,"filler":"' + "x" * 80 + '"}'


def fails(number: int = 28, text: str = "No space left on device") -> Callable[[], None]:
    def job() -> None:
        raise OSError(number, text)

    return job


def settled(worker: Worker) -> None:
    """Wait until the worker has done everything it was given so far, without a change of its trouble."""
    trouble, done = [], threading.Event()

    def last() -> None:
        trouble.append(worker.trouble)
        done.set()
        if trouble[0]:
            raise OSError(0, trouble[0])

    assert worker.do(last)
    assert done.wait(WAIT_S)


@contextlib.contextmanager
def hanging(worker: Worker) -> Iterator[None]:
    """While it lasts, the worker is at a job that does not end: there is no more room than it has for others."""
    begun, over = threading.Event(), threading.Event()
    assert worker.do(lambda: begun.set() or (over.wait(2 * WAIT_S) and None))  # type: ignore[func-returns-value]
    assert begun.wait(WAIT_S)
    yield
    over.set()


# -- the thread


def test_jobs_run_in_order_and_all_of_them_before_it_is_closed() -> None:
    worker, done = Worker("test"), []
    for k in range(100):
        assert worker.do(lambda k=k: done.append(k))
    worker.close(WAIT_S)
    assert done == list(range(100))


def test_trouble_is_why_the_last_job_failed_and_ends_with_one_that_works() -> None:
    worker = Worker("test")
    worker.do(fails())
    settled(worker)
    assert worker.trouble == "No space left on device"
    worker.do(lambda: None)
    worker.close(WAIT_S)
    assert worker.trouble == ""


def test_a_text_that_has_no_bytes_is_trouble_and_not_the_end_of_the_thread() -> None:
    worker = Worker("test")
    worker.do(lambda: "\udcff".encode() and None)
    settled(worker)
    assert "surrogates not allowed" in worker.trouble
    assert worker._thread.is_alive()
    worker.close(WAIT_S)


def test_a_disk_that_hangs_holds_up_the_closing_no_longer_than_asked() -> None:
    worker, hang = Worker("test"), threading.Event()
    worker.do(lambda: hang.wait(2 * WAIT_S) and None)
    worker.close(0.05)
    assert worker._thread.is_alive()
    hang.set()
    worker._thread.join(WAIT_S)
    assert not worker._thread.is_alive()


def test_a_disk_that_is_too_slow_has_jobs_refused_which_is_trouble(monkeypatch) -> None:
    monkeypatch.setattr(background, "ROOM", 2)
    worker = Worker("test")
    with hanging(worker):
        assert [worker.do(lambda: None) for _ in range(3)] == [True, True, False]
        assert worker.trouble == "the disk is too slow: lines were dropped"


# -- the store


def test_what_is_saved_later_is_there_when_it_is_closed(tmp_path) -> None:
    store = BackgroundStore(tmp_path / "state")
    store.save("radio", {"stamp": 1})
    store.save("radio", {"stamp": 2})
    store.close(WAIT_S)
    assert FileStore(tmp_path / "state").load("radio") == {"stamp": 2}
    assert store.trouble == ""


def test_what_is_saved_now_or_set_aside_is_so_at_once(tmp_path) -> None:
    store = BackgroundStore(tmp_path)
    store.save_now("radio", {"stamp": 1})
    assert store.load("radio") == {"stamp": 1}
    store.set_aside("radio", "it is of another robot")
    assert (store.load("radio"), len(store.aside)) == (None, 1)
    store.close(WAIT_S)


def test_a_start_that_could_not_save_is_trouble_until_a_save_works(tmp_path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = BackgroundStore(tmp_path / "file")
    with pytest.raises(OSError, match="File exists"):
        store.save_now("radio", {})
    assert store.trouble
    store.save("radio", {})
    settled(store._worker)
    assert store.trouble  # still
    (tmp_path / "file").unlink()
    store.save("radio", {})
    store.close(WAIT_S)
    assert store.trouble == ""


@pytest.mark.parametrize("unfit", [{1, 2}, [float("nan")], {(1, 2): 3}, "x" * MAX_BYTES])
def test_a_document_that_is_no_json_fails_alone_until_it_is_one(tmp_path, unfit) -> None:
    store = BackgroundStore(tmp_path)
    store.save("learned", unfit)
    store.save("radio", {"stamp": 1})
    settled(store._worker)
    assert (store.is_pending("learned"), store.is_pending("radio")) == (True, False)
    assert (store.trouble, store.failure_of("radio")) == (store.failure_of("learned"), "")
    assert "cannot be saved as JSON" in store.trouble
    with pytest.raises(OSError, match="cannot be saved as JSON"):
        store.save_now("run", unfit)
    store.save("learned", [])
    store.save_now("run", [])
    settled(store._worker)
    assert (store.is_pending("learned"), store.trouble) == (False, "")
    store.close(WAIT_S)


def test_a_document_that_failed_is_saved_again_whatever_came_of_others(tmp_path) -> None:
    store, version = BackgroundStore(tmp_path), {"radio": 1, "run": 1}
    kept = [KeptDocument(store, name, partial(version.get, name), partial(version.get, name)) for name in version]

    def keep(now: float) -> tuple[bool, bool]:
        for document in kept:
            document.keep(now)
        settled(store._worker)
        return store.is_pending("radio"), store.is_pending("run")

    (tmp_path / "radio.json").mkdir()
    assert keep(0.0) == (True, False)
    version["run"] = 2
    (tmp_path / "radio.json").rmdir()
    assert keep(RETRY_S - 0.1) == (True, False)
    assert store.trouble
    assert keep(RETRY_S) == (False, False)
    assert (store.trouble, store.load("radio"), store.load("run")) == ("", 1, 2)
    store.close(WAIT_S)


def test_a_document_that_fails_at_the_end_does_not_keep_the_others_from_the_disk(tmp_path, monkeypatch) -> None:
    def refuse(self: FileStore, name: str, document: object) -> None:
        raise RuntimeError("dictionary changed size during iteration")

    store = BackgroundStore(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(FileStore, "save", refuse)
        for name, document in (("learned", {1, 2}), ("radio", 1), ("run", 2)):
            store.save(name, document)
        settled(store._worker)
    assert "changed size" in store.trouble
    store.close(WAIT_S)
    assert (store.load("learned"), store.load("radio"), store.load("run")) == (None, 1, 2)


def test_what_could_not_be_saved_is_saved_at_the_end_if_there_is_room_then(tmp_path) -> None:
    for room in (True, False):
        folder = tmp_path / str(room)
        folder.write_text("in the way")
        store = BackgroundStore(folder)
        store.save("radio", {"stop": 1})
        settled(store._worker)
        assert store.trouble
        if room:
            folder.unlink()
        store.close(WAIT_S)
        assert FileStore(folder).load("radio") == ({"stop": 1} if room else None)
        assert store.is_pending("radio") is not room


# -- the log's folder


class Log:
    """A log's folder, written to its end at each `flush`."""

    def __init__(self, folder: Path, robot: str = "blue", max_bytes: float = 1e6) -> None:
        self.folder = folder
        self.sink = LogFolder(folder, robot, max_bytes)

    def write(self, *lines: str) -> str:
        """Write and flush; the trouble thereafter."""
        for line in lines:
            self.sink.write(line)
        self.sink.flush()
        settled(self.sink._worker)
        return self.sink.trouble

    def files(self) -> list[str]:
        return sorted(path.name for path in self.folder.glob("*.jsonl"))

    def text(self, name: str) -> list[str]:
        return (self.folder / name).read_text(encoding="utf-8").splitlines()


Logs = Callable[..., Log]


@pytest.fixture
def logs(tmp_path: Path) -> Iterator[Logs]:
    """Makes logs in one folder, closed at the end of the test."""
    made: list[Log] = []

    def make(robot: str = "blue", max_bytes: float = 1e6, folder: str = "log") -> Log:
        made.append(Log(tmp_path / folder, robot, max_bytes))
        return made[-1]

    yield make
    for log in made:
        log.sink.close(WAIT_S)


@pytest.fixture
def log(logs: Logs) -> Log:
    return logs()


def test_each_part_is_a_file_of_its_own(log) -> None:
    assert log.write(PART, "[1]", "[2]") == ""
    log.write("[3]")
    log.write(PART, "[4]")
    assert log.files() == ["blue-000001-0000.jsonl", "blue-000001-0001.jsonl"]
    assert log.text("blue-000001-0000.jsonl") == [PART, "[1]", "[2]", "[3]"]
    assert log.text("blue-000001-0001.jsonl") == [PART, "[4]"]


def test_lines_are_kept_until_they_are_flushed_and_never_without_end(log, monkeypatch) -> None:
    monkeypatch.setattr(background, "ROOM", 50)
    log.sink.write(PART)
    settled(log.sink._worker)
    assert log.files() == []
    for _ in range(50):
        log.sink.write("[1]")
    settled(log.sink._worker)
    assert len(log.text("blue-000001-0000.jsonl")) == 50


def test_each_flush_is_on_the_disk_itself_so_that_a_power_cut_loses_no_more(log, monkeypatch) -> None:
    synced: list[str] = []
    monkeypatch.setattr(background.os, "fsync", lambda fd: synced.append(Path(f"/proc/self/fd/{fd}").read_text()))
    log.write(PART, "[1]")
    log.write("[2]")
    assert synced == [f"{PART}\n[1]\n", f"{PART}\n[1]\n[2]\n"]


def test_each_start_of_the_daemon_takes_the_next_number_whatever_the_clock_says(logs) -> None:
    for expected in (1, 2, 3):
        log = logs()
        log.write(PART)
        log.sink.close(WAIT_S)
        assert log.files()[-1] == f"blue-{expected:06d}-0000.jsonl"


def test_a_name_that_is_no_utf8_is_written_as_its_escape(log) -> None:
    assert log.write(PART, json.dumps(["port \udcff"], ensure_ascii=False)) == ""
    assert json.loads(log.text("blue-000001-0000.jsonl")[1]) == ["port \udcff"]


def test_the_oldest_files_go_when_all_exceed_their_share_and_no_sooner(logs) -> None:
    log = logs(max_bytes=350.0)
    for _ in range(3):
        log.write(PART)  # some 100 bytes each
    assert len(log.files()) == 3
    for _ in range(3):
        log.write(PART)
    assert log.files() == [f"blue-000001-{n:04d}.jsonl" for n in (2, 3, 4, 5)]


@pytest.mark.parametrize("most", [2e6, 20e6])
def test_with_the_part_that_is_written_a_log_takes_no_more_than_its_share(tmp_path, most) -> None:
    part = most / 4
    log = LogFolder(tmp_path, "blue", most, part)
    peak = 0
    for _ in range(6):
        log.write('{"part":0}')
        for _ in range(int(part / 50_000)):
            log.write("[" + "1" * 49_990 + "]")
        log.flush()
        done = threading.Event()
        log._worker.do(done.set)
        assert done.wait(WAIT_S)
        peak = max(peak, sum(path.stat().st_size for path in tmp_path.iterdir()))
    log.close(WAIT_S)
    assert 0.7 * most < peak <= 1.01 * most


def test_another_robots_files_in_the_same_folder_are_neither_removed_nor_counted(logs) -> None:
    logs("blue-two").write(PART, PART, PART)
    log = logs(max_bytes=150.0)
    for _ in range(4):
        log.write(PART)
    assert [name for name in log.files() if "two" in name] == [f"blue-two-000001-{n:04d}.jsonl" for n in range(3)]
    assert [name for name in log.files() if "two" not in name] == [
        "blue-000001-0002.jsonl",
        "blue-000001-0003.jsonl",
    ]


def test_on_a_full_disk_the_log_stops_and_reports_it_until_there_is_room_again(log) -> None:
    log.write(PART, "[1]")
    log.folder.joinpath("blue-000001-0001.jsonl").symlink_to("/dev/full")
    assert log.write(PART, "[2]") == "No space left on device"
    assert log.sink.lost
    assert log.write("[3]") == "No space left on device"  # a row without its part is worth nothing
    log.sink.lost = False
    assert log.write(PART, "[4]") == ""
    assert not log.sink.lost
    assert log.text("blue-000001-0000.jsonl") == [PART, "[1]"]
    assert log.text("blue-000001-0001.jsonl") == [PART, "[4]"]


def test_tries_on_a_full_disk_leave_no_empty_files(log) -> None:
    for _ in range(3):
        log.folder.mkdir(exist_ok=True)
        log.folder.joinpath("blue-000001-0000.jsonl").symlink_to("/dev/full")
        assert log.write(PART)
        assert log.files() == []


def test_a_folder_that_cannot_be_made_stops_the_log_and_not_the_robot(logs, tmp_path) -> None:
    (tmp_path / "file").write_text("in the way")
    log = logs(folder="file")
    assert log.write(PART, "[1]")
    assert log.sink.lost
    (tmp_path / "file").unlink()
    assert log.write(PART, "[2]") == ""
    assert log.files() == ["blue-000001-0000.jsonl"]


def test_lines_that_the_disk_is_too_slow_for_are_lost_and_reported(logs, monkeypatch) -> None:
    monkeypatch.setattr(background, "ROOM", 2)
    log = logs()
    with hanging(log.sink._worker):
        while log.sink._worker.do(lambda: None):
            assert not log.sink.lost
        log.sink.write(PART)
        log.sink.flush()
        assert (log.sink.lost, log.sink.trouble) == (True, "the disk is too slow: lines were dropped")
