"""A simulated team that learns: over a reboot, over missions, in its log, and in who takes which task."""

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from robotd.api import simulate
from robotd.config.load import Mission
from robotd.record.replay import replay
from robotd.robot.build import mind_of_part
from robotd.sim.activity_trace import Outcome
from tests.robotd.sim.small import small

FOUND_S = 66.0  # by when green has found all that there is to find
NAMES = ("green", "blue")


def learning(robots: Sequence[str] = ("green", "blue"), **parameters: Any) -> Mission:
    """The small mission with a team that learns."""
    given = {"threshold": 100.0, "silence_timeout_beats": 4.0, **parameters}
    return small(robots, coordinator={"name": "l-alliance", "parameters": given})


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Green finds the spills, states it, and is switched off and on; cut soon afterwards."""
    log = tmp_path_factory.mktemp("learning") / "run.jsonl"
    return simulate(learning(), 1, events=["76 reboot green"], duration_s=104.0, log=log)


def found(outcome: Outcome, knows: str) -> Any:
    """Green's times for finding, as a robot knows them."""
    document: Any = outcome.learned[knows]
    return document["trials"]["find-locations-methodical"]["green"]


def test_every_robot_has_learned_by_itself_and_from_what_it_received(first) -> None:
    assert found(first, "green") == found(first, "blue")
    (took,) = found(first, "green")
    assert 50.0 < took < FOUND_S


def test_what_was_learned_is_kept_over_a_reboot_and_the_repetition_after_it_is_no_trial(first) -> None:
    assert "set_aside" not in first.extra
    assert len(found(first, "green")) == len(found(first, "blue")) == 1


def test_the_order_of_robots_in_the_mission_changes_nothing(first, tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    other = simulate(learning(NAMES[::-1]), 1, events=["76 reboot green"], duration_s=104.0, log=log)
    assert other.learned == first.learned
    assert log.read_bytes() == Path(first.log).read_bytes()


def test_a_run_of_robots_that_learn_replays_without_difference(first) -> None:
    again = replay(Path(first.log), mind_of_part)
    assert again.difference is None
    assert again.robots == set(NAMES)
    assert again.parts > 1  # the reboot began one, which holds the memory


def test_a_replay_notices_if_something_else_was_learned(first, tmp_path: Path) -> None:
    text = Path(first.log).read_text(encoding="utf-8")
    (took,) = found(first, "green")
    assert f"[[{took}" in text or f"[{took}]" in text
    spoilt = tmp_path / "run.jsonl"
    spoilt.write_text(text.replace(f"[{took}]", "[12.0]"), encoding="utf-8")
    assert replay(spoilt, mind_of_part).difference is not None


def experienced(first: Outcome, left: tuple[float, float], right: tuple[float, float]) -> dict[str, Any]:
    """What both know after former missions: green's and blue's times for each spill, s."""
    known = {}
    for name in NAMES:
        document: Any = copy.deepcopy(first.learned[name])
        for spill, times in (("left", left), ("right", right)):
            document["trials"][f"move-spill-{spill}"] = {
                teammate: [time] for teammate, time in zip(NAMES, times, strict=True)
            }
        known[name] = document
    return known


@pytest.mark.parametrize(
    ("left", "right", "of_green"),
    [((50.0, 200.0), (200.0, 50.0), "move-spill-left"), ((200.0, 50.0), (50.0, 200.0), "move-spill-right")],
)
def test_the_robot_that_is_known_to_be_quicker_takes_the_task(first, left, right, of_green) -> None:
    known = experienced(first, left, right)
    outcome = simulate(learning(max_delay_s=20.0), 1, learned=known, duration_s=100.0)
    spells = {name: [one.set for one in outcome.story.spells[name]] for name in NAMES}
    assert of_green in spells["green"]
    assert of_green not in spells["blue"]
    assert len({doing for name in NAMES for doing in spells[name] if doing.startswith("move")}) == 2
    assert outcome.learned["green"] != known["green"]  # it found the spills once more


def test_a_document_that_cannot_be_kept_ends_the_run_before_it_begins_and_closes_its_log(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    with pytest.raises(OSError, match="cannot be saved as JSON"):
        simulate(learning(), 1, learned={"green": {1}}, log=log)  # type: ignore[dict-item]
    assert log not in [path.resolve() for path in Path("/proc/self/fd").iterdir()]


def test_a_foreign_document_is_set_aside_in_words_and_the_robot_starts_unlearned(first) -> None:
    swapped = {"green": first.learned["blue"]}
    outcome = simulate(learning(), 1, learned=swapped, duration_s=2.0)
    assert "learned with another robot" in str(outcome.extra["set_aside"])
    assert "green" not in outcome.learned
