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
from tests.robotd.record.scripted import MISSION, TICK_S, WORK_S, record

EVENTS = [(90.0, "remove", "blue"), (150.0, "return", "blue"), (180.0, "kill", "gold"), (230.0, "reboot", "gold")]


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return record(tmp_path_factory.mktemp("log") / "run.jsonl", 330.0, EVENTS, part_bytes=100_000)


@pytest.fixture(scope="module")
def run(log):
    return read_series(log)


def spells(run, robot):
    return [(spell.set, spell.ending) for spell in run.robots[robot].spells]


def choices_of(path, robot):
    told, last = [], None
    for line in map(json.loads, path.read_text().splitlines()):
        if isinstance(line, list) and line[0] == robot and line[10] is not None:
            last = last if line[10] == 0 else line[10]
            told.append((line[2], last[0][-1][0] if last[0] else ""))
    return told


def test_the_run_is_named_with_mission_seed_outcome_and_length(run):
    assert (run.mission, run.seed, run.duration) == ("tidy", 7, 330.0)
    assert run.title() == "tidy, seed 7: accomplished in 330 s"
    assert run.title("blue") == "blue in tidy, seed 7: accomplished in 330 s"


def test_robots_stand_in_the_order_of_their_numbers_and_sets_as_declared(run):
    assert list(run.robots) == ["green", "blue", "gold"]
    assert run.sets() == list(MISSION["sets"])
    assert run.labels() == {"find-methodical": "FM", "move-left": "M(L)", "move-right": "M(R)", "report": "R"}


def test_spells_say_who_did_what_from_when_to_when_and_how_it_ended(run):
    assert spells(run, "green")[:5] == [
        ("find-methodical", "done"), ("move-left", "suspended"), ("report", "done"), ("move-left", "suspended"),
        ("report", "done"),
    ]  # fmt: skip
    assert spells(run, "blue") == [("move-right", "")]  # once gold was dead
    find = run.robots["green"].spells[0]
    assert find.end - find.start == pytest.approx(WORK_S["find-methodical"], abs=2.0)


@pytest.mark.parametrize("robot", ["green", "blue", "gold"])
def test_at_each_decision_the_spells_say_what_the_log_says(run, log, robot):
    series = run.robots[robot]
    for at, doing in choices_of(log, robot):
        covering = [spell.set for spell in series.spells if spell.start <= at < spell.end]
        assert covering == ([doing] if doing else []) or at == series.last


def test_a_suspended_set_is_held_until_it_is_resumed(run):
    green = run.robots["green"]
    held, (move, report, again) = green.held[0], green.spells[1:4]
    assert (held.set, held.ending) == ("move-left", "resumed")
    assert (held.start, held.end) == (move.end, again.start) == (report.start, report.end)


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


def test_a_killed_robots_spell_ends_at_its_last_tick_and_it_is_off_until_it_ticks_again(run):
    gold = run.robots["gold"]
    [(start, end)] = gold.off
    assert (start, end) == (pytest.approx(180.0, abs=TICK_S), pytest.approx(230.0, abs=TICK_S))
    assert spells(run, "gold") == [("move-right", "off")]
    assert gold.spells[0].end == start
    assert run.robots["green"].off == run.robots["blue"].off == []  # blue was removed, but its computer ran on


def test_a_set_that_is_active_at_the_end_lasts_to_the_end(log, tmp_path):
    short = tmp_path / "run.jsonl"
    lines = [line for line in log.read_text().splitlines(keepends=True) if not line.startswith('{"end"')]
    short.write_text("".join(lines[:300]), encoding="utf-8")
    run = read_series(short)
    last = run.robots["green"].spells[-1]
    assert (last.ending, last.end) == ("", run.duration)
    assert run.title() == "tidy, seed 7"


def test_the_levels_are_those_of_the_log(run):
    levels = run.robots["green"].levels["find-methodical"]
    motivation = dict(levels.curves["motivation"].points())
    assert levels.threshold == 100.0
    rise = [value for at, value in motivation.items() if 4.0 < at < 10.0]
    assert [b - a for a, b in pairwise(rise)] == [pytest.approx(8.0)] * (len(rise) - 1)
    assert max(value for _, value in levels.curves["acquiescence"].points()) == pytest.approx(
        100 * 60 / 900, rel=0.1
    )
    impatience = dict(run.robots["green"].levels["move-left"].curves["impatience"].points())
    assert max(impatience.values()) == 100.0


