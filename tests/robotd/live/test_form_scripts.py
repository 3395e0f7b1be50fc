"""What scripts of the form for another run do, run by node: sliders, links and commands."""

import json
from typing import Any

import pytest

from tests.robotd.live.scripts import NEEDS_NODE, played

pytestmark = NEEDS_NODE

NUMBERS = {
    "slow": {"low": 0.001, "high": 2.0, "log": True, "whole": False, "below": ["fast"]},
    "fast": {"low": 0.1, "high": 100.0, "log": True, "whole": False, "below": []},
    "beats": {"low": 2, "high": 6, "log": False, "whole": True, "below": []},
}


@pytest.mark.parametrize(
    ("key", "wanted", "after"),
    [
        ("slow", 1.5, {"slow": 1.5, "fast": 4.0}),
        ("fast", 0.2, {"slow": 0.198, "fast": 0.2}),  # which makes way
        ("fast", 500.0, {"slow": 0.4, "fast": 100.0}),
        ("slow", 0.0, {"slow": 0.001, "fast": 4.0}),
        ("beats", 3.4, {"beats": 3}),
        ("beats", 99, {"beats": 6}),
    ],
)
def test_a_slider_leaves_neither_its_range_nor_the_order_of_rates(
    key: str, wanted: float, after: dict[str, float]
) -> None:
    values = json.dumps({"slow": 0.4, "fast": 4.0, "beats": 4})
    play = f"console.log(JSON.stringify(settle({json.dumps(NUMBERS)}, {values}, {key!r}, {wanted})));"
    assert {"slow": 0.4, "fast": 4.0, "beats": 4} | after == played("sliders.js", "", play)


def test_a_slider_of_rates_is_logarithmic_and_gives_each_value_back() -> None:
    play = f"""const {{ slow, beats }} = {json.dumps(NUMBERS)};
    const near = (number, value) => valueAt(number, placeOf(number, value));
    const places = [0, 500, 1000].map((place) => valueAt(slow, place));
    console.log(JSON.stringify([...places, near(slow, 0.04), near(beats, 5)]));"""
    low, middle, high, back, beats = played("sliders.js", "", play)
    assert (low, high, beats) == (0.001, 2.0, 5)
    assert middle == pytest.approx((0.001 * 2.0) ** 0.5, rel=0.01)
    assert back == pytest.approx(0.04, rel=0.01)


ANOTHER_STUBS = """
const places = {}, sent = [], said = [];
const place = () => ({ addEventListener() {}, replaceChildren() {}, value: "", open: false, textContent: "" });
const $ = (id) => (places[id] ??= place());
const offer = (id, name, chosen = true) => { if (chosen) $(id).value = name; };
globalThis.window = globalThis.location = { addEventListener() {}, hash: "" };
globalThis.document = { querySelectorAll: () => [] };
class Sliders { show(numbers, values) { this.values = values; } }
const number = (id, value) => ({ id, value, now: !id.endsWith("s") });
const fits = (loss, coordinators) => ({ coordinator: "alliance", own: "alliance", loss, coordinators });
const looked = { patrol: fits(0.1, { alliance: {} }), cleanup: fits(0, {
  alliance: { "coordinator.parameters.threshold": number("threshold", 100), "x.rate": number("a", 4) },
  "l-alliance": { "coordinators.l-alliance.threshold": number("threshold", 90), "x.trials": number("trials", 5) },
}) };
"""
ANOTHER_PLAY = """
const send = async (command) => (sent.push(command), true), say = (text) => said.push(text);
const page = new Another("/", send, say, () => 30, () => {});
page.take({ mission: "cleanup", events: ["3 remove blue"], changes: {}, missions: [] });
page.looked = looked;
const changes = { "world.width_m": 9 };
const run = { mission: "cleanup", seed: 4, coordinator: "", changes, events: [], speed: 10 };
page.begin({ coordinator: "alliance", seed: 4, loss: 0, run });
page.edit("coordinator.parameters.threshold", 60);
STEPS
console.log(JSON.stringify([sent, said]));
"""


