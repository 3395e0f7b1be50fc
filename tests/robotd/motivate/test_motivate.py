import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from robotd.__main__ import main
from robotd.config.source import ConfigError
from robotd.motivate.scenario import Row, parse
from robotd.motivate.scenario import run as rows_of

TOP = """tick_s = 0.5
duration_s = 10
threshold = 10
silence_timeout_s = 12.0
"""
WORK = """[[set]]
name = "work"
fast_rate = 2
slow_rate = 0.5
patience_s = inf
yield_time_s = inf
give_up_time_s = inf
applicable = true
"""
GOOD = TOP + WORK
EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "push.toml"


def rows(text: str) -> list[Row]:
    return list(rows_of(parse(text.encode())))


def command(*words: str) -> int:
    return main(["motivate", *map(str, words)])


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "scenario.toml"
    path.write_text(GOOD)
    return path


def test_there_is_a_row_per_tick_to_the_end_of_the_duration() -> None:
    assert [row.time_s for row in rows(GOOD)] == [n * 0.5 for n in range(1, 21)]
    assert len(rows(GOOD.replace("0.5", "0.1").replace("duration_s = 10", "duration_s = 0.3"))) == 3
    assert rows(GOOD.replace("duration_s = 10", "duration_s = 0.4")) == []


def test_events_at_or_before_zero_happen_at_the_first_tick() -> None:
    text = GOOD + '[[event]]\nat_s = -4.0\nheard = { from = "blue", task = "work" }\n'
    found = rows(text)
    assert found[0].levels == (0.0,)  # a first statement, and so a reset
    assert found[14].levels == (3.5,)
    assert found[15].levels == (4.5,)  # at 8 s the teammate has been silent for 12 s


def test_events_happen_in_time_and_then_in_file_order() -> None:
    on, off = (f"{EVENT}applicable = {{ work = {value} }}\n" for value in ("true", "false"))
    assert rows(GOOD + on + off)[3].levels == (0.0,)
    assert rows(GOOD + off + on)[3].levels == (4.0,)
    assert rows(GOOD + off.replace("2.0", "1.9") + on.replace("2.0", "1.8"))[3].levels == (0.0,)


def test_a_task_that_no_set_has_is_accepted() -> None:
    text = GOOD + '[[event]]\nat_s = 2.0\nheard = { from = "blue", task = "other" }\n'
    text += '[[event]]\nat_s = 2.0\ndone = { task = "other", by = "blue" }\n'
    assert rows(text) == rows(GOOD)


def test_times_and_rates_may_be_given_per_teammate() -> None:
    text = GOOD.replace("slow_rate = 0.5", "slow_rate = { default = 0.5, gold = 0.25 }")
    text = text.replace("patience_s = inf", "patience_s = { default = inf, gold = 4 }")
    heard = '[[event]]\nat_s = 0\nheard = { from = "blue", task = "work" }\n'
    blue, gold = text + heard, text + heard.replace("blue", "gold")
    assert rows(blue)[9].levels == (2.25,)
    assert rows(gold)[9].levels == (0.875 + 2.0,)  # 3.5 s at 0.25 after the reset, and 1 s at 2.0 beyond patience


def test_unnamed_teammates_rank_last() -> None:
    crossing = '[[event]]\nat_s = 6.2\nheard = { from = "blue", task = "work", elapsed_s = 1.2 }\n'
    assert rows(GOOD + crossing)[12].active == "work"
    assert rows("ranks = { blue = 2 }\nrank = 1\n" + GOOD + crossing)[12].active == "work"
    assert rows("ranks = { blue = 2 }\nrank = 3\n" + GOOD + crossing)[12].active is None


def test_defaults_are_filled_in() -> None:
    scenario = parse(GOOD.replace("applicable = true\n", "").encode())
    spec = scenario.sets[0]
    assert (scenario.beat_s, scenario.rank, scenario.ranks, scenario.events) == (3.0, 1.0, {}, [])
    assert (spec.task, spec.applicable, spec.preempts) == ("work", False, False)


def test_csv_and_json_have_a_line_per_tick_without_the_rounding_of_a_product(scenario: Path, capsys) -> None:
    assert command(str(scenario)) == 0
    lines = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert (lines[0], lines[1], lines[-1]) == (
        ["time_s", "work", "active"], ["0.5", "1", ""], ["10", "10", "work"],
    )  # fmt: skip
    assert command(str(scenario), "--json") == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert found[0] == {"time_s": 0.5, "levels": {"work": 1.0}, "active": None}
    assert found[-1] == {"time_s": 10.0, "levels": {"work": 10.0}, "active": "work"}
    scenario.write_text(GOOD.replace("tick_s = 0.5", "tick_s = 0.1"))
    command(str(scenario))
    assert "\n0.3," in capsys.readouterr().out


def test_plot_draws_a_panel_per_set_beside_the_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figure = tmp_path / "levels.svg"
    assert command(str(EXAMPLE), "--plot", str(figure)) == 0
    assert figure.read_text().startswith("<?xml")
    assert capsys.readouterr().out.startswith("time_s,push-left,push-right,report,active\n")


