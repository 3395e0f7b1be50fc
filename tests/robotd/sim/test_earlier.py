"""What an earlier run left where `robotd sim` writes: it is replaced, and nothing of anybody else's is."""

import json
from pathlib import Path
from typing import Any

import pytest

from robotd.__main__ import main
from robotd.commands.earlier import note_written, replace_processes


def sim(*arguments: str) -> int:
    return main(["sim", *arguments])


def figures(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.suffix in (".png", ".svg"))


def test_another_run_replaces_an_earlier_one_with_its_figures_and_says_so(small_file, tmp_path, capsys) -> None:
    folder = tmp_path / "robotd-small-1"
    assert sim(small_file, "--duration", "2") == 0
    assert "replaces" not in capsys.readouterr().out
    assert main(["plot", str(folder / "run.jsonl"), "--robot", "green", "--format", "svg"]) == 0
    assert figures(folder) == ["run-green-levels.svg", "run-green-trace.svg"]
    capsys.readouterr()
    assert sim(small_file, "--duration", "1") == 0
    said = capsys.readouterr().out.splitlines()[-1]
    assert said == "replaces   an earlier run; removed its figures run-green-levels.svg, run-green-trace.svg"
    assert figures(folder) == []
    assert sim(small_file, "--duration", "1", "--json") == 0
    assert json.loads(capsys.readouterr().out)["duration_s"] == 1.0


def test_what_robotd_has_not_written_stays(small_file, tmp_path, capsys) -> None:
    folder = tmp_path / "here"
    assert sim(small_file, "--duration", "1", "--out", "here") == 0
    log = (folder / "run.jsonl").read_text()
    others = {"run-trace.png": "mine", "run-levels.svg": "mine", "notes.txt": "robotd plot", "run-2-trace.png": ""}
    for stem in ("run-baseline", "run-green"):
        names = (f"{stem}-trace.svg", f"{stem}-levels.svg", f"{stem}-levels-1.png", f"{stem}-green-trace.png")
        others |= {f"{stem}.jsonl": log, **dict.fromkeys(names, "robotd plot")}
    others |= dict.fromkeys(("run-blue-trace.png", "run-levels-1-trace.png"), "robotd plot")  # no such robot
    for name, text_ in others.items():
        (folder / name).write_text(text_)
    assert sim(small_file, "--duration", "1", "--out", "here") == 0
    assert {name: (folder / name).read_text() for name in others} == others
    assert "removed" not in capsys.readouterr().out


def test_a_folder_and_a_file_that_is_no_run_log_are_not_overwritten(small_file, tmp_path, capsys) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("precious")
    for log, words in (("notes.txt", "this is no run log"), (str(tmp_path), "Is a directory")):
        assert sim(small_file, "--duration", "1", "--log", log) == 2
        said = capsys.readouterr().err
        assert f"{log}: " in said
        assert words in said
        assert "choose another file with --log" in said
    assert notes.read_text() == "precious"
    notes.write_text("")
    for log in ("notes.txt", "/dev/null"):
        assert sim(small_file, "--duration", "1", "--log", log) == 0


CROWDED = 'world.spills=[{name="left",x_m=0.8,y_m=1.4,objects=20,spread_m=0.05},{name="right",x_m=2.2,y_m=1.4}]'


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def earlier(small_file, tmp_path, capsys) -> Path:
    """The folder of a run with its figures."""
    folder = tmp_path / "robotd-small-1"
    assert sim(small_file, "--duration", "1") == 0
    figure(folder / "run-trace.png")
    figure(folder / "run-green-levels.svg")
    return folder


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--event", "3 remov green"], "no verb is called"),
        (["--set", CROWDED], "spill left: 20 objects do not fit within spread_m = 0.05"),
    ],
)
def test_a_run_that_is_refused_replaces_nothing(small_file, earlier, capsys, arguments, said) -> None:
    before = contents(earlier)
    assert sim(small_file, *arguments) == 2
    assert said in capsys.readouterr().err
    assert contents(earlier) == before


