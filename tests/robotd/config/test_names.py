"""Names that behaviors bring to a mission file: a slip is a fault, not a mission that stands still."""

from pathlib import Path

import pytest

from robotd.config.load import ConfigError, find_mission, load_mission

FRONT, WEST = "sets.clean-front.parameters", "sets.bound-west-left.parameters"


def faults(mission: str, changes: dict[str, object]) -> list[tuple[str, str]]:
    """The keys and messages of what is wrong with an installed mission after these changes."""
    try:
        load_mission(find_mission(mission), changes)
    except ConfigError as error:
        return [(problem.key, problem.message) for problem in error.problems]
    return []


@pytest.mark.parametrize(
    ("mission", "key", "value", "place", "word"),
    [
        ("janitor", f"{FRONT}.after", ["bin-dor"], ".0", "'bin-door'"),
        ("janitor", f"{FRONT}.after", ["garbage-emptied"], ".0", "a scalar"),
        ("janitor", f"{FRONT}.areas", [{"name": "flor", "x_m": 1.0, "y_m": 1.0}], ".0.name", "'flor'"),
        ("overwatch", f"{WEST}.watch", "watch-eats", "", "'watch-east'"),
        ("overwatch", f"{WEST}.own", ["nobody"], ".0", "'nobody'"),
        ("box-pushing", "tasks.push-left.args.end", "lefft", "", "'left', 'right'"),
        ("box-pushing", "tasks.push-left.args", {}, "", "'end'"),
        ("box-pushing", "tasks.go-home.args", {"from": "north"}, ".from", "'north'"),
        ("cleanup", "tasks.move-spill-left.args.spill", "middle", "", "'middle'"),
        ("janitor", "robots.amber.sets.clean-front.parameters.after", ["nix"], ".0", "'nix'"),
    ],
)
def test_a_name_or_an_argument_that_is_not_there_is_a_fault_of_its_key(
    mission: str, key: str, value: object, place: str, word: str
) -> None:
    ((found, message),) = faults(mission, {key: value})
    assert found == f"{key}{place}"
    assert word in message


PLUGIN = """
from behaviors.janitor.cleaning import Dust


class Fetch(Dust):
    args = {"what": ()}


class Odd(Dust):
    args = ("what",)


ROBOTD = {"robotd.behaviors": {"fetch": Fetch, "odd": Odd}}
"""


@pytest.mark.parametrize(
    ("behavior", "args", "lacks"),
    [("fetch", {"what": "anything"}, False), ("fetch", {}, True), ("odd", {}, False)],
)
def test_an_argument_of_any_value_must_be_there_and_what_is_no_table_is_left_alone(
    tmp_path: Path, behavior: str, args: dict[str, str], lacks: bool
) -> None:
    (tmp_path / "mine.py").write_text(PLUGIN)
    changes = {"plugins": [str(tmp_path / "mine.py")], "sets.dust.behavior": behavior, "tasks.dust.args": args}
    assert [key for key, _ in faults("janitor", changes)] == ["tasks.dust.args"] * lacks


def test_faults_of_other_keys_hide_no_name() -> None:
    changes = {f"{FRONT}.after": ["nix"], "radio.los": 0.5}
    assert {key for key, _ in faults("janitor", changes)} == {f"{FRONT}.after.0", "radio.los"}
    assert faults("janitor", {"robots.amber.sets.clean-front.parameters.speed": 0.5}) == []


def test_a_duration_that_no_frame_can_carry_is_refused_and_one_without_end_is_not() -> None:
    key = "sets.report-progress.motivation.give_up_time_s"
    cases = ((0.1, 400.0, True), (3.0, 400.0, False), (0.1, 300.0, False), (0.05, 200.0, True))
    for beat_s, value, refused in cases:
        found = faults("cleanup", {"radio.beat_s": beat_s, key: value})
        assert (key in [name for name, _ in found]) == refused
