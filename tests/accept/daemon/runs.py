"""Line 8: a robot that reboots in mid-run, and a second run in which one robot was never restarted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from robotd.model.beliefs import FACT_KINDS
from robotd.model.statements import Heard
from tests.accept.check import Check, Found
from tests.accept.daemon import logs, mission
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
    for name, row in logs.rows(log):
        now = row.inputs.now
        if name != "green":
            continue
        before = before or (now < REBOOT_AT_S and logs.rolls(row))
        if REBOOT_AT_S < now < PERMITTED_AT_S:
            ticks += 1
            moved += logs.rolls(row)
            commanded += row.driven.left != 0.0 or row.driven.right != 0.0
            words.add(row.state.word)
        elif now > PERMITTED_AT_S and logs.rolls(row):
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
        for _, row in logs.rows(log)
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
