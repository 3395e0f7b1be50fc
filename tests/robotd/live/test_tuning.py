"""What another run may be: coordinators that fit, and numbers whose every value in their range is accepted."""

from typing import Any

import pytest

from robotd.live.runs import Run
from robotd.live.tuning import choices_of

Data = dict[str, Any]


def numbers_of(mission: str, coordinator: str) -> Data:
    return dict(choices_of(Run("cleanup"), mission)["coordinators"][coordinator])


@pytest.mark.parametrize(
    ("mission", "offered"),
    [
        ("service", ["alliance", "cobos", "l-alliance", "murdoch"]),
        ("patrol", ["alliance", "l-alliance"]),  # murdoch would have no task
        ("formation", ["bite"]),
    ],
)
def test_only_coordinators_that_have_something_to_do_are_offered(mission: str, offered: list[str]) -> None:
    assert list(choices_of(Run("cleanup"), mission)["coordinators"]) == offered


@pytest.mark.parametrize(
    ("mission", "coordinator", "key", "value", "log"),
    [
        ("patrol", "alliance", "coordinator.parameters.threshold", 100.0, True),
        ("service", "alliance", "coordinators.alliance.threshold", 100.0, True),
        ("service", "l-alliance", "sets.serve-1.motivation.slow_rate", 0.4, True),
        ("service", "l-alliance", "robots.r1.sets.serve-1.motivation.fast_rate", 20.0, True),
        ("service", "l-alliance", "coordinators.l-alliance.trials", 5, False),
        ("service", "murdoch", "coordinators.murdoch.contract_s", 240.0, True),
        ("service", "murdoch", "coordinators.murdoch.reannounce_s", 20.0, False),
        ("service", "cobos", "coordinators.cobos.network_beats", 6, False),
        ("service", "cobos", "types.bins.terms.cobos.goto", 0.9, False),
        ("formation", "bite", "coordinator.parameters.silence_beats", 8.0, True),
        ("cleanup-plan", "bite", "coordinator.parameters.interactions.alliance.parameters.threshold", 100.0, True),
        ("box-pushing", "alliance", "sets.push-left.motivation.slow_rate.genghis", 5.0, True),
    ],
)
def test_each_number_has_its_value_in_the_table_in_force_and_a_range_around_it(
    mission: str, coordinator: str, key: str, value: float, log: bool
) -> None:
    number = numbers_of(mission, coordinator)[key]
    assert (number["value"], number["log"]) == (value, log)
    assert number["low"] <= value <= number["high"]
    assert number["low"] > 0 or not log


def test_a_number_has_a_label_a_unit_and_help() -> None:
    number = numbers_of("patrol", "alliance")["sets.first-round.motivation.patience_s"]
    assert (number["group"], number["label"], number["unit"]) == ("set first-round", "patience", "s")
    assert number["help"]


@pytest.mark.parametrize(("mission", "coordinator"), [("patrol", "l-alliance"), ("service", "murdoch"),
                                                      ("service", "cobos"), ("formation", "bite")])  # fmt: skip
def test_no_end_of_a_range_is_refused(mission: str, coordinator: str) -> None:
    numbers = numbers_of(mission, coordinator)
    assert numbers
    bound = {key for key, one in numbers.items() if one["below"]} | {
        x for one in numbers.values() for x in one["below"]
    }
    for key in numbers.keys() - bound:  # a page moves those together
        for end in ("low", "high"):
            Run(mission, coordinator=coordinator, changes={key: numbers[key][end]}).load()


def test_a_rate_stays_below_the_fast_rate_of_every_robot_that_has_its_own() -> None:
    numbers = numbers_of("service", "alliance")
    assert set(numbers["sets.serve-1.motivation.slow_rate"]["below"]) == {
        "sets.serve-1.motivation.fast_rate",
        "types.desks.sets.serve-1.motivation.fast_rate",
        "robots.r1.sets.serve-1.motivation.fast_rate",
    }
    assert not numbers["sets.serve-1.motivation.fast_rate"]["below"]


@pytest.mark.parametrize(
    ("mission", "coordinator", "key", "now"),
    [
        ("service", "murdoch", "coordinators.murdoch.contract_s", True),
        ("service", "murdoch", "tasks.t1.terms.murdoch.range_m", False),
        ("service", "cobos", "types.bins.terms.cobos.goto", True),
        ("cleanup-plan", "bite", "coordinator.parameters.silence_beats", True),
        ("cleanup-plan", "bite", "coordinator.parameters.interactions.alliance.parameters.threshold", False),
        ("cleanup-plan", "bite", "sets.report-progress.motivation.fast_rate", True),
    ],
)
def test_a_number_says_whether_it_may_change_in_a_run(mission: str, coordinator: str, key: str, now: bool) -> None:
    assert numbers_of(mission, coordinator)[key]["now"] == now


def test_what_the_command_line_changed_is_in_the_numbers_of_its_mission_alone() -> None:
    run = Run(
        "patrol", coordinator="l-alliance", changes={"coordinator.parameters.threshold": 70, "radio.loss": 0.2}
    )
    own = choices_of(run, "patrol")
    assert (own["coordinator"], own["own"], own["loss"]) == ("l-alliance", "alliance", 0.2)
    assert own["coordinators"]["l-alliance"]["coordinator.parameters.threshold"]["value"] == 70
    assert own["coordinators"]["alliance"]["coordinator.parameters.threshold"]["value"] == 100
    assert choices_of(run, "formation")["loss"] == 0.0
