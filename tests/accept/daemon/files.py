"""Line 9: one check of a faulty robot file tells all of its faults."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from tests.accept.check import Check, Found, besides
from tests.accept.daemon import mission
from tests.accept.desk import Desk

ROBOT = """name = "green"
mission = "{mission}"
strat = "command"

[board]
name = "r2"

[radio]
name = "transparent"
port = "/dev/null"
key_file = "team.key"
parameters = {{ air_rate = {rate} }}

[http]
port = "any"
"""
FAULTS = {  # key: the text whose line must be told, what must stand in the message, and the nearest key
    "strat": ("strat", "unknown", "start"),
    "board.port": ("[board]", "required", ""),
    "radio.parameters.air_rate": ("air_rate", "expected a number from", ""),
    "http.port": ('port = "any"', "a whole number", ""),
}


def folder(desk: Desk, name: str) -> Path:
    path = desk.folder / name
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    desk.robotd("keygen", path / "team.key").checked()
    return path


def four(desk: Desk) -> Found:
    text = ROBOT.format(mission=mission.NAME, rate=-3)
    path = folder(desk, "faulty") / "green.toml"
    path.write_text(text, encoding="utf-8")
    plain, listed = desk.robotd("check", path), desk.robotd("check", path, "--json")
    problems = {problem["key"]: problem for problem in listed.document()["problems"]}
    wrong = sorted(set(problems) ^ set(FAULTS))
    for key, (at, words, nearest) in FAULTS.items():
        if key in problems:
            wrong += wrongs(problems[key], str(path), text[: text.index(at)].count("\n") + 1, words, nearest)
    told = [line for line in plain.out.splitlines() if line.startswith(f"{path}:")]
    said = plain.out + plain.err + listed.err
    figure = f"{len(told)} lines, {len(problems)} faults, exit {plain.code}, {said.count('Traceback')} tracebacks"
    figure = besides(figure, wrong, "wrong")
    ok = not wrong and len(told) == 4 and plain.code == listed.code == 2 and "Traceback" not in said
    return Found(figure, "all four with file, line, expectation, nearest key; exit 2; no traceback", ok)


def wrongs(problem: dict[str, Any], file: str, line: int, words: str, nearest: str) -> list[str]:
    faults = (
        ((problem["file"], problem["line"]) != (file, line), f"not line {line}"),
        (words not in problem["message"], f"lacks {words!r}"), (not problem["expected"], "nothing expected"),
        (bool(nearest) and problem["nearest"] != nearest, f"nearest is not {nearest!r}"),
    )  # fmt: skip
    return [f"{problem}: {fault}" for wrong, fault in faults if wrong]


def mission_too(desk: Desk) -> Found:
    """A negative rate of the motivation, in the mission that the robot file names: told in the same check."""
    path = folder(desk, "faulty-mission") / "green.toml"
    content = mission.data()
    name = next(iter(content["sets"]))
    content["sets"][name]["motivation"]["fast_rate"] = -4.0
    mission.write(path.parent / "own.toml", content)
    path.write_text(ROBOT.format(mission="own.toml", rate=-3), encoding="utf-8")
    ran = desk.robotd("check", path, "--json")
    problems = ran.document()["problems"]
    rate = [p for p in problems if p["key"] == f"sets.{name}.motivation.fast_rate"]
    ok = ran.code == 2 and len(problems) == 5 and len(rate) == 1 and rate[0]["file"].endswith("own.toml")
    where = f"{Path(rate[0]['file']).name}:{rate[0]['line']}: {rate[0]['message']}" if rate else "not told"
    return Found(f"{len(problems)} faults, exit {ran.code}; {where}", "the four and the mission's", ok)


CHECKS = (
    Check("9.1", "four faults of a robot file at once", "robotd check ROBOT.toml [--json]", four),
    Check("9.2", "and a negative rate in its mission", "robotd check ROBOT.toml --json", mission_too),
)
