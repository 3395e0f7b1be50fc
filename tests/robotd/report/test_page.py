"""The whole run on one page: what it shows is what the log has, and nothing is loaded."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from robotd.__main__ import main
from robotd.figures.read import read_series
from robotd.figures.room import Room
from robotd.figures.series import RobotSeries, RunSeries
from robotd.model.choice import Assignment, Choice, Job
from robotd.model.tasks import Task
from robotd.record.why import Account, Happened, read_accounts
from robotd.report.charts import POINTS, map_of, thinned
from robotd.report.page import page_of
from robotd.report.read import MOST_POINTS, Run, Trail, read_run
from tests.robotd.sim.small import rows_of, run

EVENTS = ("4 stop-team green", "8 ack green", "9 start blue", "12 remove blue", "16 return blue")
LOADS = {"src", "srcset", "data", "action", "poster", "background"}
EMPTY = {"meta", "link", "br"}  # elements without an end


class Page(HTMLParser):
    """The elements of a page with their attributes; AssertionError where they are not well nested."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def of_class(self, name: str) -> list[dict[str, str | None]]:
        return [of for _, of in self.elements if name in (of.get("class") or "").split()]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "run.jsonl"
    run(*EVENTS, for_s=20.0, robots=("green", "blue"), log=path)
    return path


@pytest.fixture(scope="module")
def found(log: Path) -> Run:
    return read_run(log)


@pytest.fixture(scope="module")
def page(found: Run) -> Page:
    return Page(page_of(found))


def test_nothing_is_loaded_and_nothing_runs(found: Run, page: Page) -> None:
    text = page_of(found)
    assert not LOADS & {name for _, of in page.elements for name in of}
    assert {of["href"] for tag, of in page.elements if tag == "a"} >= {"#map", "#trace", "#events"}
    assert all((of.get("href") or "#").startswith("#") for _, of in page.elements)
    assert not {"script", "link", "iframe", "img", "object"} & {tag for tag, _ in page.elements}
    assert re.search(r"url\(|@import|https?:", text) is None
    (policy,) = [of["content"] for _, of in page.elements if of.get("http-equiv") == "Content-Security-Policy"]
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"


def test_bars_events_stops_and_trails_are_those_of_the_log(log: Path, found: Run, page: Page) -> None:
    series, titles = read_series(log), " ".join(page.words)
    for robot in series.robots.values():
        for spell in robot.spells:
            assert f"{spell.set} ({spell.task}): {spell.start:.1f} to {spell.end:.1f} s" in titles
    assert len(page.of_class("event")) == len(series.events)
    assert len(page.of_class("stop")) == sum(len(robot.stops) for robot in series.robots.values()) > 0
    assert len(page.of_class("absent")) == 1
    assert len(page.of_class("trail")) == len(found.trails) == 2
    assert len(page.of_class("panel")) == 6


def test_every_event_is_in_the_table_with_its_cause(log: Path, page: Page) -> None:
    words = set(page.words)
    for account in read_accounts(log).robots:
        for one in account.happened:
            assert {one.what, one.cause} <= words


@pytest.mark.parametrize("dated", [True, False])
def test_events_have_a_date_where_the_log_has_it(*, dated: bool) -> None:
    green, blue = Account("green"), Account("blue")
    for account in (green, blue):
        account.happened.append(Happened(2.0, "order stop", "by ann"))
    if dated:
        green.dates.note(0.0, 86400.0)
    series = RunSeries("box", 1, {}, 0.2, (), {name: RobotSeries(name) for name in ("green", "blue")})
    words = Page(page_of(Run(series, [green, blue], {}, {}, {}, None, {}))).words
    at = words.index("cause") + 1  # where a date is not known its cell is empty, and no words
    first, second = (["2.0", robot, "order stop", "by ann"] for robot in ("blue", "green"))
    second[1:1] = ["1970-01-02 00:00:02 UTC"] * dated
    assert words[at : at + 8 + dated] == [*first, *second]
    assert ("date and time" in words) == dated


def test_a_task_has_its_robots_and_when_it_was_done() -> None:
    green, blue = RobotSeries("green"), RobotSeries("blue")
    for at, robot, task, finished in ((1.0, green, "push", ""), (4.0, green, "", "push"), (5.0, blue, "push", ""),
                                      (7.5, blue, "", "push"), (8.0, green, "find", "")):  # fmt: skip
        on = (Assignment("one", Task("push", (), task)),) if task else ()
        robot.decided(at, Choice(on, finished=(Task("push", (), finished),) if finished else ()))
    series = RunSeries("box", 1, {}, 0.2, ("green", "blue"), {"green": green, "blue": blue})
    words = Page(page_of(Run(series, [], {}, {}, {"tasks": {"find": {}, "wait": {}}}, None, {}))).words
    at = words.index("robots, and how long") + 4
    assert words[at : at + 8] == ["find", "green 0 s", "wait", "push", "green 3 s, blue 2 s", "2", "7.5", "blue"]


