"""Replay demands of the code the decisions that it made, and names the first that comes out otherwise."""

import json
import shutil

import pytest

from robotd.record.reading import LogLines
from robotd.record.replay import replay
from robotd.record.rows import COLUMNS
from robotd.robot.build import mind_of_part
from robotd.robot.mind import Mind

TICKS = 2 * 200 + 80  # blue was killed after 8 s


def parts_of(path):
    return [line for line in LogLines(path) if isinstance(line, dict) and "part" in line]


def edited(log, path, edit):
    path.write_text(
        "".join(json.dumps(edit(json.loads(line))) + "\n" for line in log.read_text().splitlines()),
        encoding="utf-8",
    )
    return path


def test_an_unchanged_program_makes_the_same_decisions_and_progress_is_told_in_bytes(log):
    told = []
    found = replay(log, mind_of_part, progress=told.append)
    assert found.difference is None
    assert (found.ticks, found.decisions) == (TICKS, TICKS // 2)
    assert found.parts == len(parts_of(log)) >= 3
    assert (found.exact, found.cut, found.robots) == (True, "", {"green", "blue", "gold"})
    assert 0 < told[-1] <= log.stat().st_size


ACTED = COLUMNS.index("acted")


def faster(change):
    """An edit that adds to a wheel's speed in the second command of green that is written."""
    left = [0, 1]

    def edit(line):
        acts = isinstance(line, list) and line[0] == "green" and line[ACTED] != 0 and line[ACTED][0] != 0
        if acts and left and left.pop() == 0:
            line[ACTED][0][1] += change
        return line

    return edit


def test_a_changed_decision_is_named_by_its_column(log, tmp_path):
    difference = replay(edited(log, tmp_path / "run.jsonl", faster(1e-9)), mind_of_part).difference
    assert (difference.robot, difference.what) == ("green", "acted[0][1]")
    assert float(difference.recorded) > float(difference.replayed)


@pytest.mark.parametrize(("change", "found"), [(1e-12, False), (1e-6, True)])
def test_reals_may_differ_by_a_rounding_where_the_machine_is_another(log, tmp_path, change, found):
    faster_once = faster(change)

    def edit(line):
        if isinstance(line, dict) and "part" in line:
            line["libraries"]["machine"] = "abacus"
        return faster_once(line)

    result = replay(edited(log, tmp_path / "run.jsonl", edit), mind_of_part)
    assert not result.exact
    assert (result.difference is not None) == found


def test_a_discrete_decision_may_not_differ_on_any_machine(log, tmp_path):
    def edit(line):
        if isinstance(line, dict) and "part" in line:
            line["libraries"] = {}
        if isinstance(line, list) and line[COLUMNS.index("choice")] not in (None, 0):
            line[COLUMNS.index("choice")][0] = []
        return line

    assert replay(edited(log, tmp_path / "run.jsonl", edit), mind_of_part).difference.what.startswith("choice[0]")


def test_a_tick_that_now_raises_is_a_difference(log, monkeypatch):
    def raises(mind, i, heard, sent, decide=Mind.decide):
        if i.n == 40:
            raise ZeroDivisionError("by nothing")
        return decide(mind, i, heard, sent)

    monkeypatch.setattr(Mind, "decide", raises)
    difference = replay(log, mind_of_part).difference
    assert (difference.n, difference.what) == (40, "the tick raises")
    assert difference.replayed == "ZeroDivisionError: by nothing"


def test_a_cut_log_replays_up_to_the_cut(log, tmp_path):
    path = tmp_path / "run.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:300]) + lines[300][:-9])
    found = replay(path, mind_of_part)
    assert found.difference is None
    assert 0 < found.ticks < TICKS
    assert "the last line was cut" in found.cut


def test_parts_of_a_folder_are_counted_over_all_starts_of_its_robot(log, tmp_path):
    for start in (1, 2):
        shutil.copy(log, tmp_path / f"run-{start}.jsonl")
    parts = len(parts_of(log))
    late = replay(tmp_path, mind_of_part, parts - 1)
    assert (late.parts, late.difference) == (parts + 1, None)
    assert TICKS < late.ticks < 2 * TICKS


def test_a_part_that_is_not_there_is_said(log):
    with pytest.raises(ValueError, match=r"no part 99 in this log of \d+"):
        replay(log, mind_of_part, 99)


def test_rows_before_the_first_part_are_left_out(log, tmp_path):
    lines = log.read_text().splitlines(keepends=True)
    path = tmp_path / "run.jsonl"
    start = next(k for k, line in enumerate(lines) if line.startswith('{"part":1'))
    path.write_text("".join(lines[start - 20 :]), encoding="utf-8")
    found = replay(path, mind_of_part)
    assert (found.difference, found.parts) == (None, len(parts_of(log)) - 1)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["red", *[0] * 14], "a row of 'red', which is not a robot of this part"),
        (["green", 1], "a row is a list of 15 columns"),
        ([], "a row of None"),
        ({"part": 9, "format": 99}, "the log has format 99; this robotd reads format 4"),
        ({"part": 9, "format": 4}, "the field 'libraries' is missing"),
    ],
)
def test_what_makes_no_sense_is_named_with_file_and_line(log, tmp_path, line, said):
    lines = log.read_text().splitlines(keepends=True)[:5]
    path = tmp_path / "run.jsonl"
    path.write_text("".join([*lines, json.dumps(line) + "\n"]), encoding="utf-8")
    with pytest.raises(ValueError, match=said) as error:
        replay(path, mind_of_part)
    assert str(error.value).startswith(f"{path}:6: ")


def paths_in(value, path=()):
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield (*path, key)
        yield from paths_in(value[key], (*path, key))


@pytest.mark.parametrize(("start", "wrong"), [*enumerate(["x", 7, [], {}, None])])
def test_a_frozen_state_with_a_value_of_another_type_is_refused_with_file_and_line_or_replayed(
    log, tmp_path, start, wrong
):
    first, *rows = log.read_text().splitlines(keepends=True)[:5]
    path, refused = tmp_path / "run.jsonl", []
    minds = {robot: mind_of_part(json.loads(first), robot) for robot in ("blue", "gold", "green")}
    for way in list(paths_in(json.loads(first)["frozen"]["green"], ("green",)))[start::40]:
        part = json.loads(first)
        inner = part["frozen"]
        for key in way[:-1]:
            inner = inner[key]
        inner[way[-1]] = wrong
        path.write_text("".join([json.dumps(part) + "\n", *rows]), encoding="utf-8")
        try:
            replay(path, lambda part, robot: minds[robot])
        except ValueError as error:
            refused.append(str(error))
    assert refused
    assert all(said.startswith(f"{path}:1: ") for said in refused)


@pytest.mark.parametrize("text", ["", "[1,2]\n", '{"event":{}}\n'])
def test_a_file_without_a_part_is_no_run_log(tmp_path, text):
    path = tmp_path / "other.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="not a run log"):
        replay(path, mind_of_part)
