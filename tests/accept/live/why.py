"""The lines on why: the answers of each mission and fault, a robot that its guardian stopped, logs that are cut.

`python -m tests.accept.live.why` writes these answers anew.
"""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from robotd.config.load import mission_names
from robotd.timing.clock import monotonic
from tests.accept.check import Check, Found
from tests.accept.desk import Desk
from tests.accept.live.page import DESKTOP, PHONE, browsed
from tests.robotd.foxglove.client import receive

GOLDEN = Path(__file__).with_name("why.json")
SEED, LENGTH_S, START_S = 3, 60.0, 60.0
FAULTY = "patrol"
FAULTS = (  # that a person can do to a simulated robot or its radio
    "remove amber", "seize amber", "slow amber 0.3", "motors-dead amber", "dead amber bumpers",
    "frozen amber front-range", "noisy amber front-range", "kill amber", "stop-process amber", "reboot amber",
    "radio amber off", "loss amber 0.9", "stop-team amber",
)  # fmt: skip
LOSSES = (
    "cleanup, remove green", "cleanup-plan, remove green", "service/alliance, remove r1",
    "service/l-alliance, remove r1", "service/murdoch, remove r1", "service/cobos, remove r5",
    "murdoch-box, remove west", "cobos, remove r7", "formation, remove r2",
)  # fmt: skip
PORT = 8790  # of the Foxglove server, as no other of ours
ROBOTD = (sys.executable, "-P", "-m", "robotd")
ROBOT = """name = "amber"
mission = "patrol"
start = "at-boot"
board = { name = "mock" }
radio = { name = "none" }
http = { enabled = false }
"""