def test_without_plot_matplotlib_is_not_imported() -> None:
    code = (
        "import argparse, sys, robotd.commands.motivate as m\n"
        "p = argparse.ArgumentParser(); m.add_arguments(p)\n"
        "m.run(p.parse_args(sys.argv[1:])); sys.exit('matplotlib' in sys.modules)"
    )
    words = [sys.executable, "-c", code, str(EXAMPLE)]
    found = subprocess.run(words, capture_output=True, check=False, cwd=EXAMPLE.parents[2])
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize(
    ("file", "reason"),
    [("levels.pdf", ".png or .svg"), ("levels", ".png"), ("scenario.toml/levels.png", "is no folder")],
)
def test_a_figure_that_cannot_be_written_is_refused(
    scenario: Path, tmp_path: Path, file: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(str(scenario), "--plot", str(tmp_path / file)) == 2
    assert reason in capsys.readouterr().err


def test_every_problem_is_reported_at_once_with_file_and_line(scenario: Path, capsys) -> None:
    for text, places in (
        (TOP + "beat_s =\n", ["5: not TOML"]),
        (GOOD.replace("= 0.5", "= 0", 1).replace("slow_rate = 0.5", "slow_rate = 5"),
         ["1: tick_s", "8: set.0.slow_rate"]),
    ):  # fmt: skip
        scenario.write_text(text)
        assert command(str(scenario)) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert [line.rpartition(": ")[0] for line in err.splitlines()] == [
            f"{scenario}:{place}" for place in places
        ]


EVENT = "[[event]]\nat_s = 2.0\n"
HEARD = EVENT + 'heard = { from = "blue", task = "work" }\n'
REFUSED = [  # replaced, by, line, key, words
    ("threshold = 10", "threshhold = 10", 3, "threshhold", "did you mean 'threshold'?"),
    ("fast_rate = 2", "fast_rat = 2", 7, "set.0.fast_rat", "did you mean 'fast_rate'?"),
    ("applicable = true", "zzz = 1", 12, "set.0.zzz", "unknown key"),
    ("fast_rate = 2\n", "", 5, "set.0.fast_rate", "required"),
    ("tick_s = 0.5", "tick_s = -1", 1, "tick_s", "above 0, found -1"),
    ("tick_s = 0.5", "tick_s = true", 1, "tick_s", "found true"),
    ("tick_s = 0.5", "tick_s = nan", 1, "tick_s", "found nan"),
    ("tick_s = 0.5", "tick_s = 1e-320\nbeat_s = 1", 3, "duration_s", "too many ticks"),
    ("duration_s = 10", "duration_s = inf", 2, "duration_s", "finite"),
    ("duration_s = 10", "duration_s = 1" + "0" * 400, 2, "", "64 bits"),
    ("threshold = 10", "threshold = 10\nranks = 3", 4, "ranks", "a table"),
    ("threshold = 10", "threshold = 10\nranks = { a = 1, b = -1 }", 4, "ranks.b", "above 0"),
    ("slow_rate = 0.5", "slow_rate = 2", 8, "set.0.slow_rate", "below fast_rate, 2, found 2"),
    ("slow_rate = 0.5", "slow_rate = { default = 1, a = 3 }", 8, "set.0.slow_rate.a", "found 3"),
    ("slow_rate = 0.5", "slow_rate = { a = 1 }", 8, "set.0.slow_rate", "default is required"),
    ("patience_s = inf", "patience_s = { default = 1, blue = 0 }", 9, "set.0.patience_s.blue", "above 0"),
    ("patience_s = inf", "patience_s = -inf", 9, "set.0.patience_s", "a number above 0 or a table"),
    ("yield_time_s = inf", "yield_time_s = { default = 1 }", 10, "set.0.yield_time_s", "found a table"),
    ("applicable = true", "applicable = 1", 12, "set.0.applicable", "true or false"),
    ('name = "work"', "name = 4", 6, "set.0.name", "a text"),
    (WORK, WORK + WORK, 14, "set.1.name", "declared already"),
    (WORK, "", 1, "set", "required"),
    (WORK, "set = [1]\n", 5, "set.0", "found 1"),
    (WORK, WORK + EVENT, 13, "event.0", "exactly one of applicable, heard, done; this one has none"),
    (WORK, WORK + HEARD + 'done = { task = "a" }\n', 13, "event.0", "this one has heard and done"),
    (WORK, WORK + "[[event]]\ndone = { task = 'a' }\n", 13, "event.0.at_s", "required"),
    (WORK, WORK + HEARD.replace("2.0", "inf"), 14, "event.0.at_s", "finite"),
    (WORK, WORK + HEARD.replace(" }", ", elapsed_s = -1 }"), 15, "event.0.heard.elapsed_s", "of at least 0"),
    (WORK, WORK + HEARD.replace("from", "form"), 15, "event.0.heard.form", "did you mean 'from'?"),
    (WORK, WORK + HEARD.replace("heard", "herd"), 15, "event.0.herd", "did you mean 'heard'?"),
    (WORK, WORK + EVENT + "applicable = {}\n", 15, "event.0.applicable", "a table"),
    (WORK, WORK + EVENT + "applicable = { wrk = true }\n", 15, "event.0.applicable.wrk", "did you mean 'work'?"),
    (WORK, "event = 3\n" + WORK, 5, "event", "a list"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "key", "words"), REFUSED, ids=lambda value: str(value)[:40])
def test_a_bad_scenario_is_refused_with_line_key_and_what_was_expected(
    old: str, new: str, line: int, key: str, words: str
) -> None:
    assert old in GOOD
    with pytest.raises(ConfigError) as caught:
        parse(GOOD.replace(old, new).encode())
    found = {(problem.line, problem.key): problem.message for problem in caught.value.problems}
    assert words in found[line, key], found
    assert len(found) <= 2


def test_the_example_of_the_manual_runs() -> None:
    found = rows(EXAMPLE.read_text())
    assert {row.active for row in found} == {None, "push-left", "push-right", "report"}


def test_a_scenario_shorter_than_a_tick_has_a_header_and_an_empty_figure(
    scenario: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario.write_text(GOOD.replace("duration_s = 10", "duration_s = 0.1"))
    assert command(str(scenario), "--plot", str(tmp_path / "levels.PNG")) == 0
    assert capsys.readouterr().out == "time_s,work,active\n"
