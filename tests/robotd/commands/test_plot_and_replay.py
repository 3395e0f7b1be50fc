"""The commands `plot` and `replay`: files and words where all is well, one line and status 2 where it is not."""

import json
import re

import pytest

from robotd.__main__ import main
from tests.robotd.sim import small


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "run.jsonl"
    small.run(for_s=12.0, robots=("green", "blue", "gold"), log=path, part_bytes=100_000)
    return path


def test_plot_writes_figures_beside_the_log_and_draws_what_there_is_of_a_cut_one(log, capsys):
    cut = log.with_name("cut.jsonl")
    cut.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:3])[:-20])
    assert main(["plot", str(cut)]) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [str(log.parent / f"cut-{name}.png") for name in ("trace", "levels")]
    assert all((log.parent / f"cut-{name}.png").read_bytes()[:4] == b"\x89PNG" for name in ("trace", "levels"))
    assert "cut.jsonl:3: the last line was cut" in printed.err


def test_plot_of_one_robot_in_another_folder_as_svg_and_json(log, tmp_path, capsys):
    out = tmp_path / "new" / "folder"
    assert main(["plot", str(log), "--out", str(out), "--robot", "gold", "--format", "svg", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["mission"], printed["seed"], printed["cut"]) == ("small", 1, "")
    assert printed["figures"] == [str(out / "run-gold-trace.svg"), str(out / "run-gold-levels.svg")]
    assert (out / "run-gold-trace.svg").read_text().startswith("<?xml")


def refused(capsys, *arguments):
    assert main(list(arguments)) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "Traceback" not in printed.err
    return printed.err


@pytest.mark.parametrize("command", ["plot", "replay"])
def test_a_log_that_cannot_be_read_is_one_line_and_status_2(command, log, tmp_path, capsys):
    missing = tmp_path / "no.jsonl"
    assert refused(capsys, command, str(missing)) == f"robotd: {missing}: No such file or directory\n"
    (tmp_path / "empty").mkdir()
    assert "no run log (*.jsonl) in this folder" in refused(capsys, command, str(tmp_path / "empty"))
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\nmore\n")
    assert "photo.png:1: not a line of a run log" in refused(capsys, command, str(tmp_path / "photo.png"))
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join([*lines[:3], "[oops\n", *lines[3:]]), encoding="utf-8")
    assert refused(capsys, command, str(log)).startswith(f"robotd: {log}:4: not a line of a run log")


def test_plot_into_a_place_where_nothing_can_be_written_is_refused(log, capsys):
    other = "; choose another folder with --out DIR\n"
    (log.parent / "taken" / "run-trace.png").mkdir(parents=True)
    printed = refused(capsys, "plot", str(log), "--out", str(log.parent / "taken"))
    assert printed == f"robotd: {log.parent}/taken/run-trace.png: cannot be written: Is a directory{other}"


def test_replay_counts_what_it_replayed_and_finds_no_difference(log, capsys):
    assert main(["replay", str(log)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("360 ticks, 180 decisions, 2 parts of blue, gold, green (real numbers bit for bit)\n")
    assert out.endswith("no difference\n")


def test_replay_reports_the_first_difference_with_status_1(log, capsys):
    changed = log.read_text().replace('["drive","avoid-obstacles"]', '["drive","other"]', 1)
    log.write_text(changed, encoding="utf-8")
    assert main(["replay", str(log)]) == 1
    out = capsys.readouterr().out
    assert re.search(r"different: \w+, tick \d+ at \d+\.\d+ s: acted\[3\]\[0\]\[1\]\n  recorded 'other'\n", out)
    assert main(["replay", str(log), "--json"]) == 1
    difference = json.loads(capsys.readouterr().out)["difference"]
    assert difference["recorded"] == "'other'"


def test_replay_from_a_part_as_json_and_from_none_that_can_be(log, capsys):
    assert main(["replay", str(log), "--from-part", "1", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["parts"], printed["difference"], printed["exact"], printed["cut"]) == (1, None, True, "")
    assert printed["robots"] == ["blue", "gold", "green"]
    assert "no part 7 in this log of 2" in refused(capsys, "replay", str(log), "--from-part", "7")
    assert "parts are counted from 0" in refused(capsys, "replay", str(log), "--from-part", "-1")


def test_replay_of_a_mission_whose_plug_ins_are_gone_is_one_line(log, capsys):
    log.write_text(log.read_text().replace('"behavior":"move-spill"', '"behavior":"gone"'), encoding="utf-8")
    assert f"{log}:1: " in refused(capsys, "replay", str(log))


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
