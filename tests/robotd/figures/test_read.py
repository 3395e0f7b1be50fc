"""What a pass over a run log collects: spells and how they ended, what was held, levels, events, absences."""

import json
import shutil
from itertools import pairwise

import pytest

from robotd.figures.read import read_series
from robotd.figures.series import RobotSeries
from robotd.model.choice import Choice, Event
from robotd.model.tasks import Assignment, Task
from robotd.record.rows import COLUMNS
from tests.robotd.sim import small

FIND = "find-locations-methodical"


def test_the_run_is_named_with_mission_seed_outcome_and_length(ran, run):
    reason = ran[1].outcome.reason
    assert (run.mission, run.seed, run.duration) == ("small", 1, 50.0)
    assert run.title() == f"small, seed 1: {reason}"
    assert run.title("blue") == f"blue in small, seed 1: {reason}"


def test_robots_are_in_the_order_of_their_numbers_and_sets_as_declared(run):
    assert list(run.robots) == ["green", "blue", "gold"]
    assert run.labels() == {FIND: "FLM", "move-spill-left": "MS(L)", "move-spill-right": "MS(R)"}


def test_the_spells_are_those_that_the_simulation_saw(ran, run):
    for robot, seen in ran[1].outcome.story.spells.items():
        spells = [(one.set, one.task, one.start, one.end) for one in run.robots[robot].spells]
        assert spells == [(one.set, one.task, *map(pytest.approx, (one.start, one.end))) for one in seen]
    assert [spell.ending for name in ("blue", "gold") for spell in run.robots[name].spells] == ["yielded"] * 2


def leaf(name, task="", held="", events=(), finished=()):
    run = (Assignment(name, Task("", (), task or name)),) if name else ()
    made = tuple(Event(kind, name, "", "") for kind, name in events)
    waits = Task("", (), held) if held else None
    return Choice(run, waits, (), made, (), tuple(Task("", (), done) for done in finished))


def test_the_ways_in_which_a_spell_ends_are_distinguished():
    robot = RobotSeries("red")
    choices = [
        leaf("push"), leaf("push"), leaf("", events=[("gave-up", "push")]), leaf("push"),
        leaf("look", events=[("yielded", "push"), ("activated", "look")]), leaf("", finished=["look"]),
        leaf("look"), leaf(""), leaf("tell", "report"), leaf("tell", "report", finished=["report"]),
    ]  # fmt: skip
    for at, choice in enumerate(choices):
        robot.decided(float(at), choice)
    assert [(spell.set, spell.start, spell.end, spell.ending) for spell in robot.spells] == [
        ("push", 0.0, 2.0, "gave-up"), ("push", 3.0, 4.0, "yielded"), ("look", 4.0, 5.0, "done"),
        ("look", 6.0, 7.0, "ended"), ("tell", 8.0, 9.0, "done"), ("tell", 9.0, 9.0, ""),
    ]  # fmt: skip
    assert [robot.doing(at) for at in (1.0, 2.5, 4.5)] == ["push", "", "look"]


def test_a_suspended_set_is_held_until_it_is_resumed():
    robot = RobotSeries("red")
    for at, choice in enumerate([leaf("push"), leaf("tell", held="push"), leaf("push"), leaf("push")]):
        robot.decided(float(at), choice)
    (held,) = robot.held
    assert (held.set, held.start, held.end, held.ending) == ("push", 1.0, 2.0, "resumed")
    assert [(spell.set, spell.start) for spell in robot.spells] == [("push", 0.0), ("tell", 1.0), ("push", 2.0)]


def test_a_killed_robot_is_off_until_it_ticks_again_and_a_removed_one_is_not(run):
    [(start, end)] = run.robots["gold"].off
    assert (start, end) == (pytest.approx(25.0, abs=0.1), run.duration)  # it boots for twenty seconds
    assert run.robots["green"].off == run.robots["blue"].off == []


def test_a_spell_of_a_robot_that_falls_silent_ends_at_its_last_tick():
    robot = RobotSeries("red", last=3.0)
    robot.decided(1.0, leaf("push"))
    robot.fell_silent(9.0)
    assert ([(one.end, one.ending) for one in robot.spells], robot.off) == ([(3.0, "off")], [(3.0, 9.0)])


