"""What an earlier run left where `robotd sim` writes: it is replaced, and nothing else is."""

import json
from pathlib import Path
from typing import Any

import pytest

from robotd.__main__ import main
from robotd.commands.earlier import check_unused, find_unused


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
    reported = capsys.readouterr().out.splitlines()[-1]
    assert reported == "replaces   an earlier run; removed its figures run-green-levels.svg, run-green-trace.svg"
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
        reported = capsys.readouterr().err
        assert f"{log}: " in reported
        assert words in reported
        assert "choose another file with --log" in reported
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
    ("arguments", "reported"),
    [
        (["--event", "3 remov green"], "no verb is called"),
        (["--set", CROWDED], "spill left: 20 objects do not fit within spread_m = 0.05"),
    ],
)
def test_a_run_that_is_refused_replaces_nothing(small_file, earlier, capsys, arguments, reported) -> None:
    before = contents(earlier)
    assert sim(small_file, *arguments) == 2
    assert reported in capsys.readouterr().err
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


def figure(path: Path) -> None:
    path.write_text("robotd plot")


def test_a_run_with_processes_leaves_what_a_robots_folder_holds(small_file, tmp_path, capsys) -> None:
    (tmp_path / "real").mkdir()
    for out in ("full", "plain", "linked"):
        (tmp_path / out).mkdir()
    (tmp_path / "full" / "green").mkdir()
    (tmp_path / "full" / "green" / "team.key").write_text("precious")
    (tmp_path / "plain" / "green").write_text("precious")
    (tmp_path / "linked" / "green").symlink_to(tmp_path / "real")
    for out in ("full", "plain", "linked"):
        assert sim(small_file, "--processes", "--duration", "1", "--out", out) == 2
        assert f"{out}/green: this is there already" in capsys.readouterr().err
    assert (tmp_path / "full" / "green" / "team.key").read_text() == "precious"
    assert (tmp_path / "plain" / "green").read_text() == "precious"
    assert list((tmp_path / "real").iterdir()) == []


def test_a_run_with_processes_takes_new_and_empty_folders(tmp_path) -> None:
    (tmp_path / "green").mkdir()
    check_unused(tmp_path, ["blue", "green"])


def test_without_out_a_run_with_processes_takes_the_first_folder_that_none_has_used(tmp_path) -> None:
    usual = tmp_path / "robotd-small-1-processes"
    assert find_unused(usual, ["green"]) == usual
    for k in ("", "-2"):
        (tmp_path / f"{usual.name}{k}" / "green" / "log").mkdir(parents=True)
    assert find_unused(usual, ["green"]) == tmp_path / f"{usual.name}-3"