def test_a_run_whose_log_cannot_be_written_replaces_nothing(small_file, earlier, capsys, monkeypatch) -> None:
    before, opened = contents(earlier), Path.open

    def read_only(path: Path, mode: str = "r", *args: Any, **options: Any) -> Any:
        if path.name == "run.jsonl" and mode != "rb":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, mode, *args, **options)

    monkeypatch.setattr(Path, "open", read_only)
    assert sim(small_file, "--duration", "1") == 2
    assert "run.jsonl: cannot be written: Permission denied" in capsys.readouterr().err
    assert contents(earlier) == before


# -- with processes


LOG = '{"part":0,"format":2,"robots":{"green":{}}}\n'


def robot_folder(folder: Path) -> Path:
    """The folder of a robot as an earlier run with processes leaves it."""
    (folder / "log").mkdir(parents=True)
    (folder / "state").mkdir()
    (folder / "robot.toml").write_text("a file")
    (folder / "mission.toml").write_text("a file")
    (folder / "log" / "green-000001-0000.jsonl").write_text(LOG)
    for name in ("team.key", "stderr.txt", "state/radio.json", "state/run.json", "state/stop-green.json"):
        (folder / name).write_text("")
    note_written(folder.parent, [folder.name])
    return folder


def figure(path: Path) -> None:
    path.write_text("robotd plot")


def test_the_folders_of_an_earlier_run_with_processes_are_replaced(tmp_path) -> None:
    robot_folder(tmp_path / "out" / "green")
    assert replace_processes(tmp_path / "out", ["blue", "green"]) == "an earlier run"
    assert replace_processes(tmp_path / "none", ["green"]) == ""
    (tmp_path / "empty" / "green").mkdir(parents=True)
    assert replace_processes(tmp_path / "empty", ["green"]) == ""


def test_the_figures_of_an_earlier_run_with_processes_are_removed_and_reported(tmp_path) -> None:
    green = robot_folder(tmp_path / "out" / "green")
    drawn = ["out-trace.png", "out-green-levels.svg", "green/green-trace.png", "green/log/log-levels.png",
             "green/log/green-000001-0000-green-trace.svg"]  # fmt: skip
    for name in drawn:
        figure(tmp_path / "out" / name)
    told = replace_processes(tmp_path / "out", ["green"])
    assert sorted(told.removeprefix("an earlier run; removed its figures ").split(", ")) == sorted(drawn)
    assert not any((tmp_path / "out" / name).exists() for name in drawn)
    assert (green / "robot.toml").exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("thesis.txt", "precious"),
        ("log/green-000001-0001.jsonl", "precious"),
        ("state/deeper/radio.json", "{}"),
        ("green-trace.png", "a figure of somebody else"),
        ("log/other-trace.png", "robotd plot"),
        ("robot.toml", "changed"),
    ],
)
def test_a_robots_folder_with_anything_that_no_run_has_written_stays_as_it_is(
    small_file, tmp_path, capsys, name, content
) -> None:
    folder = robot_folder(tmp_path / "out" / "green")
    figure(tmp_path / "out" / "out-trace.png")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(content)
    before = {path: path.is_dir() or path.read_text() for path in (tmp_path / "out").rglob("*")}
    assert sim(small_file, "--processes", "--duration", "1", "--out", "out") == 2
    foreign = "state/deeper" if "deeper" in name else name
    assert f"out/green/{foreign}: no earlier run has left this" in capsys.readouterr().err
    assert {path: path.is_dir() or path.read_text() for path in (tmp_path / "out").rglob("*")} == before


def test_what_is_no_folder_of_a_run_stays(small_file, tmp_path, capsys) -> None:
    real = robot_folder(tmp_path / "linked" / "elsewhere").rename(tmp_path / "green")
    (tmp_path / "linked" / "green").symlink_to(real)
    link = robot_folder(tmp_path / "link" / "green") / "stderr.txt"
    link.unlink()
    link.symlink_to(tmp_path / small_file)
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "green").write_text("a file")
    (robot_folder(tmp_path / "logs" / "green").parent / ".robotd-run.json").unlink()
    for foreign in ("linked/green", "link/green/stderr.txt", "plain/green", "logs/green/log"):
        assert sim(small_file, "--processes", "--duration", "1", "--out", foreign.partition("/")[0]) == 2
        assert f"{foreign}: no earlier run has left this" in capsys.readouterr().err
    assert (tmp_path / "plain" / "green").read_text() == "a file"
    assert (real / "team.key").exists()