def test_a_set_that_is_active_at_the_end_lasts_to_the_end(log, tmp_path):
    short = tmp_path / "run.jsonl"
    short.write_text("".join(log.read_text().splitlines(keepends=True)[:300]), encoding="utf-8")
    run = read_series(short)
    last = run.robots["green"].spells[-1]
    assert (last.ending, last.end) == ("", run.duration)
    assert run.title() == "small, seed 1"


def test_the_levels_are_those_of_the_log(run):
    levels = run.robots["green"].levels[FIND]
    motivation = dict(levels.curves["motivation"].points())
    assert levels.threshold == 100.0
    rise = [value for at, value in motivation.items() if 0.4 < at < 1.8]
    assert [b - a for a, b in pairwise(rise)] == [pytest.approx(0.2 * 60.0)] * (len(rise) - 1)
    assert max(value for _, value in levels.curves["impatience"].points()) == 100.0


def test_events_come_with_the_robots_that_they_concerned(run):
    reported = [(e.at, e.verb, e.who) for e in run.events]
    assert reported == [
        (10.0, "remove", ("blue",)), (pytest.approx(19.8, abs=0.3), "fault", ("blue",)),
        (20.0, "return", ("blue",)), (25.0, "kill", ("gold",)), (35.0, "reboot", ("gold",)),
    ]  # fmt: skip
    (silent,) = run.robots["blue"].faults
    assert (silent.name, silent.start < 20.0 < silent.end < 25.0) == ("radio-silent", True)


def test_what_a_real_robots_log_has_of_orders_faults_stops_starts_and_ends(tmp_path):
    log = tmp_path / "run.jsonl"
    small.run("4 stop-team green", "8 ack green", "12 start green", for_s=16.0, log=log)
    green = read_series(log).robots["green"]
    assert [(stop.word, round(stop.start), round(stop.end)) for stop in green.stops] == [("stopped", 4, 8)]
    assert [fault.name for fault in green.faults] == ["stopped"]
    for start in (1, 2):
        on_own_clock(log, tmp_path / "own" / f"run-{start}.jsonl", 5000.0 + 100.0 * start)
        with (tmp_path / "own" / f"run-{start}.jsonl").open("a") as file:
            file.write(json.dumps({"end": {"robot": "green", "reason": "asked"}}) + "\n")
    run = read_series(tmp_path / "own")
    reported = [(round(event.at), event.verb, event.arg) for event in run.events]
    one = [(4, "fault", "stopped"), (16, "ended", "")]
    assert [each for each in reported if each[1] in ("fault", "ended")] == one + [
        (at + 100, *rest) for at, *rest in one
    ]
    assert [(at, verb) for at, verb, _ in reported if verb == "started"] == [(100, "started")]


def test_orders_of_people_are_events_and_those_of_the_simulation_are_not(tmp_path):
    log = tmp_path / "run.jsonl"
    small.run("4 stop-team green", "8 ack green", for_s=10.0, log=log)
    assert not [event for event in read_series(log).events if event.verb == "acknowledge"]
    log.write_text(log.read_text().replace('"simulation"', '"ann"'))
    orders = [(event.verb, event.arg) for event in read_series(log).events if event.arg == "by ann"]
    assert ("acknowledge", "by ann") in orders
    assert ("mission-start", "by ann") in orders


def test_an_event_of_every_robot_at_once_is_one_of_the_team(tmp_path):
    log = tmp_path / "run.jsonl"
    small.run("2 loss all 0.5", for_s=4.0, robots=("green", "blue"), log=log)
    assert [(e.at, e.who) for e in read_series(log).events] == [(2.0, ())]


