"""How far an experiment is: what is shown while it runs."""

import pytest

from robotd.commands.progress import Pace, in_words, pacing


def test_the_pace_is_that_of_this_command_and_what_is_left_takes_as_long() -> None:
    pace = Pace(100.0)
    assert pace.note(40, 100, 100.0) == ""
    assert pace.note(50, 100, 160.0) == "10 runs a minute, 5 min left"
    assert pace.note(100, 100, 400.0) == "12 runs a minute, 0 s left"


def test_a_fast_experiment_has_its_pace_in_whole_runs() -> None:
    pace = Pace(0.0)
    pace.note(0, 4000, 0.0)
    assert pace.note(2345, 4000, 60.0).startswith("2345 runs a minute, ")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (119.0, "119 s"), (121.0, "2 min"), (7300.0, "2.0 h"), (90000.0, "25.0 h")],
)
def test_a_time_left_is_in_its_unit(seconds: float, words: str) -> None:
    assert in_words(seconds) == words


def test_off_a_terminal_there_is_a_line_each_half_minute_without_control_codes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = 0.0
    with pacing("cleanup", lambda: now) as show:
        show(0, 1000)
        for done in range(1, 101):
            now += 1.0
            show(done, 1000)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "cleanup: 30 of 1000 runs, 60 runs a minute, 16 min left",
        "cleanup: 60 of 1000 runs, 60 runs a minute, 16 min left",
        "cleanup: 90 of 1000 runs, 60 runs a minute, 15 min left",
    ]
    assert err.isascii()
    assert err.replace("\n", "").isprintable()


def test_an_experiment_that_is_over_soon_writes_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pacing("cleanup", lambda: 0.0) as show:
        for done in range(11):
            show(done, 10)
    assert capsys.readouterr() == ("", "")
