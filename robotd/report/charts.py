"""The figures of the page as SVG: the map, the action trace and the levels. Lengths in dots."""

from collections.abc import Callable
from html import escape

from robotd.figures.levels import LEVELS
from robotd.figures.room import Block, Disc, Room, colour_of
from robotd.figures.series import TAKES_OUT, Happened, Interval, RobotSeries, RunSeries
from robotd.figures.style import look_of
from robotd.figures.trace import leftward, stagger
from robotd.report.read import Run
from robotd.report.svg import Point, element, polyline, text, title

WIDTH = 960  # of a figure; pages scale it
ROW, GAP, BAR = 16, 12, 11  # of the trace: a row, between robots, a bar
EVENT = 14  # height of a line of labels
LEFT, RIGHT, AXIS = 110, 24, 26
MAP_HEIGHT, MARGIN_M = 520, 0.3
LETTER = 8  # of a robot's name on the map: the width of a wide one
PANEL_WIDTH, PANEL_HEIGHT = 300, 76
POINTS = 400  # of a curve: more than its panel has dots
STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400)
At = Callable[[Point], Point]
"""From the room, m, to dots."""


def map_of(run: Run) -> str:
    """The room, each robot's trail, where it began (a ring) and where it was last (a disc)."""
    width, depth = _size(run)
    scale = min((WIDTH - 40) / (width + 2 * MARGIN_M), MAP_HEIGHT / (depth + 2 * MARGIN_M))

    def at(point: Point) -> Point:
        return (point[0] + MARGIN_M) * scale, (depth + MARGIN_M - point[1]) * scale

    parts = _room(run.room, at, scale) if run.room is not None else []
    team = list(run.series.team)
    names = []  # last, so that no trail covers them
    for name, trail in run.trails.items():
        colour, points = colour_of(name, team), [at(point) for point in trail.points]
        (x, y), (x1, y1) = points[-1], points[0]
        parts += [
            element("g", polyline(points) + title(f"the trail of {name}"), class_="trail", stroke=colour),
            element("circle", cx=x1, cy=y1, r=4, fill="none", stroke=colour, stroke_width=2),
            element("circle", title(f"{name} was last here"), cx=x, cy=y, r=7, fill=colour, class_="robot"),
        ]  # fmt: skip
        names.append(_name(name, x, y, (width + 2 * MARGIN_M) * scale))
    size = ((width + 2 * MARGIN_M) * scale, (depth + 2 * MARGIN_M) * scale)
    return _figure("".join([*parts, *names]), *size, "the room from above with the trails of the robots")


def _name(name: str, x: float, y: float, width: float) -> str:
    """Beside the disc, on the side where there is room."""
    left = x + 10 + LETTER * len(name) > width
    return text(name, x - 10 if left else x + 10, y + 4, class_="name", text_anchor="end" if left else None)


def _size(run: Run) -> Point:
    """Of the room, m; without one what the trails need."""
    points = [point for trail in run.trails.values() for point in trail.points] or [(1.0, 1.0)]
    far = (max(x for x, _ in points), max(y for _, y in points))
    return far if run.room is None else run.room.size


def _room(room: Room, at: At, scale: float) -> list[str]:
    (left, low), (right, high) = at((0.0, 0.0)), at(room.size)
    parts = [element("rect", x=left, y=high, width=right - left, height=low - high, class_="floor")]
    parts += [polyline(map(at, wall), class_="wall") for wall in room.walls]
    if room.finish is not None:
        parts.append(polyline([at((0.0, room.finish)), at((room.size[0], room.finish))], class_="finish"))
    for block in room.boxes:
        parts += _block(block, at, scale)
    for disc in room.discs:
        parts += _disc(disc, at, scale)
    return parts


def _block(block: Block, at: At, scale: float) -> list[str]:
    x, y = at((block.x - block.width / 2, block.y + block.depth / 2))
    size = {"width": block.width * scale, "height": block.depth * scale}
    shape = element("rect", title(block.name), x=x, y=y, fill=block.colour, fill_opacity=0.35, **size)
    return [shape, text(block.name, x + 3, y + 12, class_="place")]


def _disc(disc: Disc, at: At, scale: float) -> list[str]:
    x, y = at((disc.x, disc.y))
    radius = max(3.0, disc.radius * scale)
    shape = element("circle", title(disc.name), cx=x, cy=y, r=radius, fill=disc.colour, fill_opacity=0.3)
    label = text(disc.name, x, y - radius - 3, class_="place", text_anchor="middle") if disc.name else ""
    return [shape, label]


