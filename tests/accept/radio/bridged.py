"""Line 8: two robots on XBee and two on RYLR998, bridged by one base station, run the cleanup mission."""

import functools
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from robotd.api import simulate
from robotd.config.load import Mission, find_mission, load_mission
from robotd.model.beliefs import SILENT_BEATS
from robotd.model.choice import Decision
from robotd.model.inputs import Inputs
from robotd.model.statements import Sent
from robotd.sim.host import BOOT_S
from robotd.sim.parts import parts_of
from robotd.sim.team import Team
from tests.accept.check import Check, Found, besides
from tests.accept.desk import Desk

HALVES = (("blue", "green"), ("gold", "red"))  # on XBee, and on RYLR998
RADIOS = ("xbee", "gold=reyax", "red=reyax")
FOURTH = {"number": 4, "type": "r2"}  # mock bodies are R-2s, with what the mission needs
OPTIONS = [word for radio in RADIOS for word in ("--radio", radio)]
SET = 'team.red={number=4,type="r2"}'
SEEDS, QUICK = 5, 1
DIES_AT, ASKED_BACK_AT = 60, 400  # before the spills are found, and after: each half must find them by itself
BACK_AT = ASKED_BACK_AT + BOOT_S
AGREE_BEATS = 10
SETTLED_BEATS = 8  # after its death: time-outs of four beats and a half are over
MINUTES_S = 120


def mission() -> Mission:
    return load_mission(find_mission("cleanup"), {"team.red": FOURTH})


@dataclass
class Looks:
    """What the judge's looks, twice a second, showed of facts, work and hearing."""

    beat_s: float
    differed: list[tuple[float, int]] = field(default_factory=list)  # when, how many different sets of facts
    worked: dict[str, list[bool]] = field(default_factory=dict)  # by robot, while the base station was dead
    oldest: dict[bool, float] = field(default_factory=dict)  # beats: of own half, of the other

    def tick(self, robot: str, i: Inputs, sent: tuple[Sent, ...], decision: Decision) -> None:
        """See `Watch.tick`."""

    def look(self, now: float, team: Team) -> None:
        known = {
            frozenset((name, fact.value, fact.version) for name, fact in robot.mind.beliefs.facts.items())
            for robot in team.robots.values()
        }
        self.differed.append((now, len(known)))
        if DIES_AT + SETTLED_BEATS * self.beat_s < now < BACK_AT:
            self._dead(now, team)

    def _dead(self, now: float, team: Team) -> None:
        numbers = team.numbers
        for half in HALVES:
            for name in half:
                robot = team.robots[name]
                self.worked.setdefault(name, []).append(bool(robot.mind.choice.run))
                for teammate, number in numbers.items():
                    if teammate != name:
                        received = robot.mind.beliefs.teammates[number].last_received
                        own, age = teammate in half, (now - received) / self.beat_s
                        worse = max if own else min
                        self.oldest[own] = worse(self.oldest.get(own, age), age)


def outage(seed: int, desk: Desk) -> dict[str, Any]:
    def run() -> dict[str, Any]:
        loaded = mission()
        looks = Looks(loaded.content.radio.beat_s)
        parts = parts_of(loaded, ["mock"], RADIOS, all_bytes=True, base_station=True)
        events = (f"{DIES_AT} kill base-station", f"{ASKED_BACK_AT} reboot base-station")
        outcome = simulate(loaded, seed, events=events, parts=parts, watch=looks)
        agreed = next((now for now, sets in looks.differed if now >= BACK_AT and sets == 1), None)
        return {
            "reason": outcome.reason, "duration_s": outcome.duration_s,
            "apart": dict(looks.differed)[BACK_AT] > 1,
            "beats": None if agreed is None else (agreed - BACK_AT) / looks.beat_s,
            "worked": {name: sum(found) / len(found) for name, found in looks.worked.items()},
            "own": looks.oldest[True], "other": looks.oldest[False],
        }  # fmt: skip

    return desk.kept(f"bridged outage {seed}", run)


def of_all(judge: Callable[[Sequence[dict[str, Any]]], Found], desk: Desk) -> Found:
    return judge([outage(seed, desk) for seed in desk.seeds(SEEDS, QUICK)])


