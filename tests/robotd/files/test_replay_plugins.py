"""A log of a mission that brings plug-ins of its own replays with their files."""

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


def test_a_log_of_a_mission_with_plug_ins_replays_with_their_file_and_with_no_other(tmp_path, capsys):
    (tmp_path / "mine.py").write_text(PLUGIN)
    (tmp_path / "own.toml").write_text(MISSION)
    out = tmp_path / "out"
    assert main(["sim", str(tmp_path / "own.toml"), "--duration", "4", "--out", str(out)]) == 0
    replay = ["replay", str(out / "run.jsonl")]
    assert main([*replay, "--plugin", str(tmp_path / "mine.py")]) == 0
    assert "no difference" in capsys.readouterr().out
    for more, reason in (([], "'look'"), (["--plugin", str(tmp_path / "own.toml")], "own.toml")):
        assert main([*replay, *more]) == 2
        assert reason in capsys.readouterr().err
