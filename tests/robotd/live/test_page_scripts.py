"""What scripts of the pages do, run by node: drive by hand, and keep what robots did."""

import json
import re
from typing import Any

import pytest

from robotd.figures.room import colour_of
from robotd.status.page import SHARED, UPLOT
from tests.robotd.live.scripts import NEEDS_NODE, played, text_of

pytestmark = NEEDS_NODE

STUBS = """
const made = [], timers = [], sent = [];
const heard = {};
const listens = (own) => ({ addEventListener: (kind, does) => (own[kind] = does) });
globalThis.document = listens(heard);
globalThis.window = listens({});
globalThis.setTimeout = (done) => timers.push(done);
const $ = () => ({ replaceChildren() {} });
function element(tag, text) {
  const own = { text, setAttribute() {}, append() {}, setPointerCapture() {}, on: {} };
  Object.assign(own, listens(own.on));
  made.push(own);
  return own;
}
const post = async (path, body) => (sent.push(body), { ok: true });
"""
PLAY = """
offerOrders(() => {}, () => false);
const button = made.find((one) => one.text === "forwards");
const press = () => button.on.pointerdown({ pointerId: 1 }), settled = () => new Promise(setImmediate);
const counts = [];
for (const step of [[press], [button.on.pointerup, press], [], [], [button.on.pointerup], []]) {
  for (const act of step) act();
  await settled();
  counts.push([sent.length, timers.length]);
  for (const done of timers.splice(0)) done();
  await settled();
}
console.log(JSON.stringify(counts));
"""


@pytest.mark.parametrize(
    ("page", "own"), [("index.html", set[str]()), ("class.html", {"/class.js", "/class.css"})]
)
def test_what_scripts_look_up_is_in_their_page_and_what_they_load_is_served(page: str, own: set[str]) -> None:
    html = text_of(page)
    loaded, new = set[str](), set(re.findall(r'(?:src|href)="(/[^"]+)"', html))
    while new:
        loaded |= new
        scripts = [text_of(path[1:]) for path in new if path.endswith(".js") and path not in UPLOT]
        new = {
            path for script in scripts for path in re.findall(r'^import .* from "(.+)";$', script, re.M)
        } - loaded
    assert loaded <= {*SHARED, *own}
    ids = set(re.findall(r' id="([^"]+)"', html))
    main = "class.js" if own else "live.js"
    looked_up = set(re.findall(r'\$\("([^"]+)"\)', text_of(main)))
    assert looked_up <= ids
    assert own or loaded == set(SHARED)  # nothing is served that the page does not need


def test_a_button_that_is_let_go_and_held_again_sends_no_requests_twice() -> None:
    counts = played("real.js", STUBS, PLAY)
    assert [timers for _, timers in counts] == [1, 1, 1, 1, 1, 0]
    assert counts[-1][0] <= counts[-2][0] == 5


@pytest.mark.parametrize(("since", "start"), [(180.0, 180.0), (None, 247.0), (250.0, 247.0)])
@pytest.mark.parametrize("real", [True, False])
def test_the_trace_of_a_run_under_way_begins_where_what_a_robot_does_is_known(
    since: float | None, start: float, real: bool
) -> None:
    robot = {"name": "green", "at": [1, 1, 0], "on": True, "set": "push", "since": since}
    frames = [{"t": 247.0, "robots": [robot, {**robot, "name": "blue", "set": ""}]},
              {"t": 248.0, "robots": [robot, {**robot, "name": "blue"}]}]  # fmt: skip
    noted = f"for (const one of {json.dumps(frames)}) trace.note(one, {str(real).lower()});"
    after = f"const trace = new Trace(null); {noted} console.log(JSON.stringify(trace.spells));"
    spells = played("trace.js", "", after)
    assert spells["green"] == [{"doing": "push", "start": start, "end": 248.0}]
    assert spells["blue"][1] == {"doing": "push", "start": 247.0, "end": 248.0}


def test_a_bar_of_the_trace_says_what_it_is_where_one_points_at_it() -> None:
    after = """
    const trace = new Trace(null), bar = { left: 10, right: 20, top: 0, low: 8, words: "green: push, 1 to 2 s" };
    trace.bars = [bar, { ...bar, left: 20, right: 30, words: "green: find, 2 to 3 s" }];
    console.log(JSON.stringify([[15, 4], [25, 4], [15, 9], [9, 4]].map(([x, y]) => trace.at(x, y))));
    """
    assert played("trace.js", "", after) == ["green: push, 1 to 2 s", "green: find, 2 to 3 s", "", ""]


