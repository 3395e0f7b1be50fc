"""The page of a run: one HTML file that loads nothing, so that it opens anywhere; the same log gives the same."""

import importlib.resources
from collections.abc import Iterator
from html import escape

from robotd.figures.room import colour_of
from robotd.record.why import Account
from robotd.report.charts import legend_of, levels_of, map_of, trace_of
from robotd.report.read import Run
from robotd.report.svg import element, table
from robotd.robot.faults import describe_fault

MOST_EVENTS = 3000  # of the table: a page of a long run still opens on a phone
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
MOST_TASKS = 500  # of the table of tasks that robots introduced, the last
MOST_STATES = 8  # of one of these, the last
SECTIONS = {"map": "Map, and the robots at the end", "trace": "Who did what", "tasks": "Tasks", "levels": "Levels",
            "events": "Events", "faults": "Faults", "radio": "Radio"}  # fmt: skip


def page_of(run: Run) -> str:
    """The whole page."""
    bodies = {
        "map": _map(run), "trace": trace_of(run.series) + legend_of(run.series),
        "tasks": _tasks(run) + _introduced(run), "levels": _levels(run), "events": _events(run),
        "faults": _faults(run), "radio": _radio(run),
    }  # fmt: skip
    shown = {name: body for name, body in bodies.items() if body}
    links = "".join(element("a", SECTIONS[name], href=f"#{name}") for name in shown)
    sections = "".join(
        element("section", element("h2", SECTIONS[name]) + body, id=name) for name, body in shown.items()
    )
    style = (importlib.resources.files("robotd.report") / "page.css").read_text(encoding="utf-8")
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"{element('title', escape(run.series.title()))}{element('style', style)}"
    )
    body = element("header", _head(run) + element("nav", links)) + element("main", sections)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n'


def _head(run: Run) -> str:
    series = run.series
    coordinator = run.mission.get("coordinator")
    name = coordinator.get("name", "") if isinstance(coordinator, dict) else ""
    count = len(series.robots)
    about = f"{count} robot{'s' * (count != 1)}, coordinator {name or 'of the mission'}, {series.duration:.0f} s"
    words = f"{about}; {run.mission.get('description', '')}".strip("; ")
    cut = element("p", escape(series.cut), class_="alarm") if series.cut else ""
    return element("h1", escape(series.title())) + element("p", escape(words), class_="faint") + cut


def _map(run: Run) -> str:
    if not run.trails and run.room is None:
        return _end(run)
    places = "as the mission has them at first" if run.room is not None else "unknown: this log has no room"
    words = f"Trails are the measured positions, from the ring to the disc. Walls, places and things: {places}."
    return element("div", map_of(run) + _end(run), class_="beside") + element("p", words, class_="faint")


def _tasks(run: Run) -> str:
    """Of each task of the mission or at work: how long each robot was on it, how often it was done, when last."""
    tasks = run.mission.get("tasks")
    spent: dict[str, dict[str, float]] = {name: {} for name in tasks} if isinstance(tasks, dict) else {}
    done: dict[str, list[tuple[float, str]]] = {}
    for robot in run.series.robots.values():
        for spell in robot.spells:
            if spell.task:
                by = spent.setdefault(spell.task, {})
                by[robot.name] = by.get(robot.name, 0.0) + spell.end - spell.start
                done.setdefault(spell.task, []).extend([(spell.end, robot.name)] * (spell.ending == "done"))
    rows: list[tuple[object, ...]] = []
    for name, by in spent.items():
        at, who = max(done.get(name) or [(0.0, "")])
        last = (len(done[name]), round(at, 1), who) if who else ("", "", "")
        rows.append((name, ", ".join(f"{robot} {time:.0f} s" for robot, time in by.items()), *last))
    columns = ("task", "robots, and how long", "times done", "last at, s", "by")
    return element("div", table(columns, rows), class_="scroll") if rows else ""


def _introduced(run: Run) -> str:
    """The tasks that robots introduced, with their states in order: of MURDOCH the auctions and contracts."""
    rows = [
        (
            name,
            robot.name,
            round(course[0].since, 1),
            "; ".join(_state(run, *one) for one in course[-MOST_STATES:]),
        )
        for robot in run.series.robots.values()
        for name, course in robot.jobs.items()
    ]
    rows.sort(key=lambda row: row[2])
    head = element("h3", "Introduced by robots") + (
        element("p", f"The last {MOST_TASKS} of {len(rows)}.", class_="faint") if len(rows) > MOST_TASKS else ""
    )
    columns = ("task", "by", "at, s", "states, and since when")
    return head + element("div", table(columns, rows[-MOST_TASKS:]), class_="scroll") if rows else ""


