"""Line 7: real processes on ptys; a daemon is killed or stopped, or all are asked to end."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

from robotd.sim.activity_trace import Cut
from robotd.sim.parts import parts_of
from robotd.sim.processes import Processes
from robotd.sim.seen import AT_REST_M_S
from tests.accept.check import Check, Found
from tests.accept.daemon import mission
from tests.accept.desk import Desk

ZERO_S = 0.5
LOOKS_S = 1.0  # a look every quarter of a second, and the machine's load
SETTLES_S = 0.3  # from the last byte on a pty to a standing wheel of the world
ENDS_AT_S = 30.0  # the finder is under way then
UNWRITTEN_S = 1.5  # a robot that is killed loses what its log has not flushed, a second at most
CAUSES = {"kill": "killed by SIGKILL", "stop-process": "finished no tick"}


def killed(desk: Desk, at_s: float, verb: str = "kill", duration_s: float = 60.0) -> dict[str, Any]:
    event = f"{at_s:g} {verb} green"

    def run() -> dict[str, Any]:
        out = desk.folder / f"processes-{verb}-{at_s:g}"
        words = ("--processes", mission.NAME, "--duration", f"{duration_s:g}", "--event", event, "--out", out)
        outcome = desk.sim(*words)
        shutil.rmtree(out)
        return outcome

    return desk.kept(f"processes {event} {duration_s:g}", run)


def stopped(run: dict[str, Any], verb: str) -> Found:
    """How fast green's wheels stood; it must have been under way until the signal, and ended by it."""
    stop = run["stops"]["green"]
    at, after = stop["at_s"], stop["wheels_zero_after_s"]
    moving = any(start < at < end + UNWRITTEN_S for _, start, end in run["robots"]["green"])
    figure = f"{'never' if after is None else f'{after:.3f} s'}, {'' if moving else 'not '}under way before; "
    figure += f"{stop['cause']}; {stop['bytes_after']} bytes afterwards"
    in_time = after is not None and after <= ZERO_S
    ok = in_time and moving and stop["bytes_after"] == 0 and CAUSES[verb] in str(stop["cause"])
    return Found(figure, f"from under way, at most {ZERO_S} s after the signal; 0 bytes", ok)


def silent(desk: Desk) -> Found:
    beats, beat = mission.silence_beats(), mission.beat_s()
    low, high = (beats - 1.0) * beat, beats * beat + LOOKS_S  # its last frame left within the beat before
    shown, bad = [], []
    for at in (12, 30):
        run = killed(desk, at)
        for teammate in sorted(set(run["robots"]) - {"green"}):
            silent_s = run["silent"].get(teammate, {}).get("green")
            text = f"{teammate} {'never' if silent_s is None else f'{silent_s - at:.1f} s'}"
            shown.append(text)
            if silent_s is None or not low <= silent_s - at <= high:
                bad.append(text)
    bound = f"{low:.1f} to {high:.1f} s ({beats:g} beats from its last frame)"
    return Found(f"after {', '.join(shown)}", bound, not bad)


def exits(desk: Desk) -> Found:
    run = killed(desk, 12)
    codes = dict(run["exits"])
    own = codes.pop("green")
    figure = f"{', '.join(f'{name} {code}' for name, code in sorted(codes.items()))}; green {own}"
    ok = bool(codes) and set(codes.values()) == {0} and own not in (0, None)
    return Found(figure, "0 each; the killed one's guardian not 0", ok)


class Watched(Processes):
    """Robots that are processes, and how fast wheels turned before the robots were asked to end, and after."""

    before: dict[str, float]
    after: dict[str, float]

    async def _judge(self, cut: Cut) -> str:
        reason = await super()._judge(cut)
        self.before = self._wheels()
        return reason

    async def _clean_up(self, runtime: Path) -> None:
        await asyncio.sleep(SETTLES_S)
        self.after = self._wheels()
        await super()._clean_up(runtime)

    def _wheels(self) -> dict[str, float]:
        self.world.advance(asyncio.get_running_loop().time())
        return {name: max(abs(speed) for speed in self.world.wheel_speeds(name)) for name in sorted(self.numbers)}


def terminated(desk: Desk) -> Found:
    loaded = mission.mission()
    out = desk.folder / "processes-term"

    async def run() -> tuple[Watched, Any]:
        watched = Watched(loaded, 1, parts_of(loaded, [], [], all_bytes=True), out)
        return watched, await watched.run([], ENDS_AT_S)

    watched, outcome = asyncio.run(run())
    shutil.rmtree(out)
    rolled = [name for name, speed in watched.before.items() if speed > AT_REST_M_S]
    rolling = [f"{name} {speed:.3f} m/s" for name, speed in watched.after.items() if speed > AT_REST_M_S]
    codes = outcome.extra["exits"]
    assert isinstance(codes, dict)
    figure = f"{', '.join(rolled) or 'no robot'} under way; then {', '.join(rolling) or 'all at zero'}; "
    figure += f"exit {', '.join(f'{name} {code}' for name, code in sorted(codes.items()))}"
    ok = bool(rolled) and not rolling and set(codes.values()) == {0}
    return Found(figure, "wheels at zero when all have ended, exit 0 each", ok)


SIM = f"robotd sim --processes {mission.NAME} --duration 60 --json --event "
CHECKS = (
    Check("7.1", "SIGKILL of the daemon: wheels at zero", f'{SIM}"12 kill green"',
          lambda desk: stopped(killed(desk, 12), "kill")),
    Check("7.2", "the same, under way", f'{SIM}"30 kill green"', lambda desk: stopped(killed(desk, 30), "kill")),
    Check("7.3", "teammates count it silent", f'{SIM}"12 kill green" (and 30)', silent),
    Check("7.4", "SIGTERM of the rest", f'{SIM}"12 kill green"', exits),
    Check("7.5", "SIGTERM under way: motors stopped", f"robotd sim --processes {mission.NAME} --duration "
          f"{ENDS_AT_S:g}, the wheels watched to the end", terminated),
    Check("7.6", "SIGSTOP of the daemon", f'{SIM}"30 stop-process green"',
          lambda desk: stopped(killed(desk, 30, "stop-process", 40.0), "stop-process")),
)  # fmt: skip
