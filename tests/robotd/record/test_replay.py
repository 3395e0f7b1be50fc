"""Replay demands of the code the decisions that it made, and names the first that comes out otherwise."""

import json
import shutil

import pytest

from robotd.record.log import LogLines
from robotd.record.replay import replay
from robotd.record.rows import COLUMNS
from tests.robotd.record.scripted import TICK_S, Worker, mind_of, record

TICKS = round((200.0 + 200.0 + 170.0) / TICK_S)  # gold was off for 30 s
EVENTS = [(90.0, "remove", "blue"), (120.0, "kill", "gold"), (150.0, "reboot", "gold")]


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return record(tmp_path_factory.mktemp("log") / "run.jsonl", 200.0, EVENTS, part_bytes=100_000)


def parts_of(path):
    return [line for line in LogLines(path) if isinstance(line, dict) and "part" in line]


def faster(part, robot):
    """A mind one constant of which was changed by a hair; green has a rate of its own."""
    sets = part["mission"]["sets"]
    motivation = {**sets["report"]["motivation"], "fast_rate": 0.7 + 1e-12}
    changed = {**sets, "report": {**sets["report"], "motivation": motivation}}
    return mind_of({**part, "mission": {**part["mission"], "sets": changed}}, robot)


def edited(log, path, edit):
    path.write_text(
        "".join(json.dumps(edit(json.loads(line))) + "\n" for line in log.read_text().splitlines()),
        encoding="utf-8",
    )
    return path


