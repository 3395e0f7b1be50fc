"""Trials of the stop: what is drawn, what counts as stopped, and real ones with real processes."""

import math
from itertools import product

import pytest

from boards.create2.frames import HALT
from robotd.experiments.base import Results
from robotd.experiments.stop import trial
from robotd.experiments.stop.experiment import EXPERIMENT, draw_trial
from robotd.experiments.stop.trial import CAUSES, WITHIN_S, Seen, StopTrial, bytes_after, run
from robotd.sim import process
from robotd.sim.emulated import emulations
from tests.patience import LONG_S, patient


def test_every_board_and_cause_is_drawn_with_cuts_from_the_first_byte_to_the_last() -> None:
    trials = [draw_trial(seed) for seed in range(1, 301)]
    assert {(trial.board, trial.cause) for trial in trials} == set(product(emulations().boards, CAUSES))
    assert {int(trial.share * 6) for trial in trials} == set(range(6))  # of a command of five bytes
    assert draw_trial(7) == draw_trial(7)
    assert draw_trial(7) != draw_trial(8)


@pytest.mark.parametrize(
    ("seen", "fault"),
    [
        (Seen(1.0, zero_at=1.0 + WITHIN_S), ""),
        (Seen(1.0, zero_at=0.999), ""),  # the world's clock is that of its last step
        (Seen(1.0, zero_at=1.6), "its wheels stopped after 0.600 s"),
        (Seen(1.0), "its wheels turned for 3 s"),
        (Seen(1.0, zero_at=1.1, bytes_after=5), "5 bytes were written after the halt"),
    ],
)
def test_only_a_robot_that_is_at_rest_in_time_and_for_good_has_stopped(seen, fault) -> None:
    assert seen.fault == fault


def test_a_halt_is_the_last_thing_written() -> None:
    assert bytes_after(b"\x91\0" + HALT, HALT) == 0
    assert bytes_after(HALT[:20] + HALT, HALT) == 0  # the first was taken back while it was on its way
    assert bytes_after(HALT + b"\x91", HALT) == 1
    assert bytes_after(b"\x91\0\0", HALT) == 3


def test_the_table_has_median_and_worst_by_board_and_cause_and_leaves_out_what_never_began(tmp_path) -> None:
    row = {"cell": "trials", "board": "r2", "cause": "SIGKILL", "bytes_after": 0}
    rows = [
        {**row, "accomplished": True, "zero_s": 0.1}, {**row, "accomplished": True, "zero_s": 0.3},
        {**row, "board": "create2", "accomplished": False, "bytes_after": 4},
        {"cell": "trials", "accomplished": False, "reason": "it did not start"},
    ]  # fmt: skip
    (table,) = EXPERIMENT.tables(Results(rows, tmp_path))
    assert [list(line) for line in table.rows] == [
        ["create2", "SIGKILL", 1, 0, "never", "never", 4], ["create2", "all", 1, 0, "never", "never", 4],
        ["r2", "SIGKILL", 2, 2, 0.2, 0.3, 0], ["r2", "all", 2, 2, 0.2, 0.3, 0],
        ["all", "SIGKILL", 3, 2, 0.2, "never", 4], ["all", "all", 3, 2, 0.2, "never", 4],
    ]  # fmt: skip


def test_a_robot_at_full_speed_stops_for_good_with_its_last_command_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "module_command", patient)
    monkeypatch.setattr(process, "START_S", LONG_S)
    for name, limit_s in (("START_S", LONG_S), ("WATCH_S", LONG_S), ("LATE_S", math.inf)):
        monkeypatch.setattr(trial, name, limit_s)
    row = run(StopTrial("pioneer", "exception", 0.5), 1)
    assert (row["board"], row["cause"], row["bytes_after"]) == ("pioneer", "exception", 0)
    assert 0 < row["offset"] < row["length"]
    assert "zero_s" in row  # how soon is measured by the experiment itself, on a quiet computer
    assert str(row["reported"]).startswith("tick-raised: RuntimeError")
