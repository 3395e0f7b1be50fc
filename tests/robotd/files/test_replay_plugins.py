"""A log of a mission that brings plug-ins of its own replays with their files."""

import pytest

from robotd.__main__ import main

PLUGIN = """
from behaviors.cleanup.report_progress import ReportProgress

class Look(ReportProgress):
    pass

ROBOTD = {"robotd.behaviors": {"look": Look}}
"""
MISSION = """
name = "own"
plugins = ["./mine.py"]
[team]
ann = { number = 1, type = "r2" }
[tasks]
report-progress = { number = 1, completion = "reports", recurring = true }
[facts]
reports = { number = 1, kind = "count" }
[sets.look]
task = "report-progress"
motivation = { fast_rate = 50.0, slow_rate = 1.0, patience_s = 50.0, yield_time_s = 50.0, give_up_time_s = 90.0 }
[world]
width_m = 6.0
"""


@pytest.fixture
def log(tmp_path):
    (tmp_path / "mine.py").write_text(PLUGIN)
    (tmp_path / "own.toml").write_text(MISSION)
    assert main(["sim", str(tmp_path / "own.toml"), "--duration", "4", "--out", str(tmp_path / "out")]) == 0
    return tmp_path / "out" / "run.jsonl"


def test_a_log_of_a_mission_with_a_plug_in_file_replays_with_that_file(log, tmp_path, capsys):
    assert main(["replay", str(log), "--plugin", str(tmp_path / "mine.py")]) == 0
    assert "no difference" in capsys.readouterr().out


def test_without_the_file_it_says_which_plug_in_is_missing(log, capsys):
    assert main(["replay", str(log)]) == 2
    assert "'look'" in capsys.readouterr().err


def test_a_file_that_is_no_plug_in_is_refused_by_name(log, tmp_path, capsys):
    assert main(["replay", str(log), "--plugin", str(tmp_path / "own.toml")]) == 2
    assert "own.toml" in capsys.readouterr().err