def test_events_come_with_whom_they_concerned(run):
    told = [(round(e.at), e.verb, e.who) for e in run.events]
    assert told == [(at, verb, (who,)) for at, verb, who in EVENTS]


def test_an_event_of_every_robot_at_once_is_one_of_the_team(tmp_path):
    events = [(20.0, "loss", robot) for robot in MISSION["team"]]
    run = read_series(record(tmp_path / "run.jsonl", 30.0, events))
    assert [(e.at, e.who) for e in run.events] == [(20.0, ())]


def test_a_robots_own_log_counts_time_from_its_start(tmp_path):
    run = read_series(record(tmp_path / "run.jsonl", 90.0, seed=None, start_s=5000.0))
    assert run.duration == 90.0
    assert spells(run, "green")[0] == ("find-methodical", "done")
    assert 10.0 < run.robots["green"].spells[0].start < 20.0


def test_a_restarted_computers_clock_is_continued(tmp_path):
    record(tmp_path / "run-1.jsonl", 60.0, seed=None, start_s=5000.0)
    record(tmp_path / "run-2.jsonl", 60.0, seed=None, start_s=10.0)
    run = read_series(tmp_path)
    assert run.duration == pytest.approx(120.0, abs=1.0)
    starts = [spell.start for spell in run.robots["green"].spells]
    assert starts == sorted(starts)


def split(log, folder, shift):
    """Each robot's own folder, as of processes on one computer; `shift` moves gold's clock."""
    for robot in MISSION["team"]:
        (folder / robot / "log").mkdir(parents=True)
        with (folder / robot / "log" / f"{robot}-000001-0000.jsonl").open("w") as file:
            for line in map(json.loads, log.read_text().splitlines()):
                if isinstance(line, list) and line[0] == robot:
                    line[2] += shift if robot == "gold" else 0.0
                    file.write(json.dumps(line) + "\n")
                elif isinstance(line, dict) and "part" in line:
                    line["now"] += shift if robot == "gold" else 0.0
                    line["frozen"] = {robot: line["frozen"][robot]}
                    file.write(json.dumps({**line, "seed": None}) + "\n")


@pytest.mark.parametrize("shift", [0.0, 9000.0])
def test_a_folder_of_the_robots_folders_is_one_run_on_one_clock_or_on_several(log, run, tmp_path, shift):
    split(log, tmp_path, shift)
    together = read_series(tmp_path)
    assert list(together.robots) == ["green", "blue", "gold"]
    for name, robot in together.robots.items():
        starts = [spell.start for spell in run.robots[name].spells]
        assert [spell.start for spell in robot.spells] == [pytest.approx(start, abs=0.5) for start in starts]
    assert together.duration == pytest.approx(330.0, abs=1.0)


def test_a_cut_log_gives_what_there_is_and_says_so(log, tmp_path):
    path = tmp_path / "run.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:300]) + lines[300][:-9])
    run = read_series(path)
    assert "the last line was cut" in run.cut
    assert run.robots["green"].levels


def test_progress_is_told_in_bytes_of_the_log(log):
    told = []
    read_series(log, told.append)
    assert told == sorted(told)
    assert told[-1] <= log.stat().st_size


def test_what_is_no_run_log_is_refused_with_file_and_line(log, tmp_path):
    path, first = tmp_path / "other.jsonl", log.read_text().splitlines(keepends=True)[0]
    part = json.loads(first)
    for text, said in (
        ("[1]\n", "not a run log: it has no part"),
        ("hello\nyou\n", "other.jsonl:1: not a line of a run log"),
        ('{"part":0}\n', "other.jsonl:1: not a line of a run log"),
        (first + '["red",1,2]\n', "other.jsonl:2: not a line of a run log"),
        (first + '{"event":{}}\n', "other.jsonl:2: not a line of a run log"),
        (json.dumps({**part, "format": 4}) + "\n", "jsonl:1: the log has format 4; this robotd reads format 3$"),
        (json.dumps({**part, "format": None}) + "\n", "other.jsonl:1: "),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=said):
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
    assert read_series(path).duration == 330.0