def _state(run: Run, since: float, state: str, who: int, why: str) -> str:
    robot = f" to {run.numbers.get(who, f'number {who}')}" if who else ""
    return f"{since:.1f} s {state}{robot}" + (f" ({why})" if why else "")


def _levels(run: Run) -> str:
    parts = [
        element("h3", escape(robot.name)) + element("div", levels_of(run.series, robot), class_="panels")
        for robot in run.series.robots.values()
        if robot.scores()
    ]
    words = "From 0 to the threshold (dashed); shaded where the set was active. "
    words += "Wide and orange: impatience; above it motivation; blue: acquiescence; grey: other scores."
    return "".join(parts) + element("p", words, class_="faint") if parts else ""


def _events(run: Run) -> str:
    events = sorted(
        (one.at, account.dates.of(one.at), account.robot, one.what, one.cause)
        for account in run.accounts
        for one in account.happened
    )
    dated = any(date for _, date, *_ in events)
    columns = ("s", *["date and time"] * dated, "robot", "what", "cause")
    rows = ((round(at, 1), *[date] * dated, *words) for at, date, *words in events[:MOST_EVENTS])
    more = len(events) - MOST_EVENTS
    words = f"The first {MOST_EVENTS}; robotd why and robotd export have the other {more}." if more > 0 else ""
    note = element("p", words, class_="faint") if words else ""
    return element("div", table(columns, rows), class_="scroll") + note


def _faults(run: Run) -> str:
    last = {fault.name: describe_fault(fault) for account in run.accounts for fault in account.faults}
    rows = [
        (robot.name, fault.name, round(fault.start, 1), _until(fault.name, fault.end, robot.last), fault.detail)
        for robot in run.series.robots.values()
        for fault in robot.faults
    ]
    if not rows:
        return ""
    open_now = "".join(
        element("p", escape(f"{name}: {one['action']}; it ends when: {one['clears']} ({one['who']})"))
        for name, one in sorted(last.items())
        if "action" in one
    )
    columns = ("robot", "fault", "from, s", "until, s", "detail")
    return element("div", table(columns, rows), class_="scroll") + (
        element("h3", "Open at the end") + open_now if open_now else ""
    )


def _until(name: str, end: float, last: float) -> object:
    return "the end" if end >= last else round(end, 1)


def _radio(run: Run) -> str:
    if not any(own.sent or own.received for own in run.traffic.values()):
        return ""
    rows = []
    for name, own in sorted(run.traffic.items()):
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(own.kinds.items()))
        received = ", ".join(_share(run, number, count) for number, count in sorted(own.received.items()))
        rows.append((name, own.sent, received, kinds))
    columns = ("robot", "frames sent", "frames received from", "statements sent")
    return element("div", table(columns, rows), class_="scroll")


def _share(run: Run, number: int, count: int) -> str:
    """How many frames of a sender were received, and the share of those that it sent where the log has both."""
    name = run.numbers.get(number, "base station" if number == 0 else f"number {number}")
    sent = run.traffic[name].sent if name in run.traffic else 0
    return f"{name} {count}" + (f" ({100 * count / sent:.0f} %)" if sent else "")


def _end(run: Run) -> str:
    team = list(run.series.team)
    cards = [
        element("div", "".join(_card(account)), class_="card", style=f"--own:{colour_of(account.robot, team)}")
        for account in sorted(run.accounts, key=lambda one: list(run.series.robots).index(one.robot))
    ]
    return element("div", "".join(cards), class_="cards")


def _card(account: Account) -> Iterator[str]:
    yield element("h3", escape(account.robot))
    date = account.dates.of(account.at)
    at = f"{account.at:.1f} s" + (f" ({date})" if date else "")
    if account.off:
        yield element("p", escape(f"no tick since {at}: {account.off}"), class_="alarm")
    doing = f"{account.state.word}, {account.doing} since {account.since:.1f} s"
    yield element("p", escape(f"{'before that' if account.off else at}: {doing}"))
    state = account.state
    for words in (account.cause, state.reason, state.next_step and f"next: {state.next_step}"):
        if words:
            yield element("p", escape(words), class_="faint")
    for fault in account.faults:
        yield element("p", escape(f"fault {fault.name}: {fault.detail}"), class_="alarm")
    for part, why in account.lost:
        yield element("p", escape(f"missing {part}: {why}"))
    if account.ended:
        yield element("p", escape(f"end: {account.ended}"), class_="faint")
