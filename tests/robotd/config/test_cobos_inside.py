"""COBOS as an allocation of a plan: its kinds and terms are in the table, and its faults at their lines."""

from pathlib import Path

import pytest

from robotd.config.load import ConfigError, Mission, load_mission

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "exchange.toml"


def mission(tmp_path: Path, *changes: tuple[str, str]) -> Mission:
    text = EXAMPLE.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "exchange.toml"
    path.write_text(text, encoding="utf-8")
    return load_mission(path)


INSIDE = ('allocate = "market"', 'allocate = "cobos"')


def test_both_have_their_kinds_and_the_robots_agree_on_the_terms(tmp_path: Path) -> None:
    plain, inside = mission(tmp_path).table, mission(tmp_path, INSIDE).table
    assert [(one.name, one.number) for one in plain.own_kinds] == [("path", 13), ("ballot", 14)]
    assert [(one.name, one.number) for one in inside.own_kinds[2:]] == [("presence", 15), ("presence-more", 13)]
    assert '"ways":[["drive"]]' in inside.task_entries["sweep-left"].terms
    assert inside.digest != mission(tmp_path, INSIDE, ("expected_s = 60.0", "expected_s = 61.0")).table.digest
    assert plain.digest == mission(tmp_path, ("expected_s = 60.0", "expected_s = 61.0")).table.digest


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('ways = [["drive"]]', 'ways = [["fly"]]', "tasks.sweep-left.terms.cobos.ways"),
        ("number = 3, terms.cobos", "number = 3, terms.alliance", "tasks.sweep-left.terms.alliance"),
        (
            'sweep-left = { terminate = "reallocate" }',
            'sweep-left = { first = ["guard-door", "guard-gate"], allocate = "cobos" }',
            "coordinator.parameters.graph.sweep-left.allocate",
        ),  # inside itself
        ("drive = 0.9", "swim = 0.9", "robots.amber.terms.cobos.swim"),
        ('parameters = { basis = ["drive"] }', "", "coordinator.parameters.interactions.cobos.parameters.basis"),
    ],
)
def test_what_is_wrong_is_found_at_its_line(tmp_path: Path, old: str, new: str, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        mission(tmp_path, INSIDE, (old, new))
    assert key in {one.key for one in caught.value.problems}, caught.value.problems