def on_own_clock(log, path, shift, robot=None):
    """The log as a robot writes it itself, or all of them: no seed, and a clock that began `shift` s earlier."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        for line in map(json.loads, log.read_text().splitlines()):
            if isinstance(line, list) and robot in (None, line[0]):
                line[2] += shift
                file.write(json.dumps(line) + "\n")
            elif isinstance(line, dict) and "part" in line:
                line["frozen"] = {name: one for name, one in line["frozen"].items() if robot in (None, name)}
                file.write(json.dumps({**line, "now": line["now"] + shift, "seed": None}) + "\n")


def test_a_robots_own_log_counts_time_from_its_start(log, run, tmp_path):
    on_own_clock(log, tmp_path / "run.jsonl", 5000.0)
    own = read_series(tmp_path)
    assert own.duration == pytest.approx(50.0, abs=0.2)
    starts = [[robot.spells[0].start for robot in one.robots.values()] for one in (own, run)]
    assert starts[0] == pytest.approx(starts[1], abs=0.2)


def test_a_restarted_computers_clock_is_continued(log, tmp_path):
    for start, shift in ((1, 5000.0), (2, 10.0)):
        on_own_clock(log, tmp_path / f"run-{start}.jsonl", shift)
    run = read_series(tmp_path)
    assert run.duration == pytest.approx(100.0, abs=1.0)
    starts = [spell.start for spell in run.robots["green"].spells]
    assert starts == sorted(starts)


@pytest.mark.parametrize("shift", [0.0, 9000.0])
def test_a_folder_of_the_robots_folders_is_one_run_on_one_clock_or_on_several(log, run, tmp_path, shift):
    for robot in run.robots:
        path = tmp_path / robot / "log" / f"{robot}-000001-0000.jsonl"
        on_own_clock(log, path, shift if robot == "gold" else 0.0, robot)
    together = read_series(tmp_path)
    assert list(together.robots) == ["green", "blue", "gold"]
    for name, robot in together.robots.items():
        starts = [spell.start for spell in run.robots[name].spells]
        assert [spell.start for spell in robot.spells] == [pytest.approx(start, abs=0.5) for start in starts]
    assert together.duration == pytest.approx(50.0, abs=1.0)


def test_a_cut_log_gives_what_there_is_and_says_so(log, tmp_path):
    path = tmp_path / "run.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:300]) + lines[300][:-9])
    run = read_series(path)
    assert "the last line was cut" in run.cut
    assert run.robots["green"].levels


def test_progress_is_in_bytes_of_the_log(log):
    reported = []
    read_series(log, reported.append)
    assert reported == sorted(reported)
    assert reported[-1] <= log.stat().st_size


def test_what_is_no_run_log_is_refused_with_file_and_line(log, tmp_path):
    path, first = tmp_path / "other.jsonl", log.read_text().splitlines(keepends=True)[0]
    part = json.loads(first)
    for text, reported in (
        ("[1]\n", "not a run log: it has no part"),
        ("hello\nyou\n", "other.jsonl:1: not a line of a run log"),
        ('{"part":0}\n', "other.jsonl:1: not a line of a run log"),
        (first + '["red",1,2]\n', "other.jsonl:2: not a line of a run log"),
        (first + '{"event":{}}\n', "other.jsonl:2: not a line of a run log"),
        (json.dumps({**part, "format": 5}) + "\n", "jsonl:1: the log has format 5; this robotd reads format 4$"),
        (json.dumps({**part, "format": None}) + "\n", "other.jsonl:1: "),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=reported):
            read_series(path)


def test_scores_that_are_no_numbers_are_refused_with_file_and_line(log, tmp_path):
    def spoil(levels):
        return [spoil(each) for each in levels] if isinstance(levels, list) else {}

    lines = log.read_text().splitlines()
    column = COLUMNS.index("levels")
    rows = [(k, row) for k, row in enumerate(map(json.loads, lines)) if isinstance(row, list)]
    path = tmp_path / "run.jsonl"
    for k, row in [(k, row) for k, row in rows if isinstance(row[column], list)][:8]:
        row[column] = spoil(row[column])
        path.write_text("\n".join([*lines[:k], json.dumps(row)]) + "\n", encoding="utf-8")
        with pytest.raises(ValueError, match=rf"run.jsonl:{k + 1}: not a line of a run log"):
            read_series(path)


def test_a_log_of_the_format_before_whose_rows_are_alike_is_drawn(log, tmp_path):
    first, *rest = log.read_text(encoding="utf-8").splitlines(keepends=True)
    earlier = json.dumps({**json.loads(first), "format": 1})
    (tmp_path / "run.jsonl").write_text("".join([f"{earlier}\n", *rest]), encoding="utf-8")
    spells = [
        [robot.spells for robot in read_series(path).robots.values()] for path in (tmp_path / "run.jsonl", log)
    ]
    assert spells[0] == spells[1] != []


def test_notes_that_figures_do_not_know_are_passed_over(log, tmp_path):
    path = tmp_path / "run.jsonl"
    shutil.copy(log, path)
    with path.open("a") as file:
        file.write('{"weather":{"rain":true}}\n')
    assert read_series(path).duration == 50.0