def asked(*words: str, env: dict[str, str] | None = None) -> Any:
    """What `robotd WORDS --json` prints; OSError where it fails."""
    command = [*ROBOTD, *words, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode not in (0, 1):
        raise OSError(f"robotd {' '.join(words)}: {done.stderr}")
    return json.loads(done.stdout)


def answers(case: str, folder: Path) -> dict[str, Any]:
    """How the mission ended, and by robot what it is on, its reasons, and what has happened to it, after a minute.

    `case`: a mission, or MISSION/COORDINATOR, and where there is one a fault at 20 s. Of what has happened several
    times the last is there.
    """
    name, _, fault = case.partition(", ")
    mission, _, coordinator = name.partition("/")
    more = ("--coordinator", coordinator) if coordinator else ()
    events = ("--event", f"20 {fault}") if fault else ()
    length = ("--seed", str(SEED), "--duration", f"{LENGTH_S:g}")
    end = asked("sim", mission, *more, *length, *events, "--out", str(folder / "why"))["ending"]
    found = asked("why", str(folder / "why" / "run.jsonl"))["robots"]
    return {"ending": end, **{one["robot"]: _answer(one) for one in found}}


def _answer(one: dict[str, Any]) -> dict[str, Any]:
    last = {each["what"]: each["cause"] for each in one["happened"]}
    return {
        "is": [one["state"], one["set"], one["task"], round(one["since_s"], 1), one["off"]],
        "because": one["cause"],
        "levels": {level["set"]: level["why"] for level in one["levels"]},
        "happened": [f"{what}: {cause}" for what, cause in sorted(last.items())],
    }


def cases() -> list[str]:
    """Each mission, each fault, and losses under each coordinator."""
    return [*mission_names(), *(f"{FAULTY}, {fault}" for fault in FAULTS), *LOSSES]


def of_missions(desk: Desk) -> Found:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    wrong = [case for case in cases() if answers(case, desk.folder) != golden.get(case)]
    return Found(f"{len(cases()) - len(wrong)} of {len(cases())} as before; other: {wrong}", "all", not wrong)


def of_a_guardian(desk: Desk) -> Found:
    """A daemon that freezes is stopped by its guardian; its folder says so, before and after the next start."""
    with tempfile.TemporaryDirectory() as name:
        folder, env = _home(Path(name))
        code = _life(folder, env, freeze=True)
        stopped = asked("why", str(folder / "logs"), env=env)["robots"][0]
        _life(folder, env, freeze=False)
        faulted = asked("why", str(folder / "logs"), env=env)["robots"][0]
    names = [fault["name"] for fault in faulted["faults"]]
    ok = (
        code == 1
        and "has stopped it" in stopped["end"]
        and (faulted["state"], names) == ("faulted", ["guardian-stop"])
    )
    return Found(f"{stopped['end']}; then {faulted['state']}: {faulted['reason']}", "guardian-stop", ok)


def _home(folder: Path, more: str = "") -> tuple[Path, dict[str, str]]:
    """A folder with a robot file and what its daemon needs, and the environment that names these."""
    (folder / "amber.toml").write_text(f"{ROBOT}{more}", encoding="utf-8")
    own = {f"{kind}_DIRECTORY": str(folder / kind.lower()) for kind in ("STATE", "LOGS", "RUNTIME")}
    for kind in own.values():
        Path(kind).mkdir(mode=0o700)
    return folder, {**os.environ, **own}


def _life(folder: Path, env: dict[str, str], *, freeze: bool) -> int:
    """From a start to an end: frozen, or by SIGTERM; the guardian's exit status."""
    read, write = os.pipe()
    script = "import sys; from pathlib import Path; from robotd.guardian.guardian import guard; "
    script += "sys.exit(guard(Path(sys.argv[1]), int(sys.argv[2])))"
    command = [sys.executable, "-P", "-c", script, str(folder / "amber.toml"), str(write)]
    guardian = subprocess.Popen(command, env=env, pass_fds=[write])
    os.close(write)
    with open(read, encoding="utf-8") as reports:
        child, end = 0, monotonic() + START_S
        for line in reports:
            report = json.loads(line)
            child = report.get("pid", child)
            if report["event"] == "ready":
                while not list((folder / "logs").glob("*.jsonl")) and monotonic() < end:
                    signal.sigtimedwait([], 0.05)
                if freeze:
                    os.kill(child, signal.SIGSTOP)
                else:
                    guardian.send_signal(signal.SIGTERM)
        return guardian.wait(START_S)


def of_pages(desk: Desk) -> Found:
    """The page of a run opens from a file at both widths, light and dark: it asks for nothing and is no wider."""
    log, wrong = desk.folder / "report" / "run.jsonl", []
    asked(
        "sim",
        "cleanup",
        "--duration",
        "300",
        "--out",
        str(log.parent),
        "--event",
        "100 remove holder:find-locations",
    )
    page = Path(asked("report", str(log))["page"])
    for name, size in (("desktop", DESKTOP), ("phone", PHONE)):
        for scheme in ("light", "dark"):
            with browsed(size, scheme) as seen:
                seen.page.goto(page.as_uri())
                seen.page.screenshot(path=str(desk.folder / f"report-{name}-{scheme}.png"), full_page=True)
                wide = seen.page.evaluate("document.documentElement.scrollWidth")
                bars = seen.page.locator("#trace rect").count()
                if seen.errors or seen.asked != {""} or wide > size["width"] or not bars:
                    wrong.append(f"{name} {scheme}: {seen.errors}, {seen.asked}, {wide} wide, {bars} bars")
    return Found(f"{wrong or 'four pictures'} in {desk.folder}", "nothing loaded, no error, no wider", not wrong)


def of_a_client(desk: Desk) -> Found:
    """A daemon under its guardian, and a simulated team, each send 20 messages of each topic to a client."""
    own = {f"/amber/{name}" for name in ("pose", "scan", "levels")} | {"/tf", "/room", "/robots"}
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder, env = _home(Path(name), f"[foxglove]\nenabled = true\nport = {PORT}\n")
        commands = [([*ROBOTD, "run", str(folder / "amber.toml")], env, own - {"/amber/pose", "/tf"})]
        commands.append(
            ([*ROBOTD, "live", "patrol", "--bind", "127.0.0.1:0", f"--foxglove=127.0.0.1:{PORT}"], env, own)
        )
        for command, environment, topics in commands:
            program = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
            try:
                came, _ = asyncio.run(_received(topics))
                found.append(min(came[topic] for topic in topics))
            finally:
                program.send_signal(signal.SIGTERM)
                found.append(program.wait(START_S))
    return Found(
        f"least of a topic, exit status: {found}", "20, 0, 20, 0", [min(20, one) for one in found] == [20, 0] * 2
    )


def of_their_client(desk: Desk) -> Found:
    """As `of_a_client`, of a simulation, with the client that Foxglove itself publishes."""
    folder = desk.folder / "client"
    folder.mkdir(exist_ok=True)
    shutil.copy(Path(__file__).with_name("client.mjs"), folder)
    desk.run(
        "npm", "install", "--no-fund", "--no-audit", "@foxglove/ws-protocol@0.8", "ws@8", cwd=folder
    ).checked()
    live = [*ROBOTD, "live", "patrol", "--bind", "127.0.0.1:0", f"--foxglove=127.0.0.1:{PORT}"]
    program = subprocess.Popen(live, stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout is not None
        program.stdout.readline()
        topics = [f"/amber/{name}" for name in ("pose", "scan", "levels")] + [
            "/tf",
            "/room",
            "/robots",
            "/objects",
        ]
        ran = desk.run("node", "client.mjs", f"ws://127.0.0.1:{PORT}", "20", *topics, cwd=folder)
    finally:
        program.send_signal(signal.SIGTERM)
        program.wait(START_S)
    return Found(ran.out.strip() or ran.err.strip(), "20 of each", ran.code == 0)


async def _received(topics: set[str]) -> tuple[Counter[str], dict[str, str]]:
    """As `receive`, once there is a server."""
    async with asyncio.timeout(4 * START_S):
        while True:
            try:
                return await receive(PORT, 20, topics)
            except OSError:
                await asyncio.sleep(0.2)


def of_cuts(desk: Desk) -> Found:
    count = 100 if desk.quick else 1000
    ran = desk.run(sys.executable, "-m", "tests.hostile.cuts", "--count", str(count))
    return Found(ran.out.strip().splitlines()[-1], "0 faults", ran.code == 0)


CHECKS = (
    Check("3.1", "a log that is cut anywhere", "python -m tests.hostile.cuts", of_cuts),
    Check("4.1", "why, of each mission and each fault", "robotd why", of_missions),
    Check("4.3", "the page of a run, desktop and phone, light and dark", "robotd report", of_pages),
    Check("5.1", "20 messages of each topic, of a daemon and a simulation", "robotd live --foxglove", of_a_client),
    Check("5.2", "the same of Foxglove's own client, from npm", "node client.mjs", of_their_client),
    Check("4.2", "why a guardian has stopped a robot", "robotd why", of_a_guardian),
)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as out:
        written = {case: answers(case, Path(out)) for case in cases()}
    GOLDEN.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