def test_lines_of_one_colour_differ_by_their_dashes() -> None:
    stubs = CHART_STUBS.replace('["#1", "#2"]', "[1, 2, 3, 4, 5, 6, 7, 8]")
    after = "console.log(JSON.stringify([...Array(24).keys()].map((k) => [k % 8, dashOf(k)])));"
    lines = played("chart.js", stubs, after)
    assert len({json.dumps(line) for line in lines}) == 24


def test_the_bars_of_all_cards_are_explained_by_the_score_that_decides() -> None:
    after = """
    const frame = (levels) => ({ robots: [{}, { levels }] });
    const found = [[{ scores: { motivation: 3 }, limit: 100 }], [{ scores: { bid: 0.5 }, limit: 1 }], []];
    console.log(JSON.stringify(found.map((levels) => barsOf(frame(levels)))));
    """
    decides = "const decisive = ({ scores }) => Object.entries(scores)[0];"
    alliance, auction, none = played("cards.js", decides, after)
    assert ("motivation" in alliance, "threshold 100" in alliance, "bid" in auction, none) == (
        True,
        True,
        True,
        "",
    )


CHART_STUBS = """
const PALETTE = ["#1", "#2"], PLACE = 70, END = 16, RECENT = 900;
const colourOf = (scene, name) => name, variable = () => "ink", element = () => ({}), $ = element;
const place = { addEventListener() {} }, choice = { ...place, value: "robot green" };
globalThis.ResizeObserver = class { observe() {} };
globalThis.matchMedia = () => place;
"""
CHART_PLAY = """
const chart = new Chart(place, {}, choice);
const scene = { real: REAL, sets: { push: "a", watch: "b" }, team: [{ name: "green" }] };
for (let k = 0; k < COUNT; k++) {
  const scores = { impatience: 7, motivation: k % 100 }, levels = [{ set: "push", scores, limit: 100 }];
  chart.note(scene, { t: k / 2, robots: [{ name: "green", levels }], radio: { lost: k, delivered: 3 * k } });
}
const [push, limit] = chart.lines(scene), lost = chart.losses(), { times } = chart;
choice.value = "radio";
console.log(JSON.stringify({
  times: [times[0], times.at(-1), times.length], labels: [push.label, limit.label],
  score: push.column.at(-1), limit: limit.column[0], lengths: [push.column.length, limit.column.length],
  lost: [lost[0], lost.at(-1)], team: chart.lines(scene).map((one) => one.label),
}));
"""


@pytest.mark.parametrize(("count", "real"), [(10, False), (7000, False), (7000, True)])
def test_levels_are_kept_with_their_threshold_back_to_the_beginning_or_a_quarter_of_an_hour(
    count: int, *, real: bool
) -> None:
    play = CHART_PLAY.replace("REAL", str(real).lower()).replace("COUNT", str(count))
    found = played("chart.js", CHART_STUBS, play)
    begun, last, points = found["times"]
    assert last - 990 <= begun <= last - 900 if real and count > 2000 else begun == 0
    assert last >= (count - 1) / 2 - 4
    assert points <= 3000
    assert found["lengths"] == [points, points]
    assert (found["labels"], found["limit"]) == (["push", "threshold"], 100)
    assert found["score"] == (2 * last) % 100
    assert (found["lost"], found["team"]) == ([None, 25], ["lost frames"])


def test_a_click_waits_until_its_time_and_counts_for_its_robot_alone() -> None:
    clicked = ["3.05 remove blue", "14.25 radio blue off", "14.35 remove gold", "15.05 seize blue"]
    after = (
        f"console.log(JSON.stringify([0, 14.2, 14.25, 16].map((t) => waiting({json.dumps(clicked)}, t, 'blue'))));"
    )
    first, paused, reached, later = played("cards.js", "", after)
    assert first == ["remove blue", "radio blue off", "seize blue"]
    assert (paused, reached, later) == (["radio blue off", "seize blue"], ["seize blue"], [])


