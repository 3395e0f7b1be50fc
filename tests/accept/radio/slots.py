"""Line 6, the base station's part: what beat it states to teams of nineteen and of thirty on RYLR998 modems."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

from robotd.config.load import find_mission
from tests.accept.check import Check, Found
from tests.accept.desk import Desk

PORT = "/dev/no-modem"  # a base station waits for one that is not there, and has told its beat before
SAYS_S = 6  # after which it is asked to end, with SIGTERM
RADIO = f"reyax@{PORT},region=eu868,band_hz=869525000"
FITS, LONGER = 19, 30


def mission_of(desk: Desk, robots: int) -> Path:
    text = find_mission("cleanup").read_text(encoding="utf-8")
    more = "".join(f'robot-{n} = {{ number = {n}, type = "r2" }}\n' for n in range(4, robots + 1))
    path = desk.folder / f"cleanup-{robots}.toml"
    path.write_text(text.replace("\n[tasks]\n", f"{more}\n[tasks]\n", 1), encoding="utf-8")
    return path


def stated(robots: int, desk: Desk) -> Found:
    """What the base station says of slots and beat, in a run of a few seconds."""
    key = desk.folder / "team.key"
    if not key.exists():
        desk.robotd("keygen", key)
    state = desk.folder / f"station-{robots}"
    words = ("base-station", mission_of(desk, robots), "--radio", RADIO, "--key-file", key, "--state", state)
    ran = desk.run("timeout", "-s", "TERM", str(SAYS_S), sys.executable, "-m", "robotd", *words)
    (line,) = [line for line in ran.out.splitlines() if "slots in a beat" in line] or [ran.err]
    longer = "not the mission's 3 s" in line
    bound = "a longer beat, and why" if robots == LONGER else "a beat of 3 s"
    ok = f"{robots} robots, {robots + 1} slots" in line and longer == (robots == LONGER) and ran.code == 124
    return Found(line.partition(": ")[2], bound, ok)


COMMAND = "robotd base-station cleanup-{}.toml --radio " + RADIO
CHECKS = (
    Check("6.8", "19 robots hold 1/3 Hz on RYLR998 SF7", COMMAND.format(FITS), functools.partial(stated, FITS)),
    Check("6.9", "30 get a longer beat, stated", COMMAND.format(LONGER), functools.partial(stated, LONGER)),
)
