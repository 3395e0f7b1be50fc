"""Numbers of a coordinator that are changed while robots run: an event that replays, from any part of a log."""

from pathlib import Path

import pytest

from robotd.config.load import find_mission, load_mission
from robotd.config.tuning import check_tuning
from robotd.record.replay import replay
from robotd.robot.build import mind_of_part

from .small import run
from .test_determinism import decisions_of, parts_of

THRESHOLD = "coordinator.parameters.threshold"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two robots with a threshold of 40 from 4 s on: green until 12 s, blue until its computer reboots at 6 s."""
    path = tmp_path_factory.mktemp("tuned") / "run.jsonl"
    events = (f"4 tune all {THRESHOLD}=40", f"12 tune green {THRESHOLD}=100", "6 reboot blue")
    run(*events, for_s=28.0, robots=("green", "blue"), log=path, part_bytes=45_000)
    return path


def limits(log: Path, robot: str) -> list[float]:
    """The threshold in each decision."""
    return [choice.levels[0].limit for _, choice in decisions_of(log, robot)]


@pytest.mark.parametrize("robot", ["green", "blue"])
def test_a_number_counts_from_its_event_on_until_another_or_a_reboot(log: Path, robot: str) -> None:
    found = limits(log, robot)
    assert [limit for k, limit in enumerate(found) if k == 0 or found[k - 1] != limit] == [100.0, 40.0, 100.0]


def test_a_log_with_such_events_replays_from_each_part(log: Path) -> None:
    assert (parts := parts_of(log)) >= 3
    assert [replay(log, mind_of_part, part).difference for part in range(parts)] == [None] * parts


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (f"{THRESHOLD}=0", "above 0"),
        (f"{THRESHOLD}=low", "KEY=NUMBER"),
        (f"{THRESHOLD}=nan", "KEY=NUMBER"),
        ("coordinator.parameters.treshold=50", "did you mean 'threshold'"),
        ("sets.first-round.motivation.slow_rate=900", "below the fast_rate"),
        ("radio.loss=0.5", "no number of a coordinator"),
        ("tasks.first-round.terms.murdoch.range_m=5", "no number of a coordinator"),
        ("sets.first-rond.motivation.slow_rate=1", "first-rond"),
    ],
)
def test_what_cannot_be_changed_in_a_run_is_refused(words: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        check_tuning([words], load_mission(find_mission("patrol")))


def test_numbers_that_depend_on_each_other_are_changed_together() -> None:
    at = "sets.first-round.motivation"
    check_tuning([f"{at}.fast_rate=0.2", f"{at}.slow_rate=0.1"], load_mission(find_mission("patrol")))