def test_a_card_says_where_a_real_robot_is_and_what_was_done_to_one() -> None:
    after = """
    const robots = [{ at: [1.234, 2, -Math.PI / 2], accuracy: 0.05 }, { at: [0, 0, 7], accuracy: null }];
    const done = [{ seized: true, muted: true, failed: ["camera", "motors"] }, { failed: [] }, {},
      { failed: ["front", "motors"], missing: [["front-range", "front is dead; front-left is dead"]] },
      { slow: 0.5, blind: ["red"] }];
    console.log(JSON.stringify([robots.map(placeOf), done.map(ailments)]));
    """
    places, ills = played("cards.js", "", after)
    assert places == ["at x 1.23 m, y 2.00 m (± 0.05 m), heading 270°", "at x 0.00 m, y 0.00 m, heading 41°"]
    assert ills == [
        ["held in place", "its radio is muted", "out of order: camera, motors"],
        [],
        [],
        ["out of order: motors"],
        ["slowed to 50 % of its speed", "its camera misses what is red"],
    ]


KEYS = [
    # key, where it is pressed, what is held or set besides, and what it means in a simulation
    (" ", "body", "", "toggle"), (" ", "button", "", ""), (" ", "pre", "", ""), (" ", "body", "repeat", ""),
    ("ArrowRight", "canvas", "", "step"), ("ArrowRight", "button", "", "step"), ("ArrowRight", "pre", "", ""),
    ("ArrowRight", "#events", "", ""), ("ArrowRight", "input", "", ""), ("ArrowRight", "body", "altKey", ""),
    ("ArrowRight", "body", "shiftKey", ""), ("ArrowRight", "body", "metaKey", ""), ("ArrowLeft", "body", "", ""),
    ("2", "body", "", "2"), ("2", "input", "", ""), ("2", "body", "ctrlKey", ""), ("0", "body", "", ""),
    ("Escape", "pre", "", "leave"),
]  # fmt: skip


@pytest.mark.parametrize("real", [False, True])
def test_a_key_acts_only_where_neither_the_browser_nor_an_element_needs_it(*, real: bool) -> None:
    after = f"""
    const target = (place) => ({{ closest: (places) => places.split(", ").includes(place) }});
    console.log(JSON.stringify({json.dumps(KEYS)}.map(([key, place, held]) =>
      meaningOf({{ key, [held]: true, target: target(place) }}, {json.dumps(real)}))));
    """
    wanted = ["" if real and one[3] in ("toggle", "step") else one[3] for one in KEYS]
    assert played("keys.js", "", after) == wanted


def rows_of(names: list[str], **frame: Any) -> Any:
    """The rows of tasks that are open and of those that are over."""
    robots = [{"name": "r1", "at": [1, 1, 0], "on": True}, {"name": "r2", "at": None, "on": True}]
    whole = {"robots": robots, "tasks": {}, "done": {}, **frame}
    scene = {"tasks": names}
    found = played(
        "tasks.js", "", f"console.log(JSON.stringify(rowsOf({json.dumps(scene)}, {json.dumps(whole)})));"
    )
    return found["open"], found["over"]


def test_a_task_is_in_work_where_a_robot_in_the_room_has_it_and_done_once_it_is_over() -> None:
    done = {"c": {"over": True, "times": 0, "at": None, "by": ""},
            "d": {"over": True, "times": 2, "at": 31.2, "by": "r1"},
            "e": {"over": False, "times": 2, "at": 12.0, "by": "r2"}}  # fmt: skip
    rows, over = rows_of([*"abcde"], tasks={"a": ["r1", "r2"], "b": ["r2"], "d": ["r2"]}, done=done)
    assert rows == [
        ["a", "in work", "r1, r2 (away)"], ["b", "open", "r2 (away)"], ["c", "done", ""],
        ["d", "done at 31 s", "r1"], ["e", "open; done 2 times, last at 12 s", ""],
    ]  # fmt: skip
    assert over == []


def test_tasks_that_robots_introduced_are_apart_once_they_are_over() -> None:
    jobs = [
        ["watch", "refused", "", "no bid"],
        ["push", "awarded", "r2", ""],
        ["watch", "ended", "", "contract over"],
    ]
    robots = [{"name": "r1", "at": [0, 0, 0], "on": True, "jobs": jobs}, {"name": "r2", "at": None, "on": True}]
    rows, over = rows_of(["t"], robots=robots)
    assert [row[:3] for row in rows] == [["push", "awarded", "r2 (away)"]]
    assert [row[1] for row in over] == ["ended: contract over", "refused: no bid"]


