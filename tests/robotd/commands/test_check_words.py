"""What `robotd check` prints of a file without faults."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from robotd.advice.advice import Advice
from robotd.advice.check import check
from robotd.advice.coverage import Coverage
from robotd.commands.check_words import MOST_COLUMNS, in_words, span
from tests.robotd.advice.advised import of_mission


def lines(advice: Advice, *robots: str) -> list[str]:
    return list(in_words(advice, robots or ("red", "blue")))


def test_a_table_shows_who_can_do_which_task_and_what_it_needs(tmp_path: Path) -> None:
    advice = of_mission(tmp_path, ("[facts]", "[tasks.rest]\nnumber = 3\n[facts]"))
    assert lines(advice)[:5] == [
        "Who can do which task:",
        "  task   blue  red  needs",
        "  find   no    yes  mobile, side-range",
        "  shift  yes   yes  gripper, mobile",
        "  rest   no    no",
    ]


def test_of_a_large_team_those_that_can_are_named() -> None:
    robots = [f"r{n}" for n in range(MOST_COLUMNS + 1)]
    of = Coverage({"r1": ("a",), "r8": ("a",)}, {}, {"a": ()})
    assert "  find  2 of 9  r1, r8" in lines(Advice(tasks={"find": of}), *robots)


def test_a_table_shows_when_tasks_change_hands(tmp_path: Path) -> None:
    exclusive = ("patience_s = inf", "patience_s = inf\nexclusive = true")
    printed = lines(of_mission(tmp_path, exclusive))
    at = printed.index("When a task is taken up, and left, at the latest (s):")
    assert printed[at + 1 : at + 4] == [
        "  task   nobody on it  mate silent  mate goes on  yields after  gives up after",
        "  find   5             -            -             60            120",
        "  shift  10            29.5         never         60            120",
    ]
    assert not any("at the latest" in line for line in lines(Advice(tasks={}), "red"))


@pytest.mark.parametrize(
    ("times", "words"),
    [([], "-"), ([10.0], "10"), ([25.0, 10.0], "10 to 25"), ([math.inf], "never"), ([1810.4, math.inf],
     "1810 to never"), ([23.45, 1e5], "23.4 to 100000")],
)  # fmt: skip
def test_several_times_are_told_from_the_least_to_the_greatest(times: list[float], words: str) -> None:
    assert span(times) == words


def test_the_shipped_mission_has_no_warning_and_is_told_as_json() -> None:
    report = check("cleanup")
    assert report.advice.warnings == []
    document = json.loads(json.dumps(report.as_json(), allow_nan=False))
    assert document["takeovers"]["move-spill-left"]["gold"]["announcing_s"] == {"blue": 1825.0, "green": 1825.0}
    assert document["takeovers"]["report-progress"]["green"]["unattended_s"] == 250.0
    assert document["ratios"]["green"]["report-progress"] == 8.0
    assert set(document["tasks"]) == set(document["takeovers"])
