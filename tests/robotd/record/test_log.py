"""The file of a run log: strict JSON, parts that stand alone, and what is said of damage."""

import contextlib
import errno
import json
from pathlib import Path

import pytest

from robotd.model.command import Command
from robotd.model.inputs import Inputs
from robotd.model.senses import Capabilities, Senses
from robotd.record.log import FORMAT, FileSink, RunLog, about_run
from robotd.record.reading import LogLines
from robotd.record.rows import COLUMNS, RowReader
from tests.robotd.record.test_rows import DECISION

MISSION = {"name": "tidy"}


def lines_of(path):
    lines = LogLines(path)
    return list(lines), lines.cut


class Frozen:
    def __init__(self):
        self.asked = 0

    def freeze(self):
        self.asked += 1
        return self.asked


def small_log(path, ticks, part_bytes):
    sink = FileSink(path)
    log = RunLog(sink, about_run(MISSION, 1, 7, {}), part_bytes)
    log.register("red", Frozen())
    for n in range(ticks):
        log.begin_tick(n / 2)
        log.tick("red", Inputs(n / 2, n, Senses(), Capabilities()), (), (), DECISION, DECISION.wanted)
    return sink, log


def test_a_log_is_strict_json_line_by_line(log):
    def refuse(name):
        raise AssertionError(f"{name} is no JSON")

    for line in log.read_text(encoding="utf-8").splitlines():
        assert isinstance(json.loads(line, parse_constant=refuse), list | dict)


def test_a_part_begins_before_its_first_tick_with_all_that_replay_needs(log):
    lines, cut = lines_of(log)
    parts = [line for line in lines if isinstance(line, dict) and "part" in line]
    assert cut == ""
    assert lines[0] is parts[0]
    assert [part["part"] for part in parts] == list(range(len(parts)))
    assert len(parts) > 3
    for part in parts:
        assert set(part["frozen"]) == {"green", "blue", "gold"}
        assert (part["format"], part["columns"], part["seed"]) == (FORMAT, list(COLUMNS), 1)
        assert part["mission"]["name"] == "small"


def test_each_part_can_be_read_without_those_before_it(log):
    readers, read = {}, 0
    for line in lines_of(log)[0]:
        if isinstance(line, list):
            readers[line[0]].read(line)
            read += 1
        elif "part" in line:
            readers = {robot: RowReader() for robot in line["frozen"]}
    assert read == 2 * 200 + 80  # blue was killed


def test_a_file_that_a_run_writes_is_no_other_runs_until_it_ends(tmp_path):
    path = tmp_path / "run.jsonl"
    first = FileSink(path)
    first.write("[1]")
    with pytest.raises(OSError, match="another run") as refused:
        FileSink(path)
    assert (refused.value.errno, refused.value.filename) == (errno.EBUSY, str(path))
    first.close()
    assert path.read_text() == "[1]\n"
    FileSink(path).close()
    assert path.read_text() == ""
    with contextlib.closing(FileSink(Path("/dev/null"))), contextlib.closing(FileSink(Path("/dev/null"))):
        pass  # what keeps nothing is anybody's


def test_a_part_holds_about_as_many_bytes_as_it_was_given(tmp_path):
    sink, _ = small_log(tmp_path / "run.jsonl", 400, 5_000)
    sink.close()
    sizes = [len(part) for part in (tmp_path / "run.jsonl").read_text(encoding="utf-8").split('{"part":')[1:]]
    assert len(sizes) > 3
    assert all(4_990 <= size < 5_200 for size in sizes[:-1])


@pytest.mark.parametrize(("lost", "parts"), [("begin_part", [0, 1, 2]), ("restart", [0, 1])])
def test_lines_that_a_disk_lost_begin_a_part_each_time_and_lost_ticks_only_now_and_then(tmp_path, lost, parts):
    sink, log = small_log(tmp_path / "run.jsonl", 3, 8_000_000)
    for now in (9.0, 10.0):
        getattr(log, lost)(*([now] if lost == "restart" else ()))
        log.begin_tick(now)
        log.tick("red", Inputs(now, 0, Senses(), Capabilities()), (), (), DECISION, DECISION.wanted)
    sink.close()
    lines, _ = lines_of(tmp_path / "run.jsonl")
    assert [line["part"] for line in lines if isinstance(line, dict) and "part" in line] == parts


def test_what_happened_before_the_first_tick_follows_the_first_part_line_in_its_order(tmp_path):
    sink = FileSink(tmp_path / "run.jsonl")
    log = RunLog(sink, about_run(MISSION, 1, 7, {}), 8_000_000)
    log.register("red", Frozen())
    for verb in ("remove", "seize"):
        log.note("event", verb=verb)
    log.begin_tick(0.0)
    log.tick("red", Inputs(0.0, 0, Senses(), Capabilities()), (), (), DECISION, DECISION.wanted)
    sink.close()
    lines, cut = lines_of(tmp_path / "run.jsonl")
    assert cut == ""
    assert lines[0]["part"] == 0
    assert lines[1:3] == [{"event": {"verb": "remove"}}, {"event": {"verb": "seize"}}]
    assert isinstance(lines[3], list)


