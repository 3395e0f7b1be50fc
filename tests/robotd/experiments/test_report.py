"""The page of an experiment: whole, in one file, whatever words the experiment is made of."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from robotd.api import simulate
from robotd.experiments.base import Cell, Results, log_path
from robotd.experiments.charts import draw_intervals, draw_kept_logs
from robotd.experiments.report import write_text
from tests.robotd.sim.small import small

from .fakes import Fake, do

VOID = {"meta", "br", "use"}


class Nesting(HTMLParser):
    """Every element is closed by its own end, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag, attrs) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs) -> None:
        """It closes itself."""

    def handle_data(self, data) -> None:
        self.text += data


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("report")
    do(out, Fake(names=("one", "two & <three>")), runs=2)
    return (out / "report.html").read_text()


def test_the_page_is_well_formed_and_holds_every_cell_table_figure_and_how_to_repeat_it(page: str) -> None:
    found = Nesting()
    found.feed(page)
    assert found.open == []
    for words in ("one", "two & <three>", "Beside <it>", "a note", "a caption", "Does the runner run?",
                  "robotd experiment fake", "Seeds 1 to 2", "4 runs of 2 cells",
                  "1 of 1 claims hold in every run.", "values are even", "2 of 2", "robotd 0."):  # fmt: skip
        assert words in found.text
    assert "Runs without success" not in found.text
    assert "nothing" not in found.text  # a column of zeros
    assert "FaultsNone." in found.text  # a table without rows
    assert "robot</th>" not in page
    heads = re.findall(r"<h[123]>(.*?)</h[123]>", page)
    assert len(set(heads)) == len(heads)


def test_what_a_figure_calls_its_parts_is_its_own_in_the_page(page: str) -> None:
    assert '<svg id="f0-a"><use href="#f0-a"/></svg>' in page
    assert "<?xml" not in page


def test_a_file_is_replaced_as_a_whole_and_no_draft_stays(tmp_path: Path) -> None:
    write_text(tmp_path / "a.csv", "old")
    write_text(tmp_path / "a.csv", "new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.csv", "new")]
    with pytest.raises(OSError, match="No such file"):
        write_text(tmp_path / "nowhere" / "a.csv", "x")


def test_a_figure_shows_every_cell_and_the_same_rows_give_the_same_file(tmp_path: Path) -> None:
    cells = [Cell("calm"), Cell("none finished"), Cell("x" * 60)]
    rows = [{"cell": "calm", "time": 3.0 + k} for k in range(3)] + [{"cell": "x" * 60, "time": 900.0}]
    (first,) = draw_intervals(Results(rows, tmp_path / "a"), cells, "time", "time (s)")
    (again,) = draw_intervals(Results(rows, tmp_path / "b"), cells, "time", "time (s)")
    assert first.path.read_bytes() == again.path.read_bytes()
    assert draw_intervals(Results(rows, tmp_path), cells, "nothing", "n") == []
    assert not (tmp_path / "figures").exists()


def test_the_log_of_a_cell_is_a_file_whatever_its_name() -> None:
    assert log_path(Path("o"), "loss 30%, events=../x", 2) == Path("o/logs/loss_30___events=.._x-2.jsonl")
    name = log_path(Path(), "ö" * 300, 123456).name
    assert len(f"{name.removesuffix('.jsonl')}-trace.svg.1234567".encode()) < 256


@pytest.mark.parametrize("kept", [0, 1, 2, 30])
def test_a_log_that_a_failed_run_left_is_drawn_as_far_as_it_goes(tmp_path: Path, kept: int) -> None:
    log = log_path(tmp_path, "calm", 1)
    log.parent.mkdir()
    simulate(small(("green",)), 1, duration_s=4.0, log=log)
    whole = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(whole[:kept]) + whole[kept][:9])
    drawings = draw_kept_logs(Results([], tmp_path), [Cell("calm"), Cell("none")], 1)
    assert [one.path.name for one in drawings] == ["calm-1-trace.svg", "calm-1-levels.svg"][: min(kept, 2)]
