"""Line 8: one robot of five stops the team, over radios that lose frames."""

import functools
import math
from pathlib import Path
from statistics import median
from typing import Any

from tests.accept.check import Check, Found
from tests.accept.daemon import mission
from tests.accept.desk import Desk

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


CHECKS = tuple(
    Check(f"8.{part}", f"team stop of five robots at {loss} % loss: time until all wheels are at zero",
          f'robotd sim five.toml --set radio.loss={loss / 100:g} --event "{AT_S:g} stop-team ROBOT"',
          functools.partial(team_stop, loss / 100.0))
    for part, loss in enumerate(LOSSES, 1)
)  # fmt: skip