def asked(steps: str) -> Any:
    """What the form of another run sends, and refuses, of a run whose threshold was set."""
    return played("another.js", ANOTHER_STUBS, ANOTHER_PLAY.replace("STEPS", steps))


@pytest.mark.parametrize(
    ("steps", "mission", "coordinator", "changes"),
    [
        ("page.again({ seed: 9 });", "cleanup", "", {"world.width_m": 9, "coordinator.parameters.threshold": 60}),
        (
            '$("coordinators").value = "l-alliance"; page.choose();', "cleanup", "l-alliance",
            {"world.width_m": 9, "coordinators.l-alliance.threshold": 60},
        ),
        ('page.reset(); page.choose();', "cleanup", "", {"world.width_m": 9}),
        ('$("missions").value = "patrol"; page.setLoss(0.1); page.choose();', "patrol", "", {}),
        ('$("loss").value = 0.3; page.again();', "cleanup", "",
         {"world.width_m": 9, "radio.loss": 0.3, "coordinator.parameters.threshold": 60}),
    ],
)  # fmt: skip
def test_what_is_set_stays_for_each_run_and_coordinator_that_has_it(
    steps: str, mission: str, coordinator: str, changes: dict[str, float]
) -> None:
    (sent,), said = asked(steps)
    run = sent["run"]
    assert (run["mission"], run["coordinator"], run["changes"], said) == (mission, coordinator, changes, [])
    assert run["speed"] == 30
    assert run["events"] == (["3 remove blue"] if mission == "cleanup" else [])


def test_what_is_set_stays_while_other_missions_are_looked_at() -> None:
    play = """
    globalThis.fetch = async () => ({ ok: true, json: async () => fits(0.1, { murdoch: {} }) });
    delete looked.patrol;
    $("another").open = true;
    for (const mission of ["patrol", "cleanup"]) {
      $("missions").value = mission;
      await page.offerChoices(true);
      said.push($("loss").value);
    }
    page.choose();"""
    (sent,), losses = asked(play)
    assert sent["run"]["changes"] == {"world.width_m": 9, "coordinator.parameters.threshold": 60}
    assert losses == [0.1, 0]


def test_a_slider_acts_at_once_where_that_is_wanted_and_can_be_taken_back() -> None:
    at_once = '$("at-once").checked = true; page.act();'
    back = 'page.edit("coordinator.parameters.threshold", 100); page.act();'
    sent, _ = asked(f"page.act(); {at_once} {back}")
    assert [one["event"] for one in sent] == [
        "tune all coordinator.parameters.threshold=60",
        "tune all coordinator.parameters.threshold=100",
    ]


def test_a_link_or_a_command_that_is_pasted_is_started_and_garbage_is_refused() -> None:
    link = "http://here/#%7B%22mission%22%3A%22patrol%22%7D"
    words = [link, " robotd live patrol --event '3 remove amber' ", "http://here/#%7", "http://here/#5"]
    sent, said = asked("".join(f"page.paste({json.dumps(text)});" for text in words))
    assert [one.get("run") or one["command"] for one in sent] == [{"mission": "patrol"}, words[1]]
    assert len(said) == 2


def test_the_link_and_the_commands_have_the_speed_of_now() -> None:
    play = """page.share(["5 return blue"], "robotd sim cleanup --seed 4");
    sent.push(decodeURIComponent($("link").href.slice(1)));
    sent.push($("command").textContent, $("live-command").textContent);"""
    (link, command, live), _ = asked(play)
    assert json.loads(link)["events"] == ["5 return blue"]
    assert json.loads(link)["speed"] == 30
    assert (command, live) == ("robotd sim cleanup --seed 4", "robotd live cleanup --seed 4 --speed 30")