def test_a_task_that_a_robot_introduced_has_its_states_in_order_though_it_is_introduced_twice() -> None:
    one = RobotSeries("lookout")
    for at, *jobs in ((1.0, ("waiting", 0)), (2.0, ("awarded", 3)), (3.0, ("awarded", 3), ("waiting", 0)),
                      (3.5, ("awarded", 3), ("waiting", 0)), (4.0, ("ended", 0), ("awarded", 2))):  # fmt: skip
        listed = tuple(Job(Task("push", (), "left"), state, who, "why") for state, who in jobs)
        one.decided(at, Choice(jobs=listed))
    assert [(state.since, state.state, state.who) for state in one.jobs["left"]] == [
        (1.0, "waiting", 0), (2.0, "awarded", 3), (3.0, "waiting", 0), (4.0, "ended", 0), (4.0, "awarded", 2)
    ]  # fmt: skip
    series = RunSeries("box", 1, {}, 0.2, ("lookout",), {"lookout": one})
    page = Page(page_of(Run(series, [], {}, {}, {}, None, {2: "east"})))
    assert "1 robot, coordinator of the mission, 0 s" in page.words
    (states,) = [word for word in page.words if "waiting" in word]
    assert states.split("; ")[-2:] == ["4.0 s ended (why)", "4.0 s awarded to east (why)"]


def test_a_name_on_the_map_is_on_the_side_where_there_is_room() -> None:
    series = RunSeries("box", 1, {}, 0.2, ("green",), {"green": RobotSeries("green")})
    for x, anchor in ((9.9, "end"), (1.0, None)):
        run = Run(series, [], {"green": Trail([(0.0, 0.0), (x, 5.0)])}, {}, {}, Room((10.0, 10.0)), {})
        (of,) = [of for tag, of in Page(map_of(run)).elements if tag == "text"]
        assert of.get("text-anchor") == anchor


def test_the_radio_is_counted(log: Path, found: Run) -> None:
    for name, rows in rows_of(log).items():
        own = found.traffic[name]
        assert own.sent == sum(len(row.sent) for row in rows) > 0
        assert sum(own.received.values()) == sum(len(row.heard) for row in rows) > 0


def test_faults_are_there_with_from_and_until(page: Page) -> None:
    words = [word for word in page.words if word.strip()]
    at = words.index("detail")
    assert words[at + 1 : at + 3] == ["green", "stopped"]
    assert 4.0 <= float(words[at + 3]) < float(words[at + 4]) <= 8.5


def test_what_a_log_says_is_text_and_no_markup(log: Path, tmp_path: Path) -> None:
    bad = "<img src=x onerror=alert(1)>\\\"'&"
    path = tmp_path / "run.jsonl"
    path.write_text(log.read_text().replace("by simulation", bad).replace('"simulation"', json.dumps(bad)))
    page = Page(page_of(read_run(path)))
    assert f"by {bad}" in page.words
    assert "img" not in {tag for tag, _ in page.elements}


def test_the_same_log_gives_the_same_page_beside_it_or_where_asked(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(log)]) == 0
    assert Path(capsys.readouterr().out.strip()) == log.parent / "run-report.html"
    assert main(["report", str(log), "--out", str(tmp_path / "deep" / "x.html"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["page"] == str(tmp_path / "deep" / "x.html")
    assert (log.parent / "run-report.html").read_bytes() == (tmp_path / "deep" / "x.html").read_bytes()


def test_what_is_no_log_and_what_cannot_be_written_is_refused(log: Path, tmp_path: Path) -> None:
    assert main(["report", str(tmp_path / "none.jsonl")]) == 2
    assert main(["report", str(log), "--out", str(tmp_path)]) == 2
    assert main(["report", str(log), "--out", "/proc/none/x.html"]) == 2
    (tmp_path / "x.jsonl").write_text("[1]\n")
    assert main(["report", str(tmp_path / "x.jsonl")]) == 2


def test_a_cut_log_has_a_page_that_says_so(log: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(log.read_bytes()[:-7])
    assert any("the last line was cut" in word for word in Page(page_of(read_run(path))).words)


def test_a_long_trail_and_a_long_curve_are_thinned_and_keep_their_shape() -> None:
    trail = Trail()
    for k in range(20_000):
        trail.add(0.05 * k, 0.0)
    assert MOST_POINTS / 2 <= len(trail.points) <= MOST_POINTS
    assert trail.points[-1][0] == pytest.approx(1000.0, abs=2.0)
    points = thinned([(float(k), 5.0 if k == 7777 else k % 2) for k in range(20_000)])
    assert len(points) <= POINTS + 2
    assert (7777.0, 5.0) in points
    assert points == sorted(points)
