"""Lines 4 and 5: the same seed gives the same log byte for byte, and a log replays to the same decisions."""

import hashlib
import json
from itertools import zip_longest
from pathlib import Path
from typing import Any

from robotd.record.log import dumps
from robotd.record.reading import LogLines
from tests.accept.check import Check, Found, besides
from tests.accept.daemon import mission
from tests.accept.desk import CommandError, Desk

SEED, OTHER_SEED = 1, 2
FASTER = 1.25  # the changed constant: within what any mission may say


def log_of(desk: Desk, name: str, which: str = mission.NAME, *, seed: int = SEED, hash_seed: int = 1) -> Path:
    """The run log of a whole mission, made in a process of its own with its own PYTHONHASHSEED."""
    path = desk.folder / f"{name}.jsonl"
    key = f"log {name}"
    if desk.found(key) is None or not path.exists():
        words = ["sim", which, "--seed", str(seed), "--log", str(path), "--json"]
        desk.robotd(*words, env={"PYTHONHASHSEED": str(hash_seed)}).checked(0, 1)
        desk.keep(key, digest(path))
    return path


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:12]


def compared(one: Path, other: Path) -> str:
    if digest(one) == digest(other):
        return ""
    with one.open("rb") as left, other.open("rb") as right:
        for number, (a, b) in enumerate(zip_longest(left, right, fillvalue=b""), 1):
            if a != b:
                at = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
                texts = (repr(line[max(0, at - 20) : at + 40].decode(errors="replace")) for line in (a, b))
                return f"line {number}, byte {at}: {' and '.join(texts)}"
    return "only their ends differ"


def same(one: Path, other: Path) -> Found:
    difference = compared(one, other)
    size = f"{one.stat().st_size / 1e6:.1f} MB, {digest(one)}"
    return Found(difference or f"identical: {size}", "byte-identical", not difference)


def hash_seeds(desk: Desk) -> Found:
    one, other = both(desk, ("seed-1", mission.NAME, SEED, 1), ("seed-1-again", mission.NAME, SEED, 2))
    return same(one, other)


def reordered(desk: Desk) -> Found:
    content = mission.data()
    content["team"] = dict(reversed(content["team"].items()))
    path = mission.write(desk.folder / "reordered" / f"{mission.NAME}.toml", content)
    one, other = both(desk, ("seed-1", mission.NAME, SEED, 1), ("reordered", str(path), SEED, 3))
    return same(one, other)


def another_seed(desk: Desk) -> Found:
    one, other = both(desk, ("seed-1", mission.NAME, SEED, 1), ("seed-2", mission.NAME, OTHER_SEED, 1))
    run = [sum(1 for _ in path.open("rb")) for path in (one, other)]
    different = bool(compared(one, other))
    return Found(f"{run[0]} and {run[1]} lines" if different else "identical", "different", different)


def both(desk: Desk, *runs: tuple[str, str, int, int]) -> list[Path]:
    return desk.each(runs, lambda run: log_of(desk, run[0], run[1], seed=run[2], hash_seed=run[3]))


def replayed(desk: Desk, log: Path, *words: str) -> dict[str, Any]:
    document: dict[str, Any] = desk.robotd("replay", log, "--json", *words).checked(0, 1).document()
    return document


def from_start(desk: Desk) -> Found:
    return found_in(replayed(desk, log_of(desk, "seed-1")))


def from_middle(desk: Desk) -> Found:
    log = log_of(desk, "seed-2", seed=OTHER_SEED)  # it is the longer one
    parts = sum(1 for line in LogLines(log) if isinstance(line, dict) and "part" in line)
    if parts < 2:
        return Found(f"the log has {parts} part", "two parts at least", ok=False)
    found = found_in(replayed(desk, log, "--from-part", str(parts // 2)))
    return found._replace(figure=f"from part {parts // 2} of 0..{parts - 1}: {found.figure}")


def found_in(document: dict[str, Any]) -> Found:
    difference = document["difference"]
    how = "bit for bit" if document["exact"] else "within 1e-9"
    figure = f"{document['ticks']} ticks, {document['decisions']} decisions, {document['parts']} parts, {how}: "
    figure += "no difference" if difference is None else f"differs at {difference}"
    return Found(figure, "no difference, bit for bit", difference is None and document["exact"])


def changed_constant(desk: Desk) -> Found:
    """Each rate that a robot has of its own, changed alone: found in the first decision that it moves."""
    log = log_of(desk, "seed-1")
    rates = [
        (robot, name)
        for robot, own in mission.data()["robots"].items()
        for name, change in own.get("sets", {}).items()
        if "fast_rate" in change.get("motivation", {})
    ]
    first = first_moves(log)
    shown, bad = [], []
    for robot, name in rates:
        difference = replayed(desk, changed(desk, log, robot, name))["difference"]
        at = f"{robot} {name}: "
        if difference is None:
            bad.append(f"{at}not found")
        elif (difference["robot"], difference["n"]) != (robot, first.get((robot, name))):
            bad.append(f"{at}{difference['robot']} tick {difference['n']}, not {first.get((robot, name))}")
        else:
            shown.append(difference["n"])
    figure = f"{len(shown)} of {len(rates)} constants, at ticks {', '.join(map(str, sorted(shown)))}"
    return Found(besides(figure, bad), "each at the first tick that it moves", not bad)


def first_moves(log: Path) -> dict[tuple[str, str], int]:
    """The tick in which each set's impatience first rose, by (robot, set): before it, its rate moves nothing."""
    first: dict[tuple[str, str], int] = {}
    for robot, row in mission.rows(log):
        for level in row.choice.levels if row.choice is not None else ():
            if level.scores["impatience"] > 0.0 or level.scores["motivation"] > 0.0:
                first.setdefault((robot, level.set), row.inputs.n)
    return first


def changed(desk: Desk, log: Path, robot: str, name: str) -> Path:
    path = desk.folder / "changed.jsonl"
    with log.open(encoding="utf-8") as source, path.open("w", encoding="utf-8") as copy:
        for line in source:
            if line.startswith('{"part"'):
                part = json.loads(line)
                part["mission"]["robots"][robot]["sets"][name]["motivation"]["fast_rate"] *= FASTER
                line = dumps(part) + "\n"
            copy.write(line)
    if compared(log, path) == "":
        raise CommandError(f"nothing was changed in {path}")
    return path


SIM = f"robotd sim {mission.NAME} --seed {SEED} --log FILE"
CHECKS = (
    Check("4.1", "same seed, two processes", f"PYTHONHASHSEED=1 and =2 {SIM}", hash_seeds),
    Check("4.2", "the team reordered in the file", f"PYTHONHASHSEED=3 {SIM}, [team] reversed", reordered),
    Check("4.3", "another seed", f"robotd sim {mission.NAME} --seed {OTHER_SEED} --log FILE", another_seed),
    Check("5.1", "replay from the start", "robotd replay LOG --json", from_start),
    Check("5.2", "replay from a middle part", "robotd replay LOG --from-part K --json", from_middle),
    Check("5.3", "one changed constant of the motivation", f"fast_rate x {FASTER:g} in the log's part lines, then "
          "robotd replay LOG --json", changed_constant),
)  # fmt: skip