def accomplished(desk: Desk) -> Found:
    def run(seed: int) -> dict[str, Any]:
        words = ("cleanup", "--bytes", "--board", "mock", *OPTIONS, "--base-station", "--set", SET)
        return desk.kept(f"bridged {seed}", lambda: desk.sim(*words, "--log", "none", "--seed", str(seed)))

    found = desk.each(desk.seeds(SEEDS, QUICK), run)
    late = [f"seed {outcome['seed']}: {outcome['reason']}" for outcome in found if not outcome["accomplished"]]
    repeated = {kind: radio["repeated"] for kind, radio in found[0]["base_station"]["radios"].items()}
    times = ", ".join(f"{outcome['duration_s']:.0f} s" for outcome in found)
    figure = besides(f"{times}; seed 1 repeated {repeated}", late)
    return Found(figure, "accomplished with every seed", not late and all(repeated.values()))


def went_on(runs: Sequence[dict[str, Any]]) -> Found:
    own, other = max(run["own"] for run in runs), min(run["other"] for run in runs)
    idle = [name for half in HALVES for name in half if any(run["worked"][name] == 0.0 for run in runs)]
    least = [min(max(run["worked"][name] for name in half) for run in runs) for half in HALVES]
    ended = [run["reason"] for run in runs if run["reason"] != "accomplished"]
    figure = (
        f"the last frame of a teammate of the own half was never older than {own:.1f} beats, of the other half "
    )
    figure += f"never younger than {other:.1f}; of the time one of each half was at work {least[0]:.0%} and "
    figure += f"{least[1]:.0%}"
    figure = besides(figure, idle, "idle all the time")
    figure += f"; not to the end: {ended}" if ended else "; all missions accomplished"
    ok = own <= SILENT_BEATS and other > SETTLED_BEATS - 1 and min(least) > 0.5 and not ended
    return Found(figure, f"own half received within {SILENT_BEATS:g} beats, both at work, mission to its end", ok)


def agreed(runs: Sequence[dict[str, Any]]) -> Found:
    beats = [run["beats"] for run in runs]
    apart = all(run["apart"] for run in runs)
    figure = f"after {', '.join('never' if b is None else f'{b:.1f}' for b in beats)} beats"
    figure += "" if apart else "; but they did agree while it was dead"
    ok = apart and all(b is not None and b <= AGREE_BEATS for b in beats)
    return Found(figure, f"apart at its return, the same facts on all within {AGREE_BEATS} beats", ok)


def as_processes(desk: Desk) -> Found:
    out = desk.folder / "bridged-processes"
    words = ("cleanup", "--processes", *OPTIONS, "--base-station", "--set", SET, "--duration", str(MINUTES_S))

    def measured() -> dict[str, Any]:
        shutil.rmtree(out, ignore_errors=True)  # of a run that was interrupted
        return desk.sim(*words, "--out", out)

    run = desk.kept("bridged processes", measured)
    shutil.rmtree(out, ignore_errors=True)
    radios = run["base_station"].get("radios", {})
    repeated = {kind: radio["repeated"] for kind, radio in radios.items()}
    figure = f"repeated {repeated}; silent: {run['silent'] or 'no robot'}; raised: {run['raised'] or 'nothing'}; "
    figure += f"exits {run['exits']}; {run['reason']}"
    busy = [name for name, spells in run["robots"].items() if spells]
    least = int(MINUTES_S / 3.0 * 2 * 0.8)  # of two robots of the other half; a status is up to 10 s old
    ok = bool(repeated) and min(repeated.values()) >= least and not run["silent"] and not run["raised"]
    ok = ok and set(run["exits"].values()) == {0} and bool(busy)
    return Found(figure, f"each radio repeats {least} frames and more, no robot is silent, exit 0", ok)


SIM = "robotd sim cleanup --bytes --board mock --radio xbee --radio gold=reyax --radio red=reyax --base-station"
EVENTS = f'--event "{DIES_AT} kill base-station" --event "{ASKED_BACK_AT} reboot base-station"'
FULL = f"{SIM} --set '{SET}'"
CHECKS = (
    Check("8.1", "XBee and RYLR998, bridged: the mission to its end", f"{FULL} --seed 1 to {SEEDS}", accomplished),
    Check("8.2", "base station killed: both halves go on", f"{FULL} {EVENTS}", functools.partial(of_all, went_on)),
    Check("8.3", "back: facts agree", f"{FULL} {EVENTS}", functools.partial(of_all, agreed)),
    Check("8.4", "the first minutes as processes", f"{FULL} --processes --duration {MINUTES_S}", as_processes),
)
