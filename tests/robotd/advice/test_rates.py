"""Rates and times that defeat each other, by robot, behavior set and teammate."""

from pathlib import Path

import pytest

from tests.robotd.advice.advised import has, of_mission
from tests.robotd.config.files import PLUGINS


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("give_up_time_s = 120", "give_up_time_s = 2", "within one beat"),
        ("give_up_time_s = 120", "give_up_time_s = 30", "before it would ever yield"),
        ("slow_rate = 1\npatience_s = 60", "slow_rate = 19\npatience_s = 0.5", "takes its task over"),
        (
            "slow_rate = 1\n",
            "slow_rate = { default = 1, bleu = 2 }\n",
            "slow_rate for 'bleu', whom the team does not have; did you mean 'blue'?",
        ),
        (
            "patience_s = 60",
            "patience_s = { default = 90, x = 2 }",
            "patience_s for 'x', whom the team does not have",
        ),
    ],
)
def test_what_defeats_its_purpose_is_a_warning_with_the_robots_concerned(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    advice = of_mission(tmp_path, (old, new), ("fast_rate = 20", "fast_rate = 50"))
    assert has(advice.warnings, "behavior set 'look'", words, "(red)")
    assert not has(advice.warnings, "behavior set 'push'")


def test_sound_times_bring_no_warning(tmp_path: Path) -> None:
    assert not has(of_mission(tmp_path).warnings, "behavior set")


# -- fast above slow


def test_the_least_ratio_of_fast_to_slow_is_noted(tmp_path: Path) -> None:
    advice = of_mission(tmp_path)
    assert advice.ratios == {"blue": {"push": 10.0}, "red": {"look": 20.0, "push": 20.0}}
    assert has(advice.notes, "fast_rate is above slow_rate for every robot", "10 times as high (blue's 'push')")


def test_a_coordinator_that_lets_slow_reach_fast_is_warned_of_for_each_robot_and_set(tmp_path: Path) -> None:
    loose = """
class Loose(BaseModel):
    fast_rate: float
    slow_rate: float | dict[str, float]
    patience_s: float
    yield_time_s: float
    give_up_time_s: float
    exclusive: bool = False


class Careless(Alliance):
    SetSettings = Loose


ROBOTD = {"""
    plugins = PLUGINS.replace("ROBOTD = {", loose).replace('"alliance": Alliance', '"alliance": Careless')
    advice = of_mission(tmp_path, ("{ default = 1, blue = 0.5 }", "{ default = 1, blue = 10 }"), plugins=plugins)
    assert has(advice.warnings, "red's 'push' grows no slower while a teammate", "below fast_rate, 10")
    assert not has(advice.warnings, "blue's 'push'")
    assert not has(advice.notes, "above slow_rate for every robot")


def test_set_settings_that_know_nothing_of_learning_learn_as_by_default(tmp_path: Path) -> None:
    plain = """
class Rhythmic(LAlliance):
    SetSettings = Alliance.SetSettings


ROBOTD = {"""
    plugins = LEARNS.replace("ROBOTD = {", plain).replace('"alliance": LAlliance', '"alliance": Rhythmic')
    assert has(of_mission(tmp_path, plugins=plugins).warnings, "'look' may learn a delay longer than its task")
    rhythm = ('completion = "found"', 'completion = "found"\nrecurring = true')
    assert not has(of_mission(tmp_path, rhythm, plugins=plugins).warnings, "'look' may learn")


# -- learned rates

LEARNS = PLUGINS.replace(
    "import Alliance", "import Alliance\nfrom motivation.alliance.l_alliance import LAlliance"
).replace('"alliance": Alliance', '"alliance": LAlliance')
DELAY = "_beats = 6", "_beats = 6\nmax_delay_s = {}"


def test_with_l_alliance_it_is_noted_how_long_a_task_must_take(tmp_path: Path) -> None:
    advice = of_mission(tmp_path, (DELAY[0], DELAY[1].format(45)), plugins=LEARNS)
    assert advice.learning == {"max_delay_s": 45.0, "least_task_time_s": 50.0}
    assert has(advice.notes, "for tasks that take 50 s or more", "a takeover may take 45 s and a tenth")
    assert not has(advice.warnings, "learn")
    assert of_mission(tmp_path).learning == {}


def test_a_delay_longer_than_a_task_that_learns_is_a_warning(tmp_path: Path) -> None:
    advice = of_mission(tmp_path, plugins=LEARNS)
    assert has(
        advice.warnings, "'look' may learn a delay longer than its task", "choose max_delay_s below 54", "(red)"
    )
    assert has(advice.warnings, "'push' may learn")
    still = ("yield_time_s = 60", "learns = false\nyield_time_s = 60")
    assert not has(of_mission(tmp_path, still, plugins=LEARNS).warnings, "'look' may learn")
    rhythm = ('completion = "found"', 'completion = "found"\nrecurring = true')
    assert not has(of_mission(tmp_path, rhythm, plugins=LEARNS).warnings, "'look' may learn")