def _figure(content: str, width: float, height: float, label: str) -> str:
    box = f"0 0 {width:.0f} {height:.0f}"
    inside = element("svg", content, viewBox=box, role="img", aria_label=label, style=f"max-width:{width:.0f}px")
    return element("div", inside, class_="figure")


class _Time:
    """The horizontal axis: seconds to dots."""

    def __init__(self, duration: float, left: float, width: float) -> None:
        self.left, self.width, self.duration = left, width, max(duration, 1.0)

    def x(self, at: float) -> float:
        return self.left + self.width * min(max(at, 0.0), self.duration) / self.duration

    def axis(self, top: float, bottom: float) -> str:
        """Vertical lines at round times, with the time below."""
        step = next((step for step in STEPS if self.duration / step <= 9), STEPS[-1])
        parts = []
        for k in range(int(self.duration / step) + 1):
            x = self.x(k * step)
            parts.append(element("line", x1=x, x2=x, y1=top, y2=bottom, class_="grid"))
            parts.append(text(f"{k * step} s", x, bottom + 15, text_anchor="middle", class_="tick"))
        return "".join(parts)


def trace_of(run: RunSeries) -> str:
    """Who did what and when, as figure 10 of Parker 1998: a block for each robot, a row for each of its sets."""
    time, looks, labels = _Time(run.duration, LEFT, WIDTH - LEFT - RIGHT), look_of(run.sets()), run.labels()
    named = [(event.at, event.label(())) for event in run.events]
    levels = stagger(named, time.duration)
    top = float(4 + EVENT * (1 + max((level for level in levels if level is not None), default=-1)))
    y, parts = top, []
    for robot in run.robots.values():
        rows = [name for name in run.sets() if name in robot.sets()]
        height = ROW * max(1, len(rows) + bool(robot.stops))
        parts.append(element("rect", x=LEFT, y=y, width=WIDTH - LEFT - RIGHT, height=height, class_="block"))
        parts.append(text(robot.name, 4, y + height / 2 + 4, class_="name"))
        parts += _absences(run, robot, time, y, height)
        for k, name in enumerate(rows):
            parts.append(text(labels[name], LEFT - 6, y + ROW * k + 12, class_="label", text_anchor="end"))
            parts += _bars(robot, name, looks[name], time, y + ROW * k + (ROW - BAR) / 2)
        if robot.stops:
            parts.append(
                text("not running", LEFT - 6, y + ROW * len(rows) + 12, class_="label", text_anchor="end")
            )
            parts += _stops(robot, time, y + ROW * len(rows) + (ROW - BAR) / 2)
        y += height + GAP
    events = [
        _event(event, None if level is None else top - 6 - EVENT * level, time, y - GAP)
        for event, level in zip(run.events, levels, strict=True)
    ]
    lines, words = "".join(line for line, _ in events), "".join(label for _, label in events)
    content = time.axis(top, y - GAP) + "".join(parts) + lines + words
    return _figure(content, WIDTH, y - GAP + AXIS, "who did what and when")


def _absences(run: RunSeries, robot: RobotSeries, time: _Time, y: float, height: float) -> list[str]:
    return [
        element(
            "rect", title(f"{robot.name} was out of the room, or off"), x=time.x(start), y=y, height=height,
            width=time.x(end) - time.x(start), class_="absent",
        )
        for start, end in run.absences(robot.name)
    ]  # fmt: skip


def _bars(robot: RobotSeries, name: str, look: tuple[str, str], time: _Time, y: float) -> list[str]:
    colour, hatch = look
    held = [
        element("line", x1=time.x(one.start), x2=time.x(one.end), y1=y + BAR / 2, y2=y + BAR / 2, stroke=colour,
                class_="held")
        for one in robot.held if one.set == name
    ]  # fmt: skip
    return held + [_bar(spell, colour, hatch, time, y) for spell in robot.active(name)]


def _bar(spell: Interval, colour: str, hatch: str, time: _Time, y: float) -> str:
    x, end = time.x(spell.start), time.x(spell.end)
    about = f"{spell.set}{f' ({spell.task})' if spell.task else ''}: {spell.start:.1f} to {spell.end:.1f} s"
    words = title(f"{about}{f', {spell.ending}' if spell.ending else ''}")
    bar = element("rect", words, x=x, y=y, width=max(1.0, end - x), height=BAR, fill=colour,
                  fill_opacity=0.55 if hatch else None)  # fmt: skip
    return bar + _mark(spell.ending, end, y + BAR / 2)


