"""The event vocabulary: what can be written, and to whom it happens."""

import contextlib
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotd.config.events import HOLDER, ScenarioEvent, check, parse, whom
from robotd.config.verbs import VERBS, WITH_ARG

ROBOTS, TASKS = ("blue", "green"), ("find", "move-left")
GOOD = {
    "slow": "0.5", "dead": "side-range", "frozen": "positioning", "noisy": "front", "restore": "motors",
    "blind": "red", "radio": "off", "loss": "0.1", "add-task": "find", "tune": "a.b=1",
}  # fmt: skip


def test_an_event_may_wait_for_the_box_where_the_world_has_one() -> None:
    event = parse("box:1.2 slow green 0.5")
    assert event == ScenarioEvent(0.0, "slow", "green", "0.5", box_m=1.2)
    assert parse(str(event)) == event
    check(event, ROBOTS, TASKS, box=True)
    with pytest.raises(ValueError, match="no box"):
        check(event, ROBOTS, TASKS)


@pytest.mark.parametrize(
    ("text", "word"),
    [("", "AT VERB WHO"), ("300 remove", "AT VERB WHO"), ("300 remove green and blue", "AT VERB WHO"),
     ("soon remove green", "'soon'"), ("box:far remove green", "box:METRES"),
     *((f"{at} remove green", "0 or more") for at in ("-1", "inf", "nan")),
     *((f"box:{at} remove green", "more than 0 m") for at in ("0", "-1", "inf", "nan"))],
)  # fmt: skip
def test_what_is_no_event_is_refused(text, word) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(text))) as refusal:
        parse(text)
    assert word in str(refusal.value)


WORDS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=8)


@given(at=st.floats(0, 1e6), verb=WORDS, who=WORDS, arg=st.just("") | WORDS)
def test_an_event_that_is_written_is_read_as_it_was(at, verb, who, arg) -> None:
    event = ScenarioEvent(float(f"{at:g}"), verb, who, arg)
    assert parse(str(event)) == event


@given(st.text(max_size=40))
def test_any_text_is_an_event_or_a_value_error(text) -> None:
    with contextlib.suppress(ValueError):
        event = parse(text)
        assert math.isfinite(event.at_s)
        assert all((event.verb, event.who))


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("who", ["green", "all", "holder:find", "holder:green.3"])
def test_every_verb_is_accepted_with_what_it_needs_and_nothing_more_or_less(verb, who) -> None:
    check(ScenarioEvent(1.0, verb, who, GOOD.get(verb, "")), ROBOTS, TASKS)
    wrong = "" if verb in WITH_ARG else "more"
    with pytest.raises(ValueError, match="needs an argument" if verb in WITH_ARG else "takes no argument"):
        check(ScenarioEvent(1.0, verb, who, wrong), ROBOTS, TASKS)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("1 remov green", "'remove'"),
        ("1 remove gren", "'green'"),
        ("1 remove holder:move-lift", "'move-left'"),
        ("1 remove holder:gren.3", "'gren.3'"),
        ("1 remove holder:green.x", "'green.x'"),
        *((f"1 loss all {share}", "0 to 1") for share in ("1.5", "much", "nan")),
        ("1 slow green 3", "0 to 2"),
        ("1 radio green up", "off or"),
        ("1 dead green antlers", "'antlers'"),
        ("1 noisy green motors", "no sensor"),
        ("1 blind green Red", "a colour"),
        ("1 add-task green swim", "'swim'"),
        ("1 remove base-station", "kill, stop-process, reboot, radio, loss"),
        ("1 radio base-station up", "off or"),
    ],
)
def test_what_cannot_happen_is_refused_before_the_run_and_names_what_can(text, word) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(text)}") as refusal:
        check(parse(text), ROBOTS, TASKS)
    assert word in str(refusal.value)


@pytest.mark.parametrize("text", ["1 kill base-station", "2 reboot base-station", "3 radio base-station off"])
def test_some_of_it_can_happen_to_the_base_station(text) -> None:
    check(parse(text), ROBOTS, TASKS)
    assert whom(parse(text), ROBOTS, {}) == ["base-station"]


def test_an_event_concerns_one_robot_all_in_order_of_names_or_the_first_holder_of_a_task() -> None:
    assert whom(ScenarioEvent(0.0, "kill", "green"), ROBOTS, {}) == ["green"]
    assert whom(ScenarioEvent(0.0, "kill", "all"), ("green", "blue"), {}) == ["blue", "green"]
    event = ScenarioEvent(0.0, "kill", f"{HOLDER}find")
    assert whom(event, ROBOTS, {"move-left": {"blue"}}) == whom(event, ROBOTS, {"find": set()}) == []
    assert whom(event, ROBOTS, {"find": {"green", "blue"}}) == ["blue"]
