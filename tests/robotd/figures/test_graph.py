"""The plan of a mission as a picture, by graphviz or without it."""

import json
from pathlib import Path

import pytest

from motivation.bite import Bite
from motivation.bite.settings import BiteSettings
from robotd.__main__ import main
from robotd.config.load import find_mission, load_mission
from robotd.figures import graph
from robotd.figures.graph import dot, draw_graph
from robotd.model.coordinator_plugin import plugin_of
from robotd.model.drawing import Arrow, Panel
from robotd.model.table import Member, NumberTable
from tests.docs_pages import ROOT

GRAPH = {"a": {"first": ["b", "c"], "allocate": "market", "team": "all", "terminate": "all", "next": ["a"],
               "decide": "elected"}, "b": {}, "c": {}}  # fmt: skip
SETTINGS = {
    "start": "a", "graph": GRAPH, "teams": {"pair": ["r1", "r2"], "more": ["pair", "r3"]},
    "interactions": {"elected": {"protocol": "vote", "teller": "leader"}},
}  # fmt: skip
TABLE = NumberTable(tuple(Member(f"r{k}", k, "r2") for k in range(1, 5)), (), ())


@pytest.fixture
def panels() -> list[Panel]:
    return [*Bite.drawing(BiteSettings(**SETTINGS), TABLE)]


def test_it_has_the_three_structures_with_their_links(panels: list[Panel]) -> None:
    behaviors, hierarchy, protocols = panels
    assert [(one.name, one.layer) for one in behaviors.boxes] == [("a", 0), ("b", 1), ("c", 1)]
    assert behaviors.boxes[0].lines == (
        "begins here", "team: all", "decide: elected", "allocate: market", "terminate: all"
    )  # fmt: skip
    assert {("a", "b", "down"), ("a", "a", "then")} <= {(x.start, x.end, x.kind) for x in behaviors.arrows}
    assert {one.name: one.layer for one in hierarchy.boxes} == {
        "all": 0, "more": 1, "pair": 2, "r1": 3, "r2": 3, "r3": 3, "r4": 3,
    }  # fmt: skip
    assert {(x.start, x.end) for x in hierarchy.arrows if x.start == "all"} == {("all", "more"), ("all", "r4")}
    assert Arrow("elected", "leader", "uses") in protocols.arrows


def test_without_graphviz_matplotlib_draws_it_the_same_each_time(
    panels: list[Panel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    files = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for file in files:
        draw_graph("plan", panels, file)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[0].read_bytes().startswith(b"<?xml")


def test_graphviz_draws_it_where_it_is_installed(
    panels: list[Panel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\necho $1\ncat\n", encoding="utf-8")
    program.chmod(0o755)
    draw_graph("plan", panels, tmp_path / "plan.png")
    assert (tmp_path / "plan.png").read_text(encoding="utf-8") == f"-Tpng\n{dot('plan', panels)}"
    program.write_text("#!/bin/sh\necho no such font >&2\nexit 1\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no such font"):
        draw_graph("plan", panels, tmp_path / "plan.svg")
    program.write_text("#!/bin/sh\nexec sleep 9\n", encoding="utf-8")
    monkeypatch.setattr(graph, "DOT_S", 0.05)
    with pytest.raises(ValueError, match="has not ended"):
        draw_graph("plan", panels, tmp_path / "plan.svg")


def test_names_are_quoted_for_graphviz(panels: list[Panel]) -> None:
    text = dot('a "plan"', panels)
    assert 'label="a \\"plan\\"  (' in text
    assert '"0 a" [label="a\\nbegins here\\nteam: all' in text


def test_the_picture_that_was_drawn_is_named_and_its_folder_is_made_where_it_can_be(
    tmp_path: Path, capsys
) -> None:
    plan = str(ROOT / "docs/examples/steps.toml")
    assert main(["check", plan, "--graph", str(tmp_path / "plan.svg")]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"graph: {tmp_path / 'plan.svg'}"
    assert (tmp_path / "plan.svg").exists()
    assert main(["check", plan, "--graph", str(tmp_path / "plan.svg"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["graph"] == str(tmp_path / "plan.svg")
    assert main(["check", plan, "--graph", str(tmp_path / "new" / "plan.svg")]) == 0
    assert (tmp_path / "new" / "plan.svg").exists()
    assert main(["check", plan, "--graph", str(tmp_path / "plan.svg" / "other.svg")]) == 2
    assert f"{tmp_path / 'plan.svg'} is no folder" in capsys.readouterr().err


def test_another_ending_and_a_coordinator_without_a_plan_are_refused(tmp_path: Path, capsys) -> None:
    assert main(["check", "formation", "--graph", str(tmp_path / "plan.pdf")]) == 2
    assert "must end in .png or .svg" in capsys.readouterr().err
    assert main(["check", "cleanup", "--graph", str(tmp_path / "plan.svg")]) == 2
    assert "'alliance' has no graph" in capsys.readouterr().err
    assert not (tmp_path / "plan.svg").exists()


def test_the_plan_of_each_mission_of_bite_can_be_drawn() -> None:
    mission = load_mission(find_mission("formation"))
    plugin = plugin_of(Bite)
    panels = [*plugin.drawing(plugin.Settings(**mission.content.parameters), mission.table)]
    assert {one.name for one in panels[0].boxes} == set(mission.content.tasks)
