"""The tables of ALLIANCE in a mission file: what they refuse, and whom a table by teammate holds for."""

import pytest
from pydantic import ValidationError

from motivation.alliance.settings import SetMotivation

from .one_alliance import PLAIN, Lone, activity


def test_a_slow_rate_must_be_below_the_fast_one() -> None:
    assert SetMotivation(**{**PLAIN, "slow_rate": 1.9}).slow_rate == 1.9
    for slow in (2.0, {"default": 0.5, "blue": 2.0}):
        with pytest.raises(ValidationError, match="every slow_rate must be below the fast_rate, 2"):
            SetMotivation(**{**PLAIN, "slow_rate": slow})


@pytest.mark.parametrize("key", ["slow_rate", "patience_s"])
def test_a_table_by_teammate_holds_for_those_it_names_and_needs_a_default(key) -> None:
    with pytest.raises(ValidationError, match=f"{key}: a table by teammate needs the key 'default'"):
        SetMotivation(**{**PLAIN, key: {"blue": 0.4}})
    rates = {"default": 0.5, "blue": 0.2}
    robot = Lone({"push": {"slow_rate": rates}}).hears(activity("push")).until(1.0)
    other = Lone({"push": {"slow_rate": rates}}).hears(activity("push"), sender="gold").until(1.0)
    assert (robot.level(), other.level()) == (0.1, 0.25)


@pytest.mark.parametrize(
    "change", [{"fast_rate": 0.0}, {"patience_s": -1.0}, {"yield_time_s": float("nan")}, {"x": 1}]
)
def test_what_is_no_motivation_is_refused(change) -> None:
    with pytest.raises(ValidationError):
        SetMotivation(**{**PLAIN, **change})
