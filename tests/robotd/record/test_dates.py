"""Date and time of a robot's log, and instants that people ask for."""

import contextlib
import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotd.__main__ import main
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Decision, State
from robotd.model.command import ActionResult
from robotd.model.inputs import Inputs
from robotd.model.senses import Capabilities, Senses
from robotd.record.dates import Dates, epoch_of, instant, utc_text
from robotd.record.log import RunLog
from robotd.record.why import read_accounts
from robotd.robot.mind import STILL
from robotd.sim.records import read_records
from tests.radio.helper import table
from tests.robotd.record.conftest import Nothing
from tests.robotd.sim.small import Lines

NOON = "2026-11-28T12:00:00.000+00:00"
START = 62_160.0  # of the robot's clock, s
RUNNING = State("running", "permitted to move", "", may_move=True)


@given(st.integers(0, 7_000_000_000))
def test_a_date_and_time_is_read_as_it_is_written(epoch_s: int) -> None:
    assert epoch_of(utc_text(epoch_s)) == epoch_s
    assert instant(utc_text(epoch_s)) == dt.datetime.fromtimestamp(epoch_s, dt.UTC)


@given(st.text(max_size=20))
def test_whatever_is_asked_is_an_instant_or_refused(text: str) -> None:
    with contextlib.suppress(ValueError):
        found = instant(text)
        assert isinstance(found, dt.datetime) or found >= 0


@pytest.mark.parametrize("text", ["-1", "nan", "yesterday", "2026-13-01 10:00", "14:05"])
def test_what_is_neither_seconds_nor_a_date_is_no_instant(text: str) -> None:
    with pytest.raises(ValueError, match="expected seconds"):
        instant(text)


def test_seconds_before_a_clock_was_set_have_no_date_and_those_after_it_do() -> None:
    dates = Dates()
    assert dates.of(1.0) == ""
    dates.note(10.0, epoch_of(NOON))
    dates.note(20.0, epoch_of(NOON) + 10.0)
    assert (dates.of(5.0), dates.of(10.0), dates.of(15.4)) == (
        "", "2026-11-28 12:00:00 UTC", "2026-11-28 12:00:05 UTC"
    )  # fmt: skip
    dates.note(30.0, epoch_of(NOON) + 3600.0)
    assert dates.of(31.0) == "2026-11-28 13:00:01 UTC"


def robots_log(utc: str) -> str:
    """A robot's log of 61 s, with a tick each second."""
    sink = Lines()
    log = RunLog(sink, {"seed": None}, utc=lambda: utc)
    log.register("green", Nothing())
    for n in range(61):
        i = Inputs(START + n, n, Senses(), Capabilities())
        log.begin_tick(i.now)
        log.tick("green", i, (), (), Decision(None, ActionResult(), STILL, Beliefs(table(), 1), RUNNING), STILL)
    return "".join(f"{line}\n" for line in sink.lines)


def test_a_robots_log_is_asked_by_date_and_answers_with_it(tmp_path, capsys) -> None:
    path = tmp_path / "green.jsonl"
    path.write_text(robots_log(NOON), encoding="utf-8")
    (green,) = read_accounts(path, instant("2026-11-28 12:00:30")).robots
    assert (green.at, green.dates.of(green.at), green.open) == (30.0, "2026-11-28 12:00:30 UTC", False)
    assert main(["why", str(path), "--at", "2026-11-28 12:00"]) == 0
    assert capsys.readouterr().out.startswith("green at 0.0 s (2026-11-28 12:00:00 UTC): running")
    assert main(["why", str(path), "--at", "2026-11-29 12:00"]) == 0  # its end
    assert "green at 60.0 s (2026-11-28 12:01:00 UTC)" in capsys.readouterr().out
    assert main(["why", str(path), "--at", "2026-11-28 11:59"]) == 2
    assert "begins at 2026-11-28 12:00:00 UTC" in capsys.readouterr().err


def test_a_log_without_dates_is_asked_in_seconds_alone(tmp_path, capsys) -> None:
    path = tmp_path / "green.jsonl"
    path.write_text(robots_log(""), encoding="utf-8")
    (green,) = read_accounts(path, 30.0).robots
    assert (green.at, green.dates.of(green.at)) == (30.0, "")
    assert main(["why", str(path), "--at", "2026-11-28 12:00"]) == 2
    assert "holds no date" in capsys.readouterr().err


def test_tables_of_a_robots_log_count_seconds_as_why_does(tmp_path) -> None:
    path = tmp_path / "green.jsonl"
    path.write_text(robots_log(NOON), encoding="utf-8")
    assert [tick["time_s"] for tick in read_records(path).ticks] == [float(n) for n in range(61)]
