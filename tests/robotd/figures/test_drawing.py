"""What the figures show, asserted on their bars, marks, lines and labels."""

import math
from itertools import pairwise

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from robotd.figures.files import write_figures
from robotd.figures.levels import levels, line_of, pages
from robotd.figures.read import read_series
from robotd.figures.series import Curve, Happened, Interval, RobotSeries, RunSeries, SetLevels
from robotd.figures.style import HATCHES, PALETTE, Entry, legend_columns, legend_height, look_of, save
from robotd.figures.trace import BAR, leftward, rows_of, stagger, trace
from tests.robotd.sim import small

FIND = "find-locations-methodical"


@pytest.fixture
def drawn(run):
    return trace(run)


@pytest.fixture
def grid(run):
    return levels(run)


def labelled(axes, label):
    [found] = [artist for artist in (*axes.collections, *axes.lines) if artist.get_label() == label]
    return found


def bars(axes, label):
    boxes = [path.get_extents() for path in labelled(axes, label).get_paths()]
    return [(box.x0, box.x1, (box.y0 + box.y1) / 2) for box in boxes]


def texts(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts] + [t.get_text() for t in figure.texts]


def legend_of(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_each_robot_has_a_block_of_rows_labelled_with_its_sets(drawn):
    axes = drawn.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["FLM", "MS(L)", "MS(R)"] * 3
    assert [text for text in texts(drawn) if text in ("green", "blue", "gold")] == ["green", "blue", "gold"]
    assert axes.get_xlabel() == "time (s)"
    assert axes.yaxis_inverted()


def test_the_bars_are_the_spells(run, drawn):
    axes = drawn.axes[0]
    rows = rows_of(list(run.robots.values()), run.sets())
    for robot in run.robots.values():
        for name in robot.sets():
            reported = [(s.start, s.end, rows.y[robot.name, name]) for s in robot.active(name)]
            assert bars(axes, f"{robot.name} {name}") == [pytest.approx(one) for one in reported]
    assert sum(len(bars(axes, f"{robot} {FIND}")) for robot in run.robots) >= 3
    assert all(below - above > BAR for above, below in pairwise(sorted(rows.y.values())))


def test_how_spells_ended_is_marked_where_they_did_and_a_suspended_set_is_drawn_as_held():
    endings = ("done", "yielded", "gave-up")
    spells = [Interval("push", "push", 2.0 * k, 2.0 * k + 1.0, end) for k, end in enumerate(endings)]
    red = RobotSeries("red", spells, [Interval("push", "push", 7.0, 9.0, "resumed")])
    figure = trace(RunSeries("small", None, {}, 0.2, ("red",), {"red": red}, duration=10.0))
    axes = figure.axes[0]
    for k, ending in enumerate(endings):
        mark = labelled(axes, f"red {ending}")
        assert (list(mark.get_xdata()), list(mark.get_ydata())) == ([2.0 * k + 1.0], [0.0])
    assert list(labelled(axes, "red push held").get_xdata()) == [7.0, 9.0]
    assert legend_of(figure) == ["P  push", "done", "yielded", "gave up", "suspended"]


def test_a_removed_or_killed_robot_has_an_x_on_what_it_was_doing(run, drawn):
    axes = drawn.axes[0]
    rows = rows_of(list(run.robots.values()), run.sets())
    gold, blue = labelled(axes, "gold out"), labelled(axes, "blue out")
    assert (gold.get_marker(), blue.get_marker()) == ("x", "x")
    assert list(gold.get_xdata()) == [25.0]
    assert list(blue.get_xdata()) == [10.0]
    for name, mark in (("blue", blue), ("gold", gold)):
        assert list(mark.get_ydata()) == [sum(rows.blocks[name]) / 2]  # they were idle
    busy = RobotSeries("red", [Interval("push", "push", 1.0, 5.0), Interval("look", "look", 5.0, 9.0)])
    hit = RunSeries("small", None, {}, 0.2, ("red",), {"red": busy}, [Happened(3.0, "kill", ("red",), "")], 10.0)
    assert list(labelled(trace(hit).axes[0], "red out").get_ydata()) == [0.0]  # the row of what it was doing
    assert len(labelled(axes, "green out").get_xdata()) == 0


def test_events_are_written_and_the_legend_gives_full_names_and_only_marks_that_occur(drawn):
    assert {"remove blue", "return blue", "kill gold"} <= set(texts(drawn))
    assert legend_of(drawn) == [
        f"FLM  {FIND}", "MS(L)  move-spill-left", "MS(R)  move-spill-right", "yielded", "removed or killed",
        "absent",
    ]  # fmt: skip


def test_one_robots_trace_shows_that_robot_and_what_happened_to_it(run):
    figure = trace(run, "blue")
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["FLM", "MS(L)", "MS(R)"]
    assert {"remove", "return"} <= set(texts(figure))
    assert not any("gold" in text for text in texts(figure))
    assert run.title("blue") in texts(figure)


def test_a_robot_that_was_stopped_has_a_row_of_its_state_and_its_faults_are_written(tmp_path):
    log = tmp_path / "run.jsonl"
    small.run("4 stop-team green", "8 ack green", for_s=12.0, log=log, robots=("green",))
    (axes,) = trace(read_series(log)).axes
    assert [label.get_text() for label in axes.get_yticklabels()][-1] == "state"
    (bars,) = [bars for bars in axes.collections if bars.get_label() == "green stopped"]
    (path,) = bars.get_paths()
    assert path.vertices[:, 0].min() == pytest.approx(4.0, abs=0.2)
    assert path.vertices[:, 0].max() == pytest.approx(8.0, abs=0.2)
    assert "fault stopped" in [text.get_text() for text in axes.texts]


def test_absences_are_from_removal_to_return_and_from_death_to_the_end(run):
    assert run.absences("blue") == [(10.0, 20.0)]
    [(start, end)] = run.absences("gold")
    assert (start, end) == (pytest.approx(25.0, abs=0.1), 50.0)
    assert run.absences("green") == []


def test_absences_that_meet_are_one_and_a_return_before_the_removal_is_none():
    events = [Happened(at, verb, ("red",), "") for at, verb in ((1.0, "return"), (2.0, "remove"), (6.0, "return"))]
    red = RobotSeries("red", off=[(4.0, 8.0), (9.0, 9.5)])
    run = RunSeries("small", None, {}, 0.2, ("red",), {"red": red}, events, duration=10.0)
    assert run.absences("red") == [(2.0, 8.0), (9.0, 9.5)]


def test_the_teams_levels_are_in_a_grid_of_sets_by_robots(run, grid):
    assert len(grid.axes) == 9
    assert [text for text in texts(grid) if text in run.robots] == ["green", "blue", "gold"]
    assert [axes.get_title(loc="left") for axes in grid.axes[::3]] == [
        f"{label}  {name}" for name, label in run.labels().items()
    ]
    assert {"time (s)", "level (0 to the threshold)"} <= set(texts(grid))
    assert {"impatience", "motivation", "acquiescence", "threshold", "active"} <= set(legend_of(grid))


def test_a_panel_shows_the_three_levels_of_the_log_below_a_dashed_threshold(run, grid):
    axes = grid.axes[0]
    of_set = run.robots["green"].levels[FIND]
    for level in ("impatience", "motivation", "acquiescence"):
        line = labelled(axes, level)
        points = of_set.curves[level].points()
        assert list(zip(line.get_xdata(), line.get_ydata(), strict=True)) == points
    threshold = labelled(axes, "threshold")
    assert set(threshold.get_ydata()) == {100.0}
    assert threshold.is_dashed()


def test_the_time_in_which_a_set_was_active_is_shaded(run, grid):
    spans = [(round(p.get_x()), round(p.get_x() + p.get_width())) for p in grid.axes[0].patches]
    [find] = run.robots["green"].active(FIND)
    assert spans == [(round(find.start), round(find.end))]


def test_one_robots_levels_have_a_column_for_each(run):
    figure = levels(run, ["green"])
    assert len(figure.axes) == 9
    scores = ["impatience", "motivation", "acquiescence"]
    assert [text for text in texts(figure) if text in scores] == scores
    kept = [{line.get_label() for line in axes.lines} & {"impatience", "motivation"} for axes in figure.axes[:3]]
    assert kept == [{"impatience"}, {"motivation"}, set()]


def test_a_level_is_not_drawn_across_the_time_in_which_nothing_ticked():
    curve = Curve()
    for at in (1.0, 2.0, 8.0, 9.0):
        curve.add(at, 5.0)
    assert line_of(curve, [])[0] == [1.0, 2.0, 8.0, 9.0]
    times, values = line_of(curve, [(2.0, 8.0)])
    assert (times, [math.isnan(value) for value in values]) == (
        [1.0, 2.0, 2.0, 8.0, 9.0],
        [k == 2 for k in range(5)],
    )


def team_of(count):
    robots = {f"r{k}": RobotSeries(f"r{k}", levels={"s": SetLevels(2.0, {"bid": Curve()})}) for k in range(count)}
    return RunSeries("big", 1, {}, 0.2, tuple(robots), robots, duration=10.0)


@pytest.mark.parametrize(("count", "sizes"), [(1, [1]), (4, [4]), (5, [3, 2]), (10, [4, 4, 2])])
def test_a_large_team_is_spread_over_pages(count, sizes):
    sheets = pages(team_of(count))
    assert [len(names) for names in sheets] == sizes
    assert [name for names in sheets for name in names] == [f"r{k}" for k in range(count)]


def test_a_coordinator_without_scores_has_no_figure_of_levels(tmp_path):
    run = team_of(2)
    for robot in run.robots.values():
        robot.levels = {}
    files = [*write_figures(run, tmp_path / "run.jsonl"), *write_figures(run, tmp_path / "run.jsonl", robot="r1")]
    assert [path.name for path in files] == ["run-trace.png", "run-r1-trace.png"]
    assert all(path.stat().st_size > 1000 for path in files)


def test_a_coordinators_own_scores_are_drawn_by_their_names():
    run = team_of(2)
    for at in (0.0, 5.0):
        run.robots["r0"].levels["s"].curves["bid"].add(at, at / 5.0)
    figure = levels(run)
    assert legend_of(figure) == ["bid", "threshold", "active"]
    assert labelled(figure.axes[0], "bid").get_ydata().tolist() == [0.0, 1.0]


def test_labels_of_events_that_would_overlap_are_written_on_further_levels():
    assert stagger([(10.0, "remove blue"), (500.0, "kill red")], 1000.0) == [0, 0]
    assert stagger([(10.0, "remove blue"), (20.0, "kill red"), (900.0, "ack all")], 1000.0) == [0, 1, 0]
    assert stagger([(950.0, "remove blue"), (990.0, "kill red")], 1000.0) == [0, 1]
    assert stagger([(700.0, "kill green"), (900.0, "add-task green look-about")], 1000.0) == [0, 1]
    assert (leftward(850.0, "return all", 1000.0), leftward(950.0, "return all", 1000.0)) == (False, True)
    assert stagger([(10.0, "remove blue")] * 7, 1000.0) == [0, 1, 2, 3, 4, None, None]


def test_an_event_of_all_robots_is_labelled_so_and_one_of_the_only_robot_drawn_has_no_name():
    blue = Happened(1.0, "slow", ("blue",), "0.5")
    assert Happened(1.0, "slow", (), "0.5").label(()) == "slow all 0.5"
    assert (blue.label(["blue"]), blue.label(["blue", "gold"])) == ("slow 0.5", "slow blue 0.5")


@pytest.mark.parametrize(
    ("letters", "columns"),  # one row; two full rows, none of five and three; and so on
    [([10, 10, 12, 9, 6], 5), ([10, 10, 12, 9, 6, 6, 10, 10], 4), ([30, 23, 22, 23, 19, 4, 17, 6], 4),
     ([30, 30, 30, 30], 2), ([90, 10, 90], 1)],
)  # fmt: skip
def test_a_legend_has_the_fewest_rows_that_fit(letters, columns):
    entries = [Entry("x" * count, "line", {}) for count in letters]
    assert legend_columns(entries) == columns
    assert legend_height(entries[:1]) <= legend_height(entries)


def test_the_levels_legend_is_one_row_with_the_events_below_it(run, grid):
    FigureCanvasAgg(grid).draw()  # places every text
    short, events = grid.legends
    named = [text.get_text() for text in short.get_texts()]
    assert named == ["impatience", "motivation", "acquiescence", "threshold", "active", "absent"]
    assert len({round(text.get_window_extent().y0) for text in short.get_texts()}) == 1
    assert [text.get_text() for text in events.get_texts()] == [
        "remove blue (10 s), kill gold (25 s)", "return blue (20 s), reboot gold (35 s)",
    ]  # fmt: skip
    assert short.get_window_extent().y0 > events.get_window_extent().y0
    assert not short.get_texts()[0].get_window_extent().overlaps(events.get_texts()[0].get_window_extent())


def test_no_two_sets_look_alike():
    names = [f"set-{k}" for k in range(len(PALETTE) * len(HATCHES))]
    assert len(set(look_of(names).values())) == len(names)
    assert {hatch for _, hatch in look_of(names[: len(PALETTE)]).values()} == {""}


def test_the_same_log_gives_the_same_file(log, tmp_path):
    first, second = tmp_path / "first.svg", tmp_path / "second.svg"
    for path in (first, second):
        save(trace(read_series(log), "blue"), path)
    assert first.read_bytes() == second.read_bytes()


def test_a_dollar_in_a_name_is_only_a_dollar(run, tmp_path):
    paid = RunSeries("$\\cheap$", 1, {}, 0.2, (), {"$_^$": RobotSeries("$_^$")}, duration=10.0)
    assert write_figures(paid, tmp_path / "run.jsonl")