def _mark(ending: str, x: float, y: float) -> str:
    if ending == "done":
        return element("circle", cx=x, cy=y, r=4, class_="done")
    turned = {"yielded": "-5,0 3,-4.5 3,4.5", "gave-up": "0,5 -4.5,-3 4.5,-3"}.get(ending)
    if turned is None:
        return ""
    return element("polygon", points=turned, transform=f"translate({x:.1f} {y:.1f})", class_="open")


def _stops(robot: RobotSeries, time: _Time, y: float) -> list[str]:
    return [
        element(
            "rect", title(f"{stop.word}: {stop.reason}"), x=time.x(stop.start), y=y, height=BAR,
            width=max(1.0, time.x(stop.end) - time.x(stop.start)), class_=f"stop {_kind(stop.word)}",
        )
        for stop in robot.stops
    ]  # fmt: skip


def _event(event: Happened, y: float | None, time: _Time, bottom: float) -> tuple[str, str]:
    """A dashed line, and its words where they do not lie over others; no line lies over words."""
    x, words = time.x(event.at), event.label(())
    alarm = " alarm" if event.verb in (*TAKES_OUT, "fault") else ""
    line = element("line", title(f"{event.at:.1f} s: {words}"), x1=x, x2=x, y1=(y or 4.0) - 8, y2=bottom)
    left = leftward(event.at, words, time.duration)
    label = "" if y is None else text(words, x - 3 if left else x + 3, y, text_anchor="end" if left else None)
    return element("g", line, class_=f"event{alarm}"), element("g", label, class_=f"words{alarm}") if label else ""


def levels_of(run: RunSeries, robot: RobotSeries) -> str:
    """A panel for each set of a robot: its scores from 0 to the threshold (dashed), shaded where it was active."""
    return "".join(
        element("figure", element("figcaption", escape(name)) + _panel(run, robot, name), class_="panel")
        for name in robot.levels
    )


def _panel(run: RunSeries, robot: RobotSeries, name: str) -> str:
    time, of_set = _Time(run.duration, 4, PANEL_WIDTH - 8), robot.levels[name]
    low, high = PANEL_HEIGHT - 16.0, 10.0

    def y(value: float) -> float:
        return low - (low - high) * value / (of_set.threshold or 1.0)

    shaded = [
        element("rect", x=time.x(one.start), y=high, width=time.x(one.end) - time.x(one.start), height=low - high,
                class_="active")
        for one in robot.active(name)
    ]  # fmt: skip
    lines = [
        polyline(
            ((time.x(at), y(value)) for at, value in thinned(curve.points())),
            class_=f"score {score if score in LEVELS else 'other'}",
        )
        for score, curve in of_set.curves.items()
    ]
    limit = element("line", x1=4, x2=PANEL_WIDTH - 4, y1=high, y2=high, class_="limit")
    ends = [text("0 s", 4, PANEL_HEIGHT - 3, class_="tick")]
    ends.append(text(f"{run.duration:.0f} s", PANEL_WIDTH - 4, PANEL_HEIGHT - 3, class_="tick", text_anchor="end"))
    content = "".join([*shaded, limit, *lines, *ends])
    return _figure(content, PANEL_WIDTH, PANEL_HEIGHT, f"levels of {name} of {robot.name}")


def thinned(points: list[Point]) -> list[Point]:
    """At most `POINTS` and a few of them: of each stretch of equal length the least and the greatest."""
    if len(points) <= POINTS:
        return points
    size = -(-2 * len(points) // POINTS)
    kept = []
    for k in range(0, len(points), size):
        part = points[k : k + size]
        kept += sorted({min(part, key=lambda one: one[1]), max(part, key=lambda one: one[1])})
    return [points[0], *kept, points[-1]]


def legend_of(run: RunSeries) -> str:
    """What the bars and marks of the trace mean."""
    looks = look_of(run.sets())
    entries = [
        element("span", element("i", style=f"background:{looks[name][0]}") + escape(f"{label} {name}"))
        for name, label in run.labels().items()
    ]
    words = dict.fromkeys(stop.word for robot in run.robots.values() for stop in robot.stops)
    entries += [element("span", element("i", class_=f"swatch {_kind(word)}") + escape(word)) for word in words]
    marks = "● done, ◁ yielded, ▽ gave up, ┄ suspended; grey: out of the room, or off"
    return element("p", "".join(entries) + element("span", marks), class_="legend")


def _kind(word: str) -> str:
    """The class of a stretch in which a robot was not running, by its state's word."""
    return word.replace(" ", "-")
