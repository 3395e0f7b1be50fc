"""Line 8: a reboot in mid-run, a second run, and one robot of five that stops the team over lossy radios."""

from __future__ import annotations

import functools
import math
from pathlib import Path
from statistics import median
from typing import Any

from robotd.model.beliefs import FACT_KINDS
from robotd.model.statements import Heard
from tests.accept.check import Check, Found
from tests.accept.daemon import mission
from tests.accept.desk import Desk

REBOOT_AT_S, ALONE_AT_S, PERMITTED_AT_S, CUT_AT_S = 200.0, 260.0, 330.0, 430.0
REBOOT = (
    f"{REBOOT_AT_S:g} reboot green",
    f"{ALONE_AT_S:g} remove blue",  # so that every task is left to the one that may not move
    f"{ALONE_AT_S:g} remove gold",
    f"{PERMITTED_AT_S:g} start green",
)
SECOND_AT_S = 430.0
SECOND = (
    "400 reboot green", "400 reboot blue", "425 start green", "425 start blue",
    f"{SECOND_AT_S:g} restart-mission green",
)  # fmt: skip
NEVER_RESTARTED = 3  # gold
NAMED_BEATS = 3
ROUNDING_BEATS = 0.05  # ages travel in twentieths of a beat


def simulated(desk: Desk, name: str, events: tuple[str, ...], *words: str) -> tuple[dict[str, Any], Path]:
    log = desk.folder / f"{name}.jsonl"
    options = [word for event in events for word in ("--event", event)]
    return desk.sim(mission.NAME, *options, *words, "--log", log), log


def reboot(desk: Desk) -> Found:
    _, log = simulated(desk, "reboot", REBOOT, "--duration", f"{CUT_AT_S:g}")
    ticks = moved = commanded = 0
    words: set[str] = set()
    starts: list[float] = []
    before = False
    for name, row in mission.rows(log):
        now = row.inputs.now
        if name != "green":
            continue
        before = before or (now < REBOOT_AT_S and mission.rolls(row))
        if REBOOT_AT_S < now < PERMITTED_AT_S:
            ticks += 1
            moved += mission.rolls(row)
            commanded += row.driven.left != 0.0 or row.driven.right != 0.0
            words.add(row.state.word)
        elif now > PERMITTED_AT_S and mission.rolls(row):
            starts.append(now)
    log.unlink()
    figure = f"{ticks} ticks as {', '.join(sorted(words))}: {moved} with rolling wheels, {commanded} commands; "
    figure += f"once permitted, rolling after {starts[0] - PERMITTED_AT_S:.0f} s" if starts else "and never again"
    ok = before and ticks > 0 and not moved and not commanded and bool(starts)
    return Found(figure, "no motion until permitted, then motion", ok)


def second_run(desk: Desk) -> Found:
    outcome, log = simulated(desk, "second-run", SECOND)
    frames = {
        (frame.sender, frame.at): frame
        for _, row in mission.rows(log)
        for frame in row.heard
        if frame.sender and frame.at > SECOND_AT_S
    }
    log.unlink()
    newest = max((frame.run for frame in frames.values()), default=0)
    of_new = [frame for frame in frames.values() if frame.run == newest]
    joined = min((frame.at for frame in of_new if frame.sender == NEVER_RESTARTED), default=float("inf"))
    beats = (joined - SECOND_AT_S) / mission.beat_s()
    stale = sum(older(frame) for frame in of_new)
    reports = max((counted(frame) for frame in of_new), default=0)
    done = {
        task: sum(1 for occasion in occasions if occasion["done_at_s"] > SECOND_AT_S)
        for task, occasions in outcome["tasks"].items()
    }
    finds = done.get("find-locations", 0)
    told = done.get("report-progress", 0)
    figure = f"gold in run {newest} after {beats:.1f} beats; {stale} facts of run 1 said in it; "
    figure += f"located {finds} time in it; {reports} reports counted of {told}; {outcome['reason']}"
    ok = newest > 1 and beats <= NAMED_BEATS and not stale and finds == 1 and reports <= told
    ok = ok and bool(outcome["accomplished"])
    return Found(figure, f"joined within {NAMED_BEATS} beats, nothing of run 1 in it, accomplished anew", ok)


def older(frame: Heard) -> int:
    since = (frame.at - SECOND_AT_S) / mission.beat_s() + ROUNDING_BEATS
    ages = [statement.fields[-1] for statement in frame.statements if statement.kind in FACT_KINDS]
    return sum(isinstance(age, float) and age > since for age in ages)


