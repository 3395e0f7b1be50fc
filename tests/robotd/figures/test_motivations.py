"""The figure of `robotd motivate`, and those of docs/parameters.md."""

import re
from itertools import groupby
from pathlib import Path

import pytest

from robotd.figures.motivations import inapplicable, motivations
from robotd.figures.style import save
from robotd.motivate.scenario import Scenario, parse, run

DOCS = Path(__file__).parents[3] / "docs"
SHOWN = re.findall(r"\(figures/(\w+)\.svg\)", (DOCS / "parameters.md").read_text(encoding="utf-8"))
TOP = """tick_s = 0.5
duration_s = 20
threshold = 10
silence_timeout_s = 12
[[set]]
name = "push $left$"
task = "push"
fast_rate = 1
slow_rate = 0.5
patience_s = 60
yield_time_s = 60
give_up_time_s = 90
applicable = true
"""
HEARD = '[[event]]\nat_s = 4\nheard = { from = "blue", task = "push" }\n'
DONE = '[[event]]\nat_s = 16\ndone = { task = "push" }\n'


def applies(at: float, *, value: bool) -> str:
    return f'[[event]]\nat_s = {at}\napplicable = {{ "push $left$" = {str(value).lower()} }}\n'


def scenario(*events: str) -> Scenario:
    return parse((TOP + "".join(events)).encode())


def drawn(of: Scenario):
    return motivations(of, list(run(of)), "one.toml")


def words(figure) -> set[str]:
    (legend,) = figure.legends
    return {text.get_text() for text in (*figure.texts, *legend.get_texts())}


def test_a_figure_names_what_it_shows_and_what_each_line_is() -> None:
    figure = drawn(scenario(HEARD, DONE, applies(10, value=False)))
    assert words(figure) == {
        "one.toml: motivation of each behavior set", "motivation", "time (s)", "threshold", "active",
        "not applicable", "blue states the task", "the task is completed",
    }  # fmt: skip
    (axes,) = figure.axes
    assert axes.get_title(loc="left") == "push $left$ (task push)"


def test_what_did_not_happen_is_not_in_the_legend() -> None:
    assert words(drawn(scenario())) == {
        "one.toml: motivation of each behavior set", "motivation", "time (s)", "threshold", "active",
    }  # fmt: skip


def test_the_line_is_the_level_at_every_tick() -> None:
    of = scenario(HEARD)
    (axes,) = drawn(of).axes
    line = next(line for line in axes.lines if len(line.get_xdata()) == of.ticks + 1)
    assert [float(y) for y in line.get_ydata()] == [0.0, *(row.levels[0] for row in run(of))]
    assert [float(x) for x in line.get_xdata()][-1] == 20.0


@pytest.mark.parametrize(
    ("events", "stretches"),
    [
        ((), []),
        ((applies(5, value=False),), [(5.0, 20.0)]),
        ((applies(5, value=False), applies(8, value=True)), [(5.0, 8.0)]),
        ((applies(5, value=False), applies(6, value=False), applies(8, value=True)), [(5.0, 8.0)]),
        ((applies(-3, value=False), applies(8, value=True)), [(0.0, 8.0)]),
        ((applies(30, value=False),), []),
    ],
)
def test_the_stretches_without_sensory_feedback_are_those_of_the_events(
    events: tuple[str, ...], stretches: list[tuple[float, float]]
) -> None:
    assert list(inapplicable(scenario(*events), "push $left$")) == stretches


def curves(text: str) -> list[float]:
    """The numbers of all paths that lie within a panel: the data, not the letters."""
    paths = re.findall(r'<path d="([^"]*)" clip-path', text)
    return [float(number) for path in paths for number in re.findall(r"-?\d+(?:\.\d+)?", path)]


@pytest.mark.parametrize("name", SHOWN)
def test_the_figures_of_the_manual_are_those_of_its_scenarios(name: str, tmp_path: Path) -> None:
    of = parse((DOCS / "examples" / f"{name}.toml").read_bytes())
    save(motivations(of, list(run(of)), f"{name}.toml"), tmp_path / "new.svg")
    new, shown = (
        (folder / file).read_text() for folder, file in ((tmp_path, "new.svg"), (DOCS / "figures", f"{name}.svg"))
    )
    assert len(curves(shown)) > 20
    assert curves(shown) == pytest.approx(curves(new), abs=0.02)  # a fiftieth of a point is nothing to be seen


@pytest.mark.parametrize(
    ("name", "active"),
    [
        ("patience", [("clean", 84.0, 124.5)]),
        ("silence", [("clean", 50.0, 110.5), ("clean", 130.5, None)]),
        (
            "interrupt",
            [("work", 20.0, 80.0), ("report", 80.0, 96.0), ("work", 96.0, 176.5), ("report", 176.5, 190.0)],
        ),
    ],
)
def test_what_the_manual_states_of_its_figures_is_so(
    name: str, active: list[tuple[str, float, float | None]]
) -> None:
    rows = list(run(parse((DOCS / "examples" / f"{name}.toml").read_bytes())))
    spells = [(key, list(group)) for key, group in groupby(rows, lambda row: row.active)]
    ends = [group[0].time_s for _, group in spells[1:]] + [None]
    found = [
        (key, group[0].time_s, end) for (key, group), end in zip(spells, ends, strict=True) if key is not None
    ]
    assert found == active


def test_the_manual_shows_figures() -> None:
    assert len(SHOWN) >= 3