@pytest.mark.parametrize("kept", [1, 40, -2])
def test_a_last_line_that_a_power_cut_left_half_is_left_out_and_said(log, tmp_path, kept):
    whole = log.read_bytes().splitlines(keepends=True)
    path = tmp_path / "cut.jsonl"
    path.write_bytes(b"".join(whole[:100]) + whole[100][:kept])
    lines, cut = lines_of(path)
    assert len(lines) == 100
    assert cut == f"{path}:101: the last line was cut and is left out"
    path.write_bytes(b"".join(whole[:50]).rstrip(b"\n"))  # it lacks only its end
    assert (len(lines_of(path)[0]), lines_of(path)[1]) == (50, "")


@pytest.mark.parametrize("bad", [b'["green",1,\n', b"12\n", b"\n", b'"green"\n', b"\xff\xfe[]\n"])
def test_a_broken_line_in_the_middle_is_named_with_file_and_number(log, tmp_path, bad):
    whole = log.read_bytes().splitlines(keepends=True)
    path = tmp_path / "broken.jsonl"
    path.write_bytes(b"".join([*whole[:6], bad, *whole[6:9]]))
    with pytest.raises(ValueError, match=f"{path}:7: not a line of a run log"):
        lines_of(path)


def test_a_line_without_an_end_is_read_up_to_a_bound(tmp_path, monkeypatch):
    monkeypatch.setattr("robotd.record.reading.LONGEST_LINE", 16)
    path = tmp_path / "run.jsonl"
    path.write_text('["a line of 16"]\n[2]\n', encoding="utf-8")
    with pytest.raises(ValueError, match=f"{path}:1: not a line of a run log, which has less than 64 MiB"):
        lines_of(path)
    path.write_text('["line of 16"]\n[2]\n', encoding="utf-8")
    assert lines_of(path)[0] == [["line of 16"], [2]]
    with pytest.raises(ValueError, match="/dev/zero:1: not a line of a run log"):
        lines_of(Path("/dev/zero"))


def test_a_folder_is_read_in_the_order_in_which_people_count(tmp_path):
    for number in (10, 2, 1):
        (tmp_path / f"run-{number}.jsonl").write_text(f'[{number}]\n[{number}, "half', encoding="utf-8")
    (tmp_path / "robotd.log").write_text("no part of it\n", encoding="utf-8")
    lines, cut = lines_of(tmp_path)
    assert lines == [[1], [2], [10]]
    assert cut.count("the last line was cut") == 3
    assert LogLines(tmp_path).size() == sum(len(f'[{n}]\n[{n}, "half') for n in (1, 2, 10))


def test_a_folder_that_holds_no_log_itself_is_that_of_the_folders_below_and_one_without_any_is_named(tmp_path):
    for path, words in ((tmp_path, "no run log"), (tmp_path / "nothing.jsonl", "nothing")):
        with pytest.raises(FileNotFoundError, match=words):
            lines_of(path)
    for robot in ("gold", "blue"):
        (tmp_path / robot / "log").mkdir(parents=True)
        (tmp_path / robot / "log" / "x.jsonl").write_text(f'["{robot}"]\n', encoding="utf-8")
    assert lines_of(tmp_path)[0] == [["blue"], ["gold"]]
    (tmp_path / "run.jsonl").write_text("[1]\n", encoding="utf-8")
    assert lines_of(tmp_path)[0] == [[1]]


def test_a_reader_knows_how_far_it_is(log):
    lines = LogLines(log)
    seen = [(lines.read, lines.where) for _ in lines]
    assert [read for read, _ in seen] == sorted(read for read, _ in seen)
    assert seen[-1] == (lines.size(), f"{log}:{len(seen)}")


def test_a_name_that_is_no_unicode_survives_the_file(tmp_path):
    sink, log = small_log(tmp_path / "run.jsonl", 1, 100)
    log.note("event", who="tty\udcff and \u2028")
    sink.close()
    assert lines_of(tmp_path / "run.jsonl")[0][-1] == {"event": {"who": "tty\udcff and \u2028"}}


def test_a_command_that_the_board_cut_down_is_recorded_as_driven(tmp_path):
    sink, log = small_log(tmp_path / "run.jsonl", 1, 8_000_000)
    for n, driven in ((1, Command(0.05, 0.05)), (2, DECISION.wanted)):
        log.tick("red", Inputs(n / 2, n, Senses(), Capabilities()), (), (), DECISION, driven)
    sink.close()
    reader = RowReader()
    read = [reader.read(line) for line in lines_of(tmp_path / "run.jsonl")[0] if isinstance(line, list)]
    assert [row.driven for row in read] == [DECISION.wanted, Command(0.05, 0.05), DECISION.wanted]
    assert {row.wanted for row in read} == {DECISION.wanted}