def counted(frame: Heard) -> int:
    values = [s.fields[1] for s in frame.statements if s.kind == "fact" and s.fields[0] == "reports"]
    return max((int(value) for value in values if isinstance(value, int | float)), default=0)


def command(events: tuple[str, ...]) -> str:
    return f"robotd sim {mission.NAME}" + "".join(f' --event "{event}"' for event in events)


CHECKS = (
    Check("8.4", "reboot in mid-run: no motion without permission", command(REBOOT), reboot),
    Check("8.5", "run 2 after run 1, gold never restarted", command(SECOND), second_run),
)


TEAM = ("blue", "gold", "green", "red", "white")
SEEDS, QUICK_SEEDS = 10, 2
AT_S = 60.0
LOSSES = (0, 50, 90)
IN_A_THOUSAND = 1e-3  # of all stops, as many may take longer than the bound


def five_under_way(desk: Desk) -> Path:
    """A mission of five robots that all wander at once: each has a task of its own and nothing else to do."""
    content = mission.data()
    content["team"] = {name: {"number": number, "type": "r2"} for number, name in enumerate(TEAM, 1)}
    content["tasks"] = {f"look-{name}": {"number": number} for number, name in enumerate(TEAM, 1)}
    times = dict.fromkeys(("patience_s", "yield_time_s", "give_up_time_s"), 900.0)
    own = {"fast_rate": 10.0, "slow_rate": 0.1, **times}
    content["sets"] = {
        f"look-{name}": {"behavior": "find-locations-wander", "task": f"look-{name}", "motivation": own}
        for name in TEAM
    }
    others = {name: [f"look-{other}" for other in TEAM if other != name] for name in TEAM}
    content["robots"] = {name: {"without": others[name]} for name in TEAM}
    return mission.write(desk.folder / "five" / "five.toml", content)


def bound_s(loss: float) -> float:
    """A lone sender repeats its stop every beat; four others need to hear one each, and none helps."""
    beats = math.log(IN_A_THOUSAND / (len(TEAM) - 1)) / math.log(loss) if loss else 1.0
    return math.ceil(beats) * mission.beat_s()


def stopped(desk: Desk, path: Path, loss: float, seed: int) -> dict[str, Any]:
    """`rolling`: who was under way at the order; `zero_s`: each one's last turn of a wheel after it, s."""
    who = TEAM[seed % len(TEAM)]
    log = desk.folder / f"stop-{loss:g}-{seed}.jsonl"
    words = ["--seed", str(seed), "--set", f"radio.loss={loss:g}", "--event", f"{AT_S:g} stop-team {who}"]
    desk.sim(path, *words, "--duration", f"{AT_S + bound_s(loss) + 2.0:g}", "--log", log)
    rolling: set[str] = set()
    zero = dict.fromkeys(TEAM, 0.0)
    for name, row in mission.rows(log):
        if mission.rolls(row) and row.inputs.now > AT_S - 1.0:
            if row.inputs.now <= AT_S:
                rolling.add(name)
            else:
                zero[name] = row.inputs.now - AT_S
    log.unlink()
    return {"rolling": sorted(rolling), "zero_s": zero}


def team_stop(loss: float, desk: Desk) -> Found:
    path = five_under_way(desk)

    def one(seed: int) -> dict[str, Any]:
        return desk.kept(f"stop {loss:g} {seed}", lambda: stopped(desk, path, loss, seed))

    runs = desk.each(desk.seeds(SEEDS, QUICK_SEEDS), one)
    times = sorted(max(run["zero_s"].values()) for run in runs)
    rolling = [len(run["rolling"]) for run in runs]
    late = [time for time in times if time > bound_s(loss)]
    figure = f"median {median(times):.1f} s, {times[0]:.1f} to {times[-1]:.1f} s, of {len(times)} runs; "
    figure += f"{min(rolling)} to {max(rolling)} robots under way at the order"
    bound = f"at most {bound_s(loss):g} s"
    if loss:
        bound += " (one robot alone repeating it each beat: 999 of 1000 stops)"
    return Found(figure, bound, not late and min(rolling) >= len(TEAM) - 1)


CHECKS += tuple(
    Check(f"8.{part}", f"team stop of five robots at {loss} % loss: time until all wheels are at zero",
          f'robotd sim five.toml --set radio.loss={loss / 100:g} --event "{AT_S:g} stop-team ROBOT"',
          functools.partial(team_stop, loss / 100.0))
    for part, loss in enumerate(LOSSES, 1)
)  # fmt: skip