def test_an_unchanged_program_makes_the_same_decisions_from_the_start(log):
    told = []
    found = replay(log, mind_of, progress=told.append)
    assert found.difference is None
    assert (found.ticks, found.decisions) == (TICKS, TICKS // 4)
    assert found.parts == len(parts_of(log)) >= 3
    assert (found.exact, found.cut, found.robots) == (True, "", {"green", "blue", "gold"})
    assert told
    assert told[-1] <= log.stat().st_size


def test_a_replay_from_a_middle_part_skips_what_comes_before(log):
    late = replay(log, mind_of, 2)
    assert late.difference is None
    assert late.parts == len(parts_of(log)) - 2
    assert 0 < late.ticks < TICKS


def test_a_changed_constant_is_found_at_the_first_tick_that_hangs_on_it(log):
    difference = replay(log, faster).difference
    # The run opens at tick 0, when no time has passed; the next decision is that of tick 4.
    assert (difference.robot, difference.n) == ("blue", 4)
    assert str(difference).startswith("blue, tick 4 at 1.160 s: choice[4][3][1]")


def test_a_changed_constant_is_found_at_the_first_decision_that_hangs_on_it_in_a_middle_part(log):
    part = parts_of(log)[1]
    difference = replay(log, faster, 1).difference
    assert part["now"] <= difference.now <= part["now"] + 2.0


def test_a_changed_decision_is_named_by_its_column(log, tmp_path):
    acted = COLUMNS.index("acted")

    def edit(line):
        if isinstance(line, list) and line[:2] == ["blue", 33]:
            line[acted][0][1] += 1e-15
        return line

    difference = replay(edited(log, tmp_path / "run.jsonl", edit), mind_of).difference
    assert (difference.robot, difference.n, difference.what) == ("blue", 33, "acted[0][1]")
    assert float(difference.recorded) > float(difference.replayed)


@pytest.mark.parametrize(("change", "found"), [(1e-12, False), (1e-6, True)])
def test_reals_may_differ_by_a_rounding_where_the_machine_is_another(log, tmp_path, change, found):
    acted = COLUMNS.index("acted")

    def edit(line):
        if isinstance(line, dict) and "part" in line:
            line["libraries"]["machine"] = "abacus"
        if isinstance(line, list) and line[:2] == ["blue", 33]:
            line[acted][0][1] += change
        return line

    result = replay(edited(log, tmp_path / "run.jsonl", edit), mind_of)
    assert not result.exact
    assert (result.difference is not None) == found


def test_a_discrete_decision_may_not_differ_on_any_machine(log, tmp_path):
    def edit(line):
        if isinstance(line, dict) and "part" in line:
            line["libraries"] = {}
        if isinstance(line, list) and line[COLUMNS.index("choice")] not in (None, 0):
            line[COLUMNS.index("choice")][0] = []
        return line

    assert replay(edited(log, tmp_path / "run.jsonl", edit), mind_of).difference.what.startswith("choice[0]")


def test_a_tick_that_now_raises_is_a_difference(log):
    class Raising(Worker):
        def act(self, i, beliefs, choice):
            if i.n == 40:
                raise ZeroDivisionError("by nothing")
            return super().act(i, beliefs, choice)

    def make(part, robot):
        mind = mind_of(part, robot)
        mind._behaviors = Raising()
        return mind

    difference = replay(log, make).difference
    assert (difference.n, difference.what) == (40, "the tick raises")
    assert difference.replayed == "ZeroDivisionError: by nothing"


def test_a_cut_log_replays_up_to_the_cut(log, tmp_path):
    path = tmp_path / "run.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:900]) + lines[900][:-9])
    found = replay(path, mind_of)
    assert found.difference is None
    assert 0 < found.ticks < TICKS
    assert "the last line was cut" in found.cut


def test_parts_of_a_folder_are_counted_over_all_starts_of_its_robot(log, tmp_path):
    for start in (1, 2):
        shutil.copy(log, tmp_path / f"run-{start}.jsonl")
    parts = len(parts_of(log))
    late = replay(tmp_path, mind_of, parts - 1)
    assert (late.parts, late.difference) == (parts + 1, None)
    assert TICKS < late.ticks < 2 * TICKS


def test_a_part_that_is_not_there_is_said(log):
    with pytest.raises(ValueError, match=r"no part 99 in this log of \d+"):
        replay(log, mind_of, 99)


def test_rows_before_the_first_part_are_left_out(log, tmp_path):
    lines = log.read_text().splitlines(keepends=True)
    path = tmp_path / "run.jsonl"
    start = next(k for k, line in enumerate(lines) if line.startswith('{"part":1'))
    path.write_text("".join(lines[start - 20 :]), encoding="utf-8")
    found = replay(path, mind_of)
    assert (found.difference, found.parts) == (None, len(parts_of(log)) - 1)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["red", *[0] * 14], "a row of 'red', which is not a robot of this part"),
        (["green", 1], "a row is a list of 15 columns"),
        ([], "a row of None"),
        ({"part": 9, "format": 99}, "the log has format 99; this robotd reads format 3"),
        ({"part": 9, "format": 3}, "the field 'libraries' is missing"),
    ],
)
def test_what_makes_no_sense_is_named_with_file_and_line(log, tmp_path, line, said):
    lines = log.read_text().splitlines(keepends=True)[:5]
    path = tmp_path / "run.jsonl"
    path.write_text("".join([*lines, json.dumps(line) + "\n"]), encoding="utf-8")
    with pytest.raises(ValueError, match=said) as error:
        replay(path, mind_of)
    assert str(error.value).startswith(f"{path}:6: ")


def paths_in(value, path=()):
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield (*path, key)
        yield from paths_in(value[key], (*path, key))


@pytest.mark.parametrize("wrong", ["x", 7, [], {}, None])
def test_a_frozen_state_with_a_value_of_another_type_is_refused_with_file_and_line_or_replayed(
    log, tmp_path, wrong
):
    first, *rows = log.read_text().splitlines(keepends=True)[:5]
    path, refused = tmp_path / "run.jsonl", []
    for way in paths_in(json.loads(first)["frozen"]):
        part = json.loads(first)
        inner = part["frozen"]
        for key in way[:-1]:
            inner = inner[key]
        inner[way[-1]] = wrong
        path.write_text("".join([json.dumps(part) + "\n", *rows]), encoding="utf-8")
        try:
            replay(path, mind_of)
        except ValueError as error:
            refused.append(str(error))
    assert len(refused) > 20
    assert all(said.startswith(f"{path}:1: ") for said in refused)


@pytest.mark.parametrize("text", ["", "[1,2]\n", '{"event":{}}\n'])
def test_a_file_without_a_part_is_no_run_log(tmp_path, text):
    path = tmp_path / "other.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="not a run log"):
        replay(path, mind_of)