def test_no_robot_has_the_colour_of_another_one_of_a_small_team_on_the_page_or_in_figures() -> None:
    team = ["green", "blue", "genghis", "r1"]
    after = f"""
    const team = {json.dumps(team)}.map((name) => ({{ name, colour: name === "r1" ? "red" : "" }}));
    console.log(JSON.stringify(team.map(({{ name }}) => colourOf({{ team }}, name))));
    """
    colours = played("drawing.js", "", after)
    assert (len(set(colours)), colours[0], colours[3]) == (4, "#009E73", "#D55E00")
    assert len({colour_of(name, team) for name in team}) == 4


WORLD_PLAY = """
const world = new World(null), scene = { team: [{ name: "r1", number: 1 }, { name: "r2", number: 2 }] };
const flashes = [];
for (const frame of FRAMES) {
  world.note(scene, frame);
  flashes.push(world.flashes.map(({ from, to, lost }) => [from, to, Boolean(lost)]));
}
console.log(JSON.stringify([world.trails.r1, flashes]));
"""


def test_a_trail_ends_where_a_robot_is_taken_out_and_frames_pass_are_lost_or_are_not_sent() -> None:
    at = [[0, 0, 0], [0.01, 0, 0], [1, 0, 0], None, None, [3, 3, 0]]
    other = {"name": "r2", "at": [5, 5, 0], "muted": True}
    none: dict[str, Any] = {"sent": [], "received": [], "lost": [], "paused": False}
    frames = [{**none, "robots": [{"name": "r1", "at": place}, other]} for place in at]
    frames[0] |= {
        "sent": [["r1"], ["r2"]],
        "received": [["r2", 1], ["r2", 9]],
        "lost": [[2, 1, False], [9, 1, False]],
    }
    frames[1] |= {"paused": True}
    frames[2] |= {"paused": True, "sent": [["r1"]]}
    trail, flashes = played(
        "world.js", "const Labels = class {};", WORLD_PLAY.replace("FRAMES", json.dumps(frames))
    )
    assert trail == [[0, 0], [1, 0], None, [3, 3]]
    first = [["r1", "", False], ["r1", "r2", False], ["r1", "r2", True]]
    assert flashes[:3] == [first, first, [["r1", "", False]]]  # what was shown stays until the next step


def places_of(labels: list[Any], taken: list[Any], before: dict[int, int]) -> Any:
    """Where labels of 40 x 10 px are put in a canvas of 200 x 100 px, and the numbers of these spots."""
    given = [{"key": str(k), "w": 40, "h": 10, "spots": spots} for k, spots in enumerate(labels)]
    call = f"placed({json.dumps(given)}, {json.dumps(taken)}, 200, 100, before)"
    return played(
        "labels.js", "", f"const before = {json.dumps(before)}; console.log(JSON.stringify([{call}, before]));"
    )


SPOTS = [[100, 45], [50, 45], [80, 20]]


@pytest.mark.parametrize(
    ("labels", "taken", "before", "places", "numbers"),
    [
        ([SPOTS, SPOTS], [[95, 45, 10, 10]], {}, [[50, 45], [80, 20]], [1, 2]),  # beside a robot, and a label
        ([[[190, 95]]], [], {}, [[158, 88]], [0]),  # into the canvas
        ([SPOTS], [], {0: 1}, [[50, 45]], [1]),  # where it was
        ([SPOTS], [[45, 40, 10, 10]], {0: 1}, [[100, 45]], [0]),  # until something comes there
    ],
)
def test_a_label_gives_way_to_robots_to_earlier_labels_and_to_the_edge_and_stays_else(
    labels: list[Any], taken: list[Any], before: dict[int, int], places: list[Any], numbers: list[int]
) -> None:
    assert places_of(labels, taken, before) == [places, {str(k): number for k, number in enumerate(numbers)}]


def test_a_range_begins_at_the_hull_of_a_robot() -> None:
    after = """
    const hull = { hull: [0.2, 0.1], radius: 0.3 }, round = { hull: null, radius: 0.3 };
    const bearings = [0, Math.PI / 2, Math.atan(0.5), Math.PI];
    console.log(JSON.stringify(bearings.map((at) => [edgeOf(hull, at), edgeOf(round, at)])));
    """
    assert played("senses.js", "", after) == [
        [pytest.approx(edge, abs=1e-3), 0.3] for edge in (0.2, 0.1, 0.2236, 0.2)
    ]
