"""When tasks change hands at the latest: per task, robot and teammate."""

import math
from pathlib import Path

import pytest

from robotd.advice.takeovers import Takeover, crossings, overlaps
from tests.robotd.advice.advised import has, of_mission
from tests.robotd.config.files import PLUGINS


def test_each_robot_task_and_teammate_has_its_times(tmp_path: Path) -> None:
    of = of_mission(tmp_path).takeovers
    assert of["shift"]["red"].as_json() == {
        "unattended_s": 10.0,
        "silent_s": {"blue": pytest.approx(19.5 + (100 - 9.75) / 10)},  # half a unit a second beside blue
        "announcing_s": {"blue": 200.0},
        "yields_s": 60.0,
        "gives_up_s": 120.0,
    }
    assert of["shift"]["blue"].announcing_s == {"red": 100.0}
    assert of["find"]["red"].silent_s == {}  # no other robot can do it
    assert list(of["find"]) == ["red"]


def test_for_programs_never_is_null(tmp_path: Path) -> None:
    exclusive = ("patience_s = inf", "patience_s = inf\nexclusive = true")
    times = of_mission(tmp_path, exclusive, ("give_up_time_s = 120\n\n[types", "give_up_time_s = inf\n\n[types"))
    assert times.takeovers["shift"]["red"].as_json()["announcing_s"] == {"blue": None}
    assert times.takeovers["shift"]["red"].as_json()["gives_up_s"] is None


def test_of_two_sets_for_a_task_the_sooner_takes_it_up_and_the_longer_leaves_it(tmp_path: Path) -> None:
    second = '[sets.again]\nbehavior = "push"\ntask = "shift"\n[sets.again.motivation]\nfast_rate = 20\n'
    second += "slow_rate = 0.1\npatience_s = 30\nyield_time_s = 70\ngive_up_time_s = 100\n\n[sets.push]"
    times = of_mission(tmp_path, ("[sets.push]", second)).takeovers["shift"]["red"]
    assert (times.unattended_s, times.yields_s, times.gives_up_s) == (5.0, 70.0, 120.0)
    assert times.announcing_s["blue"] == pytest.approx(30 + 97 / 20)


def test_a_coordinator_without_such_rates_has_no_takeovers(tmp_path: Path) -> None:
    bare = PLUGINS.replace(
        "ROBOTD = {", "class Bare:\n    Settings = Settings\n    SetSettings = Loose\n\n\nROBOTD = {"
    )
    loose = "class Loose(BaseModel):\n    pass\n\n\nclass Push(BehaviorSet):"
    plugins = bare.replace("class Push(BehaviorSet):", loose).replace('"alliance": Alliance', '"alliance": Bare')
    advice = of_mission(tmp_path, ("silence_timeout_beats = 6", "speed = 0.3"), plugins=plugins)
    assert (advice.takeovers, advice.silence) == ({}, {})
    assert set(advice.tasks) == {"find", "shift"}


# -- what is worth a word


def test_a_holder_that_no_robot_replaces_within_the_missions_time_is_a_warning(tmp_path: Path) -> None:
    assert not has(of_mission(tmp_path).warnings, "taken over")
    advice = of_mission(tmp_path, ("time_limit_s = 1000", "time_limit_s = 150"))
    assert has(advice.warnings, "'shift' is taken over only after 200 s from blue while", "limit is 150 s")
    advice = of_mission(tmp_path, ("patience_s = inf", "patience_s = inf\nexclusive = true"))
    assert has(advice.warnings, "'shift' is never taken over from blue or red while")


def times(announcing_s: dict[str, float], yields_s: float = 60.0) -> Takeover:
    return Takeover(10.0, {}, announcing_s, yields_s, 120.0)


def begins(unattended_s: float) -> Takeover:
    return Takeover(unattended_s, {}, {}, 60.0, 120.0)


def test_robots_that_begin_a_task_before_they_receive_each_other_are_named() -> None:
    of = {"red": begins(10.0), "blue": begins(25.0), "gold": begins(12.9)}
    (words,) = crossings({"push": of, "pull": of}, 3.0)
    assert words.startswith("gold and red reach the threshold for 'push', 'pull' within one beat (3 s)")
    assert list(crossings({"push": {**of, "gold": begins(13.0)}}, 3.0)) == []
    assert list(crossings({"push": {"red": begins(10.0)}}, 3.0)) == []


def test_equal_robots_are_warned_of_crossing_claims_by_the_literal_rule(tmp_path: Path) -> None:
    advice = of_mission(tmp_path)
    assert has(advice.notes, "blue and red reach the threshold for 'shift'", "one lets go")
    assert not has(advice.warnings, "literal_paper_rule")
    advice = of_mission(tmp_path, ("_beats = 6", "_beats = 6\nliteral_paper_rule = true"))
    assert has(advice.warnings, "literal_paper_rule", "again and again")


def test_a_takeover_before_the_other_would_yield_is_named_with_how_long_both_work() -> None:
    of = {"red": times({"blue": 40.0}), "blue": times({"red": 70.0})}
    assert list(overlaps({"push": of})) == [
        "after a takeover of 'push' two robots may be on it for up to 20 s, until one yields or gives up"
    ]
    of = {"red": times({"blue": 60.0}), "blue": times({"red": math.inf})}
    assert list(overlaps({"push": of})) == []
    of = {"red": times({"blue": 40.0}), "blue": times({"red": 70.0}, math.inf)}
    assert "up to 80 s" in next(overlaps({"push": of}))  # it never yields, but gives up
